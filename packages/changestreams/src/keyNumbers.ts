/**
 * Numbers as the bytes of a key: integers of any type, doubles and decimals of equal value have equal bytes, and bytes compare
 * as the numbers do. Upstream: key_string.cpp, BuilderBase::_appendInteger, _appendDoubleWithoutTypeBits, version 1.
 */
import { CommandError } from '@replsim/protocol';

const NAN = 0x1e;
const NEGATIVE_LARGE = 0x1f;
const NEGATIVE_EIGHT_BYTES = 0x20;
const NEGATIVE_ONE_BYTE = 0x27;
const NEGATIVE_SMALL = 0x28;
const ZERO = 0x29;
const POSITIVE_SMALL = 0x2a;
const POSITIVE_ONE_BYTE = 0x2b;
const POSITIVE_EIGHT_BYTES = 0x32;
const POSITIVE_LARGE = 0x33;

const TWO_TO_63 = 2 ** 63;
/** Below it a double is made larger before its bits are taken, so that those of the smallest ones are not lost. */
const TINIEST_NORMAL = 2 ** -255;
const TINY_FACTOR = 2 ** 256;
const MASK_64 = (1n << 64n) - 1n;

/** The bytes of an integer within the range of an int64. */
export function integerKey(value: bigint): number[] {
  if (value === 0n) return [ZERO];
  if (value === -(1n << 63n)) return doubleKey(-TWO_TO_63);
  const isNegative = value < 0n;
  const bytes = bytesOf((isNegative ? -value : value) << 1n);
  if (isNegative) return [NEGATIVE_ONE_BYTE - (bytes.length - 1), ...inverted(bytes)];
  return [POSITIVE_ONE_BYTE + (bytes.length - 1), ...bytes];
}

/** The bytes of a double; both zeros have the same. */
export function doubleKey(value: number): number[] {
  if (Number.isNaN(value)) return [NAN];
  const magnitude = Math.abs(value);
  const isNegative = value < 0;
  if (magnitude >= TWO_TO_63) {
    const bits = magnitude === Infinity ? MASK_64 : (bitsOf(magnitude) << 1n) & (MASK_64 >> 1n);
    return signed(isNegative, NEGATIVE_LARGE, POSITIVE_LARGE, bits);
  }
  if (Number.isInteger(value)) return integerKey(BigInt(value));
  if (magnitude < 1) return signed(isNegative, NEGATIVE_SMALL, POSITIVE_SMALL, smallBits(magnitude));
  return fractionKey(magnitude, isNegative);
}

function smallBits(magnitude: number): bigint {
  return magnitude >= TINIEST_NORMAL ? bitsOf(magnitude) << 2n : (bitsOf(magnitude * TINY_FACTOR) << 1n) + (1n << 62n);
}

/** One that has an integral part and a fraction: the bytes that the first leaves free hold the second. */
function fractionKey(magnitude: number, isNegative: boolean): number[] {
  const integral = BigInt(Math.trunc(magnitude));
  const spareBytes = 8 - bytesOf(integral << 1n).length;
  const encoded = BigInt(Math.trunc(magnitude * 256 ** spareBytes)) + ((integral + 1n) << BigInt(8 * spareBytes));
  return signed(isNegative, NEGATIVE_EIGHT_BYTES + spareBytes, POSITIVE_EIGHT_BYTES - spareBytes, encoded);
}

/** A finite decimal: `coefficient` · 10^`exponent`, which is not zero. Errors: CommandNotSupported 115. */
export function decimalKey(coefficient: bigint, exponent: number, isNegative: boolean): number[] {
  const signedOne = isNegative ? -coefficient : coefficient;
  const power = 10n ** BigInt(Math.abs(exponent));
  const integer = exponent >= 0 ? signedOne * power : signedOne % power === 0n ? signedOne / power : undefined;
  if (integer !== undefined && integer > -(1n << 63n) && integer < 1n << 63n) return integerKey(integer);
  const double = Number(`${signedOne}e${exponent}`);
  if (isExactly(double, signedOne, exponent)) return doubleKey(double);
  // Upstream tells the difference in further bytes; nobody's keys are expected to need them.
  throw new CommandError(
    'CommandNotSupported',
    `a resume token cannot hold the decimal ${signedOne}E${exponent}, which is no double: replsim does not support such keys yet`,
  );
}

/** Whether the double is the very number `coefficient` · 10^`exponent`. */
function isExactly(double: number, coefficient: bigint, exponent: number): boolean {
  if (!Number.isFinite(double)) return false;
  let mantissa = double;
  let halvings = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    halvings += 1;
  }
  const left = BigInt(mantissa) * (exponent < 0 ? 10n ** BigInt(-exponent) : 1n);
  const right = coefficient * (exponent > 0 ? 10n ** BigInt(exponent) : 1n) * (1n << BigInt(halvings));
  return left === right;
}

function signed(isNegative: boolean, ifNegative: number, ifPositive: number, bits: bigint): number[] {
  const bytes = bytesOf(bits, 8);
  return isNegative ? [ifNegative, ...inverted(bytes)] : [ifPositive, ...bytes];
}

/** Big-endian, as few bytes as it takes but no fewer than `atLeast`. */
export function bytesOf(value: bigint, atLeast = 1): number[] {
  const bytes: number[] = [];
  for (let left = value; left > 0n || bytes.length < atLeast; left >>= 8n) bytes.unshift(Number(left & 0xffn));
  return bytes;
}

function inverted(bytes: readonly number[]): number[] {
  return bytes.map((byte) => ~byte & 0xff);
}

const scratch = new DataView(new ArrayBuffer(8));

function bitsOf(value: number): bigint {
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0) & (MASK_64 >> 1n);
}
