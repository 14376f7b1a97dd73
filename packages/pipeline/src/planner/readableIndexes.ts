import type { CollectionView, IndexView } from '@replsim/storage';

/**
 * What a query may be read along: the ready indexes, and before them the `_id`s that a clustered collection is kept by,
 * which is no index and whose scan explain calls CLUSTERED_IXSCAN: `spec.clustered` tells it. Upstream:
 * query_planner.cpp, where it is a bounded collection scan.
 */
export function readableIndexes({ clusteredIndex, indexes }: CollectionView): readonly IndexView[] {
  return clusteredIndex ? [clusteredIndex, ...indexes] : indexes;
}

/** One of them by its name. */
export function readableIndex(collection: CollectionView, name: string): IndexView | undefined {
  const { clusteredIndex } = collection;
  return clusteredIndex?.spec.name === name ? clusteredIndex : collection.index(name);
}
