/**
 * BSON where it lies: element types, sizes, and a walk over a document's elements without parsing it.
 * Everything that reads single fields of stored documents (filters, index keys, expiry) goes through here.
 * Source: bsonspec.org, version 1.1.
 */

import { CommandError, InvariantError } from '../errors.ts';
import type { Timestamp } from '../opTime.ts';

/** The type byte of each BSON element. */
export const BsonType = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binData: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  bool: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  dbPointer: 0x0c,
  javascript: 0x0d,
  symbol: 0x0e,
  javascriptWithScope: 0x0f,
  int: 0x10,
  timestamp: 0x11,
  long: 0x12,
  decimal: 0x13,
  minKey: 0xff,
  maxKey: 0x7f,
} as const;

/** A BSON value where it lies: `size` bytes of `bytes` from `offset` on, to be read as `type`. */
export interface BsonValue {
  readonly type: number;
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly size: number;
}

// A leading U+FEFF is part of a string like any other character. (Our declaration of TextDecoder knows `fatal` alone.)
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true } as { fatal: boolean });

/** Reads a little-endian int32. */
export function readInt32(bytes: Uint8Array, offset: number): number {
  return bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24);
}

/** Reads a little-endian int64 as a number: exact for dates and counters, rounded above 2^53. */
export function readInt64AsNumber(bytes: Uint8Array, offset: number): number {
  return readInt32(bytes, offset + 4) * 4294967296 + (readInt32(bytes, offset) >>> 0);
}

/** Reads a little-endian int64 without loss. */
export function readInt64(bytes: Uint8Array, offset: number): bigint {
  return (BigInt(readInt32(bytes, offset + 4)) << 32n) | BigInt(readInt32(bytes, offset) >>> 0);
}

const scratch = new DataView(new ArrayBuffer(8));
/** Reads a little-endian IEEE 754 double. */
export function readDouble(bytes: Uint8Array, offset: number): number {
  scratch.setInt32(0, readInt32(bytes, offset), true);
  scratch.setInt32(4, readInt32(bytes, offset + 4), true);
  return scratch.getFloat64(0, true);
}

/** Decodes UTF-8 from `start` to `end`; short ASCII, which field names mostly are, without the decoder. */
export function readUtf8(bytes: Uint8Array, start: number, end: number): string {
  if (end - start < 24) {
    let text = '';
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      if (byte > 0x7f) return decoder.decode(bytes.subarray(start, end));
      text += String.fromCharCode(byte);
    }
    return text;
  }
  return decoder.decode(bytes.subarray(start, end));
}

/** The text of a string, a symbol or code. */
export function readString({ bytes, offset }: BsonValue): string {
  return readUtf8(bytes, offset + 4, offset + 3 + readInt32(bytes, offset));
}

/** Reads a timestamp, of which both halves are unsigned. */
export function readTimestamp({ bytes, offset }: BsonValue): Timestamp {
  return { t: readInt32(bytes, offset + 4) >>> 0, i: readInt32(bytes, offset) >>> 0 };
}

/** How many names are kept at most. */
const NAME_SLOTS = 512;
const NAME_MAX_BYTES = 23;
const names: (string | undefined)[] = new Array(NAME_SLOTS).fill(undefined);

/**
 * Decodes a field name. Names come again and again, so each of the last ones is kept and given back as the same string; which
 * are kept shows in nothing but time.
 */
export function readName(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length === 0 || length > NAME_MAX_BYTES) return readUtf8(bytes, start, end);
  const slot = (bytes[start]! * 31 + bytes[end - 1]! * 7 + bytes[start + (length >> 1)]! + length * 61) % NAME_SLOTS;
  const known = names[slot];
  if (known !== undefined && isAscii(known, bytes, start, length)) return known;
  const name = readUtf8(bytes, start, end);
  // A name that is not ASCII has fewer chars than bytes, and is never found again.
  if (name.length === length) names[slot] = name;
  return name;
}

function isAscii(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** The offset of the NUL byte that ends the C string at `offset`. */
export function cStringEnd(bytes: Uint8Array, offset: number): number {
  let end = offset;
  while (end < bytes.length && bytes[end] !== 0) end++;
  return end;
}

/** The name of a document's first field, by which commands go; empty where there is none. */
export function firstKey(bytes: Uint8Array): string {
  return bytes.length > FIRST_NAME_AT ? readName(bytes, FIRST_NAME_AT, cStringEnd(bytes, FIRST_NAME_AT)) : '';
}

/** Behind a document's length and its first element's type. */
const FIRST_NAME_AT = 5;

/** How many bytes the value of `type` at `offset` takes. Throws RangeError on an unknown type. */
export function valueSize(type: number, bytes: Uint8Array, offset: number): number {
  switch (type) {
    case BsonType.double:
    case BsonType.date:
    case BsonType.timestamp:
    case BsonType.long:
      return 8;
    case BsonType.string:
    case BsonType.javascript:
    case BsonType.symbol:
      return 4 + readInt32(bytes, offset);
    case BsonType.object:
    case BsonType.array:
    case BsonType.javascriptWithScope:
      return readInt32(bytes, offset);
    case BsonType.binData:
      return 5 + readInt32(bytes, offset);
    case BsonType.objectId:
      return 12;
    case BsonType.bool:
      return 1;
    case BsonType.int:
      return 4;
    case BsonType.decimal:
      return 16;
    case BsonType.null:
    case BsonType.undefined:
    case BsonType.minKey:
    case BsonType.maxKey:
      return 0;
    case BsonType.regex: {
      const pattern = cStringEnd(bytes, offset);
      return cStringEnd(bytes, pattern + 1) + 1 - offset;
    }
    case BsonType.dbPointer:
      return 4 + readInt32(bytes, offset) + 12;
    default:
      throw new RangeError(`unknown BSON type 0x${type.toString(16)} at offset ${offset}`);
  }
}

/**
 * Walks the elements of the document (or array) that starts at `start`. The cursor is mutable and is its own value:
 * read `type`, `name`, `offset` and `size` before the next call of `next()`.
 */
export class ElementCursor implements BsonValue {
  readonly bytes: Uint8Array;
  type = 0;
  nameStart = 0;
  nameEnd = 0;
  offset = 0;
  size = 0;
  #position: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start = 0) {
    this.bytes = bytes;
    this.#position = start + 4;
    this.#end = start + readInt32(bytes, start) - 1;
  }

  /** Moves to the next element; false at the end of the document. */
  next(): boolean {
    if (this.#position >= this.#end) return false;
    const { bytes } = this;
    this.type = bytes[this.#position]!;
    this.nameStart = this.#position + 1;
    this.nameEnd = cStringEnd(bytes, this.nameStart);
    this.offset = this.nameEnd + 1;
    this.size = valueSize(this.type, bytes, this.offset);
    this.#position = this.offset + this.size;
    return true;
  }

  /** The field name, decoded. */
  get name(): string {
    return readName(this.bytes, this.nameStart, this.nameEnd);
  }

  /** A value that stays valid after the next `next()`. */
  value(): BsonValue {
    return { type: this.type, bytes: this.bytes, offset: this.offset, size: this.size };
  }
}

const encoder = new TextEncoder();

/** Up to here V8 keeps bytes on its own heap; an encoder's buffers lie outside, and thousands of them keep the collector busy. */
const NAME_ON_HEAP = 64;

/** A field name as bytes, for `findField`. */
export function encodeName(name: string): Uint8Array {
  const { length } = name;
  if (length > NAME_ON_HEAP) return encodeAnyName(name);
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const code = name.charCodeAt(i);
    if (code === 0 || code > 0x7f) return encodeAnyName(name);
    bytes[i] = code;
  }
  return bytes;
}

function encodeAnyName(name: string): Uint8Array {
  if (name.includes('\0')) throw nulInName(name);
  return encoder.encode(name);
}

/** BSON has no way to write such a name, and a client's strings may become names: of `$rename`, `as`, `$arrayToObject`. */
export function nulInName(name: string): CommandError {
  return new CommandError(16411, `FieldPath field names may not contain a null byte: ${JSON.stringify(name)}`);
}

/** The first top-level field called `name` of the document at `start`, or undefined. */
export function findField(bytes: Uint8Array, name: Uint8Array, start = 0): BsonValue | undefined {
  let position = start + 4;
  const end = start + readInt32(bytes, start) - 1;
  while (position < end) {
    const type = bytes[position]!;
    const nameStart = position + 1;
    let i = 0;
    while (i < name.length && bytes[nameStart + i] === name[i]) i++;
    const same = i === name.length && bytes[nameStart + i] === 0;
    const offset = (same ? nameStart + i : cStringEnd(bytes, nameStart + i)) + 1;
    const size = valueSize(type, bytes, offset);
    if (same) return { type, bytes, offset, size };
    position = offset + size;
  }
  return undefined;
}

/** A field that has to be there: InvariantError says which one is not. */
export function requiredField(bytes: Uint8Array, name: Uint8Array, start = 0): BsonValue {
  const value = findField(bytes, name, start);
  if (!value) throw new InvariantError(`there is no field "${readUtf8(name, 0, name.length)}"`);
  return value;
}

/** A copy of the document that a field holds; the field has to be there. @param name from `encodeName` */
export function subdocument(bytes: Uint8Array, name: Uint8Array): Uint8Array {
  const value = requiredField(bytes, name);
  return value.bytes.slice(value.offset, value.offset + value.size);
}
