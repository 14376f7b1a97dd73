import { extractIndexValues, type PathSegment, parsePath } from '@replsim/query';
import {
  type CollectionView,
  dateKey,
  describeDocument,
  type IndexCursor,
  type IndexView,
  invertKey,
  type StoredDocument,
} from '@replsim/storage';
import { earliestDue, MIN_DATE_MS } from '@replsim/ttl';
import type { ExpiredScan, Found } from './expiredScan.ts';
import { RangeReader } from './rangeReader.ts';

const OLDEST = dateKey(MIN_DATE_MS);
const OLDEST_INVERTED = invertKey(OLDEST);

/** What has expired by a TTL index. Upstream: ttl_monitor.cpp, TTLMonitor::_deleteExpiredWithIndex. */
export class IndexScan implements ExpiredScan {
  readonly expireAfterSeconds: number;
  readonly limitMs: number;
  readonly #collection: CollectionView;
  readonly #index: IndexView;
  readonly #reader: RangeReader;
  /** Parsed when the first document is judged: most visits find none. */
  #path: readonly PathSegment[] | undefined;
  readonly #spanMs: number;

  /** @param spanSecs how much later than its date what a document holds may expire: buckets of a time series */
  constructor(collection: CollectionView, index: IndexView, expireAfterSeconds: number, limitMs: number, spanSecs = 0) {
    this.#collection = collection;
    this.#index = index;
    this.expireAfterSeconds = expireAfterSeconds;
    this.limitMs = limitMs;
    this.#spanMs = spanSecs * 1000;
    this.#reader = new RangeReader(collection, rangeUpTo(limitMs, index));
  }

  get index(): string {
    return this.#index.spec.name;
  }

  get planSummary(): string {
    return `IXSCAN ${describeDocument(this.#index.spec.keyPattern)}`;
  }

  get repeats(): boolean {
    return this.#index.multikey;
  }

  /** An index that was dropped is another one than what bears its name now. */
  isThere(): boolean {
    if (this.#collection.index(this.index) === this.#index) return true;
    // Before 4.4 it may be one that is still being built.
    return this.#collection.unfinished.some(({ indexes }) => indexes.includes(this.#index));
  }

  next(): Found | undefined {
    return this.#reader.next();
  }

  takeExamined(): number {
    return this.#reader.takeExamined();
  }

  /** The earliest one, if there are several. */
  dueDate(document: StoredDocument): number | undefined {
    this.#path ??= parsePath(this.#index.spec.parts[0]!.path);
    const earliest = earliestDue(extractIndexValues(document.bytes, this.#path).values, this.limitMs);
    return earliest === undefined ? undefined : earliest + this.#spanMs;
  }
}

/** Oldest first, whichever way the index runs. */
function rangeUpTo(limitMs: number, index: IndexView): IndexCursor {
  const { descending } = index.spec.parts[0]!;
  const newest = dateKey(limitMs);
  return descending
    ? index.range({ lower: invertKey(newest), upper: OLDEST_INVERTED, reverse: true })
    : index.range({ lower: OLDEST, upper: newest });
}
