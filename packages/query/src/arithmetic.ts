/** Adding and multiplying BSON numbers with MongoDB's result types. Upstream: safe_num.cpp. */
import { BsonType, type BsonValue, type ExactNumber, readDouble, required } from '@replsim/protocol';
import { exactNumber, readNumber } from './compare.ts';
import { encodeDecimal, exactOfDouble } from './decimal.ts';
import { buildValue, readInteger } from './values.ts';

export type Operation = 'add' | 'multiply';

/**
 * The sum or product of two numbers. The wider type wins (int < long < double < decimal); two ints that overflow make a long.
 * @returns undefined if a long overflows
 */
export function combineNumbers(operation: Operation, a: BsonValue, b: BsonValue): BsonValue | undefined {
  if (a.type === BsonType.decimal || b.type === BsonType.decimal) {
    return decimalValue(combineExact(operation, forDecimal(a), forDecimal(b)));
  }
  if (a.type === BsonType.double || b.type === BsonType.double) {
    const x = readNumber(a.type, a.bytes, a.offset);
    const y = readNumber(b.type, b.bytes, b.offset);
    return doubleValue(operation === 'add' ? x + y : x * y);
  }
  const x = required(readInteger(a), 'integer');
  const y = required(readInteger(b), 'integer');
  const result = operation === 'add' ? x + y : x * y;
  const isInt = a.type === BsonType.int && b.type === BsonType.int;
  if (isInt && BigInt.asIntN(32, result) === result) return intValue(Number(result));
  return BigInt.asIntN(64, result) === result ? longValue(result) : undefined;
}

export function intValue(value: number): BsonValue {
  return buildValue((writer, name) => writer.int32(name, value));
}

export function longValue(value: bigint): BsonValue {
  return buildValue((writer, name) => writer.int64(name, value));
}

/** An int, or a long where one is meant or an int does not hold it. */
export function intOrLong(value: bigint, isLong: boolean): BsonValue {
  return !isLong && BigInt.asIntN(32, value) === value ? intValue(Number(value)) : longValue(value);
}

export function doubleValue(value: number): BsonValue {
  return buildValue((writer, name) => writer.double(name, value));
}

/** Rounded to what a decimal holds. */
export function decimalValue(value: ExactNumber): BsonValue {
  return { type: BsonType.decimal, bytes: encodeDecimal(value), offset: 0, size: 16 };
}

/** A double enters decimal arithmetic with fifteen digits, as upstream rounds it. */
export function forDecimal({ type, bytes, offset }: BsonValue): ExactNumber {
  if (type !== BsonType.double) return exactNumber(type, bytes, offset);
  const value = readDouble(bytes, offset);
  if (!Number.isFinite(value) || value === 0) return exactOfDouble(value);
  const [mantissa, exponent] = Math.abs(value).toExponential(14).split('e');
  const coefficient = BigInt(mantissa!.replace('.', ''));
  return { special: undefined, negative: value < 0, coefficient, exponent: Number(exponent) - 14 };
}

/** Exact, unlike what is encoded of it. */
export function combineExact(operation: Operation, a: ExactNumber, b: ExactNumber): ExactNumber {
  if (a.special !== undefined || b.special !== undefined) {
    // Infinities and NaN combine as doubles do; of a finite number only its sign counts.
    const x = standIn(a);
    const y = standIn(b);
    return exactOfDouble(operation === 'add' ? x + y : x * y);
  }
  if (operation === 'multiply') {
    return {
      special: undefined,
      negative: a.negative !== b.negative,
      coefficient: a.coefficient * b.coefficient,
      exponent: a.exponent + b.exponent,
    };
  }
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (value: ExactNumber) =>
    (value.negative ? -value.coefficient : value.coefficient) * 10n ** BigInt(value.exponent - exponent);
  const sum = scaled(a) + scaled(b);
  const negative = sum < 0n || (sum === 0n && a.negative && b.negative);
  return { special: undefined, negative, coefficient: sum < 0n ? -sum : sum, exponent };
}

function standIn({ special, negative, coefficient }: ExactNumber): number {
  if (special === 'NaN') return Number.NaN;
  const magnitude = special === 'Infinity' ? Number.POSITIVE_INFINITY : coefficient === 0n ? 0 : 1;
  return negative ? -magnitude : magnitude;
}
