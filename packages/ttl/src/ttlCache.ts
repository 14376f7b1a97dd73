/** One thing to visit: an index by name, or a clustered collection. */
export interface TtlEntry {
  /** 32 hex digits; it survives renames. */
  readonly collectionUuid: string;
  /** Undefined for the collection-level option of a clustered collection. */
  readonly indexName: string | undefined;
  /** The collection is in the database `local`. */
  readonly local: boolean;
}

/**
 * What the monitor visits, by collection. Visits go through collections in the order of their first registration, and
 * within one in the order of its indexes; upstream's order over collections is that of a hash map.
 * Upstream: ttl_collection_cache.h, TTLCollectionCache.
 */
export type TtlCache = ReadonlyMap<string, readonly TtlEntry[]>;

/** Adds an entry, or replaces the one of the same name where it stands. */
export function register(cache: TtlCache, entry: TtlEntry): TtlCache {
  const entries = cache.get(entry.collectionUuid) ?? [];
  const at = entries.findIndex(({ indexName }) => indexName === entry.indexName);
  return new Map(cache).set(entry.collectionUuid, at < 0 ? [...entries, entry] : entries.with(at, entry));
}

/** Forgets an entry. Drops do not come here: the visit that finds nothing does. */
export function deregister(cache: TtlCache, { collectionUuid, indexName }: TtlEntry): TtlCache {
  const kept = (cache.get(collectionUuid) ?? []).filter((entry) => entry.indexName !== indexName);
  const next = new Map(cache);
  if (kept.length > 0) next.set(collectionUuid, kept);
  else next.delete(collectionUuid);
  return next;
}
