/**
 * Numbers of all four types in one order: the nearest double, then what it leaves out. Rounding keeps order, so the rest
 * has to tell apart only numbers that round to the same double, and is a single char for all but huge longs and decimals.
 */
import { BsonType, readDecimal, readDouble, readInt32, readInt64, readInt64AsNumber } from '@replsim/protocol';

/** What follows the double: below, equal to or above it. */
const REST_BELOW = 0x7f;
const NO_REST = 0x80;
const REST_ABOVE = 0x81;
/** Keeps the place of a rest's leading digit positive: decimals reach from 10^-6176 to 10^6145. */
const PLACE_BIAS = 0x4000;

const scratch = new DataView(new ArrayBuffer(8));

/** Appends the chars of the number at `offset`. */
export function pushNumber(chars: number[], type: number, bytes: Uint8Array, offset: number): void {
  switch (type) {
    case BsonType.int:
      pushDouble(chars, readInt32(bytes, offset));
      chars.push(NO_REST);
      return;
    case BsonType.double:
      pushDouble(chars, readDouble(bytes, offset));
      chars.push(NO_REST);
      return;
    case BsonType.long: {
      const nearest = readInt64AsNumber(bytes, offset);
      if (Number.isSafeInteger(nearest)) {
        pushDouble(chars, nearest);
        chars.push(NO_REST);
      } else {
        const value = readInt64(bytes, offset);
        pushExact(chars, { coefficient: value, exponent: 0 }, Number(value));
      }
      return;
    }
    default:
      pushDecimal(chars, bytes, offset);
  }
}

/** Eight chars in the order of the doubles: NaN lowest, zeros of either sign equal. */
function pushDouble(chars: number[], value: number): void {
  if (Number.isNaN(value)) {
    chars.push(0, 0, 0, 0, 0, 0, 0, 0);
    return;
  }
  scratch.setFloat64(0, value === 0 ? 0 : value);
  let high = scratch.getInt32(0);
  let low = scratch.getInt32(4);
  if (high < 0) {
    high = ~high;
    low = ~low;
  } else high |= 0x80000000;
  chars.push((high >>> 24) & 255, (high >>> 16) & 255, (high >>> 8) & 255, high & 255);
  chars.push((low >>> 24) & 255, (low >>> 16) & 255, (low >>> 8) & 255, low & 255);
}

function pushDecimal(chars: number[], bytes: Uint8Array, offset: number): void {
  const { special, negative, coefficient, exponent } = readDecimal(bytes, offset);
  if (special !== undefined) {
    pushDouble(chars, special === 'NaN' ? Number.NaN : negative ? -Infinity : Infinity);
    chars.push(NO_REST);
    return;
  }
  const exact = { coefficient: negative ? -coefficient : coefficient, exponent };
  const nearest = Number(`${exact.coefficient}e${exact.exponent}`);
  // A finite number must stay below infinity.
  pushExact(chars, exact, Math.max(-Number.MAX_VALUE, Math.min(nearest, Number.MAX_VALUE)));
}

/** A finite number, `coefficient * 10^exponent`. */
interface Exact {
  readonly coefficient: bigint;
  readonly exponent: number;
}

function pushExact(chars: number[], exact: Exact, nearest: number): void {
  pushDouble(chars, nearest);
  const rounded = exactOfDouble(nearest);
  const exponent = Math.min(exact.exponent, rounded.exponent);
  const rest = scaled(exact, exponent) - scaled(rounded, exponent);
  if (rest === 0n) chars.push(NO_REST);
  else pushRest(chars, rest, exponent);
}

/** Every binary fraction is a decimal one: m/2^k = m*5^k/10^k. */
function exactOfDouble(value: number): Exact {
  if (Number.isInteger(value)) return { coefficient: BigInt(value), exponent: 0 };
  scratch.setFloat64(0, value);
  const bits = scratch.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const places = 1075 - (biased || 1);
  const coefficient = mantissa * 5n ** BigInt(places);
  return { coefficient: value < 0 ? -coefficient : coefficient, exponent: -places };
}

/** The coefficient of a number written with another, smaller exponent. */
function scaled({ coefficient, exponent }: Exact, to: number): bigint {
  // A zero may carry any exponent, and a power of ten of thousands of digits with it.
  return coefficient === 0n ? 0n : coefficient * 10n ** BigInt(exponent - to);
}

/** Sign, place of the leading digit, digits without trailing zeros, 0; the latter three inverted if negative. */
function pushRest(chars: number[], rest: bigint, exponent: number): void {
  const digits = (rest < 0n ? -rest : rest).toString();
  const place = digits.length + exponent + PLACE_BIAS;
  chars.push(rest < 0n ? REST_BELOW : REST_ABOVE);
  const invert = rest < 0n ? 255 : 0;
  chars.push((place >>> 8) ^ invert, (place & 255) ^ invert);
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  for (let i = 0; i < end; i++) chars.push(digits.charCodeAt(i) ^ invert);
  chars.push(invert);
}
