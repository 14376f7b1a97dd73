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

/** Adds entries, or replaces those of the same names where they stand. One copy for all of them: a start may find ten thousand. */
export function register(cache: TtlCache, added: readonly TtlEntry[]): TtlCache {
  const next = new Map(cache);
  for (const entry of added) {
    const entries = next.get(entry.collectionUuid) ?? [];
    const at = entries.findIndex(({ indexName }) => indexName === entry.indexName);
    next.set(entry.collectionUuid, at < 0 ? [...entries, entry] : entries.with(at, entry));
  }
  return next;
}

/** Forgets entries. Drops do not come here: the visits that find nothing do. */
export function deregister(cache: TtlCache, gone: Iterable<TtlEntry>): TtlCache {
  const next = new Map(cache);
  for (const { collectionUuid, indexName } of gone) {
    const kept = (next.get(collectionUuid) ?? []).filter((entry) => entry.indexName !== indexName);
    if (kept.length > 0) next.set(collectionUuid, kept);
    else next.delete(collectionUuid);
  }
  return next;
}
