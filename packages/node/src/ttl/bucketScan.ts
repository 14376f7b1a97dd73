import { objectIdSecs, type TimeseriesOptions } from '@replsim/pipeline';
import { BsonType, encodeName, findField, readInt64AsNumber, requiredField } from '@replsim/protocol';
import { type CollectionView, type IndexBounds, objectIdKey, type StoredDocument } from '@replsim/storage';
import { expiryLimitMs } from '@replsim/ttl';
import type { ExpiredScan, Found } from './expiredScan.ts';
import { RangeReader } from './rangeReader.ts';

/** Where `_id`s of times before 1970 and after 2038 lie: their seconds are read as unsigned. */
const EXTENDED_FROM_SECS = 2 ** 31;
const LAST_SECOND = 2 ** 32 - 1;

const ID = encodeName('_id');
const CONTROL = encodeName('control');
const MAX = encodeName('max');

/**
 * The buckets of a time series that have expired, whole: those that began so long ago that even a measurement at the end
 * of their span has. Where measurements lie outside of 1970 to 2038 an `_id` does not tell the time, so two stretches are
 * gone through, and only buckets are taken whose newest measurement has expired. Simpler than mongod, which makes a deletion
 * of each stretch: one visit has one set of targets here and one line in the log, so that the second waits for the first.
 * Upstream: ttl_monitor.cpp, TTLMonitor::_deleteExpiredWithCollscan and …ForTimeseriesExtendedRange.
 */
export class BucketScan implements ExpiredScan {
  readonly index = '_id_';
  readonly planSummary = 'CLUSTERED_IXSCAN';
  readonly repeats = false;
  readonly expireAfterSeconds: number;
  /** The latest second at which a bucket may have begun, for those between 1970 and 2038. */
  readonly limitMs: number;
  readonly extendedRange: boolean;
  readonly #options: TimeseriesOptions;
  /** Of the newest measurement, where that is asked. */
  readonly #measurementLimitMs: number;
  readonly #reader: RangeReader;

  constructor(
    collection: CollectionView,
    options: TimeseriesOptions,
    seconds: { readonly wallMs: number; readonly expireAfterSeconds: number },
    extendedRange: boolean,
  ) {
    const { wallMs, expireAfterSeconds } = seconds;
    const spanSecs = options.bucketMaxSpanSeconds;
    this.#options = options;
    this.extendedRange = extendedRange;
    this.expireAfterSeconds = expireAfterSeconds;
    this.limitMs = expiryLimitMs(wallMs, expireAfterSeconds, spanSecs);
    this.#measurementLimitMs = expiryLimitMs(wallMs, expireAfterSeconds);
    const ranges: IndexBounds[] = [between(0, Math.floor(this.limitMs / 1000))];
    if (extendedRange) ranges.push({ ...between(EXTENDED_FROM_SECS - spanSecs, LAST_SECOND), reverse: true });
    this.#reader = new RangeReader(collection, ...ranges.map((range) => collection.clusteredIndex!.range(range)));
  }

  isThere(): boolean {
    return true;
  }

  next(): Found | undefined {
    for (;;) {
      const found = this.#reader.next();
      if (!found || this.dueDate(found.document) !== undefined) return found;
    }
  }

  takeExamined(): number {
    return this.#reader.takeExamined();
  }

  /** When the last measurement of a bucket can have been; in the extended range, when it was. */
  dueDate(document: StoredDocument): number | undefined {
    if (this.extendedRange) {
      const newest = newestMs(document.bytes, this.#options.timeField);
      return newest !== undefined && newest <= this.#measurementLimitMs ? newest : undefined;
    }
    const id = requiredField(document.bytes, ID);
    // Somebody has written into the buckets by hand.
    if (id.type !== BsonType.objectId) return undefined;
    const beganMs = objectIdSecs(id) * 1000;
    if (beganMs > this.limitMs) return undefined;
    const endMs = beganMs + this.#options.bucketMaxSpanSeconds * 1000;
    // Never before the end, if buckets are what they should be.
    return Math.max(endMs, newestMs(document.bytes, this.#options.timeField) ?? endMs);
  }
}

/** Both ends belong to it. */
function between(fromSecs: number, toSecs: number): IndexBounds {
  // An empty range where nothing can have expired yet.
  if (toSecs < fromSecs) return { lower: keyOf(0, 0x00), upper: keyOf(0, 0x00), upperInclusive: false };
  return { lower: keyOf(fromSecs, 0x00), upper: keyOf(Math.min(toSecs, LAST_SECOND), 0xff) };
}

function keyOf(secs: number, rest: number): string {
  const id = new Uint8Array(12).fill(rest);
  new DataView(id.buffer).setUint32(0, secs);
  return objectIdKey(id, 0);
}

function newestMs(bucket: Uint8Array, timeField: string): number | undefined {
  const control = findField(bucket, CONTROL);
  const max = control && findField(control.bytes, MAX, control.offset);
  const newest = max && findField(max.bytes, encodeName(timeField), max.offset);
  return newest?.type === BsonType.date ? readInt64AsNumber(newest.bytes, newest.offset) : undefined;
}
