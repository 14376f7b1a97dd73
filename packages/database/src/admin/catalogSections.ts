import {
  allViews,
  cappedLimits,
  type Reply,
  splitNs,
  timeseriesCollection,
  timeseriesOptions,
} from '@replsim/pipeline';
import type { CollectionView, IndexSpec, ReadView } from '@replsim/storage';

const INTERNAL_DATABASES: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

/** `catalogStats` of serverStatus: what there is, by kind. Upstream: catalog_stats.cpp; collection_catalog.cpp, CollectionCatalog::Stats. */
export function catalogStats(data: ReadView): Reply {
  const all = data.collections();
  const own = all.filter((each) => !isInternal(each.ns));
  const databases = [...new Set(all.map(({ ns }) => splitNs(ns)[0]))];
  const views = databases.flatMap((db) =>
    [...allViews(data, db).keys()].filter((ns) => !timeseriesCollection(data, ns)),
  );
  return {
    collections: own.length,
    capped: own.filter((each) => cappedLimits(each) !== undefined).length,
    clustered: own.filter(({ clusteredIndex }) => clusteredIndex !== undefined).length,
    timeseries: all.filter((each) => timeseriesOptions(each) !== undefined).length,
    views: views.filter((ns) => !isInternal(ns)).length,
    internalCollections: all.length - own.length,
    internalViews: views.filter(isInternal).length,
    systemProfile: all.filter(({ ns }) => ns.endsWith('.system.profile')).length,
  };
}

/** Of the server's own databases, or of its own in another. Upstream: namespace_string.h, isOnInternalDb and isSystem. */
function isInternal(ns: string): boolean {
  const [db, name] = splitNs(ns);
  return INTERNAL_DATABASES.has(db) || name.startsWith('system.');
}

/** What an index may be, by upstream's names. */
const FEATURES: Readonly<Record<string, (spec: IndexSpec, collection: CollectionView) => boolean>> = {
  '2d': ({ kind }) => kind === '2d',
  '2dsphere': ({ kind }) => kind === '2dsphere',
  clustered: ({ clustered }) => clustered,
  collation: ({ collator }) => collator !== undefined,
  compound: ({ parts }) => parts.length > 1,
  hashed: ({ hashed }) => hashed,
  id: () => false,
  normal: ({ kind, hashed }) => kind === 'ordered' && !hashed,
  partial: ({ partialFilter }) => partialFilter !== undefined,
  prepareUnique: ({ prepareUnique }) => prepareUnique,
  single: ({ parts }) => parts.length === 1,
  sparse: ({ sparse }) => sparse,
  text: ({ kind }) => kind === 'text',
  ttl: ({ expireAfterSeconds }) => expireAfterSeconds !== undefined,
  unique: ({ unique }) => unique,
  wildcard: ({ parts }) => parts.some(({ path }) => path === '$**' || path.endsWith('.$**')),
};

/**
 * `indexStats` of serverStatus: how many indexes there are of each kind, and how often they were used. An index on `_id` counts as
 * that alone, and the server's own collections do not count. Upstream: aggregated_index_usage_tracker.cpp, IndexFeatures::make.
 */
export function indexStats(data: ReadView): Reply {
  const own = data.collections().filter(({ ns }) => !isInternal(ns));
  const features = new Map(Object.keys(FEATURES).map((name) => [name, { count: 0, accesses: 0 }]));
  let count = 0;
  for (const collection of own) {
    for (const { spec, accesses } of collection.indexes) {
      count += 1;
      for (const name of featuresOf(spec, collection)) {
        const feature = features.get(name)!;
        feature.count += 1;
        feature.accesses += accesses.ops;
      }
    }
  }
  const shown = [...features].map(([name, each]) => [
    name,
    { count: BigInt(each.count), accesses: BigInt(each.accesses) },
  ]);
  return { count: BigInt(count), features: Object.fromEntries(shown) };
}

function featuresOf(spec: IndexSpec, collection: CollectionView): string[] {
  if (spec.name === '_id_') return ['id'];
  return Object.keys(FEATURES).filter((name) => FEATURES[name]!(spec, collection));
}
