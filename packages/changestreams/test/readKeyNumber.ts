/** Numerator and denominator. */
export type Fraction = readonly [bigint, bigint];

const ALL_ONES = (1n << 64n) - 1n;
const TWO_TO_256 = 1n << 256n;

/** What a mongod reads off the bytes of a decimal's key, as far as the value goes. Upstream: key_string.cpp, toBsonValue. */
export function readKeyNumber(hex: string): { readonly isNegative: boolean; readonly magnitude: Fraction } {
  const type = Number.parseInt(hex.slice(0, 2), 16);
  const isNegative = type < 0x29;
  const kind = isNegative ? 0x52 - type : type;
  const bytes = hex.slice(2);
  const word = (from: number, length = 16): bigint => {
    const read = BigInt(`0x${bytes.slice(from, from + length)}`);
    return isNegative ? (1n << BigInt(4 * length)) - 1n - read : read;
  };
  return {
    isNegative,
    magnitude: kind === 0x33 ? large(word) : kind === 0x2a ? small(word) : usual(kind - 0x2a, word),
  };
}

type Word = (from: number, length?: number) => bigint;

function large(word: Word): Fraction {
  const bits = word(0);
  if (bits === ALL_ONES) throw new Error('infinite');
  if (bits >> 63n === 1n) return stored(bits & (ALL_ONES >> 1n), word(16));
  const double = doubleOf((bits >> 1n) | (1n << 62n));
  return bits & 1n ? withDifference(firstDigits(double, 34, true), word(16)) : double;
}

function small(word: Word): Fraction {
  const bits = word(0);
  const prefix = bits >> 62n;
  if (prefix === 0n) return stored(bits, word(16));
  if (prefix === 3n) return withMarker(doubleOf(bits >> 2n), Number(bits & 3n), () => word(16));
  const scaled = doubleOf((bits - (1n << 62n)) >> 1n);
  const double: Fraction = [scaled[0], scaled[1] * TWO_TO_256];
  if ((bits & 1n) === 0n) return double;
  const isNormal = double[0] << 1022n >= double[1];
  if (isNormal) return withDifference(firstDigits(double, 34, true), word(16));
  const [a, b] = [firstDigits(scaled, 34, false), firstDigits([1n, TWO_TO_256], 34, false)];
  return withDifference(firstDigits([a[0] * b[0], a[1] * b[1]], 34, false), word(16));
}

/** @param integralBytes of the integral part and the bit behind it */
function usual(integralBytes: number, word: Word): Fraction {
  const integral = word(0, 2 * integralBytes);
  if ((integral & 1n) === 0n) return [integral >> 1n, 1n];
  const spare = 8 - integralBytes;
  const rest = spare === 0 ? 0n : word(2 * integralBytes, 2 * spare);
  const marker = spare === 0 ? 3 : Number(rest & 3n);
  const encoded = ((integral >> 1n) << BigInt(8 * spare)) | (rest & ~3n);
  const double: Fraction = [encoded, 1n << BigInt(8 * spare)];
  return withMarker(integral >> 1n > 1n << 53n ? [integral >> 1n, 1n] : double, marker, () => word(16));
}

function withMarker(double: Fraction, marker: number, difference: () => bigint): Fraction {
  if (marker === 0) return double;
  if (marker === 2) return firstDigits(double, 15, true);
  return withDifference(firstDigits(double, 34, true), difference());
}

/** A decimal as it is stored: exponent and coefficient. */
function stored(high: bigint, low: bigint): Fraction {
  const exponent = Number(high >> 49n) - 6176;
  return scaledBy10(((high & ((1n << 49n) - 1n)) << 64n) | low, exponent);
}

function withDifference([numerator, denominator]: Fraction, difference: bigint): Fraction {
  const unit = scaledBy10(1n, decade([numerator, denominator]) - 33);
  return [numerator * unit[1] + difference * unit[0] * denominator, denominator * unit[1]];
}

function firstDigits(of: Fraction, digits: number, up: boolean): Fraction {
  const exponent = decade(of) - digits + 1;
  const [numerator, denominator] = [
    of[0] * 10n ** BigInt(Math.max(-exponent, 0)),
    of[1] * 10n ** BigInt(Math.max(exponent, 0)),
  ];
  const quotient = numerator / denominator;
  return scaledBy10(up && quotient * denominator < numerator ? quotient + 1n : quotient, exponent);
}

/** Floor of the logarithm. */
function decade([numerator, denominator]: Fraction): number {
  const guess = String(numerator).length - String(denominator).length;
  const [a, b] = scaledBy10(1n, guess);
  return numerator * b >= a * denominator ? guess : guess - 1;
}

function scaledBy10(coefficient: bigint, exponent: number): Fraction {
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? [coefficient, power] : [coefficient * power, 1n];
}

function doubleOf(bits: bigint): Fraction {
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & ((1n << 52n) - 1n)) | (exponent === 0 ? 0n : 1n << 52n);
  const shift = Math.max(exponent, 1) - 1075;
  return shift < 0 ? [mantissa, 1n << BigInt(-shift)] : [mantissa << BigInt(shift), 1n];
}
