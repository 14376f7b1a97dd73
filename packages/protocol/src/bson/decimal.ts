/** Decimal128 read as exact numbers: the one place that knows how its bits lie. Source: IEEE 754-2008, binary integer decimal. */
import { readInt32 } from './element.ts';

/** `coefficient * 10^exponent`, exact; `special` replaces it for what is not a finite number. */
export interface ExactNumber {
  readonly special: 'NaN' | 'Infinity' | undefined;
  readonly negative: boolean;
  /** Never negative. */
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** What is added to an exponent where a decimal is stored. Upstream: Decimal128::kExponentBias. */
export const DECIMAL_EXPONENT_BIAS = 6176;
export const MAX_DECIMAL_COEFFICIENT = 10n ** 34n - 1n;

/** Reads the sixteen bytes of a decimal. A coefficient of more than 34 digits is not canonical and counts as zero. */
export function readDecimal(bytes: Uint8Array, offset: number): ExactNumber {
  const high = readInt32(bytes, offset + 12);
  const negative = high < 0;
  const combination = (high >>> 26) & 0x1f;
  if (combination === 0x1f) return { special: 'NaN', negative: false, coefficient: 0n, exponent: 0 };
  if (combination === 0x1e) return { special: 'Infinity', negative, coefficient: 0n, exponent: 0 };
  // The long form of the coefficient always exceeds 34 digits.
  if (combination >> 3 === 3) {
    return {
      special: undefined,
      negative,
      coefficient: 0n,
      exponent: ((high >>> 15) & 0x3fff) - DECIMAL_EXPONENT_BIAS,
    };
  }
  const top = BigInt(high & 0x1ffff) << 32n;
  const upper = top | BigInt(readInt32(bytes, offset + 8) >>> 0);
  const lower = (BigInt(readInt32(bytes, offset + 4) >>> 0) << 32n) | BigInt(readInt32(bytes, offset) >>> 0);
  const coefficient = (upper << 64n) | lower;
  const exponent = ((high >>> 17) & 0x3fff) - DECIMAL_EXPONENT_BIAS;
  return {
    special: undefined,
    negative,
    coefficient: coefficient > MAX_DECIMAL_COEFFICIENT ? 0n : coefficient,
    exponent,
  };
}

/** Whether a decimal is no number, without reading it to its end. */
export function isDecimalNaN(bytes: Uint8Array, offset: number): boolean {
  return ((readInt32(bytes, offset + 12) >>> 26) & 0x1f) === 0x1f;
}

/** The nearest double. */
export function doubleOfExact({ special, negative, coefficient, exponent }: ExactNumber): number {
  return Number(`${negative ? '-' : ''}${special ?? `${coefficient}e${exponent}`}`);
}

/** A decimal as the nearest double. */
export function readDecimalAsNumber(bytes: Uint8Array, offset: number): number {
  return doubleOfExact(readDecimal(bytes, offset));
}

/** All digits of a decimal, zeros behind the point included. */
export function decimalText({ special, negative, coefficient, exponent }: ExactNumber): string {
  const sign = negative ? '-' : '';
  if (special !== undefined) return sign + special;
  const digits = String(coefficient);
  const leading = exponent + digits.length - 1;
  if (exponent > 0 || leading < -6) {
    const point = digits.length > 1 ? '.' : '';
    return `${sign}${digits[0]}${point}${digits.slice(1)}E${leading > 0 ? '+' : ''}${leading}`;
  }
  if (exponent === 0) return sign + digits;
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
