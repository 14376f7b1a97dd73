import { Fields, type Reply } from '@replsim/pipeline';
import type { CollectionView, IndexSpec, IndexView, ReadView } from '@replsim/storage';
import { Binary, Timestamp } from 'bson';
import { allIndexBytes, BLOCK_BYTES, indexBytes, storageBytes } from '../catalog/diskSizes.ts';
import type { MemberServices, SnapshotWindow } from '../member.ts';

/** Half of what the machine of `hostInfo` has beside its first GB. Upstream: wiredtiger_util.cpp, getCacheSizeMB. Unit: bytes. */
const CACHE_BYTES = 1.5 * 1024 ** 3;
/** As many as a mongod of before 7.0 has all the time. Upstream: ticketholder_manager.cpp. */
const TICKETS = 128;
/** What a page of the cache is said to hold. Unit: bytes. */
const PAGE_BYTES = 32_768;

/**
 * `serverStatus().wiredTiger`, with the names that exporters of metrics look for. There is no such engine here: all data are in
 * memory and nothing is ever evicted, read back or paged, which is what the noughts say.
 * Upstream: wiredtiger_server_status.cpp; the names are WiredTiger's own.
 * @param hasTickets before 8.0 it shows who waits for a ticket; afterwards `queues` does
 */
export function wiredTigerSection(data: ReadView, hasTickets: boolean): Reply {
  const used = data.collections().reduce((sum, each) => sum + storageBytes(each) + allIndexBytes(each), 0);
  return {
    uri: 'statistics:',
    'block-manager': zeros(['blocks pre-loaded', 'blocks read', 'blocks written', 'bytes read', 'bytes written', 'mapped blocks read', 'mapped bytes read']), // biome-ignore format: one line
    cache: { ...cacheOf(used), 'maximum bytes configured': BigInt(CACHE_BYTES), ...zeros(evictions) },
    connection: zeros(['total fsync I/Os', 'total read I/Os', 'total write I/Os']),
    cursor: zeros(['cached cursor count', 'open cursor count']),
    lock: {},
    log: zeros(['log bytes of payload data', 'log bytes written', 'log flush operations', 'log scan operations', 'log scan records requiring two reads', 'log sync operations', 'log write operations', 'records processed by log scan', 'total log buffer size', 'total size of compressed records']), // biome-ignore format: one line
    session: zeros(['open cursor count', 'open session count']),
    transaction: zeros(['transaction begins', 'transactions committed', 'transactions rolled back']),
    ...(hasTickets && { concurrentTransactions: tickets() }),
  };
}

/** How far back snapshots can be read. Upstream: wiredtiger_util.cpp, appendSnapshotWindowSettings. */
export function snapshotWindowSection(
  { oldest, stable, tooOldErrors }: SnapshotWindow,
  parameters: MemberServices['parameters'],
): Reply {
  return {
    'total number of SnapshotTooOld errors': BigInt(tooOldErrors),
    'minimum target snapshot window size in seconds': parameters.number('minSnapshotHistoryWindowInSeconds'),
    'current available snapshot window size in seconds': stable.t - oldest.t,
    'latest majority snapshot timestamp available': prettyTimestamp(stable),
    'oldest majority snapshot timestamp available': prettyTimestamp(oldest),
    // Nobody can pin history here, and where nobody does mongod shows the largest timestamp.
    'pinned timestamp requests': 0,
    'min pinned timestamp': new Timestamp({ t: UINT32_MAX, i: UINT32_MAX }),
  };
}

const UINT32_MAX = 0xffff_ffff;

/** `Jan  1 00:00:00:1`, in UTC. Upstream: timestamp.cpp, Timestamp::toStringPretty. */
function prettyTimestamp({ t, i }: { readonly t: number; readonly i: number }): string {
  const date = new Date(t * 1000);
  const month = date.toUTCString().slice(8, 11);
  return `${month} ${String(date.getUTCDate()).padStart(2)} ${date.toISOString().slice(11, 19)}:${i}`;
}

/** `serverStatus().queues`: nobody waits for a ticket here. Upstream: ticketing/ticketholder_manager.cpp. */
export function queuesSection(): Reply {
  return { execution: tickets() };
}

/** `collStats().wiredTiger` of one collection. Upstream: wiredtiger_record_store.cpp, appendAllCustomStats. */
export function wiredTigerOf(collection: CollectionView): Reply {
  const size = storageBytes(collection);
  return {
    metadata: { formatVersion: 1 },
    type: 'file',
    uri: `statistics:table:collection-${uuidText(collection)}`,
    ...fileOf(size),
    cursor: zeros(['insert calls', 'remove calls', 'search calls', 'update calls']),
    session: zeros(['object compaction']),
    transaction: zeros(['update conflicts']),
  };
}

/**
 * `indexDetails` of a collection's storage statistics: each index with the file that it would have, those that are still being built
 * included. Upstream: storage_stats.cpp; wiredtiger_index.cpp, WiredTigerIndex::appendCustomStats.
 */
export function indexDetailsOf(collection: CollectionView): Reply {
  const all = [...collection.indexes, ...collection.unfinished.flatMap(({ indexes }) => indexes)];
  return Object.fromEntries(all.map((index) => [index.spec.name, indexDetail(index, collection)]));
}

function indexDetail(index: IndexView, collection: CollectionView): Reply {
  const { name } = index.spec;
  return {
    metadata: { formatVersion: formatVersion(index.spec) },
    type: 'file',
    uri: `statistics:table:index-${uuidText(collection)}-${name}`,
    ...fileOf(indexBytes(index)),
  };
}

/** How keys of an index lie in a table. Upstream: wiredtiger_index.cpp, kDataFormatV1KeyStringV0IndexVersionV1 and those after it. */
function formatVersion({ unique, bytes, name }: IndexSpec): number {
  const isUnique = unique && name !== '_id_';
  if (new Fields(bytes, 'index').number('v') === 1) return isUnique ? 13 : 6;
  return isUnique ? 14 : 8;
}

/** A table is called by its collection's UUID, as mongod has called them since 8.1. */
function uuidText({ uuid }: Pick<CollectionView, 'uuid'>): string {
  return new Binary(uuid, Binary.SUBTYPE_UUID).toUUID().toString();
}

/** What is told of the file of a table. @param size of it, in bytes */
function fileOf(size: number): Reply {
  return {
    'block-manager': {
      'allocations requiring file extension': 0,
      'blocks allocated': Math.ceil(size / BLOCK_BYTES),
      'blocks freed': 0,
      'file allocation unit size': BLOCK_BYTES,
      'file bytes available for reuse': 0,
      'file size in bytes': size,
    },
    cache: { ...cacheOf(size), ...zeros(evictions) },
  };
}

const evictions = [
  'bytes read into cache',
  'bytes written from cache',
  'eviction server evicting pages',
  'eviction worker thread evicting pages',
  'failed eviction of pages that exceeded the in-memory maximum',
  'in-memory page splits',
  'internal pages evicted',
  'modified pages evicted',
  'pages evicted by application threads',
  'pages queued for eviction',
  'pages queued for urgent eviction',
  'pages read into cache',
  'pages requested from the cache',
  'pages written from cache',
  'tracked dirty bytes in the cache',
  'tracked dirty pages in the cache',
  'unmodified pages evicted',
];

function cacheOf(bytes: number): Reply {
  return {
    'bytes currently in the cache': BigInt(bytes),
    'pages currently held in the cache': BigInt(Math.ceil(bytes / PAGE_BYTES)),
  };
}

function tickets(): Reply {
  const all = { out: 0, available: TICKETS, totalTickets: TICKETS };
  return { write: { ...all }, read: { ...all } };
}

function zeros(names: readonly string[]): Reply {
  return Object.fromEntries(names.map((name) => [name, 0n]));
}
