import type { VersionTraits } from '@replsim/protocol';
import type { CollectionView, IndexView } from '@replsim/storage';

/**
 * The index by which the TTL monitor may delete: a ready one, and before 4.4 one that is being built too, by as much of it
 * as there is. The manual of those releases says so of background builds; nobody gets at the database during others.
 */
export function indexForMonitor(
  collection: CollectionView,
  name: string,
  { twoPhaseIndexBuilds }: VersionTraits,
): IndexView | undefined {
  const ready = collection.index(name);
  if (ready || twoPhaseIndexBuilds) return ready;
  return collection.unfinished.flatMap(({ indexes }) => indexes).find(({ spec }) => spec.name === name);
}
