import { md5 } from '@noble/hashes/legacy.js';
import { BsonType, type BsonValue, ElementCursor, readDecimal, readDouble, readInt32 } from '@replsim/protocol';
import { canonicalType } from './compare.ts';
import { exactOfDouble } from './decimal.ts';
import { quantize } from './decimalMath.ts';
import { readInteger, wholeOf } from './values.ts';

type Hash = ReturnType<typeof md5.create>;

const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;
/** What is hashed in front of everything. Upstream: hasher.h, BSONElementHasher::DEFAULT_HASH_SEED. */
const SEED = 0;

/** What a hashed index keeps of a value: the first half of an MD5, as an int64. Upstream: hasher.cpp, BSONElementHasher::hash64. */
export function hashOfValue(value: BsonValue): bigint {
  const hash = md5.create();
  addInt32(hash, SEED);
  addValue(hash, value, undefined);
  const digest = hash.digest();
  return new DataView(digest.buffer, digest.byteOffset).getBigInt64(0, true);
}

/** Types that rank elsewhere here than in comparisons. Upstream: bsontypes.h, canonicalizeBSONType. */
const ranks: ReadonlyMap<number, number> = new Map([
  [BsonType.minKey, -1],
  [BsonType.undefined, 0],
]);

/** @param name of a field or an element, with its null byte; the value itself goes without */
function addValue(hash: Hash, { type, bytes, offset, size }: BsonValue, name: Uint8Array | undefined): void {
  addInt32(hash, ranks.get(type) ?? canonicalType(type));
  if (name) hash.update(name);
  if (canonicalType(type) === 10) addInt64(hash, hashedNumber({ type, bytes, offset, size }));
  else if (type === BsonType.object || type === BsonType.array) addFields(hash, bytes, offset);
  else if (type === BsonType.javascriptWithScope) {
    const code = offset + 4;
    const length = readInt32(bytes, code);
    hash.update(bytes.subarray(code + 4, code + 4 + length));
    addFields(hash, bytes, code + 4 + length);
  } else hash.update(bytes.subarray(offset, offset + size));
}

function addFields(hash: Hash, bytes: Uint8Array, start: number): void {
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    addValue(hash, cursor.value(), bytes.subarray(cursor.nameStart, cursor.nameEnd + 1));
  }
  // The end counts like an element that has neither a name nor a value.
  addInt32(hash, 0);
}

/** Numbers are alike where their whole parts are. Upstream: bsonelement.h, safeNumberLongForHash. */
function hashedNumber(value: BsonValue): bigint {
  if (value.type === BsonType.decimal) {
    const exact = readDecimal(value.bytes, value.offset);
    if (exact.special === 'NaN') return 0n;
    if (exact.special === 'Infinity') return exact.negative ? LEAST : GREATEST;
    return clamped(wholeOf(exact) ?? wholeOf(quantize(exact, 0, 'halfEven')) ?? 0n);
  }
  if (value.type !== BsonType.double) return readInteger(value) ?? 0n;
  const number = readDouble(value.bytes, value.offset);
  // Upstream keeps what the processor once made of this one.
  if (number === 2 ** 63) return LEAST;
  if (Number.isNaN(number)) return 0n;
  if (!Number.isFinite(number)) return number < 0 ? LEAST : GREATEST;
  return clamped(wholeOf(exactOfDouble(Math.trunc(number))) ?? 0n);
}

function clamped(value: bigint): bigint {
  return value < LEAST ? LEAST : value > GREATEST ? GREATEST : value;
}

function addInt32(hash: Hash, value: number): void {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  hash.update(bytes);
}

function addInt64(hash: Hash, value: bigint): void {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  hash.update(bytes);
}
