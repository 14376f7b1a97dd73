import { Fields, type Reply } from '@replsim/pipeline';
import type { VersionTraits } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import { Double } from 'bson';

/** Bit of `userFlags`: room is given out in powers of two, so that what a TTL delete leaves can be used again. */
const USE_POWER_OF_2_SIZES = 1;
/** Upstream: mmapv1's Extent, the least size; nobody grows any here. Unit: bytes. */
const EXTENT_BYTES = 8192;

/**
 * `storageEngine` of serverStatus. The engine is replsim's own, and answers under the name that the release would have
 * given. Upstream: storage_engine server status section.
 */
export function storageEngineSection({ storageEngine: name }: VersionTraits, readOnly: boolean): Reply {
  return { name, supportsCommittedReads: name === 'wiredTiger', readOnly, persistent: true };
}

/** The command-line options that choose the engine, where it is not the default. */
export function storageEngineOptions({ storageEngine }: VersionTraits): { readonly engine?: string } {
  return storageEngine === 'wiredTiger' ? {} : { engine: storageEngine };
}

/** Whether a collection of MMAPv1 gives out room in powers of two, as it does unless told otherwise. */
export function usesPowerOf2Sizes({ options }: Pick<CollectionView, 'options'>): boolean {
  const flags = new Fields(options, 'options').number('flags') ?? USE_POWER_OF_2_SIZES;
  return (flags & USE_POWER_OF_2_SIZES) !== 0;
}

/**
 * The figures of a collection as MMAPv1 shows them, made of those of today's engine.
 * Upstream: collection_stats of 3.2, RecordStoreV1Base::appendCustomStats.
 */
export function mmapv1Stats(stats: Reply, collection: Pick<CollectionView, 'options'>, scale: number): Reply {
  const { count, size, avgObjSize, storageSize, capped, max, maxSize, nindexes, totalIndexSize, indexSizes } = stats;
  return {
    count,
    size,
    ...(avgObjSize !== undefined && { avgObjSize }),
    numExtents: 1,
    storageSize,
    lastExtentSize: new Double(EXTENT_BYTES / scale),
    paddingFactor: new Double(1),
    paddingFactorNote: 'paddingFactor is always 1.0 from 3.0 on, and kept for compatibility only',
    userFlags: usesPowerOf2Sizes(collection) ? USE_POWER_OF_2_SIZES : 0,
    capped,
    ...(capped === true && { max: BigInt(Number(max) || Number.MAX_SAFE_INTEGER), maxSize }),
    nindexes,
    totalIndexSize,
    indexSizes,
  };
}
