import {
  allViews,
  cappedLimits,
  checkNotView,
  type Fields,
  fieldSet,
  INT32_MAX,
  indexCount,
  type Reply,
  timeseriesCollection,
} from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Double } from 'bson';
import { allIndexBytes, FS_TOTAL_BYTES, indexBytes, storageBytes, usedBytes } from '../catalog/diskSizes.ts';
import { collectionsOf } from '../catalog/listCollections.ts';
import { mmapv1Stats } from '../catalog/storageEngines.ts';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { MemberServices } from '../member.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { atOnce } from '../replies/atOnce.ts';
import { dbHash } from './dbHash.ts';
import { indexDetailsOf, wiredTigerOf } from './wiredTiger.ts';

const dbStatsFields = fieldSet('dbStats', 'scale', 'freeStorage');
const collStatsFields = fieldSet('collStats', 'scale', 'verbose', 'waitForLock', 'numericOnly', 'queryExecStats');

/**
 * `{ dbStats: 1, scale?, freeStorage? }`: sizes as doubles, in bytes or in units of `scale`; the disk's only of a database that
 * exists. Errors: BadValue 2. Upstream: dbcommands.cpp, CmdDbStats.
 */
const dbStats: CommandDefinition = {
  name: 'dbStats',
  help: 'shows the size of a database',
  auth: { action: 'dbStats', resource: 'database' },
  api: 'none',
  aliases: ['dbstats'],
  kind: 'other',
  secondaries: 'optIn',
  maintenanceOk: false,
  run: atOnce(runDbStats),
};

/** `{ collStats, scale? }`. Upstream: dbcommands.cpp, CmdCollStats. */
const collStats: CommandDefinition = {
  name: 'collStats',
  help: 'shows the size of a collection and its indexes',
  auth: { action: 'collStats', resource: 'collection' },
  api: 'none',
  aliases: ['collstats'],
  kind: 'other',
  secondaries: 'optIn',
  maintenanceOk: false,
  run: atOnce((context) => {
    const { args } = context;
    args.allow(collStatsFields);
    return { ns: args.ns, ...statsOf(context) };
  }),
};

export const statsCommands: readonly CommandDefinition[] = [dbHash, dbStats, collStats];

/** As the release's storage engine shows them. */
function statsOf({ args, data, member }: CommandContext): Reply {
  const scale = statsScaleOf(args);
  const stats = namespaceStats(member, data, args.ns, scale);
  const collection = data.collection(args.ns);
  return collection && member.traits.storageEngine === 'mmapv1' ? mmapv1Stats(stats, collection, scale) : stats;
}

function runDbStats({ args, data, member }: CommandContext): Reply {
  args.allow(dbStatsFields);
  const { db } = args;
  const scale = scaleOf(args);
  const sized = (bytes: number) => new Double(bytes / scale);
  const withFree = args.bool('freeStorage');
  const collections = collectionsOf(data, db);
  const objects = sum(collections, ({ count }) => count);
  const dataSize = sum(collections, (each) => each.dataSize);
  const storageSize = sum(collections, storageBytes);
  const indexSize = sum(collections, allIndexBytes);
  const exists = collections.length > 0;
  return {
    db,
    collections: BigInt(collections.length),
    views: BigInt(allViews(data, db).size),
    objects: BigInt(objects),
    avgObjSize: new Double(objects === 0 ? 0 : dataSize / objects),
    dataSize: sized(dataSize),
    storageSize: sized(storageSize),
    ...(withFree && { freeStorageSize: sized(0) }),
    indexes: BigInt(sum(collections, indexCount)),
    indexSize: sized(indexSize),
    ...(withFree && { indexFreeStorageSize: sized(0) }),
    totalSize: sized(storageSize + indexSize),
    ...(withFree && { totalFreeStorageSize: sized(0) }),
    scaleFactor: BigInt(scale),
    fsUsedSize: sized(exists ? usedBytes(data, member) : 0),
    fsTotalSize: sized(exists ? FS_TOTAL_BYTES : 0),
  };
}

/** Those of a time series are its buckets', which it does not count as documents. Upstream: appendCollectionStorageStats. */
export function namespaceStats(member: MemberServices, view: ReadView, ns: string, scale: number): Reply {
  const series = timeseriesCollection(view, ns);
  if (!series) {
    checkNotView(view, ns);
    return storageStats(member, view, ns, scale);
  }
  const { buckets } = series;
  const { count, avgObjSize, ...figures } = storageStats(member, view, buckets.ns, scale);
  return { timeseries: { bucketsNs: buckets.ns, bucketCount: count, avgBucketSize: avgObjSize ?? 0 }, ...figures };
}

/** The release that first counts them: 6.0. */
const ORPHANS_WIRE_VERSION = 17;

const NO_COLLECTION = {
  storageSize: 0,
  totalSize: 0,
  nindexes: 0,
  totalIndexSize: 0,
  indexDetails: {},
  indexSizes: {},
};

/** The figures of one collection, or that there is none. Upstream: storage_stats.cpp, appendCollectionStorageStats. */
function storageStats(member: MemberServices, view: ReadView, ns: string, scale: number): Reply {
  const oplog = ns === OPLOG_NS ? member.oplogDocuments() : undefined;
  // What a shard has of others: nothing.
  const orphans = member.traits.maxWireVersion >= ORPHANS_WIRE_VERSION && { numOrphanDocs: 0 };
  if (oplog) {
    const count = oplog.endIndex - oplog.firstIndex;
    const size = Math.floor(oplog.sizeBytes / scale);
    const maxSize = BigInt(Math.floor(oplog.maxSizeBytes / scale));
    return {
      size,
      count,
      ...orphans,
      storageSize: size,
      capped: true,
      max: 0,
      maxSize,
      nindexes: 0,
      scaleFactor: scale,
    };
  }
  const collection = view.collection(ns);
  if (!collection) return { size: 0, count: 0, ...orphans, ...NO_COLLECTION, scaleFactor: scale };
  const { count, dataSize, indexes } = collection;
  const building = collection.unfinished.flatMap((build) => build.indexes.map(({ spec }) => spec.name));
  const limits = cappedLimits(collection);
  const sizes = indexes.map((index) => [index.spec.name, Math.floor(indexBytes(index) / scale)] as const);
  const size = Math.floor(dataSize / scale);
  const storageSize = Math.floor(storageBytes(collection) / scale);
  const totalIndexSize = sum(sizes, ([, bytes]) => bytes);
  return {
    size,
    count,
    ...(count > 0 && { avgObjSize: Math.floor(dataSize / count) }),
    ...orphans,
    storageSize,
    freeStorageSize: 0,
    capped: limits !== undefined,
    ...(limits && {
      maxSize: Math.floor(limits.sizeBytes / scale),
      max: Number.isFinite(limits.maxDocuments) ? limits.maxDocuments : 0,
    }),
    ...(collection.clusteredIndex && { clustered: true }),
    nindexes: indexCount(collection),
    ...(member.traits.storageEngine === 'wiredTiger' && { indexDetails: indexDetailsOf(collection) }),
    indexBuilds: building,
    indexSizes: Object.fromEntries(sizes),
    totalIndexSize,
    totalSize: storageSize + totalIndexSize,
    ...(member.traits.storageEngine === 'wiredTiger' && { wiredTiger: wiredTigerOf(collection) }),
    scaleFactor: scale,
  };
}

/** Of a collection's statistics; what else may be asked for is of no matter here. Errors: TypeMismatch 14. Upstream: storage_stats_spec.idl. */
export function statsScaleOf(args: Fields): number {
  for (const name of ['verbose', 'waitForLock', 'numericOnly']) args.strictBool(name);
  return scaleOf(args);
}

/** An int32, as far as it goes. Errors: BadValue 2. */
function scaleOf(args: { number(name: string): number | undefined }): number {
  const scale = Math.min(args.number('scale') ?? 1, INT32_MAX);
  if (scale < 1) throw new CommandError('BadValue', 'scale has to be a number >= 1');
  return scale;
}

function sum<T>(items: Iterable<T>, of: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
