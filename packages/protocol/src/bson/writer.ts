/**
 * BSON written element by element into one growing buffer, so that replies and oplog entries can splice in documents
 * that are bytes already. Source: bsonspec.org, version 1.1.
 */

import { CommandError } from '../errors.ts';
import type { BytePool } from './bytePool.ts';
import { BsonType, type BsonValue, nulInName } from './element.ts';

const encoder = new TextEncoder();
// Every platform that runs JavaScript is little-endian, as BSON is.
const bigintScratch = new BigInt64Array(1);
const bigintBytes = new Uint8Array(bigintScratch.buffer);
const doubleScratch = new Float64Array(1);
const doubleBytes = new Uint8Array(doubleScratch.buffer);

/** Room that every element may need beside its name: type, NUL and the largest fixed-size value (decimal). */
const FIXED_ROOM = 18;
/** From this length on the platform's encoder beats the loop. */
const LONG_STRING = 120;

const indexNames: string[] = [];
/** The field name of an array's element: "0", "1", … */
export function indexName(index: number): string {
  if (index < 1024) {
    while (indexNames.length <= index) indexNames.push(String(indexNames.length));
    return indexNames[index]!;
  }
  return String(index);
}

/**
 * Appends elements to a document; it begins with the root document open, and `finish()` closes that one.
 * Names are written as given (no check for duplicates). A NUL inside a name or pattern, which only a client's text can have
 * brought there, throws Location16411 and Location51091.
 */
export class BsonWriter {
  #bytes: Uint8Array;
  #length = 4;
  /** Where the open documents start, the root first. */
  readonly #open: number[] = [0];

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(Math.max(capacity, 32));
  }

  /** Forgets everything written and opens the root document again; the buffer is kept. */
  reset(): void {
    this.#length = 4;
    this.#open.length = 1;
  }

  /**
   * Closes the root document and returns it in an array of its own. Throws RangeError if a sub-document is open.
   * @param pool which the array is taken from; it has a buffer of its own otherwise
   */
  finish(pool?: BytePool): Uint8Array {
    if (this.#open.length !== 1) throw new RangeError('a sub-document is still open');
    this.#closeFrom(0);
    return pool ? pool.copy(this.#bytes, this.#length) : this.#bytes.slice(0, this.#length);
  }

  beginDocument(name: string): void {
    this.#begin(BsonType.object, name);
  }

  /** Opens an array; its elements are written with `indexName(i)` as their names. */
  beginArray(name: string): void {
    this.#begin(BsonType.array, name);
  }

  endDocument(): void {
    if (this.#open.length < 2) throw new RangeError('no sub-document is open');
    this.#closeFrom(this.#open.pop()!);
  }

  endArray(): void {
    this.endDocument();
  }

  int32(name: string, value: number): void {
    this.#head(BsonType.int, name);
    this.#int32(value);
  }

  double(name: string, value: number): void {
    this.#head(BsonType.double, name);
    this.#double(value);
  }

  /** @param value a number must be a safe integer; a bigint is taken modulo 2^64 */
  int64(name: string, value: bigint | number): void {
    this.#head(BsonType.long, name);
    this.#int64(value);
  }

  /** An int64 by its two halves, each taken as 32 bits. */
  int64Bits(name: string, low: number, high: number): void {
    this.#head(BsonType.long, name);
    this.#int32(low);
    this.#int32(high);
  }

  string(name: string, value: string): void {
    this.#head(BsonType.string, name);
    this.#string(value);
  }

  bool(name: string, value: boolean): void {
    this.#head(BsonType.bool, name);
    this.#bytes[this.#length++] = value ? 1 : 0;
  }

  null(name: string): void {
    this.#head(BsonType.null, name);
  }

  /** @param ms milliseconds since 1970; NaN (an invalid Date) is written as 0, as bson does */
  date(name: string, ms: bigint | number): void {
    this.#head(BsonType.date, name);
    this.#int64(ms);
  }

  timestamp(name: string, value: { readonly t: number; readonly i: number }): void {
    this.#head(BsonType.timestamp, name);
    this.#int32(value.i);
    this.#int32(value.t);
  }

  /** @param id twelve bytes */
  objectId(name: string, id: Uint8Array): void {
    if (id.length !== 12) throw new RangeError('an ObjectId has twelve bytes');
    this.#head(BsonType.objectId, name);
    this.#raw(id);
  }

  binary(name: string, subtype: number, data: Uint8Array): void {
    this.#head(BsonType.binData, name);
    // The old subtype 2 repeats the length inside the data.
    const inner = subtype === 2 ? 4 : 0;
    this.#int32(data.length + inner);
    this.#bytes[this.#length++] = subtype;
    if (inner > 0) this.#int32(data.length);
    this.#raw(data);
  }

  /** @param options are sorted, as BSON wants them */
  regex(name: string, pattern: string, options: string): void {
    this.#head(BsonType.regex, name);
    this.#cString(pattern);
    this.#cString(options.length > 1 ? [...options].sort().join('') : options);
  }

  symbol(name: string, value: string): void {
    this.#head(BsonType.symbol, name);
    this.#string(value);
  }

  javascript(name: string, code: string): void {
    this.#head(BsonType.javascript, name);
    this.#string(code);
  }

  /** @param scope an encoded document */
  javascriptWithScope(name: string, code: string, scope: Uint8Array): void {
    this.#head(BsonType.javascriptWithScope, name);
    const start = this.#length;
    this.#int32(0);
    this.#string(code);
    this.#raw(scope);
    this.#patchInt32(start, this.#length - start);
  }

  minKey(name: string): void {
    this.#head(BsonType.minKey, name);
  }

  maxKey(name: string): void {
    this.#head(BsonType.maxKey, name);
  }

  /** Copies a value from where it lies, under another name if need be. */
  rawValue(name: string, value: BsonValue): void {
    this.#head(value.type, name);
    const { size } = value;
    const from = value.bytes;
    this.#reserve(size);
    const to = this.#bytes;
    if (size <= 16) {
      for (let i = 0; i < size; i++) to[this.#length + i] = from[value.offset + i]!;
    } else {
      to.set(from.subarray(value.offset, value.offset + size), this.#length);
    }
    this.#length += size;
  }

  /** Splices in an encoded document as a sub-document. */
  rawDocument(name: string, document: Uint8Array): void {
    this.#head(BsonType.object, name);
    this.#raw(document);
  }

  /** Splices in an encoded array (a document whose names are 0, 1, …). */
  rawArray(name: string, array: Uint8Array): void {
    this.#head(BsonType.array, name);
    this.#raw(array);
  }

  /** Copies whole elements (type, name and value) as they stand between two offsets. */
  rawElements(bytes: Uint8Array, start: number, end: number): void {
    this.#raw(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
  }

  #begin(type: number, name: string): void {
    this.#head(type, name);
    this.#open.push(this.#length);
    this.#length += 4;
  }

  #closeFrom(start: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = 0;
    this.#patchInt32(start, this.#length - start);
  }

  #head(type: number, name: string): void {
    const { length } = name;
    this.#reserve(length * 3 + FIXED_ROOM);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = type;
    for (let i = 0; i < length; i++) {
      const unit = name.charCodeAt(i);
      if (unit === 0) throw nulInName(name);
      if (unit > 0x7f) {
        if (name.includes('\0', i)) throw nulInName(name);
        at = writeUtf8(bytes, at, name, i);
        break;
      }
      bytes[at++] = unit;
    }
    bytes[at++] = 0;
    this.#length = at;
  }

  #cString(text: string): void {
    if (text.includes('\0')) throw new CommandError(51091, 'Regular expression cannot contain an embedded null byte');
    this.#reserve(text.length * 3 + FIXED_ROOM);
    this.#length = writeUtf8(this.#bytes, this.#length, text, 0);
    this.#bytes[this.#length++] = 0;
  }

  #string(text: string): void {
    const start = this.#length;
    if (text.length >= LONG_STRING) {
      this.#length += 4;
      this.#raw(encoder.encode(text));
      this.#reserve(FIXED_ROOM);
    } else {
      this.#reserve(text.length * 3 + FIXED_ROOM);
      this.#length = writeUtf8(this.#bytes, start + 4, text, 0);
    }
    this.#bytes[this.#length++] = 0;
    this.#patchInt32(start, this.#length - start - 4);
  }

  #int32(value: number): void {
    this.#patchInt32(this.#length, value);
    this.#length += 4;
  }

  #int64(value: bigint | number): void {
    if (typeof value === 'number') {
      this.#int32(value | 0);
      this.#int32(Math.floor(value / 4294967296) | 0);
    } else {
      bigintScratch[0] = value;
      const bytes = this.#bytes;
      for (let i = 0; i < 8; i++) bytes[this.#length + i] = bigintBytes[i]!;
      this.#length += 8;
    }
  }

  #double(value: number): void {
    doubleScratch[0] = value;
    const bytes = this.#bytes;
    for (let i = 0; i < 8; i++) bytes[this.#length + i] = doubleBytes[i]!;
    this.#length += 8;
  }

  #raw(data: Uint8Array): void {
    const { length } = data;
    this.#reserve(length);
    this.#bytes.set(data, this.#length);
    this.#length += length;
  }

  #patchInt32(at: number, value: number): void {
    const bytes = this.#bytes;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    bytes[at + 2] = value >>> 16;
    bytes[at + 3] = value >>> 24;
  }

  #reserve(room: number): void {
    const needed = this.#length + room;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** Encodes `text` from code unit `from` on; lone surrogates become U+FFFD. Returns where it ended. */
function writeUtf8(bytes: Uint8Array, start: number, text: string, from: number): number {
  let at = start;
  const { length } = text;
  for (let i = from; i < length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      bytes[at++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[at++] = 0xc0 | (code >> 6);
      bytes[at++] = 0x80 | (code & 0x3f);
      continue;
    }
    if (code >= 0xd800 && code < 0xe000) {
      const low = code < 0xdc00 && i + 1 < length ? text.charCodeAt(i + 1) : 0;
      if (low >= 0xdc00 && low < 0xe000) {
        i++;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        bytes[at++] = 0xf0 | (code >> 18);
        bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
        bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
        bytes[at++] = 0x80 | (code & 0x3f);
        continue;
      }
      code = 0xfffd;
    }
    bytes[at++] = 0xe0 | (code >> 12);
    bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
    bytes[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}
