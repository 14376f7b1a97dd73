import { CommandError, type Timestamp } from '@replsim/protocol';

const END = 0x04;
const SMALLEST_NUMBER = 0x1e;
const NAN = 0x1e;
const ZERO = 0x29;
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
 * Reads the values of a key one after the other. Errors: Location50811 where it ends too early, Location50816 for a type
 * that there is not. Upstream: key_string.cpp, toBsonValue.
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

  /** The next value; undefined at the end. */
  next(): KeyValue | undefined {
    if (this.#peek() === END) {
      if (this.#at + 1 < this.#bytes.length) throw malformed(50816, 'has bytes behind its end');
      return undefined;
    }
    return this.#value();
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
        throw malformed(50816, `has a value of the unknown type ${type}`);
    }
    return { type: 'other' };
  }

  /** Integers that a number of JavaScript holds; of any other number only its length matters. */
  #number(type: number): KeyValue {
    if (type === NAN) return { type: 'other' };
    if (type === ZERO) return { type: 'integer', value: 0 };
    const isNegative = type < ZERO;
    const length = lengthOf(type);
    let doubled = 0;
    for (let i = 0; i < length; i++) {
      const byte = this.#byte();
      doubled = doubled * 256 + (isNegative ? ~byte & 0xff : byte);
    }
    const isInteger = type >= NEGATIVE_EIGHT_BYTES && type <= EIGHT_BYTES && Number.isSafeInteger(doubled);
    // What has its lowest bit set has a fraction behind it.
    if (!isInteger || doubled % 2 === 1) {
      if (isInteger) this.#skip(8 - length);
      return { type: 'other' };
    }
    return { type: 'integer', value: isNegative ? -doubled / 2 : doubled / 2 };
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
    } while (this.#peek() === 0xff && this.#byte() === 0xff);
  }

  #cString(): void {
    while (this.#byte() !== 0);
  }

  #uint32(): number {
    let value = 0;
    for (let i = 0; i < 4; i++) value = value * 256 + this.#byte();
    return value;
  }

  #peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw malformed(50811, 'ends too early');
    return byte;
  }

  #byte(): number {
    const byte = this.#peek();
    this.#at += 1;
    return byte;
  }

  #skip(count: number): void {
    if (this.#at + count > this.#bytes.length) throw malformed(50811, 'ends too early');
    this.#at += count;
  }
}

function lengthOf(type: number): number {
  if (type >= ONE_BYTE && type <= EIGHT_BYTES) return type - ONE_BYTE + 1;
  if (type >= NEGATIVE_EIGHT_BYTES && type <= NEGATIVE_ONE_BYTE) return NEGATIVE_ONE_BYTE - type + 1;
  return 8;
}

function malformed(code: number, what: string): CommandError {
  return new CommandError(code, `the _data of a resume token ${what}`);
}
