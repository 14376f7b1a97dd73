import { type OpTime, required } from '@replsim/protocol';
import { applyEntry } from '../../data/applyEntry.ts';
import { documentsHashAt } from '../../data/documentsHash.ts';
import type { Replication } from '../replication.ts';

/**
 * The heart of a rollback, at one instant: data to the stable optime, oplog to the common point, and what lies between
 * applied again, by the code that recovers a restarted process. Upstream: rollback_impl.cpp, steps from
 * _recoverToStableTimestamp on.
 * @returns how many operations were applied again
 */
export function recoverToCommonPoint(repl: Replication, commonPoint: OpTime): number {
  const { core, oplog, positions, host } = repl;
  const from = oplog.last;
  const keep = oplog.lastIndexUpTo(commonPoint.ts);
  core.log(
    'I',
    'ROLLBACK',
    21600,
    'Marking to truncate all oplog entries with timestamps greater than the common point',
    {
      commonPoint: commonPoint.ts,
    },
  );
  const stable = repl.stableVersion();
  host.indexBuilds.stopAll();
  core.engine.restoreTo(stable);
  const removedEntries = repl.localOplog.truncateAfter(commonPoint);
  let operations = 0;
  for (let index = stable + 1; index <= keep; index++) {
    const entry = required(oplog.at(index), 'entry to keep');
    operations += entry.operations.length;
    applyEntry(core, entry, 'recovery', host);
  }
  core.markVersion(keep);
  positions.reset({ opTime: commonPoint, wallMs: oplog.at(keep)?.wallMs ?? 0 });
  host.indexBuilds.restartAll();
  host.ttl.rebuildCache();
  host.sessions.invalidate();
  core.trace({
    type: 'rolledBack',
    commonPoint,
    from,
    removedEntries,
    commitPoint: positions.commitPoint.opTime,
    rbid: repl.rbid,
    dataHash: core.engine.dataHash(),
    ...documentsHashAt(core.engine, oplog.at(keep)),
  });
  return operations;
}
