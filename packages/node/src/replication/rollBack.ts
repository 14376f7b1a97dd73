import { findCommonPoint, rollbackForbidden } from '@replsim/oplog';
import {
  BsonWriter,
  CommandError,
  compareOpTimes,
  type OplogEntry,
  type OplogScanReply,
  type OpTime,
  type RbidReply,
  type Timestamp,
} from '@replsim/protocol';
import { call } from '../operations/call.ts';
import type { Operation } from '../operations/operation.ts';
import { applyEntry } from './applyEntry.ts';
import type { Replication } from './replication.ts';

/** Upstream: roll_back_local_operations.cpp, the batch size of the remote scan. */
const SCAN_BATCH_SIZE = 2000;
/**
 * Takes a member whose oplog parted from its source's back to the newest entry that both hold: data return to the
 * stable optime, the oplog is cut, and what lies between is applied again. Upstream: rollback_impl.cpp.
 * Throws CommandError when the source fails; the caller tries again. What must never happen ends the process.
 */
export function* rollBack(repl: Replication, source: string): Operation<void> {
  const before = yield* call<RbidReply>(repl.core, source, 'fetch', { replSetGetRBID: 1 });
  const commonPoint = yield* searchCommonPoint(repl, source);
  if (!commonPoint) return die(repl, 'no common point with the sync source (NoMatchingDocument)');
  const after = yield* call<RbidReply>(repl.core, source, 'fetch', { replSetGetRBID: 1 });
  if (after.rbid !== before.rbid) throw new CommandError('InvalidSyncSource', 'the source rolled back meanwhile');
  const forbidden = checkAgainstLimits(repl, commonPoint);
  if (forbidden) return die(repl, forbidden);
  const removed = returnTo(repl, commonPoint);
  let durable = false;
  repl.parts.journal.whenDurable(() => {
    durable = true;
  });
  yield { type: 'wait', what: 'journal', ready: () => durable };
  repl.core.log('I', 'ROLLBACK', 21612, 'Rollback summary', { removed: removed.length, rbid: repl.rbid });
}

/** Reads the source's oplog backwards until an entry is found that this member holds too. */
function* searchCommonPoint(repl: Replication, source: string): Operation<OpTime | undefined> {
  let before: Timestamp | undefined;
  for (;;) {
    const reply: OplogScanReply = yield* call<OplogScanReply>(repl.core, source, 'fetch', {
      find: 'oplog.rs',
      sort: { $natural: -1 },
      ...(before && { before }),
      batchSize: SCAN_BATCH_SIZE,
    });
    const found = findCommonPoint(repl.oplog, reply.opTimes);
    if (found || reply.opTimes.length === 0) return found;
    before = reply.opTimes.at(-1)!.ts;
  }
}

function checkAgainstLimits(repl: Replication, commonPoint: OpTime): string | undefined {
  const { oplog, positions } = repl;
  if (compareOpTimes(commonPoint, positions.stable) < 0) return 'the common point lies before the stable optime';
  const firstRemoved = oplog.at(oplog.lastIndexUpTo(commonPoint.ts) + 1);
  if (!firstRemoved) return undefined;
  return rollbackForbidden({
    commonPoint,
    commitPoint: positions.commitPoint.opTime,
    lastWallMs: oplog.lastEntry!.wallMs,
    firstRemovedWallMs: firstRemoved.wallMs,
    rollbackTimeLimitSecs: repl.parts.parameters.number('rollbackTimeLimitSecs'),
  })?.detail;
}

/** The heart of it, at one instant: data to the stable optime, oplog to the common point, replay. */
function returnTo(repl: Replication, commonPoint: OpTime): OplogEntry[] {
  const { core, oplog, positions, parts } = repl;
  const from = oplog.last;
  repl.rbid += 1;
  const writer = new BsonWriter();
  writer.int32('rollbackId', repl.rbid);
  parts.local.set('local.system.rollback.id', writer.finish());
  repl.server.killCursors();
  const stable = repl.stableVersion();
  const keep = oplog.lastIndexUpTo(commonPoint.ts);
  core.engine.restoreTo(stable);
  const removed = repl.localOplog.truncateAfter(commonPoint);
  for (let index = stable + 1; index <= keep; index++) applyEntry(core, oplog.at(index)!, 'recovery', parts);
  core.markVersion(keep);
  positions.reset({ opTime: commonPoint, wallMs: oplog.at(keep)?.wallMs ?? 0 });
  parts.ttl.rebuildCache();
  core.trace({
    type: 'rolledBack',
    commonPoint,
    from,
    removedEntries: removed,
    commitPoint: positions.commitPoint.opTime,
    rbid: repl.rbid,
    dataHash: core.engine.dataHash(),
  });
  return removed;
}

function die(repl: Replication, detail: string): void {
  repl.core.log('F', 'ROLLBACK', 50666, 'Unrecoverable rollback', { reason: detail });
  repl.core.push({ type: 'exit', how: 'fatal', detail: `unrecoverable rollback: ${detail}` });
}
