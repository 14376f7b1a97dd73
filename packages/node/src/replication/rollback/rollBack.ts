import { type Operation, spend } from '@replsim/database';
import { type RollbackRefusal, rollbackForbidden } from '@replsim/oplog';
import { CommandError, type OplogEntry, type OpTime, type RbidReply, required } from '@replsim/protocol';
import { call } from '../../core/call.ts';
import type { Replication } from '../replication.ts';
import { searchCommonPoint } from './commonPoint.ts';
import { recoverToCommonPoint } from './recoverToCommonPoint.ts';
import { writeRollbackFiles } from './rollbackFiles.ts';
import { storeRollbackId } from './rollbackId.ts';

/** What a rollback did, for the log. */
interface Outcome {
  readonly commonPoint: OpTime;
  readonly lastUndone: OpTime;
  readonly undone: readonly OplogEntry[];
}

/**
 * Takes a member in state ROLLBACK, whose oplog parted from its source's, back to the newest entry that both hold.
 * Throws CommandError when the source fails before data have been touched; the caller tries again later. What must never
 * happen ends the process. Upstream: rollback_impl.cpp, runRollback.
 */
export function* rollBack(repl: Replication, source: string): Operation<void> {
  const { core, oplog, host } = repl;
  const startedMs = core.now.wallMs;
  const sourceRbid = yield* rbidOf(repl, source);
  core.log('I', 'ROLLBACK', 21606, 'Finding common point');
  const commonPoint = yield* searchCommonPoint(repl, source);
  if (!commonPoint) {
    return die(repl, { fatalId: 50666, code: 'NoMatchingDocument', detail: 'the oplogs have no entry in common' });
  }
  core.log('I', 'ROLLBACK', 21607, 'Rollback common point', { commonPointOpTime: commonPoint });
  const undone = oplog.slice(oplog.lastIndexUpTo(commonPoint.ts) + 1, oplog.endIndex);
  const refusal = refusalOf(repl, commonPoint, undone);
  if (refusal) return die(repl, refusal);

  yield* incrementRollbackId(repl);
  if ((yield* rbidOf(repl, source)) !== sourceRbid) {
    throw new CommandError('InvalidSyncSource', `${source} rolled back itself meanwhile`);
  }
  if (host.parameters.bool('createRollbackDataFiles')) yield* writeRollbackFiles(repl, undone);
  else core.log('I', 'ROLLBACK', 21598, 'Rollback keeps no files of what it removes, as it was told');

  const lastUndone = oplog.last;
  // The work is paid for first, so that nobody ever sees data between two states.
  yield* spend(core.costs.checkpointMicros);
  yield* spend(recoverToCommonPoint(repl, commonPoint) * core.costs.applyEntryMicros);
  let durable = false;
  host.journal.whenDurable(() => {
    durable = true;
  });
  yield { type: 'wait', what: 'journal', ready: () => durable };
  tell(repl, source, startedMs, { commonPoint, lastUndone, undone });
}

function* rbidOf({ core }: Replication, source: string): Operation<number> {
  return (yield* call<RbidReply>(core, source, 'fetch', { replSetGetRBID: 1 })).rbid;
}

/** Before any data change, so that whoever reads from here notices. With it all that came before is on disk. */
function* incrementRollbackId(repl: Replication): Operation<void> {
  const { local, journal } = repl.host;
  repl.rbid += 1;
  storeRollbackId(local, repl.rbid);
  repl.core.trace({ type: 'rollbackIdRaised', rbid: repl.rbid });
  let durable = false;
  journal.whenDurable(() => {
    durable = true;
  });
  yield { type: 'wait', what: 'journal', ready: () => durable };
}

function refusalOf(
  { oplog, positions, host }: Replication,
  commonPoint: OpTime,
  undone: readonly OplogEntry[],
): RollbackRefusal | undefined {
  const [firstUndone] = undone;
  if (!firstUndone) return undefined;
  return rollbackForbidden({
    commonPoint,
    commitPoint: positions.commitPoint.opTime,
    stable: positions.stable,
    lastWallMs: required(oplog.lastEntry, 'entry to undo').wallMs,
    firstRemovedWallMs: firstUndone.wallMs,
    rollbackTimeLimitSecs: host.parameters.number('rollbackTimeLimitSecs'),
  });
}

function tell({ core, rbid, host }: Replication, source: string, startedMs: number, outcome: Outcome): void {
  const { commonPoint, lastUndone, undone } = outcome;
  const counts = { i: 0, u: 0, d: 0, c: 0, n: 0 };
  for (const { operations } of undone) for (const { op } of operations) counts[op] += 1;
  core.log('I', 'ROLLBACK', 21599, 'Rollback reverted command counts', {
    insert: counts.i,
    update: counts.u,
    delete: counts.d,
  });
  core.log('I', 'ROLLBACK', 21592, 'Rollback complete');
  core.log('I', 'ROLLBACK', 21612, 'Rollback summary', {
    startTime: new Date(startedMs).toISOString(),
    endTime: new Date(core.now.wallMs).toISOString(),
    syncSource: source,
    rbid,
    ...(host.rollbackFiles.length > 0 && { rollbackDataFileDirectory: 'rollback' }),
    lastOptimeRolledBack: lastUndone,
    commonPoint,
    entriesRolledBack: undone.length,
  });
}

function die({ core }: Replication, { fatalId, code, detail }: RollbackRefusal): void {
  core.log('F', 'REPL', 21128, 'Rollback failed with unrecoverable error', { error: `${code}: ${detail}` });
  core.log('F', 'ASSERT', 23089, 'Fatal assertion', { msgid: fatalId, error: `${code}: ${detail}` });
  core.push({ type: 'exit', how: 'fatal', detail: `fatal assertion ${fatalId}, ${code}: ${detail}` });
}
