import { checkStartableData } from '@replsim/database';
import { decodeEntry, Oplog } from '@replsim/oplog';
import { readStoredConfig } from '@replsim/pipeline';
import {
  CommandError,
  compareTimestamps,
  decodeDocument,
  isLocal,
  isNullOpTime,
  NULL_OP_TIME,
  type OpTime,
  type ReplSetConfig,
  required,
  type Term,
  type Timestamp,
} from '@replsim/protocol';
import type { JournalRecord, LoadedData } from '@replsim/storage';
import type { StartupOptions } from './core/core.ts';
import { applyEntry } from './data/applyEntry.ts';
import { type CheckpointMetadata, decodeMetadata } from './data/checkpointMetadata.ts';
import { RecordKinds } from './data/journal.ts';
import { putLocalDocument, readLocalRecord } from './data/local.ts';
import { Mongod } from './mongod.ts';
import type { Replication } from './replication/replication.ts';
import { loadRollbackId } from './replication/rollback/rollbackId.ts';

/** Any document in it makes these a replica set's data, to a standalone too. */
const CONFIG_NS = 'local.system.replset';

/**
 * Starts a process on what its disk holds. Throws CommandError when it refuses to start.
 * Recovery is mongod's: the last checkpoint, then the oplog from there on; a standalone leaves the oplog alone.
 * Upstream: mongod_main.cpp, replication_recovery.cpp.
 */
export function startMongod(options: StartupOptions, disk: LoadedData): Mongod {
  if (options.mode === 'replSet' && !options.setName) {
    throw new CommandError('BadValue', 'a member of a set is started with the name of the set');
  }
  const mongod = new Mongod(options, disk.engine, new Oplog());
  if (mongod.repl && mongod.readOnly) {
    throw new CommandError('BadValue', 'a member of a set cannot be started read-only');
  }
  mongod.rollbackFiles.push(...disk.files);
  recover(mongod, disk);
  checkStartableData(mongod.core.engine, mongod.core);
  return mongod;
}

function recover(mongod: Mongod, disk: LoadedData): void {
  const { core, oplog } = mongod;
  core.recovering = true;
  const metadata = decodeMetadata(disk.metadata);
  const { stable } = metadata;
  mongod.oplogCap.changedToBytes = metadata.oplogSizeBytes;
  readJournal(mongod, disk, metadata);
  mongod.checkpoints.holds(stable, core.engine);
  const base = oplog.lastIndexUpTo(stable.ts);
  core.markVersion(base);
  const stored = mongod.local.bytes(CONFIG_NS);
  mongod.recovered = { hasReplSetConfig: stored !== undefined, lastApplied: stable };
  // A copy that was not finished starts over: its oplog may start within a transaction, and its data are of no single moment.
  const isHalfCopied = mongod.consistencyMarkers.initialSyncFlag;
  if (!isHalfCopied && (mongod.repl || mongod.readOnly === 'recoveredFromOplog')) {
    for (let index = base + 1; index < oplog.endIndex; index++) {
      applyEntry(core, required(oplog.at(index), 'entry to recover'), 'recovery', mongod);
    }
  }
  const { repl } = mongod;
  if (!repl) {
    core.recovering = false;
    return;
  }
  core.markVersion(oplog.endIndex - 1);
  const neededFrom = oplog.lastIndexUpTo(mongod.checkpoints.neededFrom.ts);
  oplog.truncateHead(mongod.oplogCap.sizeBytes, Math.max(neededFrom, oplog.firstIndex));
  restoreReplication(mongod, repl, stored && readStoredConfig(stored, core.traits), stable);
  core.recovering = false;
}

/** Rebuilds the oplog and `local`, and applies what was written without being replicated. */
function readJournal(mongod: Mongod, disk: LoadedData, metadata: CheckpointMetadata): void {
  const { journal } = mongod;
  journal.unreplicatedCount = metadata.unreplicatedDropped;
  journal.segments.resume(disk.nextSegment, metadata.unreplicatedDropped);
  const putBack = new Set<string>();
  for (const { number, records } of disk.journal) {
    let newest: Timestamp | undefined;
    const before = journal.unreplicatedCount;
    for (const record of records) {
      const ts = readRecord(mongod, record, metadata, putBack);
      if (ts && !(newest && compareTimestamps(ts, newest) < 0)) newest = ts;
    }
    journal.segments.found(number, newest, journal.unreplicatedCount - before);
  }
}

/**
 * @param putBack namespaces in `local` whose document was put back as it once was
 * @returns the timestamp of the entry, if it is one
 */
function readRecord(
  mongod: Mongod,
  { kind, payload }: JournalRecord,
  metadata: CheckpointMetadata,
  putBack: Set<string>,
): Timestamp | undefined {
  const { core, oplog, journal } = mongod;
  switch (kind) {
    case RecordKinds.entry: {
      const entry = decodeEntry(payload);
      oplog.append(entry);
      oplog.addBytes(payload.length);
      return entry.opTime.ts;
    }
    case RecordKinds.truncateAfter: {
      const { ts, t } = decodeDocument(payload) as { ts: { t: number; i: number }; t: unknown };
      oplog.truncateAfter({ ts: { t: ts.t, i: ts.i }, t: Number(t) });
      return undefined;
    }
    case RecordKinds.truncateBefore: {
      const { ts } = decodeDocument(payload) as { ts: { t: number; i: number } };
      oplog.truncateBefore({ t: ts.t, i: ts.i });
      return undefined;
    }
    case RecordKinds.clear:
      oplog.clear();
      // Data of before are in no checkpoint that counts: the one after an initial sync replaces all.
      if (isNullOpTime(metadata.stable)) dropReplicated(mongod);
      return undefined;
    case RecordKinds.localDocument: {
      const { ns, document } = readLocalRecord(payload);
      putLocalDocument(core.engine, ns, document, core.ids.uuid());
      putBack.add(ns);
      return undefined;
    }
    case RecordKinds.oplogSize:
      mongod.oplogCap.changedToBytes = Number((decodeDocument(payload) as { maxSizeBytes: unknown }).maxSizeBytes);
      return undefined;
    case RecordKinds.unreplicated: {
      journal.unreplicatedCount += 1;
      // The checkpoint holds those that were there when it was taken, but not what a client made of a document since put back.
      const isHeld = journal.unreplicatedCount <= metadata.unreplicated;
      if (isHeld && putBack.size === 0) return undefined;
      const entry = decodeEntry(payload);
      if (!isHeld || entry.operations.some(({ ns }) => putBack.has(ns))) applyEntry(core, entry, 'recovery', mongod);
      return undefined;
    }
  }
  return undefined;
}

function dropReplicated({ core }: Mongod): void {
  for (const { ns } of [...core.engine.collections()]) if (!isLocal(ns)) core.engine.dropCollection(ns);
}

function restoreReplication(
  mongod: Mongod,
  repl: Replication,
  config: ReplSetConfig | undefined,
  stable: OpTime,
): void {
  const { oplog } = mongod;
  const last = oplog.lastEntry;
  if (last) repl.positions.reset({ opTime: last.opTime, wallMs: last.wallMs });
  repl.positions.initialData = isNullOpTime(stable) ? oplog.first : stable;
  const vote = mongod.local.get('local.replset.election') as { term: unknown; candidateIndex: unknown } | undefined;
  // Somebody may have written there by hand what is no vote.
  const isVote = Number.isSafeInteger(Number(vote?.term)) && Number.isSafeInteger(Number(vote?.candidateIndex));
  const voteTerm: Term = vote && isVote ? Number(vote.term) : -1;
  if (vote && isVote) repl.votes.lastVote = { term: voteTerm, candidateIndex: Number(vote.candidateIndex) };
  repl.topology.term = Math.max(last?.opTime.t ?? 0, voteTerm, 0);
  if (last) mongod.core.sawClusterTime(last.opTime.ts);
  mongod.consistencyMarkers.initialize();
  repl.rbid = loadRollbackId(mongod.local);
  mongod.recovered = {
    hasReplSetConfig: config !== undefined,
    lastApplied: last?.opTime ?? NULL_OP_TIME,
    config,
    initialSyncUnfinished: mongod.consistencyMarkers.initialSyncFlag,
  };
}
