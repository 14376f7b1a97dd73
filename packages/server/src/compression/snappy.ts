import { compress } from 'snappyjs';
import { ProtocolError } from '../wire/protocolError.ts';

const LITERAL = 0;
const NEAR_COPY = 1;
/** Up to this length a literal's tag says it by itself; from here on so many bytes follow that say it. */
const SHORT_LITERAL = 60;

export { compress as compressSnappy };

/**
 * Reads a raw snappy block. The library only compresses here: it trusts the lengths that it reads, and a negative one sends it
 * through billions of steps.
 * @param size what the block holds, as its sender claims
 * @throws ProtocolError for a block that is not what the format says, or does not hold exactly `size` bytes
 */
export function decompressSnappy(block: Uint8Array, size: number): Uint8Array {
  const source = new BlockReader(block);
  const claimed = source.varint();
  if (claimed !== size) throw broken(`it holds ${claimed} bytes, and its message says ${size}`);
  const out = new Uint8Array(size);
  let at = 0;
  while (!source.isOver) {
    const tag = source.byte();
    const kind = tag & 3;
    const length = kind === LITERAL ? source.literalLength(tag >>> 2) : copyLength(tag);
    if (length > size - at) throw broken('it holds more than it says');
    if (kind === LITERAL) out.set(source.bytes(length), at);
    else copyWithin(out, at, length, source.offset(tag));
    at += length;
  }
  if (at !== size) throw broken('it holds less than it says');
  return out;
}

/** Takes from what is there already; a length above the offset repeats it. */
function copyWithin(out: Uint8Array, at: number, length: number, offset: number): void {
  if (offset === 0 || offset > at) throw broken('it refers to what is before its beginning');
  if (offset >= length) out.copyWithin(at, at - offset, at - offset + length);
  else for (let i = at; i < at + length; i++) out[i] = out[i - offset]!;
}

function copyLength(tag: number): number {
  return (tag & 3) === NEAR_COPY ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
}

/** The numbers of a block, none of which is beyond its end. */
class BlockReader {
  readonly #block: Uint8Array;
  #at = 0;

  constructor(block: Uint8Array) {
    this.#block = block;
  }

  get isOver(): boolean {
    return this.#at === this.#block.length;
  }

  byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw broken('it ends too early');
    return byte;
  }

  bytes(length: number): Uint8Array {
    if (length > this.#block.length - this.#at) throw broken('it ends too early');
    this.#at += length;
    return this.#block.subarray(this.#at - length, this.#at);
  }

  /** At most five bytes with seven bits each. */
  varint(): number {
    let value = 0;
    for (let i = 0; i < 5; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw broken('its length does not end');
  }

  /** @param told the upper bits of the tag */
  literalLength(told: number): number {
    return (told < SHORT_LITERAL ? told : this.#littleEndian(told - SHORT_LITERAL + 1)) + 1;
  }

  offset(tag: number): number {
    const kind = tag & 3;
    if (kind === NEAR_COPY) return ((tag >>> 5) << 8) | this.byte();
    return this.#littleEndian(kind === 2 ? 2 : 4);
  }

  #littleEndian(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) value += this.byte() * 2 ** (8 * i);
    return value;
  }
}

function broken(why: string): ProtocolError {
  return new ProtocolError(`a snappy block is broken: ${why}`);
}
