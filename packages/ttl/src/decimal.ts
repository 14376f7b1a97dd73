import { readInt64 } from '@replsim/protocol';

const EXPONENT_BIAS = 6176;
const LARGEST_COEFFICIENT = 10n ** 34n - 1n;
/** From 10^20 on nothing fits into an int64; below 10^-34 no coefficient reaches 1. */
const SATURATING_EXPONENT = 20;

/**
 * The whole part of a decimal128 (16 bytes, little-endian, binary integer significand), or how it fails to be a number.
 * A value beyond 10^20 comes back as ±10^20: the caller saturates long before. Source: IEEE 754-2008, 3.5.2.
 */
export function truncateDecimal(bytes: Uint8Array, offset: number): bigint | 'NaN' | 'Infinity' | '-Infinity' {
  const low = BigInt.asUintN(64, readInt64(bytes, offset));
  const high = BigInt.asUintN(64, readInt64(bytes, offset + 8));
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0b11111) return 'NaN';
  if (combination === 0b11110) return negative ? '-Infinity' : 'Infinity';
  // The form for larger coefficients cannot hold a canonical one; such a number reads as 0.
  if (combination >= 0b11000) return 0n;
  const coefficient = ((high & ((1n << 49n) - 1n)) << 64n) | low;
  if (coefficient > LARGEST_COEFFICIENT) return 0n;
  const exponent = Number((high >> 49n) & 0x3fffn) - EXPONENT_BIAS;
  const magnitude = scale(coefficient, exponent);
  return negative ? -magnitude : magnitude;
}

function scale(coefficient: bigint, exponent: number): bigint {
  if (coefficient === 0n || exponent < -34) return 0n;
  if (exponent < 0) return coefficient / 10n ** BigInt(-exponent);
  return exponent >= SATURATING_EXPONENT ? 10n ** 20n : coefficient * 10n ** BigInt(exponent);
}
