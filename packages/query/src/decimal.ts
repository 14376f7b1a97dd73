/** Exact numbers compared, divided, and encoded as decimals; protocol reads them. Source: IEEE 754-2008, binary integer decimal. */
import { DECIMAL_EXPONENT_BIAS, type ExactNumber, MAX_DECIMAL_COEFFICIENT } from '@replsim/protocol';

/** How many digits a division goes on for: the quotient of any two coefficients has more than a decimal holds. */
const DIVISION_DIGITS = 70;

/**
 * Divides by a whole number above 0, to more digits than a decimal has. What comes out even keeps the exponent as near to the
 * dividend's as it can, as IEEE 754 has it: 4.0 / 2 is 2.0.
 */
export function divideExact(value: ExactNumber, divisor: bigint): ExactNumber {
  if (value.special !== undefined) return value;
  const scaled = value.coefficient * 10n ** BigInt(DIVISION_DIGITS);
  let coefficient = scaled / divisor;
  let exponent = value.exponent - DIVISION_DIGITS;
  // A digit that only says that more would follow, so that rounding does not take it for a half.
  if (scaled % divisor !== 0n) return { ...value, coefficient: coefficient * 10n + 1n, exponent: exponent - 1 };
  for (; exponent < value.exponent && coefficient % 10n === 0n; exponent++) coefficient /= 10n;
  return { ...value, coefficient, exponent };
}

const doubleScratch = new DataView(new ArrayBuffer(8));

/** A double's exact decimal value: every binary fraction has one. */
export function exactOfDouble(value: number): ExactNumber {
  if (Number.isNaN(value)) return { special: 'NaN', negative: false, coefficient: 0n, exponent: 0 };
  const negative = value < 0 || Object.is(value, -0);
  if (!Number.isFinite(value)) return { special: 'Infinity', negative, coefficient: 0n, exponent: 0 };
  const magnitude = Math.abs(value);
  if (Number.isSafeInteger(magnitude)) {
    return { special: undefined, negative, coefficient: BigInt(magnitude), exponent: 0 };
  }
  doubleScratch.setFloat64(0, magnitude);
  const bits = doubleScratch.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  let mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  let power = (biased === 0 ? 1 : biased) - 1075;
  if (power >= 0) return { special: undefined, negative, coefficient: mantissa << BigInt(power), exponent: 0 };
  // Zeros at the end are none of its digits: 2.5 has two.
  for (; mantissa % 2n === 0n; mantissa >>= 1n) power++;
  return { special: undefined, negative, coefficient: mantissa * 5n ** BigInt(-power), exponent: power };
}

/** An integer as an exact number. */
export function exactOfBigInt(value: bigint): ExactNumber {
  return { special: undefined, negative: value < 0n, coefficient: value < 0n ? -value : value, exponent: 0 };
}

/** Compares by value: NaN below everything and equal to itself, zeros of either sign equal. */
export function compareExact(a: ExactNumber, b: ExactNumber): number {
  if (a.special === 'NaN' || b.special === 'NaN') {
    return (a.special === 'NaN' ? 0 : 1) - (b.special === 'NaN' ? 0 : 1);
  }
  const signA = signOf(a);
  const signB = signOf(b);
  if (signA !== signB) return signA < signB ? -1 : 1;
  if (signA === 0) return 0;
  return signA < 0 ? compareMagnitude(b, a) : compareMagnitude(a, b);
}

function signOf(value: ExactNumber): number {
  if (value.special === undefined && value.coefficient === 0n) return 0;
  return value.negative ? -1 : 1;
}

function compareMagnitude(a: ExactNumber, b: ExactNumber): number {
  if (a.special !== undefined || b.special !== undefined) {
    return (a.special === undefined ? 0 : 1) - (b.special === undefined ? 0 : 1);
  }
  // The place of the leading digit decides most cases, and keeps the scaling below short.
  const leadingA = a.coefficient.toString().length + a.exponent;
  const leadingB = b.coefficient.toString().length + b.exponent;
  if (leadingA !== leadingB) return leadingA < leadingB ? -1 : 1;
  const common = Math.min(a.exponent, b.exponent);
  const scaledA = a.coefficient * 10n ** BigInt(a.exponent - common);
  const scaledB = b.coefficient * 10n ** BigInt(b.exponent - common);
  return scaledA === scaledB ? 0 : scaledA < scaledB ? -1 : 1;
}

const MAX_EXPONENT = 6111;
const MIN_EXPONENT = -6176;
const DIGITS = 34;

/** Encodes an exact number as sixteen bytes, rounded half to even where it has too many digits. */
export function encodeDecimal(value: ExactNumber): Uint8Array {
  const bytes = new Uint8Array(16);
  const sign = value.negative ? 0x80 : 0;
  if (value.special === 'NaN') bytes[15] = 0x7c;
  else if (value.special === 'Infinity') bytes[15] = sign | 0x78;
  else {
    const { coefficient, exponent } = fitDecimal(value.coefficient, value.exponent);
    if (exponent > MAX_EXPONENT) {
      bytes[15] = sign | 0x78;
      return bytes;
    }
    const bits = (BigInt(sign) << 120n) | (BigInt(exponent + DECIMAL_EXPONENT_BIAS) << 113n) | coefficient;
    for (let i = 0; i < 16; i++) bytes[i] = Number((bits >> BigInt(8 * i)) & 0xffn);
  }
  return bytes;
}

/** Brings coefficient and exponent into range; an exponent that stays above it means overflow. */
function fitDecimal(coefficient: bigint, exponent: number): { coefficient: bigint; exponent: number } {
  const excess = Math.max(coefficient.toString().length - DIGITS, MIN_EXPONENT - exponent, 0);
  let fitted = excess === 0 ? coefficient : divideHalfEven(coefficient, 10n ** BigInt(excess));
  let power = exponent + excess;
  if (fitted > MAX_DECIMAL_COEFFICIENT) {
    fitted /= 10n;
    power++;
  }
  if (fitted === 0n) return { coefficient: 0n, exponent: Math.min(power, MAX_EXPONENT) };
  while (power > MAX_EXPONENT && fitted * 10n <= MAX_DECIMAL_COEFFICIENT) {
    fitted *= 10n;
    power--;
  }
  return { coefficient: fitted, exponent: power };
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const roundUp = twice > divisor || (twice === divisor && (quotient & 1n) === 1n);
  return roundUp ? quotient + 1n : quotient;
}
