import { chooseSyncSource } from '@replsim/oplog';
import {
  BsonWriter,
  type CloneReply,
  CommandError,
  compareOpTimes,
  decodeDocument,
  ElementCursor,
  encodeDocument,
  encodeName,
  findField,
  NULL_OP_TIME,
  type OplogEntry,
  type OplogProbeReply,
  type OplogReply,
  type OpTime,
  sameOpTime,
} from '@replsim/protocol';
import { parseIndexSpec, StoredDocument } from '@replsim/storage';
import { RecordKinds } from '../../journal.ts';
import { call } from '../../operations/call.ts';
import { type Operation, spend } from '../../operations/operation.ts';
import { applyEntry } from '../applyEntry.ts';
import type { Replication } from '../replication.ts';

/** Upstream: the pauses between attempts and between looks for a source. */
const RETRY_PAUSE_MICROS = 1_000_000;

/**
 * Copies a source's data and the entries that were written meanwhile. Upstream: initial_syncer.cpp.
 * Throws CommandError when all attempts have failed, on which mongod ends.
 */
export function* initialSync(repl: Replication): Operation<void> {
  for (let attempt = 1; ; attempt++) {
    repl.core.log('I', 'INITSYNC', 21164, 'Starting initial sync attempt', { initialSyncAttempt: attempt });
    repl.core.trace({ type: 'initialSync', phase: 'started', detail: `attempt ${attempt}` });
    try {
      yield* attemptInitialSync(repl);
      return;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      repl.core.trace({ type: 'initialSync', phase: 'failed', detail: error.message });
      if (attempt >= repl.parts.parameters.number('numInitialSyncAttempts')) throw error;
      yield* spend(RETRY_PAUSE_MICROS);
    }
  }
}

function* attemptInitialSync(repl: Replication): Operation<void> {
  const { core } = repl;
  const source = yield* findSource(repl);
  core.trace({ type: 'syncSourceChanged', from: undefined, to: source });
  emptyEverything(repl);
  const begin = yield* call<OplogProbeReply>(core, source, 'fetch', { find: 'oplog.rs', limit: 1 });
  if (!begin.lastEntry) throw new CommandError('InitialSyncFailure', `${source} has an empty oplog`);
  const cloned = yield* cloneAll(repl, source);
  core.trace({ type: 'initialSync', phase: 'cloned', detail: `${cloned} documents from ${source}` });
  const stop = yield* call<OplogProbeReply>(core, source, 'fetch', { find: 'oplog.rs', limit: 1 });
  if (stop.rbid !== begin.rbid || !stop.last) {
    throw new CommandError('InitialSyncFailure', `${source} rolled back meanwhile`);
  }
  repl.replicator.writer.write([begin.lastEntry]);
  yield* applyUntil(repl, source, begin.lastEntry.opTime, stop.last, begin.rbid);
  finish(repl, cloned);
  // The copied data are in no journal: only a checkpoint makes them last.
  yield* repl.parts.checkpoints.takeNow();
  repl.parts.consistencyMarkers.initialSyncFlag = false;
  repl.parts.consistencyMarkers.setInitialSyncId(core.ids.uuid(), core.now.wallMs);
  core.trace({ type: 'initialSync', phase: 'done', detail: `${cloned} documents from ${source}` });
}

/** Waits for a member that can be read and has data; a level one is good enough. */
function* findSource(repl: Replication): Operation<string> {
  for (;;) {
    const source = repl.topology.self ? chooseSyncSource(repl.syncSources.question(NULL_OP_TIME)) : undefined;
    if (source !== undefined) return source;
    yield* spend(RETRY_PAUSE_MICROS);
  }
}

function emptyEverything(repl: Replication): void {
  const { core, parts, oplog, positions } = repl;
  parts.consistencyMarkers.initialSyncFlag = true;
  parts.journal.append(RecordKinds.clear, new BsonWriter().finish());
  for (const { ns } of [...core.engine.collections()]) {
    if (!ns.startsWith('local.')) core.engine.dropCollection(ns);
  }
  oplog.clear();
  positions.reset({ opTime: NULL_OP_TIME, wallMs: 0 });
  parts.ttl.rebuildCache();
}

// --- cloning ---

function* ask(repl: Replication, source: string, command: Record<string, unknown>): Operation<Record<string, unknown>> {
  const clone = encodeDocument({ ...command, $readPreference: { mode: 'secondaryPreferred' } });
  const { reply } = yield* call<CloneReply>(repl.core, source, 'admin', { clone });
  const answer = decodeDocument(reply) as Record<string, unknown>;
  if (Number(answer.ok) !== 1) throw new CommandError('InitialSyncFailure', String(answer.errmsg));
  return { ...answer, bytes: reply };
}

function* cloneAll(repl: Replication, source: string): Operation<number> {
  const databases = yield* ask(repl, source, { listDatabases: 1, nameOnly: true, $db: 'admin' });
  let cloned = 0;
  for (const { name } of databases.databases as { name: string }[]) {
    if (name === 'local') continue;
    const collections = yield* readAll(repl, source, name, { listCollections: 1 });
    for (const info of collections) cloned += yield* cloneCollection(repl, source, name, info);
  }
  return cloned;
}

function* cloneCollection(repl: Replication, source: string, db: string, info: Uint8Array): Operation<number> {
  const { engine, costs } = repl.core;
  const described = decodeDocument(info) as { name: string; info: { uuid: { buffer: Uint8Array } } };
  const ns = `${db}.${described.name}`;
  const options = findField(info, encodeName('options'))!;
  engine.createCollection(ns, {
    uuid: Uint8Array.from(described.info.uuid.buffer),
    options: options.bytes.slice(options.offset, options.offset + options.size),
  });
  for (const spec of yield* readAll(repl, source, db, { listIndexes: described.name })) {
    if ((decodeDocument(spec) as { name: string }).name !== '_id_')
      engine.createIndex(ns, parseIndexSpec(spec), { allowDuplicates: true });
  }
  const documents = yield* readAll(repl, source, db, { find: described.name });
  for (const bytes of documents) engine.insert(ns, new StoredDocument(bytes), { allowDuplicates: true });
  yield* spend(documents.length * costs.initialSyncMicrosPerDocument);
  return documents.length;
}

/** A command that answers with a cursor, read to its end. */
function* readAll(
  repl: Replication,
  source: string,
  db: string,
  command: Record<string, unknown>,
): Operation<Uint8Array[]> {
  const documents: Uint8Array[] = [];
  let reply = yield* ask(repl, source, { ...command, $db: db });
  for (let field = 'firstBatch'; ; field = 'nextBatch') {
    const cursor = findField(reply.bytes as Uint8Array, encodeName('cursor'))!;
    documents.push(...batchOf(cursor.bytes, cursor.offset, field));
    const { id, ns } = reply.cursor as { id: { toString(): string }; ns: string };
    if (id.toString() === '0') return documents;
    const collection = ns.slice(ns.indexOf('.') + 1);
    reply = yield* ask(repl, source, { getMore: BigInt(id.toString()), collection, $db: db });
  }
}

function batchOf(bytes: Uint8Array, cursorOffset: number, field: string): Uint8Array[] {
  const batch = findField(bytes, encodeName(field), cursorOffset)!;
  const documents: Uint8Array[] = [];
  const cursor = new ElementCursor(bytes, batch.offset);
  while (cursor.next()) documents.push(bytes.slice(cursor.offset, cursor.offset + cursor.size));
  return documents;
}

// --- the entries written meanwhile ---

/** Fetches and applies, without strictness, everything after `from` up to `until`. */
function* applyUntil(repl: Replication, source: string, from: OpTime, until: OpTime, rbid: number): Operation<void> {
  const { core, topology, parts } = repl;
  let reply = yield* call<OplogReply>(core, source, 'fetch', {
    find: 'oplog.rs',
    filter: { ts: { $gte: from.ts } },
    maxTimeMS: 60_000,
    term: topology.term,
  });
  const first = reply.batch[0]?.opTime;
  if (!first || !sameOpTime(first, from))
    throw new CommandError('InitialSyncFailure', `${source} rolled back meanwhile`);
  let batch: readonly OplogEntry[] = reply.batch.slice(1);
  for (;;) {
    if (reply.$oplogQueryData.rbid !== rbid)
      throw new CommandError('InitialSyncFailure', `${source} rolled back meanwhile`);
    if (batch.length > 0) repl.replicator.writer.write(batch);
    let operations = 0;
    for (const entry of batch) {
      applyEntry(core, entry, 'initialSync', parts);
      operations += entry.operations.length;
    }
    yield* spend(operations * core.costs.applyEntryMicros);
    if (compareOpTimes(repl.oplog.last, until) >= 0) return;
    reply = yield* call<OplogReply>(core, source, 'fetch', {
      getMore: reply.cursorId,
      collection: 'oplog.rs',
      maxTimeMS: 5000,
      term: topology.term,
      lastKnownCommittedOpTime: repl.positions.commitPoint.opTime,
    });
    batch = reply.batch;
  }
}

function finish(repl: Replication, cloned: number): void {
  const { core, oplog, positions, parts } = repl;
  const last = oplog.lastEntry!;
  positions.reset({ opTime: last.opTime, wallMs: last.wallMs });
  positions.initialData = last.opTime;
  core.markVersion(oplog.endIndex - 1);
  parts.ttl.rebuildCache();
  core.log('I', 'INITSYNC', 21163, 'Initial sync done', { documents: cloned, lastApplied: last.opTime });
  core.trace({ type: 'applied', opTime: last.opTime, entries: 0, dataHash: core.engine.dataHash() });
}
