/**
 * Decimals as the bytes of a key, among those of integers and doubles: the largest double that is not beyond the decimal, and, where
 * that and 15 digits do not say it all, the difference. Upstream: key_string.cpp, BuilderBase::_appendNumberDecimal.
 */
import { DECIMAL_EXPONENT_BIAS } from '@replsim/protocol';
import {
  bitsOf,
  bytesOf,
  Continuation,
  doubleKey,
  integerKey,
  integerWithFraction,
  inverted,
  largeKey,
  smallKey,
  TINY_FACTOR,
  tinyBits,
} from './keyNumbers.ts';

const DIGITS = 34;
/** As many digits as every double tells. */
const DOUBLE_DIGITS = 15;

const TWO_TO_53 = 2 ** 53;
const TWO_TO_63 = 2 ** 63;
const TINIEST_WITH_TWO_BITS = 2 ** -255;
const SMALLEST_NORMAL_DOUBLE = 2 ** -1022;
const LARGEST_SEVEN_BYTES = 1n << 55n;
/** The bit by which a decimal beyond all doubles is told from them. */
const HUGE = 1n << 63n;

/** `coefficient` · 10^`exponent`, which is neither zero nor negative. */
export interface Magnitude {
  readonly coefficient: bigint;
  readonly exponent: number;
}

interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The bytes of a decimal that is finite and not zero. */
export function decimalKey(magnitude: Magnitude, isNegative: boolean): number[] {
  const exact = fractionOf(magnitude);
  const double = doubleBelow(magnitude, exact);
  const signed = isNegative ? -double : double;
  if (compare(fractionOfDouble(double), exact) === 0) return doubleKey(signed);
  if (double < SMALLEST_NORMAL_DOUBLE) return tinyDecimalKey(magnitude, double, isNegative);
  if (double === Number.MAX_VALUE)
    return [...largeKey(HUGE | highBits(magnitude), isNegative), ...low(magnitude, isNegative)];
  if (double >= TWO_TO_53 && double < TWO_TO_63) return longIntegerKey(magnitude, exact, isNegative);
  const continuation = continuationOf(exact, double);
  const key = doubleKey(signed, continuation);
  if (continuation === Continuation.at15Digits) return key;
  return [...key, ...difference(magnitude, rounded(fractionOfDouble(double), DIGITS, 'up'), isNegative)];
}

/** Whether the double's first 15 digits, rounded up, are the decimal. */
function continuationOf(exact: Fraction, double: number): Continuation {
  const hasOneBit = double >= TWO_TO_63 || double < TINIEST_WITH_TWO_BITS;
  if (hasOneBit) return Continuation.above15Digits;
  const order = compare(exact, fractionOf(rounded(fractionOfDouble(double), DOUBLE_DIGITS, 'up')));
  if (order === 0) return Continuation.at15Digits;
  return order < 0 ? Continuation.below15Digits : Continuation.above15Digits;
}

/** Where doubles skip integers the integral part stands for itself. */
function longIntegerKey(magnitude: Magnitude, { numerator, denominator }: Fraction, isNegative: boolean): number[] {
  const coefficient = numerator / denominator;
  if (coefficient * denominator === numerator) return integerKey(isNegative ? -coefficient : coefficient);
  // Seven bytes leave one free, eight leave none.
  const marker = coefficient < LARGEST_SEVEN_BYTES ? [Continuation.above15Digits] : [];
  return [
    ...integerWithFraction(coefficient, isNegative),
    ...(isNegative ? inverted(marker) : marker),
    ...difference(magnitude, { coefficient, exponent: 0 }, isNegative),
  ];
}

/** Upstream reckons so in decimals, and cuts off at each step. Upstream: _appendTinyDecimalWithoutTypeBits. */
function tinyDecimalKey(magnitude: Magnitude, double: number, isNegative: boolean): number[] {
  if (double === 0) return [...smallKey(highBits(magnitude), isNegative), ...low(magnitude, isNegative)];
  const scaled = product(magnitude, rounded(fractionOfDouble(TINY_FACTOR), DIGITS, 'down'));
  const scaledDouble = Math.max(doubleBelow(scaled, fractionOf(scaled)), double * TINY_FACTOR);
  const stored = product(
    rounded(fractionOfDouble(scaledDouble), DIGITS, 'down'),
    rounded(fractionOfDouble(1 / TINY_FACTOR), DIGITS, 'down'),
  );
  return [
    ...smallKey(tinyBits(scaledDouble, Continuation.above15Digits), isNegative),
    ...difference(magnitude, stored, isNegative),
  ];
}

/** What has to be added to what the bytes so far say, in units of the last of its 34 digits. */
function difference(magnitude: Magnitude, stored: Magnitude, isNegative: boolean): number[] {
  const { coefficient, exponent } = normalized(stored);
  const { numerator, denominator } = fractionOf({
    coefficient: magnitude.coefficient,
    exponent: magnitude.exponent - exponent,
  });
  const bytes = bytesOf(numerator / denominator - coefficient, 8);
  return isNegative ? inverted(bytes) : bytes;
}

/** The exponent and the first digits, as the decimal is stored with as many digits as there is room for. */
function highBits(magnitude: Magnitude): bigint {
  const { coefficient, exponent } = normalized(magnitude);
  return (BigInt(exponent + DECIMAL_EXPONENT_BIAS) << 49n) | (coefficient >> 64n);
}

function low(magnitude: Magnitude, isNegative: boolean): number[] {
  const bytes = bytesOf(normalized(magnitude).coefficient & ((1n << 64n) - 1n), 8);
  return isNegative ? inverted(bytes) : bytes;
}

/** The same number with 34 digits, or as many as the smallest exponent lets it have. */
function normalized({ coefficient, exponent }: Magnitude): Magnitude {
  const more = Math.min(DIGITS - digitsOf(coefficient), exponent + DECIMAL_EXPONENT_BIAS);
  return { coefficient: coefficient * 10n ** BigInt(more), exponent: exponent - more };
}

/** Cut off after 34 digits. */
function product(one: Magnitude, other: Magnitude): Magnitude {
  const coefficient = one.coefficient * other.coefficient;
  const excess = Math.max(digitsOf(coefficient) - DIGITS, 0);
  return { coefficient: coefficient / 10n ** BigInt(excess), exponent: one.exponent + other.exponent + excess };
}

/** Exactly so many digits of it. */
function rounded({ numerator, denominator }: Fraction, digits: number, direction: 'up' | 'down'): Magnitude {
  // One digit too many or just right.
  const exponent = digitsOf(numerator) - digitsOf(denominator) - digits;
  const up = direction === 'up' ? 1n : 0n;
  const dividend = exponent < 0 ? numerator * 10n ** BigInt(-exponent) : numerator;
  const divisor = exponent < 0 ? denominator : denominator * 10n ** BigInt(exponent);
  const isLong = digitsOf(dividend / divisor) > digits;
  const unit = isLong ? divisor * 10n : divisor;
  const coefficient = dividend / unit + (dividend % unit === 0n ? 0n : up);
  return { coefficient, exponent: isLong ? exponent + 1 : exponent };
}

/** The largest double that is not beyond it. */
function doubleBelow({ coefficient, exponent }: Magnitude, exact: Fraction): number {
  const nearest = Math.min(Number(`${coefficient}e${exponent}`), Number.MAX_VALUE);
  return compare(fractionOfDouble(nearest), exact) > 0 ? doubleOf(bitsOf(nearest) - 1n) : nearest;
}

function fractionOf({ coefficient, exponent }: Magnitude): Fraction {
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0
    ? { numerator: coefficient, denominator: power }
    : { numerator: coefficient * power, denominator: 1n };
}

/** @param double finite, and not negative */
function fractionOfDouble(double: number): Fraction {
  const bits = bitsOf(double);
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & ((1n << 52n) - 1n)) | (exponent === 0 ? 0n : 1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  return power < 0
    ? { numerator: mantissa, denominator: 1n << BigInt(-power) }
    : { numerator: mantissa << BigInt(power), denominator: 1n };
}

function compare(one: Fraction, other: Fraction): number {
  const left = one.numerator * other.denominator;
  const right = other.numerator * one.denominator;
  return left < right ? -1 : Number(left > right);
}

function digitsOf(value: bigint): number {
  return String(value).length;
}

const scratch = new DataView(new ArrayBuffer(8));

function doubleOf(bits: bigint): number {
  scratch.setBigUint64(0, bits);
  return scratch.getFloat64(0);
}
