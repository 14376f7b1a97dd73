/**
 * Decimals divided, rounded, and put through functions, exactly or to more digits than a decimal holds. Each result is still to be
 * rounded by `decimalValue`. Upstream: decimal128.cpp, over Intel's library.
 */
import { doubleOfExact, type ExactNumber, readDecimal } from '@replsim/protocol';
import { compareExact, divideExact, encodeDecimal, exactOfBigInt, exactOfDouble } from './decimal.ts';
import { wholeOf } from './values.ts';

const DIGITS = 34;
const LEAST_EXPONENT = -6176;
const ONE = exactOfBigInt(1n);
const NAN = exactOfDouble(Number.NaN);
const INFINITY = exactOfDouble(Number.POSITIVE_INFINITY);
const ZERO: ExactNumber = { ...exactOfBigInt(0n), exponent: LEAST_EXPONENT };

/** By what is not zero. */
export function quotient(a: ExactNumber, b: ExactNumber): ExactNumber {
  const negative = a.negative !== b.negative;
  if (a.special !== undefined || b.special !== undefined) {
    if (a.special === 'NaN' || b.special === 'NaN' || a.special === b.special) return NAN;
    return { ...(a.special === undefined ? ZERO : INFINITY), negative };
  }
  const divided = divideExact(a, b.coefficient);
  return { ...divided, negative, exponent: divided.exponent - b.exponent };
}

/** What is left of `a`, with its sign. @param b not zero */
export function remainder(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (a.special !== undefined || b.special === 'NaN') return NAN;
  if (b.special !== undefined) return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (value: ExactNumber) => value.coefficient * 10n ** BigInt(value.exponent - exponent);
  return { ...a, coefficient: scaled(a) % scaled(b), exponent };
}

export type Rounding = 'halfEven' | 'towardZero' | 'up' | 'down';

/** Brought to an exponent; NaN if that takes more digits than a decimal holds. */
export function quantize(value: ExactNumber, exponent: number, rounding: Rounding): ExactNumber {
  if (value.special !== undefined) return NAN;
  const shift = value.exponent - exponent;
  const scale = 10n ** BigInt(Math.abs(shift));
  const coefficient = shift >= 0 ? value.coefficient * scale : divide(value, scale, rounding);
  return String(coefficient).length > DIGITS ? NAN : { ...value, coefficient, exponent };
}

function divide({ coefficient, negative }: ExactNumber, divisor: bigint, rounding: Rounding): bigint {
  const whole = coefficient / divisor;
  const twice = (coefficient % divisor) * 2n;
  if (twice === 0n) return whole;
  if (rounding === 'up' || rounding === 'down') return negative === (rounding === 'down') ? whole + 1n : whole;
  const isMore = twice > divisor || (twice === divisor && whole % 2n === 1n);
  return rounding === 'halfEven' && isMore ? whole + 1n : whole;
}

/** To so many places behind the point; one that has all its digits before them gets as many zeros as there is room for. */
export function roundTo(value: ExactNumber, places: number, rounding: Rounding): ExactNumber {
  if (value.special !== undefined) return value;
  const rounded = fitted(value);
  const full = normalized(rounded);
  return -places < full.exponent ? full : quantize(rounded, -places, rounding);
}

/** With all of the digits that a decimal has. */
export function normalized(value: ExactNumber): ExactNumber {
  const rounded = fitted(value);
  if (rounded.special !== undefined) return rounded;
  if (rounded.coefficient === 0n) return { ...rounded, exponent: LEAST_EXPONENT };
  const shift = Math.min(DIGITS - String(rounded.coefficient).length, rounded.exponent - LEAST_EXPONENT);
  return { ...rounded, coefficient: rounded.coefficient * 10n ** BigInt(shift), exponent: rounded.exponent - shift };
}

function fitted(value: ExactNumber): ExactNumber {
  return readDecimal(encodeDecimal(value), 0);
}

/** Of what is not below zero. */
export function squareRoot(value: ExactNumber): ExactNumber {
  if (value.special !== undefined) return value;
  const ideal = Math.floor(value.exponent / 2);
  if (value.coefficient === 0n) return { ...value, exponent: ideal };
  const shift = PLACES + (Math.abs(value.exponent) % 2);
  const scaled = value.coefficient * 10n ** BigInt(shift);
  let root = 10n ** BigInt(Math.ceil(String(scaled).length / 2));
  for (let next = (root + scaled / root) / 2n; next < root; next = (root + scaled / root) / 2n) root = next;
  let exponent = (value.exponent - shift) / 2;
  // A digit that only says that more would follow.
  if (root * root !== scaled) return { ...value, coefficient: root * 10n + 1n, exponent: exponent - 1 };
  for (; exponent < ideal && root % 10n === 0n; exponent++) root /= 10n;
  return { ...value, coefficient: root, exponent };
}

/** Functions are computed with so many places behind the point: what a decimal holds, and as many that may be lost on the way. */
const PLACES = 80;
const UNIT = 10n ** BigInt(PLACES);
const LN_10 = lnOf(10n * UNIT);
/** Of which the exponential has more places, before or behind the point, than a decimal. */
const GREATEST_POWER = 15_000n * UNIT;

export function exponential(value: ExactNumber): ExactNumber {
  if (value.special === 'NaN') return NAN;
  if (value.special !== undefined) return value.negative ? ZERO : INFINITY;
  return tidy(expOf(fixed(value)));
}

/** Of what is above zero. */
export function naturalLogarithm(value: ExactNumber): ExactNumber {
  return value.special === undefined ? tidy(unfixed(lnOfExact(value))) : value;
}

/** Both are above zero, and the base is not 1. */
export function logarithm(value: ExactNumber, base: ExactNumber): ExactNumber {
  if (value.special !== undefined || base.special !== undefined) {
    return exactOfDouble(Math.log(doubleOfExact(value)) / Math.log(doubleOfExact(base)));
  }
  return tidy(unfixed((lnOfExact(value) * UNIT) / lnOfExact(base)));
}

/** Not of zero with a negative exponent. */
export function power(base: ExactNumber, exponent: ExactNumber): ExactNumber {
  const isZero = exponent.special === undefined && exponent.coefficient === 0n;
  if (isZero || compareExact(base, ONE) === 0) return ONE;
  if (base.special !== undefined || exponent.special !== undefined) return specialPower(base, exponent);
  const times = wholeOf(exponent);
  if (base.negative && times === undefined) return NAN;
  const negative = base.negative && times !== undefined && times % 2n !== 0n;
  if (base.coefficient === 0n) return { ...ZERO, negative };
  if (times !== undefined && times <= 100n && times >= -100n) return { ...repeated(base, Number(times)), negative };
  return { ...expOf((fixed(exponent) * lnOfExact(base)) / UNIT), negative };
}

function specialPower(base: ExactNumber, exponent: ExactNumber): ExactNumber {
  if (base.special === undefined && exponent.special === 'Infinity') {
    const order = compareExact({ ...base, negative: false }, ONE);
    if (order === 0) return ONE;
    return order > 0 === exponent.negative ? ZERO : INFINITY;
  }
  return exactOfDouble(doubleOfExact(base) ** doubleOfExact(exponent));
}

/** Exact, but for the division by what a negative number of times makes. */
function repeated(base: ExactNumber, times: number): ExactNumber {
  const count = Math.abs(times);
  const product = { ...base, coefficient: base.coefficient ** BigInt(count), exponent: base.exponent * count };
  if (times > 0) return product;
  const digits = String(product.coefficient).length;
  return quotient({ ...ONE, coefficient: 10n ** BigInt(digits), exponent: -digits }, product);
}

/** What came out whole shows no zeros behind the point. */
function tidy(value: ExactNumber): ExactNumber {
  const rounded = fitted(value);
  const whole = rounded.exponent < 0 ? wholeOf(rounded) : undefined;
  return whole === undefined ? rounded : exactOfBigInt(whole);
}

function fixed({ negative, coefficient, exponent }: ExactNumber): bigint {
  const shift = exponent + PLACES;
  const scale = 10n ** BigInt(Math.abs(shift));
  const magnitude = shift >= 0 ? coefficient * scale : coefficient / scale;
  return negative ? -magnitude : magnitude;
}

function unfixed(value: bigint): ExactNumber {
  return { ...exactOfBigInt(value), exponent: -PLACES };
}

/** The exponential of a part below ten, divided by 256 for the series and squared eight times behind it. */
function expOf(value: bigint): ExactNumber {
  if (value > GREATEST_POWER) return INFINITY;
  if (value < -GREATEST_POWER) return ZERO;
  const tens = value / LN_10;
  const part = (value - tens * LN_10) / 256n;
  let sum = UNIT;
  for (let term = part, n = 2n; term !== 0n; n++) {
    sum += term;
    term = (term * part) / UNIT / n;
  }
  for (let i = 0; i < 8; i++) sum = (sum * sum) / UNIT;
  return { ...exactOfBigInt(sum), exponent: Number(tens) - PLACES };
}

function lnOfExact({ coefficient, exponent }: ExactNumber): bigint {
  const digits = String(coefficient).length - 1;
  return lnOf((coefficient * UNIT) / 10n ** BigInt(digits)) + BigInt(exponent + digits) * LN_10;
}

/** From 1 to 10, by the series of the area tangent. */
function lnOf(value: bigint): bigint {
  const ratio = ((value - UNIT) * UNIT) / (value + UNIT);
  const square = (ratio * ratio) / UNIT;
  let sum = 0n;
  for (let term = ratio, n = 1n; term !== 0n; n += 2n) {
    sum += term / n;
    term = (term * square) / UNIT;
  }
  return 2n * sum;
}
