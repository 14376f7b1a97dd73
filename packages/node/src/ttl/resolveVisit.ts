import { collectionSeconds, hasExtendedRange, type TimeseriesOptions, timeseriesOptions } from '@replsim/pipeline';
import { decodePromoted, type LogLine, uuidAttr } from '@replsim/protocol';
import type { CollectionView, IndexSpec } from '@replsim/storage';
import { expiryLimitMs, type TtlKind, type TtlVisit, truncateSeconds, ttlKindOf, type VisitResult } from '@replsim/ttl';
import type { Core } from '../core/core.ts';
import { BucketScan } from './bucketScan.ts';
import { ClusteredScan } from './clusteredScan.ts';
import type { ExpiredScan } from './expiredScan.ts';
import { indexForMonitor } from './indexForMonitor.ts';
import { IndexScan } from './indexScan.ts';
import { debugVisit } from './monitorLog.ts';

type Skipped = Extract<VisitResult, { type: 'gone' | 'notReady' | 'skipped' }>;

/** What a visit finds when it gets to its collection: a scan of what is due, or why there is nothing to do. */
export type ResolvedVisit = { readonly type: 'scan'; readonly scan: ExpiredScan } | Skipped;

/** Upstream: ttl_monitor.cpp, TTLMonitor::_doTTLIndexDelete from the lock on. */
export function resolveVisit(core: Core, collection: CollectionView, visit: TtlVisit): ResolvedVisit {
  const { indexName } = visit;
  return indexName === undefined ? byCollection(core, collection, visit) : byIndex(core, collection, indexName, visit);
}

/** The collection's own `expireAfterSeconds`. Upstream: TTLMonitor::_deleteExpiredWithCollscan. */
function byCollection(core: Core, collection: CollectionView, { wallMs }: TtlVisit): ResolvedVisit {
  const option = collection.clusteredIndex && collectionSeconds(collection.options);
  // Taken away by collMod, and noticed only now.
  if (!option) return { type: 'gone' };
  const expireAfterSeconds = Number(truncateSeconds(option));
  const series = timeseriesOptions(collection);
  if (series) return byBuckets(core, collection, series, { wallMs, expireAfterSeconds });
  debugVisit(core, 5400704, () => ({ namespace: collection.ns }));
  const limitMs = expiryLimitMs(wallMs, expireAfterSeconds);
  return { type: 'scan', scan: new ClusteredScan(collection, expireAfterSeconds, limitMs) };
}

/** Whole buckets of a time series. Line A leaves those with times before 1970 or after 2038 alone, without a word. */
function byBuckets(
  core: Core,
  collection: CollectionView,
  series: TimeseriesOptions,
  seconds: { readonly wallMs: number; readonly expireAfterSeconds: number },
): ResolvedVisit {
  const extendedRange = hasExtendedRange(collection);
  if (extendedRange && !core.traits.ttlExtendedRange) return { type: 'notReady' };
  debugVisit(core, extendedRange ? 9736801 : 5400704, () => ({ namespace: collection.ns }));
  return { type: 'scan', scan: new BucketScan(collection, series, seconds, extendedRange) };
}

/** Upstream: TTLMonitor::_deleteExpiredWithIndex, getValidTTLIndex. */
function byIndex(core: Core, collection: CollectionView, indexName: string, { wallMs }: TtlVisit): ResolvedVisit {
  const index = indexForMonitor(collection, indexName, core.traits);
  if (!index) return { type: 'gone' };
  const { spec } = index;
  const key = spec.parts.map(({ path, descending }) => [path, descending ? -1 : 1] as const);
  const special = spec.kind !== 'ordered';
  const kind = ttlKindOf({ key, expireAfterSeconds: spec.expireAfterSeconds, special }, core.traits);
  if (kind.type === 'notTtl') return { type: 'gone' };
  if (kind.type === 'skipped') {
    return { type: 'skipped', logId: kind.logId, attr: skippedAttr(collection, spec, kind) };
  }
  debugVisit(core, 22533, () => ({ namespace: collection.ns, key: Object.fromEntries(key), name: spec.name }));
  // On buckets the index is on the time of their beginning, and they go when their whole span has expired.
  const spanSecs = timeseriesOptions(collection)?.bucketMaxSpanSeconds ?? 0;
  const limitMs = expiryLimitMs(wallMs, kind.expireAfterSeconds, spanSecs);
  return { type: 'scan', scan: new IndexScan(collection, index, kind.expireAfterSeconds, limitMs, spanSecs) };
}

function skippedAttr(
  { ns, uuid }: CollectionView,
  { bytes }: IndexSpec,
  { logId, reason }: Extract<TtlKind, { type: 'skipped' }>,
): LogLine['attr'] {
  const index = decodePromoted(bytes);
  if (logId === 22540 || logId === 22541) return { index };
  return { reason, ns, uuid: uuidAttr(uuid), index };
}
