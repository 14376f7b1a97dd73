/**
 * Tests of one value against a constant. The common constants get closures of their own, so that a scan neither
 * allocates nor walks through the general comparison. Upstream: expression_leaf.cpp, ComparisonMatchExpression.
 */
import { BsonType, type BsonValue, readDouble, readInt32, readInt64AsNumber } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { canonicalType, compareRaw, isNaNValue } from '../compare.ts';
import type { ValueTest } from '../paths.ts';

/** Which outcomes of comparing a value with the constant are matches. */
export interface Range {
  readonly less: boolean;
  readonly equal: boolean;
  readonly greater: boolean;
}

const NULL_RANK = canonicalType(BsonType.null);
const NUMBER_RANK = canonicalType(BsonType.int);

/** Equality as a stored value sees it: a regular expression equals only itself, null also what is missing. */
export function equalTo(constant: BsonValue, collator?: Collator): ValueTest {
  const rank = canonicalType(constant.type);
  if (rank === NULL_RANK) return (type) => canonicalType(type) === NULL_RANK;
  const number = plainNumber(constant);
  if (number !== undefined) return numberTest(number, constant, { less: false, equal: true, greater: false });
  const { type: constantType, bytes: constantBytes, offset: constantOffset } = constant;
  return (type, bytes, offset) =>
    canonicalType(type) === rank &&
    compareRaw(type, bytes, offset, constantType, constantBytes, constantOffset, collator) === 0;
}

/** `$lt` and its like: only values of the constant's rank can match, except against MinKey and MaxKey. */
export function inRange(constant: BsonValue, range: Range, collator?: Collator): ValueTest {
  const { type: constantType, bytes: constantBytes, offset: constantOffset } = constant;
  const { less, equal, greater } = range;
  if (constantType === BsonType.minKey || constantType === BsonType.maxKey) {
    return (type, bytes, offset) => {
      const order = compareRaw(type, bytes, offset, constantType, constantBytes, constantOffset);
      return order < 0 ? less : order > 0 ? greater : equal;
    };
  }
  const rank = canonicalType(constantType);
  if (constantType === BsonType.date) return dateTest(constant, range);
  const number = plainNumber(constant);
  if (number !== undefined) return numberTest(number, constant, range);
  const isNumber = rank === NUMBER_RANK;
  const constantIsNaN = isNumber && isNaNValue(constantType, constantBytes, constantOffset);
  return (type, bytes, offset) => {
    if (canonicalType(type) !== rank) return false;
    // NaN equals itself and lies in no range, although sorting puts it below the numbers.
    if (isNumber && (constantIsNaN || isNaNValue(type, bytes, offset))) {
      return equal && constantIsNaN && isNaNValue(type, bytes, offset);
    }
    const order = compareRaw(type, bytes, offset, constantType, constantBytes, constantOffset, collator);
    return order < 0 ? less : order > 0 ? greater : equal;
  };
}

/** The constant as a JS number if comparing doubles with it is exact for int, double and long alike. */
function plainNumber({ type, bytes, offset }: BsonValue): number | undefined {
  let value: number;
  if (type === BsonType.int) value = readInt32(bytes, offset);
  else if (type === BsonType.double) value = readDouble(bytes, offset);
  else if (type === BsonType.long) value = readInt64AsNumber(bytes, offset);
  else return undefined;
  // Below 2^53 a long that rounds to this number is this number.
  return Math.abs(value) < 2 ** 53 ? value : undefined;
}

function numberTest(number: number, constant: BsonValue, { less, equal, greater }: Range): ValueTest {
  return (type, bytes, offset) => {
    let value: number;
    if (type === BsonType.int) value = readInt32(bytes, offset);
    else if (type === BsonType.double) value = readDouble(bytes, offset);
    else if (type === BsonType.long) value = readInt64AsNumber(bytes, offset);
    else if (type === BsonType.decimal && !isNaNValue(type, bytes, offset)) {
      const order = compareRaw(type, bytes, offset, constant.type, constant.bytes, constant.offset);
      return order < 0 ? less : order > 0 ? greater : equal;
    } else return false;
    return value < number ? less : value > number ? greater : value === number && equal;
  };
}

function dateTest(constant: BsonValue, { less, equal, greater }: Range): ValueTest {
  const high = readInt32(constant.bytes, constant.offset + 4);
  const low = readInt32(constant.bytes, constant.offset) >>> 0;
  return (type, bytes, offset) => {
    if (type !== BsonType.date) return false;
    const valueHigh = readInt32(bytes, offset + 4);
    if (valueHigh !== high) return valueHigh < high ? less : greater;
    const valueLow = readInt32(bytes, offset) >>> 0;
    return valueLow < low ? less : valueLow > low ? greater : equal;
  };
}
