import type { CollectionView } from '@replsim/storage';
import { expiryLimitMs, type TtlVisit, ttlKindOf, type VisitResult } from '@replsim/ttl';
import type { Core } from '../core.ts';
import type { ExpiredScan } from './expiredScan.ts';
import { IndexScan } from './indexScan.ts';

type Skipped = Extract<VisitResult, { type: 'gone' | 'notReady' | 'skipped' }>;

/** What a visit finds when it gets to its collection: a scan of what is due, or why there is nothing to do. */
export type ResolvedVisit = { readonly type: 'scan'; readonly scan: ExpiredScan } | Skipped;

/** Upstream: ttl_monitor.cpp, TTLMonitor::_doTTLIndexDelete from the lock on. */
export function resolveVisit(core: Core, collection: CollectionView, visit: TtlVisit): ResolvedVisit {
  const { indexName } = visit;
  return indexName === undefined ? byCollection() : byIndex(core, collection, indexName, visit);
}

/** The collection's own `expireAfterSeconds`: clustered collections and time series have one. */
function byCollection(): ResolvedVisit {
  return { type: 'gone' };
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
    return { type: 'skipped', logId: kind.logId, attr: { reason: kind.reason, ns: collection.ns, index: spec.name } };
  }
  const attr = { namespace: collection.ns, key: Object.fromEntries(key), name: spec.name };
  core.debug(1, 'INDEX', 22533, 'Running the TTL job for an index', attr, 'TTLMonitor');
  const limitMs = expiryLimitMs(wallMs, kind.expireAfterSeconds);
  return { type: 'scan', scan: new IndexScan(collection, index, kind.expireAfterSeconds, limitMs) };
}
