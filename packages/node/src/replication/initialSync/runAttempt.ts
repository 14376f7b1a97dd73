import { type Operation, sleep } from '@replsim/operations';
import {
  BsonWriter,
  CommandError,
  isLocal,
  NULL_OP_TIME,
  type OplogProbeReply,
  type RbidReply,
  required,
} from '@replsim/protocol';
import { hangAt } from '../../core/hang.ts';
import { showOpTime } from '../../core/logValues.ts';
import { RecordKinds } from '../../data/journal.ts';
import type { Replication } from '../replication.ts';
import { applyBuffered } from './applyBuffered.ts';
import type { InitialSyncAttempt } from './attempt.ts';
import { cloneAllDatabases } from './databaseCloner.ts';
import { checkRbid, patientCall, readInitialSyncId } from './patientCall.ts';

const CONNECT_PAUSE_MICROS = 1_000_000;

/**
 * One attempt from the flag on disk to data that are consistent, step by step as mongod takes them; only the check of the
 * feature compatibility version is left out, as no member here writes one. Upstream: initial_syncer.cpp, its callbacks.
 * @param startFetching called when the source's oplog is to be fetched beside the copy
 */
export function* runAttempt(attempt: InitialSyncAttempt, startFetching: () => void): Operation<void> {
  const { repl } = attempt;
  const { core } = repl;
  clearOplog(repl);
  yield* findSource(attempt);
  yield* hangAt(core, 'initialSyncHangBeforeCreatingOplog');
  dropUserDatabases(repl);
  attempt.rbid = (yield* patientCall<RbidReply>(attempt, 'fetch', { replSetGetRBID: 1 })).rbid;
  attempt.initialSyncId = yield* readInitialSyncId(attempt);
  const { lastEntry: newest, oldestActive } = yield* probe(attempt);
  // A transaction whose end comes later is applied whole there, so that its beginning is needed.
  const begin = oldestActive ?? newest;
  attempt.beginFetching = begin.opTime;
  attempt.lastFetched = begin.opTime;
  yield* hangAt(core, 'initialSyncHangAfterGettingBeginFetchingTimestamp');
  attempt.beginApplying = (yield* probe(attempt)).lastEntry.opTime;
  // The oplog begins with the entry from which on the others are fetched.
  repl.replicator.writer.write([begin], attempt.chosenSource);
  yield* hangAt(core, 'initialSyncHangBeforeSplittingControlFlow');
  startFetching();
  yield* hangAt(core, 'initialSyncHangBeforeCopyingDatabases');
  yield* cloneAllDatabases(attempt);
  core.log('I', 'INITSYNC', 21183, 'Finished cloning data, beginning oplog replay', {
    databaseClonerFinishStatus: 'OK',
  });
  yield* hangAt(core, 'initialSyncHangAfterDataCloning');
  core.trace({
    type: 'initialSync',
    phase: 'cloned',
    source: attempt.chosenSource,
    detail: `${attempt.stats.documentsCopied} documents from ${attempt.source}`,
  });
  attempt.stop = (yield* probe(attempt)).lastEntry.opTime;
  yield* applyBuffered(attempt);
  core.log('I', 'INITSYNC', 21181, 'Finished fetching oplog during initial sync', {
    oplogFetcherFinishStatus: 'CallbackCanceled: oplog fetcher shutting down',
    lastFetched: showOpTime(attempt.lastFetched),
  });
  yield* checkRbid(attempt);
  takeOver(repl);
  // The copied data are in no journal: only a checkpoint makes them last.
  yield* repl.host.checkpoints.takeNow();
  yield* hangAt(core, 'initialSyncHangBeforeFinish');
}

/** From here on a process that dies starts over. */
function clearOplog({ host, oplog, positions }: Replication): void {
  host.consistencyMarkers.initialSyncFlag = true;
  host.journal.append(RecordKinds.clear, new BsonWriter().finish());
  oplog.clear();
  positions.reset({ opTime: NULL_OP_TIME, wallMs: 0 });
  positions.initialData = NULL_OP_TIME;
  positions.minValid = NULL_OP_TIME;
}

/** Throws InvalidSyncSource 119 if there is no suitable source for this many seconds. Upstream: _chooseSyncSourceCallback. */
function* findSource(attempt: InitialSyncAttempt): Operation<void> {
  const { syncSources, heartbeats, host, core } = attempt.repl;
  const tries = host.parameters.number('numInitialSyncConnectAttempts');
  for (let i = 1; ; i++) {
    yield* hangAt(core, 'initialSyncHangBeforeChoosingSyncSource');
    if (core.failPoints.enter('failInitialSyncWithBadHost')) {
      throw new CommandError('InvalidSyncSource', 'the fail point failInitialSyncWithBadHost lets no sync source do');
    }
    const source = syncSources.choose(NULL_OP_TIME, syncSources.initialSyncReadPreference);
    if (source !== undefined) {
      attempt.source = source;
      core.trace({ type: 'syncSourceChanged', from: undefined, to: source });
      return;
    }
    if (i >= tries) throw new CommandError('InvalidSyncSource', 'no valid sync source available');
    heartbeats.restartScheduled();
    yield* sleep(CONNECT_PAUSE_MICROS);
  }
}

function dropUserDatabases({ core, host }: Replication): void {
  host.indexBuilds.stopAll();
  for (const { ns } of [...core.engine.collections()]) {
    if (!isLocal(ns)) core.engine.dropCollection(ns);
  }
  host.ttl.rebuildCache();
}

function* probe(attempt: InitialSyncAttempt) {
  const found = yield* patientCall<OplogProbeReply>(attempt, 'fetch', { find: 'oplog.rs', limit: 1 });
  const { lastEntry, oldestActive } = found;
  if (!lastEntry) throw new CommandError('InitialSyncFailure', `${attempt.source} has an empty oplog`);
  return { lastEntry, oldestActive };
}

/** The data are now those of the newest entry, and nothing before it can be returned to. */
function takeOver({ core, oplog, positions, host }: Replication): void {
  const last = required(oplog.lastEntry, 'entry that was copied');
  positions.reset({ opTime: last.opTime, wallMs: last.wallMs });
  positions.initialData = last.opTime;
  positions.initialSyncing = false;
  core.markVersion(oplog.endIndex - 1);
  host.consistencyMarkers.setInitialSyncId(core.ids.uuid(), core.now.wallMs);
  host.ttl.rebuildCache();
  core.trace({ type: 'applied', opTime: last.opTime, entries: 0, dataHash: core.engine.dataHash() });
}
