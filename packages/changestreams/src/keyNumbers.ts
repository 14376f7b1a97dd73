/**
 * Numbers as the bytes of a key: integers of any type, doubles and decimals of equal value have equal bytes, and bytes compare
 * as the numbers do. Upstream: key_string.cpp, BuilderBase::_appendInteger, _appendDoubleWithoutTypeBits, version 1.
 */
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
/** Below it a double is made larger before its bits are taken, so that those of the smallest ones are not lost, and leaves one bit free. */
const TINIEST_WITH_TWO_BITS = 2 ** -255;
export const TINY_FACTOR = 2 ** 256;
const MASK_64 = (1n << 64n) - 1n;

/**
 * What the bits that a double leaves free say of a decimal: that it is the double itself, or larger, and by how much. A decimal
 * of up to 15 digits is told from its double alone; of others the difference follows. Upstream: key_string.h, DecimalContinuationMarker.
 */
export const Continuation = { none: 0, below15Digits: 1, at15Digits: 2, above15Digits: 3 } as const;
export type Continuation = (typeof Continuation)[keyof typeof Continuation];

/** The bytes of an integer within the range of an int64. */
export function integerKey(value: bigint): number[] {
  if (value === 0n) return [ZERO];
  if (value === -(1n << 63n)) return doubleKey(-TWO_TO_63);
  const isNegative = value < 0n;
  const bytes = bytesOf((isNegative ? -value : value) << 1n);
  if (isNegative) return [NEGATIVE_ONE_BYTE - (bytes.length - 1), ...inverted(bytes)];
  return [POSITIVE_ONE_BYTE + (bytes.length - 1), ...bytes];
}

/**
 * The bytes of a double; both zeros have the same.
 * @param continuation of a decimal for which it stands
 */
export function doubleKey(value: number, continuation: Continuation = Continuation.none): number[] {
  if (Number.isNaN(value)) return [NAN];
  const magnitude = Math.abs(value);
  const isNegative = value < 0;
  if (magnitude >= TWO_TO_63) {
    const bits =
      magnitude === Infinity ? MASK_64 : ((bitsOf(magnitude) << 1n) & (MASK_64 >> 1n)) | oneBit(continuation);
    return largeKey(bits, isNegative);
  }
  if (Number.isInteger(value) && continuation === Continuation.none) return integerKey(BigInt(value));
  if (magnitude < 1) return smallKey(smallBits(magnitude, continuation), isNegative);
  return fractionKey(magnitude, isNegative, continuation);
}

/** What lies beyond an int64, by its eight bytes. */
export function largeKey(bits: bigint, isNegative: boolean): number[] {
  return signed(isNegative, NEGATIVE_LARGE, POSITIVE_LARGE, bits);
}

/** What lies between 0 and 1, by its eight bytes. */
export function smallKey(bits: bigint, isNegative: boolean): number[] {
  return signed(isNegative, NEGATIVE_SMALL, POSITIVE_SMALL, bits);
}

/** An integer that has a fraction behind it, which follows. */
export function integerWithFraction(integral: bigint, isNegative: boolean): number[] {
  const bytes = bytesOf((integral << 1n) | 1n);
  const type = isNegative ? NEGATIVE_ONE_BYTE - (bytes.length - 1) : POSITIVE_ONE_BYTE + (bytes.length - 1);
  return [type, ...(isNegative ? inverted(bytes) : bytes)];
}

function smallBits(magnitude: number, continuation: Continuation): bigint {
  if (magnitude >= TINIEST_WITH_TWO_BITS) return (bitsOf(magnitude) << 2n) | BigInt(continuation);
  return tinyBits(magnitude * TINY_FACTOR, continuation);
}

/** @param scaled 2^256 times as large as the double that is meant */
export function tinyBits(scaled: number, continuation: Continuation): bigint {
  return ((bitsOf(scaled) << 1n) | oneBit(continuation)) + (1n << 62n);
}

/** Where only one bit is free. */
function oneBit(continuation: Continuation): bigint {
  return continuation === Continuation.none ? 0n : 1n;
}

/** One that has an integral part and a fraction: the bytes that the first leaves free hold the second. */
function fractionKey(magnitude: number, isNegative: boolean, continuation: Continuation): number[] {
  const integral = BigInt(Math.trunc(magnitude));
  const spareBytes = 8 - bytesOf(integral << 1n).length;
  const encoded = BigInt(Math.trunc(magnitude * 256 ** spareBytes)) + ((integral + 1n) << BigInt(8 * spareBytes));
  const bits = encoded | BigInt(continuation);
  return signed(isNegative, NEGATIVE_EIGHT_BYTES + spareBytes, POSITIVE_EIGHT_BYTES - spareBytes, bits);
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

export function inverted(bytes: readonly number[]): number[] {
  return bytes.map((byte) => ~byte & 0xff);
}

const scratch = new DataView(new ArrayBuffer(8));

export function bitsOf(value: number): bigint {
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0) & (MASK_64 >> 1n);
}
