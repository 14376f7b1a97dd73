import { decodePromoted, formatUuid, type LogLine } from '@replsim/protocol';
import type { CollectionView, IndexSpec } from '@replsim/storage';
import { expiryLimitMs, type TtlKind, type TtlVisit, truncateSeconds, ttlKindOf, type VisitResult } from '@replsim/ttl';
import { collectionSeconds } from '../collectionChanges.ts';
import type { Core } from '../core.ts';
import { ClusteredScan } from './clusteredScan.ts';
import type { ExpiredScan } from './expiredScan.ts';
import { IndexScan } from './indexScan.ts';
import { logVisit } from './monitorLog.ts';

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
  logVisit(core, 5400704, { namespace: collection.ns });
  const seconds = Number(truncateSeconds(option));
  return { type: 'scan', scan: new ClusteredScan(collection, seconds, expiryLimitMs(wallMs, seconds)) };
}

/** Upstream: TTLMonitor::_deleteExpiredWithIndex, getValidTTLIndex. */
function byIndex(core: Core, collection: CollectionView, indexName: string, { wallMs }: TtlVisit): ResolvedVisit {
  const index = collection.index(indexName);
  if (!index) return { type: 'gone' };
  const { spec } = index;
  const key = spec.parts.map(({ path, descending }) => [path, descending ? -1 : 1] as const);
  const special = spec.kind === 'special';
  const kind = ttlKindOf({ key, expireAfterSeconds: spec.expireAfterSeconds, special }, core.traits);
  if (kind.type === 'notTtl') return { type: 'gone' };
  if (kind.type === 'skipped') {
    return { type: 'skipped', logId: kind.logId, attr: skippedAttr(collection, spec, kind) };
  }
  const attr = { namespace: collection.ns, key: Object.fromEntries(key), name: spec.name };
  logVisit(core, 22533, attr);
  const limitMs = expiryLimitMs(wallMs, kind.expireAfterSeconds);
  return { type: 'scan', scan: new IndexScan(collection, index, kind.expireAfterSeconds, limitMs) };
}

function skippedAttr(
  { ns, uuid }: CollectionView,
  { bytes }: IndexSpec,
  { logId, reason }: Extract<TtlKind, { type: 'skipped' }>,
): LogLine['attr'] {
  const index = decodePromoted(bytes);
  return logId === 6909100 ? { reason, ns, uuid: { uuid: { $uuid: formatUuid(uuid) } }, index } : { index };
}
