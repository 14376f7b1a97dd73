import { type KnownSession, type Operation, SESSIONS_NS } from '@replsim/operations';
import type { SessionId } from '@replsim/pipeline';
import { CommandError, decodePromoted, encodeDocument, RawBson, splitNamespace } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';

/** Upstream: sessions_collection.h, kSessionsTTLIndex. */
const TTL_INDEX = 'lsidTTLIndex';
const [CONFIG, SESSIONS] = splitNamespace(SESSIONS_NS);
/** Upstream: sessions_collection.cpp, kMaxBatchSize. */
const BATCH_SIZE = 1000;
/** Upstream: sessions_collection.cpp, kMajorityWriteConcern. */
const WRITE_CONCERN = { w: 'majority', wtimeout: 15_000 };

/** Sends a command to the member that has to carry it out, and returns its reply. Both are BSON. */
export type Send = (command: Uint8Array) => Operation<Uint8Array>;

/**
 * Whether `config.system.sessions` is there with its TTL index. Throws NamespaceNotFound 26, IndexNotFound 27,
 * IndexOptionsConflict 85. Upstream: sessions_collection_rs.cpp, checkSessionsCollectionExists.
 */
export function checkSessionsCollection(view: ReadView, timeoutMinutes: number): void {
  const collection = view.collection(SESSIONS_NS);
  if (!collection) throw new CommandError('NamespaceNotFound', `${SESSIONS_NS} does not exist`);
  const index = collection.index(TTL_INDEX);
  if (!index) throw new CommandError('IndexNotFound', `${SESSIONS_NS} has no TTL index`);
  if (decodePromoted(index.spec.bytes).expireAfterSeconds !== timeoutMinutes * 60) {
    throw new CommandError('IndexOptionsConflict', `the TTL index of ${SESSIONS_NS} has another timeout`);
  }
}

/** Makes what is missing, on a primary. Upstream: SessionsCollectionRS::setupSessionsCollection. */
export function* makeSessionsCollection(view: ReadView, timeoutMinutes: number, send: Send): Operation<void> {
  const expireAfterSeconds = timeoutMinutes * 60;
  try {
    checkSessionsCollection(view, timeoutMinutes);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const index = { name: TTL_INDEX, expireAfterSeconds };
    const command =
      error.codeName === 'IndexOptionsConflict'
        ? { collMod: SESSIONS, index }
        : { createIndexes: SESSIONS, indexes: [{ key: { lastUse: 1 }, ...index }] };
    yield* run(send, command);
  }
}

/** Upstream: SessionsCollection::_doRefresh; who carries it out takes its own clock. */
export function* recordSessions(sessions: readonly KnownSession[], send: Send): Operation<void> {
  const u = { $currentDate: { lastUse: true } };
  for (const batch of batches(sessions)) {
    const updates = batch.map(({ lsid }) => ({ q: { _id: new RawBson(lsid.bytes) }, u, upsert: true }));
    yield* run(send, { update: SESSIONS, updates, ordered: false, writeConcern: WRITE_CONCERN });
  }
}

/** Upstream: SessionsCollection::_doRemove. */
export function removeSessions(sessions: readonly SessionId[], send: Send): Operation<void> {
  return removeRows(SESSIONS_NS, sessions, send, { writeConcern: WRITE_CONCERN });
}

/**
 * Images first: where it ends between the two, the session's row is found again, and what goes with it.
 * Upstream: session_catalog_mongod.cpp, removeSessionsTransactionRecordsFromDisk.
 */
export function* removeTransactionRows(sessions: readonly SessionId[], send: Send): Operation<void> {
  yield* removeRows('config.image_collection', sessions, send);
  yield* removeRows('config.transactions', sessions, send);
}

function* removeRows(ns: string, sessions: readonly SessionId[], send: Send, more: object = {}): Operation<void> {
  const [, name] = splitNamespace(ns);
  for (const batch of batches(sessions)) {
    const deletes = batch.map(({ bytes }) => ({ q: { _id: new RawBson(bytes) }, limit: 1 }));
    yield* run(send, { delete: name, deletes, ordered: false, ...more });
  }
}

function batches<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / BATCH_SIZE);
  return Array.from({ length: count }, (_, i) => items.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE));
}

interface Failure {
  readonly code: number;
  readonly errmsg: string;
}

/** Throws what the reply says, of a single statement or of its write concern, too. */
function* run(send: Send, command: object): Operation<void> {
  const bytes = yield* send(encodeDocument({ ...command, $db: CONFIG }));
  const reply = decodePromoted(bytes) as { ok: number; writeErrors?: Failure[]; writeConcernError?: Failure } & Failure;
  const failure = reply.ok === 1 ? (reply.writeErrors?.[0] ?? reply.writeConcernError) : reply;
  if (failure) throw new CommandError(failure.code, failure.errmsg);
}
