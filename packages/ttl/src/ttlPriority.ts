import type { TtlCache, TtlEntry } from './ttlCache.ts';

/** For collections that the latest sub-passes of a pass left with work: how many of them in a row. */
export type Unexhausted = ReadonlyMap<string, number>;

/** A sub-pass has ended: indexes that still have work are one further, all others start over. Upstream: updateCollSubpassHistory. */
export function countUnexhausted(before: Unexhausted, left: readonly TtlEntry[]): Unexhausted {
  return new Map(left.map(({ collectionUuid }) => [collectionUuid, (before.get(collectionUuid) ?? 0) + 1]));
}

/**
 * How many collections the next sub-pass works at normal priority instead of low, since the limit of sub-passes was not
 * enough for them. There are no tickets to queue for here, so it shows in the metric alone. Upstream: populateTTLPriorityMap.
 */
export function countPromoted(unexhausted: Unexhausted, cache: TtlCache, limit: number): number {
  let promoted = 0;
  for (const [uuid, subPasses] of unexhausted) if (cache.has(uuid) && subPasses >= limit) promoted += 1;
  return promoted;
}
