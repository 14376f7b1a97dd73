import { encodeName, requiredField } from '@replsim/protocol';
import { type CollectionView, dateKey, type StoredDocument } from '@replsim/storage';
import { CLUSTERED_MIN_DATE_MS, earliestDue } from '@replsim/ttl';
import type { ExpiredScan, Found } from './expiredScan.ts';
import { RangeReader } from './rangeReader.ts';

const ID = encodeName('_id');

/**
 * What has expired by a clustered collection's own `expireAfterSeconds`: a stretch of the records themselves, from 1970
 * to the limit, so that an ObjectId or an earlier date never comes into it. Upstream: ttl_monitor.cpp,
 * TTLMonitor::_deleteExpiredWithCollscan.
 */
export class ClusteredScan implements ExpiredScan {
  /** As `listIndexes` and the trace call the order of the records. */
  readonly index = '_id_';
  readonly planSummary = 'CLUSTERED_IXSCAN';
  readonly repeats = false;
  readonly fromMs = CLUSTERED_MIN_DATE_MS;
  readonly expireAfterSeconds: number;
  readonly limitMs: number;
  readonly #reader: RangeReader;

  constructor(collection: CollectionView, expireAfterSeconds: number, limitMs: number) {
    this.expireAfterSeconds = expireAfterSeconds;
    this.limitMs = limitMs;
    const bounds = { lower: dateKey(this.fromMs), upper: dateKey(limitMs) };
    this.#reader = new RangeReader(collection, collection.clusteredIndex!.range(bounds));
  }

  /** It reads the collection itself, for which the visit looks anyway. */
  isThere(): boolean {
    return true;
  }

  next(): Found | undefined {
    return this.#reader.next();
  }

  takeExamined(): number {
    return this.#reader.takeExamined();
  }

  dueDate({ bytes }: StoredDocument): number | undefined {
    return earliestDue([requiredField(bytes, ID)], this.limitMs, this.fromMs);
  }
}
