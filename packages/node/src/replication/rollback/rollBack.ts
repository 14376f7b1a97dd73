import { type Operation, spend } from '@replsim/operations';
import { type RollbackRefusal, rollbackForbidden } from '@replsim/oplog';
import { CommandError, type OplogEntry, type OpTime, type RbidReply, required } from '@replsim/protocol';
import { call } from '../../core/call.ts';
import { hangAt } from '../../core/hang.ts';
import { statusAttr } from '../../core/logValues.ts';
import type { Replication } from '../replication.ts';
import { searchCommonPoint } from './commonPoint.ts';
import { recoverToCommonPoint } from './recoverToCommonPoint.ts';
import { writeRollbackFiles } from './rollbackFiles.ts';
import { storeRollbackId } from './rollbackId.ts';
import { logCommandCounts, logSummary } from './rollbackSummary.ts';

/**
 * Takes a member in state ROLLBACK, whose oplog parted from its source's, back to the newest entry that both hold.
 * Throws CommandError when the source fails before data have been touched; the caller tries again later. What must never
 * happen ends the process. Upstream: rollback_impl.cpp, runRollback.
 */
export function* rollBack(repl: Replication, source: string): Operation<void> {
  const { core, oplog, host } = repl;
  const startedMs = core.now.wallMs;
  yield* hangAt(core, 'rollbackHangAfterTransitionToRollback');
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
  const stable = repl.positions.stable.ts;
  // The work is paid for first, so that nobody ever sees data between two states.
  yield* spend(core.costs.checkpointMicros);
  yield* spend(recoverToCommonPoint(repl, commonPoint) * core.costs.applyEntryMicros);
  let durable = false;
  host.journal.whenDurable(() => {
    durable = true;
  });
  yield { type: 'wait', what: 'journal', ready: () => durable };
  logCommandCounts(core, undone);
  core.log('I', 'ROLLBACK', 21610, 'Telling who keeps something beside the data of the rollback');
  core.log('I', 'ROLLBACK', 21592, 'Rollback complete');
  const keptFiles = host.rollbackFiles.length > 0;
  logSummary(core, { startedMs, source, rbid: repl.rbid, keptFiles, commonPoint, lastUndone, undone, stable });
}

function* rbidOf({ core }: Replication, source: string): Operation<number> {
  return (yield* call<RbidReply>(core, source, 'fetch', { replSetGetRBID: 1 })).rbid;
}

/** Done before any data changes, so that members that fetch from here notice. It also flushes everything before it. */
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

function die({ core }: Replication, { fatalId, code, detail }: RollbackRefusal): void {
  const error = statusAttr(new CommandError(code, detail));
  core.log('F', 'REPL', 21128, 'Rollback failed with unrecoverable error', { error });
  core.log('F', 'ASSERT', 23095, 'Fatal assertion', { msgid: fatalId, error: `${code}: ${detail}` });
  core.push({ type: 'exit', how: 'fatal', detail: `fatal assertion ${fatalId}, ${code}: ${detail}` });
}
