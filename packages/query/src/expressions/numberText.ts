/** Numbers as texts, and back. Upstream: parse_number.cpp, decimal128.cpp (toString), evaluate_convert.cpp. */
import { type ExactNumber, readDecimal } from '@replsim/protocol';
import { encodeDecimal } from '../decimal.ts';

/** Smaller ones have fewer digits. */
export const LEAST_NORMAL_DOUBLE = 2.2250738585072014e-308;

/** The fewest digits that say which double it is; with an exponent below 1e-4, and from 1e16 on. */
export function doubleText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const [mantissa, power] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** A number, or why a text is none. */
export type Parsed<T> = { readonly value: T } | { readonly reason: string };

/** A whole number in base ten: neither a point nor a space is in it. @param bits 32 or 64 */
export function parseWhole(text: string, bits: number): Parsed<bigint> {
  if (/^[+-]?$/.test(text)) return { reason: 'No digits' };
  if (!/^[+-]?\d+$/.test(text)) return { reason: 'Did not consume whole string.' };
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(bits, value) === value ? { value } : { reason: 'Overflow' };
}

/** As C's `strtod` reads it, but for hexadecimals; what is too great or too small for a double is none. */
export function parseDouble(text: string): Parsed<number> {
  if (text === '') return { reason: 'Empty string' };
  if (/^\s/.test(text)) return { reason: 'Leading whitespace' };
  const special = specialIn(text);
  if (special !== undefined) return { value: special };
  if (!FINITE.test(text)) return { reason: unread(text) };
  const value = Number(text);
  const isSmall = Math.abs(value) < LEAST_NORMAL_DOUBLE && /[1-9]/.test(text.replace(/e.*/i, ''));
  return !Number.isFinite(value) || isSmall ? { reason: 'Out of range' } : { value };
}

/** Digits beyond the 34th are rounded away. */
export function parseDecimal(text: string): Parsed<ExactNumber> {
  if (text === '') return { reason: 'Empty string' };
  const special = specialIn(text);
  if (special !== undefined) {
    const name = Number.isNaN(special) ? 'NaN' : 'Infinity';
    return { value: { special: name, negative: special < 0, coefficient: 0n, exponent: 0 } };
  }
  const parts = FINITE.exec(text);
  if (!parts) return { reason: 'Failed to parse string to decimal' };
  const [, sign, whole = '', fraction = '', bare = '', power = '0'] = parts;
  const coefficient = BigInt(whole + fraction + bare);
  const exact = { special: undefined, negative: sign === '-', coefficient, exponent: exponentOf(power) - (fraction || bare).length }; // biome-ignore format: one line
  const value = readDecimal(encodeDecimal(exact), 0);
  if (value.special !== undefined) return { reason: 'Conversion from string to decimal would overflow' };
  if (value.coefficient === 0n && coefficient > 0n) {
    return { reason: 'Conversion from string to decimal would underflow' };
  }
  return { value };
}

const FINITE = /^([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:e([+-]?\d+))?$/i;

/** An exponent of more digits says no more than that it is out of range, and is no number to count to. */
function exponentOf(power: string): number {
  return Math.max(-100_000, Math.min(100_000, Number(power)));
}

function specialIn(text: string): number | undefined {
  const [, sign, name] = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text) ?? [];
  if (name === undefined) return undefined;
  const value = name.toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
  return sign === '-' ? -value : value;
}

function unread(text: string): string {
  return /^[+-]?\.?\d/.test(text) ? 'Did not consume whole string.' : 'Did not consume any digits';
}
