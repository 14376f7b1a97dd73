/** MongoDB's total order over BSON values, on the bytes where they lie. Upstream: bsonelement.cpp, BSONElement::compareElements. */
import {
  BsonType,
  type BsonValue,
  cStringEnd,
  type ExactNumber,
  isDecimalNaN,
  readDecimal,
  readDouble,
  readInt32,
  readInt64,
  readInt64AsNumber,
  readUtf8,
  valueSize,
} from '@replsim/protocol';
import type { Collator } from './collation/collator.ts';
import { compareExact, exactOfBigInt, exactOfDouble } from './decimal.ts';

/** The type number that stands for a missing value in comparisons; no element has it. */
export const MISSING_TYPE = 0;

const rankByType = new Uint8Array(256);
const ranks: [rank: number, ...types: number[]][] = [
  [1, BsonType.minKey],
  [5, MISSING_TYPE, BsonType.undefined, BsonType.null],
  [10, BsonType.double, BsonType.int, BsonType.long, BsonType.decimal],
  [15, BsonType.string, BsonType.symbol],
  [20, BsonType.object],
  [25, BsonType.array],
  [30, BsonType.binData],
  [35, BsonType.objectId],
  [40, BsonType.bool],
  [45, BsonType.date],
  [47, BsonType.timestamp],
  [50, BsonType.regex],
  [55, BsonType.dbPointer],
  [60, BsonType.javascript],
  [65, BsonType.javascriptWithScope],
  [127, BsonType.maxKey],
];
for (const [rank, ...types] of ranks) for (const type of types) rankByType[type] = rank;

/** The rank of a type in the order between types; types of one rank (numbers, strings and symbols, nulls) compare by value. */
export function canonicalType(type: number): number {
  return rankByType[type]!;
}

/**
 * Compares two values in MongoDB's order over all types.
 * Undefined, null and missing (type 0) are equal; NaN is below every number and equal to itself.
 * @param collator orders strings, also those inside documents and arrays; code points do without it
 * @returns negative, zero or positive
 */
export function compareValues(a: BsonValue, b: BsonValue, collator?: Collator): number {
  return compareRaw(a.type, a.bytes, a.offset, b.type, b.bytes, b.offset, collator);
}

/** True if two values are equal in MongoDB's order (so 5, 5.0 and NumberLong(5) are). */
export function equalValues(a: BsonValue, b: BsonValue, collator?: Collator): boolean {
  return compareValues(a, b, collator) === 0;
}

/** `compareValues` for values given as type, bytes and offset, so that hot loops need no objects. */
export function compareRaw(
  typeA: number,
  a: Uint8Array,
  offsetA: number,
  typeB: number,
  b: Uint8Array,
  offsetB: number,
  collator?: Collator,
): number {
  const rank = canonicalType(typeA);
  const rankB = canonicalType(typeB);
  if (rank !== rankB) return rank - rankB;
  switch (rank) {
    case 10:
      return compareNumbers(typeA, a, offsetA, typeB, b, offsetB);
    case 15:
      return collator !== undefined && typeA === BsonType.string && typeB === BsonType.string
        ? collator.compare(textAt(a, offsetA), textAt(b, offsetB))
        : compareStrings(a, offsetA, b, offsetB);
    case 60:
      return compareStrings(a, offsetA, b, offsetB);
    case 20:
      return compareDocuments(a, offsetA, b, offsetB, true, collator);
    case 25:
      return compareDocuments(a, offsetA, b, offsetB, false, collator);
    case 30:
      return compareBinary(a, offsetA, b, offsetB);
    case 35:
      return compareBytes(a, offsetA, 12, b, offsetB, 12);
    case 40:
      return a[offsetA]! - b[offsetB]!;
    case 45:
      return compareInt64(a, offsetA, b, offsetB);
    case 47:
      return compareUnsigned64(a, offsetA, b, offsetB);
    case 50:
      return compareRegex(a, offsetA, b, offsetB);
    case 55:
      return compareDbPointer(a, offsetA, b, offsetB);
    case 65:
      return compareScopedCode(a, offsetA, b, offsetB);
    default:
      return 0;
  }
}

function compareNumbers(
  typeA: number,
  a: Uint8Array,
  offsetA: number,
  typeB: number,
  b: Uint8Array,
  offsetB: number,
): number {
  if (typeA === BsonType.decimal || typeB === BsonType.decimal) {
    return compareExact(exactNumber(typeA, a, offsetA), exactNumber(typeB, b, offsetB));
  }
  if (typeA === BsonType.long && typeB === BsonType.long) return compareInt64(a, offsetA, b, offsetB);
  const x = readNumber(typeA, a, offsetA);
  const y = readNumber(typeB, b, offsetB);
  if (x < y) return -1;
  if (x > y) return 1;
  if (x === y) {
    // Rounding keeps order, so only numbers that round to the same double need a closer look.
    if (typeA === BsonType.long && Math.abs(x) >= 2 ** 53) return compareBigInts(readInt64(a, offsetA), BigInt(y));
    if (typeB === BsonType.long && Math.abs(y) >= 2 ** 53) return compareBigInts(BigInt(x), readInt64(b, offsetB));
    return 0;
  }
  // At least one is NaN, which is below every number.
  return (Number.isNaN(x) ? 0 : 1) - (Number.isNaN(y) ? 0 : 1);
}

/** Reads an int, double or long as a double; a long above 2^53 is rounded. */
export function readNumber(type: number, bytes: Uint8Array, offset: number): number {
  if (type === BsonType.int) return readInt32(bytes, offset);
  if (type === BsonType.double) return readDouble(bytes, offset);
  return readInt64AsNumber(bytes, offset);
}

/** Any of the four numeric types, exactly. */
export function exactNumber(type: number, bytes: Uint8Array, offset: number): ExactNumber {
  if (type === BsonType.decimal) return readDecimal(bytes, offset);
  if (type === BsonType.long) return exactOfBigInt(readInt64(bytes, offset));
  return exactOfDouble(readNumber(type, bytes, offset));
}

/** True if the value is a double or decimal NaN. */
export function isNaNValue(type: number, bytes: Uint8Array, offset: number): boolean {
  if (type === BsonType.double) return Number.isNaN(readDouble(bytes, offset));
  return type === BsonType.decimal && isDecimalNaN(bytes, offset);
}

function compareBigInts(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareInt64(a: Uint8Array, offsetA: number, b: Uint8Array, offsetB: number): number {
  const highA = readInt32(a, offsetA + 4);
  const highB = readInt32(b, offsetB + 4);
  if (highA !== highB) return highA < highB ? -1 : 1;
  return (readInt32(a, offsetA) >>> 0) - (readInt32(b, offsetB) >>> 0);
}

function compareUnsigned64(a: Uint8Array, offsetA: number, b: Uint8Array, offsetB: number): number {
  const high = (readInt32(a, offsetA + 4) >>> 0) - (readInt32(b, offsetB + 4) >>> 0);
  return high !== 0 ? high : (readInt32(a, offsetA) >>> 0) - (readInt32(b, offsetB) >>> 0);
}

/** Compares two runs of bytes as memcmp does, the shorter first if one begins the other. */
function compareBytes(
  a: Uint8Array,
  offsetA: number,
  sizeA: number,
  b: Uint8Array,
  offsetB: number,
  sizeB: number,
): number {
  const common = Math.min(sizeA, sizeB);
  for (let i = 0; i < common; i++) {
    const difference = a[offsetA + i]! - b[offsetB + i]!;
    if (difference !== 0) return difference;
  }
  return sizeA - sizeB;
}

// UTF-8 keeps the order of code points, so strings compare as bytes.
function compareStrings(a: Uint8Array, offsetA: number, b: Uint8Array, offsetB: number): number {
  return compareBytes(a, offsetA + 4, readInt32(a, offsetA) - 1, b, offsetB + 4, readInt32(b, offsetB) - 1);
}

function textAt(bytes: Uint8Array, offset: number): string {
  return readUtf8(bytes, offset + 4, offset + 3 + readInt32(bytes, offset));
}

/** Field by field: rank of the values, then names, then values, then the shorter first. An array's names do not count. */
function compareDocuments(
  a: Uint8Array,
  startA: number,
  b: Uint8Array,
  startB: number,
  names: boolean,
  collator?: Collator,
): number {
  let atA = startA + 4;
  let atB = startB + 4;
  const endA = startA + readInt32(a, startA) - 1;
  const endB = startB + readInt32(b, startB) - 1;
  while (atA < endA && atB < endB) {
    const typeA = a[atA]!;
    const typeB = b[atB]!;
    const rank = canonicalType(typeA) - canonicalType(typeB);
    if (rank !== 0) return rank;
    const nameEndA = cStringEnd(a, atA + 1);
    const nameEndB = cStringEnd(b, atB + 1);
    if (names) {
      const byName = compareBytes(a, atA + 1, nameEndA - atA - 1, b, atB + 1, nameEndB - atB - 1);
      if (byName !== 0) return byName;
    }
    const byValue = compareRaw(typeA, a, nameEndA + 1, typeB, b, nameEndB + 1, collator);
    if (byValue !== 0) return byValue;
    atA = nameEndA + 1 + valueSize(typeA, a, nameEndA + 1);
    atB = nameEndB + 1 + valueSize(typeB, b, nameEndB + 1);
  }
  return (atA < endA ? 1 : 0) - (atB < endB ? 1 : 0);
}

function compareBinary(a: Uint8Array, offsetA: number, b: Uint8Array, offsetB: number): number {
  const sizeA = readInt32(a, offsetA);
  const sizeB = readInt32(b, offsetB);
  if (sizeA !== sizeB) return sizeA - sizeB;
  // The subtype stands before the data, so one run covers both.
  return compareBytes(a, offsetA + 4, sizeA + 1, b, offsetB + 4, sizeB + 1);
}

function compareRegex(a: Uint8Array, offsetA: number, b: Uint8Array, offsetB: number): number {
  const patternA = cStringEnd(a, offsetA);
  const patternB = cStringEnd(b, offsetB);
  const byPattern = compareBytes(a, offsetA, patternA - offsetA, b, offsetB, patternB - offsetB);
  if (byPattern !== 0) return byPattern;
  const optionsA = cStringEnd(a, patternA + 1) - patternA;
  const optionsB = cStringEnd(b, patternB + 1) - patternB;
  return compareBytes(a, patternA + 1, optionsA - 1, b, patternB + 1, optionsB - 1);
}

function compareDbPointer(a: Uint8Array, offsetA: number, b: Uint8Array, offsetB: number): number {
  const sizeA = 16 + readInt32(a, offsetA);
  const sizeB = 16 + readInt32(b, offsetB);
  return sizeA !== sizeB ? sizeA - sizeB : compareBytes(a, offsetA + 4, sizeA - 4, b, offsetB + 4, sizeB - 4);
}

function compareScopedCode(a: Uint8Array, offsetA: number, b: Uint8Array, offsetB: number): number {
  const byCode = compareStrings(a, offsetA + 4, b, offsetB + 4);
  if (byCode !== 0) return byCode;
  const scopeA = offsetA + 8 + readInt32(a, offsetA + 4);
  const scopeB = offsetB + 8 + readInt32(b, offsetB + 4);
  return compareDocuments(a, scopeA, b, scopeB, true);
}
