/**
 * Index keys: BSON values as strings of char codes 0..255 whose order under `<` is MongoDB's order over the values.
 * One-byte strings because V8 compares them fast. Upstream: key_string.cpp has the same idea in bytes.
 */
import { BsonType, type BsonValue } from '@replsim/protocol';
import { canonicalType } from '@replsim/query';
import { TEXT, textSize } from './collatedKeys.ts';
import { pushInt32, pushValue, type TextOf } from './valueKey.ts';

/** The char that begins the key of an empty array: just below null. No value has this rank. */
const EMPTY_ARRAY_RANK = 4;
/** Follows every key that begins with the string before it: no part of a key begins with this char. */
export const AFTER_PREFIX = '\xff';
/** How many chars a record id takes at the end of an index entry. */
export const RECORD_ID_CHARS = 7;
const DATE_RANK = canonicalType(BsonType.date);
const OBJECT_ID_RANK = canonicalType(BsonType.objectId);

const { fromCharCode } = String;
/** The ascending key of an empty array. */
export const EMPTY_ARRAY_KEY: string = fromCharCode(EMPTY_ARRAY_RANK);
/** The key of null, and of what is missing. */
export const NULL_KEY: string = fromCharCode(canonicalType(BsonType.null));
/** Above this many chars the arguments of one call would weigh on the stack. */
const CHARS_A_CALL = 4096;

/** Builds the key of one entry, part by part. */
export class KeyWriter {
  readonly #chars: number[] = [];

  /** Adds a value; `descending` inverts its chars, and so its place among others. */
  add(value: BsonValue, descending = false, textOf?: TextOf): void {
    const start = this.#chars.length;
    try {
      pushValue(this.#chars, value.type, value.bytes, value.offset, textOf);
    } catch (error) {
      // Writers are shared: what a refused value leaves would stand before the next key.
      this.#chars.length = 0;
      throw error;
    }
    if (descending) invertFrom(this.#chars, start);
  }

  /** Adds what an empty array leaves in an index. */
  addEmptyArray(descending = false): void {
    this.#chars.push(descending ? 255 - EMPTY_ARRAY_RANK : EMPTY_ARRAY_RANK);
  }

  /** Ends an entry: the record id makes it unique, and orders equal keys as they were inserted. */
  addRecordId(recordId: number): void {
    const high = Math.floor(recordId / 4294967296);
    // Never 0 at the front, which would read as the escape of a NUL inside an inverted string.
    this.#chars.push((high >>> 16) + 1, (high >>> 8) & 255, high & 255);
    pushInt32(this.#chars, recordId);
  }

  /** The key so far; the writer begins anew. */
  take(): string {
    const chars = this.#chars;
    const key = stringOf(chars);
    chars.length = 0;
    return key;
  }
}

/** Turns chars round; strings that a collator compares stay, as the rank before them tells their direction. */
function invertFrom(chars: number[], start: number): void {
  for (let i = start; i < chars.length; i++) {
    if (chars[i] === TEXT) i += textSize(chars, i) - 1;
    else chars[i] = 255 - chars[i]!;
  }
}

const writer = new KeyWriter();

/**
 * The key of one value. Equal values (5, 5.0, NumberLong(5)) have equal keys. Undefined and missing are null.
 * @param textOf for a collation: see `TextOf`; such keys are for `compareKeys`
 */
export function encodeKey(value: BsonValue, descending = false, textOf?: TextOf): string {
  if (value.type === BsonType.objectId && !descending) return objectIdKey(value.bytes, value.offset);
  writer.add(value, descending, textOf);
  return writer.take();
}

/** The key of a whole entry whose parts have these directions (true: descending). */
export function encodeCompoundKey(
  values: readonly BsonValue[],
  descending: readonly boolean[] = [],
  textOf?: TextOf,
): string {
  let i = 0;
  for (const value of values) writer.add(value, descending[i++], textOf);
  return writer.take();
}

/** The ascending key of a date. Unit: ms since 1970, between -2^63 and 2^63, rounded to what a double holds. */
export function dateKey(ms: number): string {
  // A double reaches 2^63, an int64 stops just below it.
  const high = Math.max(-0x80000000, Math.min(0x7fffffff, Math.floor(ms / 4294967296)));
  const low = ms >= 2 ** 63 ? -1 : (ms % 4294967296) | 0;
  const chars = [DATE_RANK];
  pushInt32(chars, high ^ 0x80000000);
  pushInt32(chars, ms < -(2 ** 63) ? 0 : low);
  return stringOf(chars);
}

/** One byte of a value that lies whole in `bytes`. */
function at(bytes: Uint8Array, offset: number): number {
  return bytes[offset]!;
}

/** The ascending key of the ObjectId at `offset`. */
export function objectIdKey(bytes: Uint8Array, offset = 0): string {
  const b = bytes;
  const o = offset;
  // Spelled out: ten times faster than a call with an array, and most keys are of this kind.
  // biome-ignore format: the bytes in order
  return fromCharCode(OBJECT_ID_RANK, at(b, o), at(b, o + 1), at(b, o + 2), at(b, o + 3), at(b, o + 4), at(b, o + 5),
    at(b, o + 6), at(b, o + 7), at(b, o + 8), at(b, o + 9), at(b, o + 10), at(b, o + 11));
}

/** The entry of an ascending index on one field that holds the date at `offset`: key and record id in one go. */
export function dateEntry(bytes: Uint8Array, offset: number, recordId: number): string {
  const b = bytes;
  const o = offset;
  const high = Math.floor(recordId / 4294967296);
  // biome-ignore format: the bytes in order
  return fromCharCode(DATE_RANK, at(b, o + 7) ^ 0x80, at(b, o + 6), at(b, o + 5), at(b, o + 4),
    at(b, o + 3), at(b, o + 2), at(b, o + 1), at(b, o),
    (high >>> 16) + 1, (high >>> 8) & 255, high & 255,
    (recordId >>> 24) & 255, (recordId >>> 16) & 255, (recordId >>> 8) & 255, recordId & 255);
}

/** What every key of a value of this type begins with; all types of numbers share one. */
export function typePrefix(type: number): string {
  return fromCharCode(canonicalType(type));
}

/** The key of the same parts with every direction turned round. */
export function invertKey(key: string): string {
  const chars: number[] = [];
  for (let i = 0; i < key.length; i++) chars.push(key.charCodeAt(i));
  invertFrom(chars, 0);
  return stringOf(chars);
}

function stringOf(chars: readonly number[]): string {
  if (chars.length <= CHARS_A_CALL) return fromCharCode.apply(null, chars as number[]);
  let text = '';
  for (let i = 0; i < chars.length; i += CHARS_A_CALL) {
    text += fromCharCode.apply(null, chars.slice(i, i + CHARS_A_CALL));
  }
  return text;
}
