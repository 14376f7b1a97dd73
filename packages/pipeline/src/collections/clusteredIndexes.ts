import { CommandError, encodeName, findField } from '@replsim/protocol';
import { type CollectionView, describeDocument, type IndexSpec, type IndexView } from '@replsim/storage';
import { numberOf, truthOf } from '../fields/values.ts';

const V = encodeName('v');
const UNIQUE = encodeName('unique');

/**
 * What `listIndexes` shows of the order in which the records of a collection are kept: undefined if it is that of
 * insertion, or that of time-series buckets, which goes without saying. Upstream: list_indexes.cpp.
 */
export function shownClusteredIndex({ ns, clusteredIndex }: CollectionView): IndexView | undefined {
  return ns.includes('.system.buckets.') ? undefined : clusteredIndex;
}

/**
 * The indexes that commands count, the clustered one among them. Upstream: storage_stats.cpp; unverified for createIndexes
 * and dropIndexes.
 */
export function indexCount(collection: CollectionView): number {
  const unfinished = collection.unfinished.reduce((sum, build) => sum + build.indexes.length, 0);
  return collection.indexes.length + unfinished + (shownClusteredIndex(collection) ? 1 : 0);
}

/**
 * Whether createIndexes was asked for what the collection is clustered by, under whatever name: nothing is to be done then.
 * Errors: 6243700 for `clustered` on another key or collection, 6100906 for its name on another key, 6100908 and 6100909
 * for another `v` or `unique`. Upstream: index_catalog_impl.cpp, isSpecOKClusteredIndexCheck.
 */
export function existsAsClustered({ clusteredIndex }: CollectionView, spec: IndexSpec): boolean {
  const sameKey = clusteredIndex !== undefined && isClusterKey(spec);
  if (spec.clustered && !sameKey) {
    throw new CommandError(
      6243700,
      "'clustered' in an index spec needs a collection that is clustered by this very key",
    );
  }
  if (!clusteredIndex) return false;
  if (!sameKey) {
    if (spec.name !== clusteredIndex.spec.name) return false;
    throw new CommandError(
      6100906,
      `the clusteredIndex has this name and another key: ${describeDocument(spec.bytes)}`,
    );
  }
  const differs = (field: string) => `the clusteredIndex has this key and another '${field}'`;
  const v = findField(spec.bytes, V);
  if (v && numberOf(v) !== 2) throw new CommandError(6100908, differs('v'));
  const unique = findField(spec.bytes, UNIQUE);
  if (unique && !truthOf(unique)) throw new CommandError(6100909, differs('unique'));
  return true;
}

/** Throws 6100900: a collection that a `createIndexes` makes by the way is not clustered. Upstream: create_indexes_cmd.cpp. */
export function checkNotClustered(specs: readonly IndexSpec[]): void {
  if (specs.every(({ clustered }) => !clustered)) return;
  throw new CommandError(6100900, "createIndexes with 'clustered' makes no collection; use create");
}

/** Throws 5979800: the clustered index goes with its collection alone. Upstream: drop_indexes.cpp. */
export function checkDroppable({ clusteredIndex }: CollectionView, matches: (spec: IndexSpec) => boolean): void {
  if (!clusteredIndex || !matches(clusteredIndex.spec)) return;
  throw new CommandError(5979800, 'the clusteredIndex cannot be dropped');
}

/** Any number on `_id` and nothing else; `{ _id: 'hashed' }` is an index of its own. */
function isClusterKey({ parts, kind }: IndexSpec): boolean {
  return parts.length === 1 && parts[0]?.path === '_id' && kind === 'ordered';
}
