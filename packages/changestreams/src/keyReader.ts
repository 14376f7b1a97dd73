import { CommandError, type Timestamp } from '@replsim/protocol';

const END = 0x04;
const SMALLEST_NUMBER = 0x1e;
const NAN = 0x1e;
const ZERO = 0x29;
const NEGATIVE_SMALL = 0x28;
const SMALL = 0x2a;
const ONE_BYTE = 0x2b;
const EIGHT_BYTES = 0x32;
const NEGATIVE_ONE_BYTE = 0x27;
const NEGATIVE_EIGHT_BYTES = 0x20;
const LARGEST_NUMBER = 0x33;

/** A value of a key as far as a token needs it: of documents and of what is in them only that they are there. */
export type KeyValue =
  | { readonly type: 'timestamp'; readonly value: Timestamp }
  | { readonly type: 'integer'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'null' | 'uuid' | 'object' | 'other' };

/**
 * Reads the values of a key one after the other. Errors: Overflow 15 where it ends within a value, Location50816 within a text,
 * Location50811 for a type that there is not. Upstream: key_string.cpp, toBsonValue; data_range.h.
 */
export class KeyReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** How much has been read. */
  get position(): number {
    return this.#at;
  }

  /** The next value; undefined at the end, whether that is marked or not, and whatever stands behind the mark. */
  next(): KeyValue | undefined {
    const isEnd = this.#at === this.#bytes.length || this.#peek() === END;
    return isEnd ? undefined : this.#value();
  }

  #value(): KeyValue {
    const type = this.#byte();
    if (type >= SMALLEST_NUMBER && type <= LARGEST_NUMBER) return this.#number(type);
    switch (type) {
      case 0x82:
        return { type: 'timestamp', value: { t: this.#uint32(), i: this.#uint32() } };
      case 0x6e:
      case 0x6f:
        return { type: 'bool', value: type === 0x6f };
      case 0x14:
        return { type: 'null' };
      case 0x5a:
        return this.#binary();
      case 0x46:
        this.#fields();
        return { type: 'object' };
      case 0x50:
        while (this.#peek() !== 0) this.#value();
        this.#skip(1);
        break;
      case 0x3c:
      case 0xa0:
        this.#text();
        break;
      case 0xaa:
        this.#text();
        this.#fields();
        break;
      case 0x64:
        this.#skip(12);
        break;
      case 0x78:
        this.#skip(8);
        break;
      case 0x8c:
        this.#cString();
        this.#cString();
        break;
      case 0x96:
        this.#skip(this.#uint32() + 12);
        break;
      case 0x0a:
      case 0x0f:
      case 0xf0:
        break;
      default:
        throw malformed(50811, `has a value of the unknown type ${type}`);
    }
    return { type: 'other' };
  }

  /** Integers that a number of JavaScript holds; of any other number only its length matters. */
  #number(type: number): KeyValue {
    if (type === NAN) return { type: 'other' };
    if (type === ZERO) return { type: 'integer', value: 0 };
    const bytes = this.#numberBytes(type < ZERO, lengthOf(type));
    if (!isIntegral(type)) {
      const [first, last] = [bytes[0]!, bytes.at(-1)!];
      this.#difference(isBeyondDoubles(type, first) ? !bytes.every((byte) => byte === 0xff) : last % 2 === 1);
      return { type: 'other' };
    }
    // What has its lowest bit set has a fraction behind it.
    if (bytes.at(-1)! % 2 === 1) {
      const rest = this.#numberBytes(type < ZERO, 8 - bytes.length);
      this.#difference(rest.length === 0 || rest.at(-1)! % 2 === 1);
      return { type: 'other' };
    }
    const doubled = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
    if (!Number.isSafeInteger(doubled)) return { type: 'other' };
    return { type: 'integer', value: type < ZERO ? -doubled / 2 : doubled / 2 };
  }

  #numberBytes(isNegative: boolean, count: number): number[] {
    return Array.from({ length: count }, () => (isNegative ? ~this.#byte() & 0xff : this.#byte()));
  }

  /** What a double leaves out of a decimal. */
  #difference(isThere: boolean): void {
    if (isThere) this.#skip(8);
  }

  #binary(): KeyValue {
    const short = this.#byte();
    const length = short === 0xff ? this.#uint32() : short;
    const subtype = this.#byte();
    this.#skip(length);
    return { type: length === 16 && subtype === 4 ? 'uuid' : 'other' };
  }

  /** Each field is its type, its name and its value. */
  #fields(): void {
    while (this.#byte() !== 0) {
      this.#cString();
      this.#value();
    }
  }

  #text(): void {
    do {
      this.#cString();
    } while (this.#bytes[this.#at] === 0xff && this.#byte() === 0xff);
  }

  #cString(): void {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw malformed(50816, 'has a text without an end');
    this.#at = end + 1;
  }

  #uint32(): number {
    let value = 0;
    for (let i = 0; i < 4; i++) value = value * 256 + this.#byte();
    return value;
  }

  #peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw endsEarly();
    return byte;
  }

  #byte(): number {
    const byte = this.#peek();
    this.#at += 1;
    return byte;
  }

  #skip(count: number): void {
    if (this.#at + count > this.#bytes.length) throw endsEarly();
    this.#at += count;
  }
}

function lengthOf(type: number): number {
  if (type >= ONE_BYTE && type <= EIGHT_BYTES) return type - ONE_BYTE + 1;
  if (type >= NEGATIVE_EIGHT_BYTES && type <= NEGATIVE_ONE_BYTE) return NEGATIVE_ONE_BYTE - type + 1;
  return 8;
}

function isIntegral(type: number): boolean {
  return type >= NEGATIVE_EIGHT_BYTES && type <= EIGHT_BYTES && type !== SMALL && type !== NEGATIVE_SMALL;
}

/** Whether a number is larger than all finite doubles, or smaller than the smallest. */
function isBeyondDoubles(type: number, first: number): boolean {
  return type === SMALL || type === NEGATIVE_SMALL ? first < 0x40 : first >= 0x80;
}

function endsEarly(): CommandError {
  return malformed('Overflow', 'ends too early');
}

function malformed(code: number | 'Overflow', what: string): CommandError {
  return new CommandError(code, `the _data of a resume token ${what}`);
}
