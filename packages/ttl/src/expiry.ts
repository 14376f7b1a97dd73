import {
  BsonType,
  type BsonValue,
  doubleOfExact,
  type ExactNumber,
  isDecimalNaN,
  readDecimal,
  readDouble,
  readInt32,
  readInt64,
  readInt64AsNumber,
} from '@replsim/protocol';

/** The largest `expireAfterSeconds` of an index; what an invalid one is reported as. Upstream: index_key_validate.h. */
export const MAX_EXPIRE_AFTER_SECONDS = 2147483647;

/** The smallest BSON Date, ms: where the range of an index scan starts, so that dates before 1970 do expire. */
export const MIN_DATE_MS = -(2 ** 63);

/**
 * Where the range on a clustered collection starts, ms: there, dates before 1970 never expire. The range began as one of time-series
 * buckets, whose ids hold unsigned seconds, so that what lies before 1970 sorts behind everything else.
 * Upstream: TTLMonitor::_deleteExpiredWithCollscan.
 */
export const CLUSTERED_MIN_DATE_MS = 0;

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** A double, int, long or decimal. Upstream: BSONElement::isNumber. */
export function isNumeric({ type }: BsonValue): boolean {
  return type === BsonType.int || type === BsonType.double || type === BsonType.long || type === BsonType.decimal;
}

/** NaN as a double or a decimal. */
export function isNotANumber(value: BsonValue): boolean {
  if (value.type === BsonType.double) return Number.isNaN(readDouble(value.bytes, value.offset));
  return value.type === BsonType.decimal && isDecimalNaN(value.bytes, value.offset);
}

/**
 * Seconds as an int64: the fraction is dropped, NaN is 0, and what does not fit becomes the nearest int64 that does.
 * A value that is not a number is 0. Upstream: bsonelement.h, BSONElement::safeNumberLong.
 */
export function truncateSeconds(value: BsonValue | number | bigint): bigint {
  if (typeof value === 'number') return truncateDouble(value);
  if (typeof value === 'bigint') return saturate(value);
  switch (value.type) {
    case BsonType.int:
      return BigInt(readInt32(value.bytes, value.offset));
    case BsonType.long:
      return readInt64(value.bytes, value.offset);
    case BsonType.double:
      return truncateDouble(readDouble(value.bytes, value.offset));
    case BsonType.decimal:
      return truncateDecimal(readDecimal(value.bytes, value.offset));
    default:
      return 0n;
  }
}

function truncateDecimal(exact: ExactNumber): bigint {
  const { special, negative, coefficient, exponent } = exact;
  if (special !== undefined) return truncateDouble(doubleOfExact(exact));
  const magnitude = wholePart(coefficient, exponent);
  return saturate(negative ? -magnitude : magnitude);
}

/** What is beyond 10^20 comes back as 10^20, which no int64 reaches. */
function wholePart(coefficient: bigint, exponent: number): bigint {
  if (coefficient === 0n || exponent < -34) return 0n;
  if (exponent < 0) return coefficient / 10n ** BigInt(-exponent);
  return exponent >= 20 ? 10n ** 20n : coefficient * 10n ** BigInt(exponent);
}

function truncateDouble(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return MAX_INT64;
  return value <= -(2 ** 63) ? MIN_INT64 : BigInt(Math.trunc(value));
}

function saturate(value: bigint): bigint {
  if (value > MAX_INT64) return MAX_INT64;
  return value < MIN_INT64 ? MIN_INT64 : value;
}

/**
 * The latest date that has expired, ms since 1970; it expires itself.
 * @param wallMs this member's clock: at the visit (line A), or when the pass began (line B)
 * @param bucketMaxSpanSecs time-series only: how much later a bucket's newest measurement may be than its `_id`
 */
export function expiryLimitMs(wallMs: number, expireAfterSeconds: number, bucketMaxSpanSecs = 0): number {
  return wallMs - (expireAfterSeconds + bucketMaxSpanSecs) * 1000;
}

/** Whether a date (ms since 1970) lies in the range that is deleted; both ends belong to it. */
export function isExpired(dateMs: number, limitMs: number, minDateMs = MIN_DATE_MS): boolean {
  return dateMs >= minDateMs && dateMs <= limitMs;
}

/**
 * The earliest date that makes a document expire, ms, among the keys that its index holds of it; undefined if it stays.
 * Only Dates count, whatever lies beside them. This is the check to repeat just before a deletion.
 * @param fromMs where the range of dates begins
 * Upstream: ttl_monitor.cpp, the filter that TTLMonitor::_deleteExpiredWithIndex attaches.
 */
export function earliestDue(keys: readonly BsonValue[], limitMs: number, fromMs = MIN_DATE_MS): number | undefined {
  let earliest: number | undefined;
  for (const { type, bytes, offset } of keys) {
    if (type !== BsonType.date) continue;
    const dateMs = readInt64AsNumber(bytes, offset);
    if (isExpired(dateMs, limitMs, fromMs) && (earliest === undefined || dateMs < earliest)) earliest = dateMs;
  }
  return earliest;
}
