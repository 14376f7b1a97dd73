import { compareOpTimes, compareTimestamps, formatOpTime, type OpTime } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Branches } from '../log/branches.ts';

/**
 * A read after a cluster time sees data at least as new; a read of what a majority has sees nothing beyond the member's
 * commit point, nor beside it. Together with `acknowledgedMajorityIsCommitted` and `leaderCompleteness` a causally
 * consistent session sees what was acknowledged to it. Source: read_concern_mongod.cpp; replication_coordinator_impl.cpp,
 * waitUntilOpTimeForRead.
 */
export function readsKeepTheirPromise(branches = new Branches()): Checker {
  const commitPoints = new Map<string, OpTime>();

  function judge(event: EventOf<'readAnswered'>, epochSecs: number): string | undefined {
    const { member, level, readAt, afterClusterTime: after } = event;
    const read = `${member} answered a ${level} read of its data at ${formatOpTime(readAt, epochSecs)}`;
    if (after !== undefined && compareTimestamps(readAt.ts, after) < 0)
      return `${read}, though it was to see (${after.t - epochSecs},${after.i})`;
    if (level !== 'majority') return undefined;
    const commitPoint = commitPoints.get(member);
    if (commitPoint === undefined) return `${read}, though it knew no commit point`;
    if (compareOpTimes(readAt, commitPoint) <= 0 && branches.holds(commitPoint, readAt) !== false) return undefined;
    return `${read}, though its commit point was ${formatOpTime(commitPoint, epochSecs)}`;
  }

  return {
    name: 'readsKeepTheirPromise',
    events: ['readAnswered', 'commitPoint', 'processStarted'],
    records: [branches],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'lyingDisk'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'readAnswered':
          return judge(event, epochSecs);
        case 'commitPoint':
          commitPoints.set(event.member, event.opTime);
          return undefined;
        case 'processStarted':
          commitPoints.delete(event.member);
      }
      return undefined;
    },
  };
}
