import { BsonWriter, encodeDocument } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { Binary, Long, Timestamp } from 'bson';
import type { Core } from '../core/core.ts';
import type { Writes } from './writes.ts';

/** A timestamp's seconds are unsigned, and end in 2106. */
const LAST_SECOND = 2 ** 32 - 1;

const NO_OPTIONS = new BsonWriter().finish();
const DAY_SECS = 86_400;
/** Upstream: keys_rotation_interval_sec.idl, KeysRotationIntervalSec. */
const KEYS_ROTATION_INTERVAL_SECS = 90 * DAY_SECS;
/** Of HMAC-SHA-1. */
const KEY_BYTES = 20;

/** For sessions that a session has begun: mongod alone begins such, so that here nothing is ever in it. */
const PARENT_LSID_INDEX = encodeDocument({
  v: 2,
  key: { parentLsid: 1, '_id.txnNumber': 1, _id: 1 },
  name: 'parent_lsid',
  partialFilterExpression: { parentLsid: { $exists: true } },
});

/** What `analyzeShardKey` leaves; mongod makes them on every set, with their TTL indexes. */
const ANALYSIS_INDEXES = {
  analyzeShardKeySplitPoints: 'AnalyzeShardKeySplitPointsTTLIndex',
  sampledQueries: 'SampledQueriesTTLIndex',
  sampledQueriesDiff: 'SampledQueriesDiffTTLIndex',
} as const;

/** The member that makes what a set lacks which never had a primary. */
interface Maker {
  readonly core: Core;
  readonly writes: Writes;
}

/**
 * `admin.system.version`, on the member that initiates the set. It is in no oplog: the others copy it.
 * Upstream: feature_compatibility_version.cpp, setIfCleanStartup.
 */
export function createVersionDocument({ core, writes }: Maker): void {
  if (!core.traits.systemCollections) return;
  const [major, minor] = core.traits.versionString.split('.');
  const document = encodeDocument({ _id: 'featureCompatibilityVersion', version: `${major}.${minor}` });
  writes.unreplicated(() => writes.insert('admin.system.version', [new StoredDocument(document)]));
}

/** Before the first entry of its term a primary makes what sessions need. Upstream: MongoDSessionCatalog::onStepUp. */
export function createSessionCollections({ core, writes }: Maker): void {
  if (!core.traits.systemCollections) return;
  writes.internally(() => {
    if (createMissing({ core, writes }, 'config.transactions')) {
      writes.createIndex('config.transactions', PARENT_LSID_INDEX);
    }
    // For retryable findAndModify, from 5.0 on.
    if (core.traits.maxWireVersion >= 13) createMissing({ core, writes }, 'config.image_collection');
  });
}

/**
 * After it, what index builds, change streams, signed cluster times and shard keys need. Nothing of it is used here, but a
 * client of a fresh set finds the same collections and, in the same order, the same entries as with mongod.
 * Upstream: IndexBuildsCoordinator::onStepUp, ChangeStreamPreImagesCollectionManager::createPreImagesCollection,
 * keys_collection_manager.cpp, QueryAnalysisWriter::onStepUpComplete.
 */
export function createSetCollections({ core, writes }: Maker): void {
  if (!core.traits.systemCollections) return;
  const maker = { core, writes };
  // From 7.0 on.
  const analyzes = core.traits.maxWireVersion >= 21;
  writes.internally(() => {
    createMissing(maker, 'config.system.indexBuilds');
    if (core.traits.preImages)
      createMissing(maker, 'config.system.preimages', encodeDocument({ clusteredIndex: true }));
    if (analyzes) createAnalysisCollection(maker, 'analyzeShardKeySplitPoints');
    if (createMissing(maker, 'admin.system.keys')) writes.insert('admin.system.keys', signingKeys(core));
    if (!analyzes) return;
    createAnalysisCollection(maker, 'sampledQueries');
    createAnalysisCollection(maker, 'sampledQueriesDiff');
  });
}

/** @returns whether it was missing */
function createMissing({ core, writes }: Maker, ns: string, options = NO_OPTIONS): boolean {
  if (core.engine.collection(ns)) return false;
  writes.createCollection(ns, options);
  return true;
}

function createAnalysisCollection(maker: Maker, name: keyof typeof ANALYSIS_INDEXES): void {
  const ns = `config.${name}`;
  if (!createMissing(maker, ns)) return;
  const spec = { v: 2, key: { expireAt: 1 }, name: ANALYSIS_INDEXES[name], expireAfterSeconds: 0 };
  maker.writes.createIndex(ns, encodeDocument(spec));
}

/** The key of this interval and that of the next; a key's `_id` is the cluster time at which it was made. */
function signingKeys({ clusterTime, ids }: Core): StoredDocument[] {
  const made = (BigInt(clusterTime.t) << 32n) | BigInt(clusterTime.i);
  return [1, 2].map((interval) => {
    const document = {
      _id: Long.fromBigInt(made + BigInt(interval - 1)),
      purpose: 'HMAC',
      key: new Binary(ids.bytes(KEY_BYTES)),
      expiresAt: new Timestamp({
        t: Math.min(clusterTime.t + interval * KEYS_ROTATION_INTERVAL_SECS, LAST_SECOND),
        i: 0,
      }),
    };
    return new StoredDocument(encodeDocument(document));
  });
}
