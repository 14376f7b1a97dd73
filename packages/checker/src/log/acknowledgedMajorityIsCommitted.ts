import { compareOpTimes, formatOpTime, isNullOpTime, type OpTime } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Branches } from './branches.ts';

/**
 * A client that is told "majority" wrote something that lies at or before that member's commit point, and on its
 * branch. That it stays is for `leaderCompleteness` and `committedNeverRolledBack` to say.
 * Source: replication_coordinator_impl.cpp, _doneWaitingForReplication.
 */
export function acknowledgedMajorityIsCommitted(branches = new Branches()): Checker {
  const commitPoints = new Map<string, OpTime>();

  function judge({ member, opTime }: EventOf<'writeAcknowledged'>, epochSecs: number): string | undefined {
    if (isNullOpTime(opTime)) return undefined;
    const commitPoint = commitPoints.get(member);
    const written = `${member} acknowledged ${formatOpTime(opTime, epochSecs)} as written by a majority`;
    if (commitPoint === undefined) return `${written}, though it knew no commit point`;
    const point = formatOpTime(commitPoint, epochSecs);
    if (compareOpTimes(opTime, commitPoint) > 0) return `${written}, though its commit point was ${point}`;
    return branches.holds(commitPoint, opTime) === false
      ? `${written}, though its commit point was ${point}, on a branch without that entry`
      : undefined;
  }

  return {
    name: 'acknowledgedMajorityIsCommitted',
    events: ['writeAcknowledged', 'commitPoint', 'processStarted'],
    records: [branches],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'lyingDisk'],
    observe(event, epochSecs) {
      if (event.type === 'writeAcknowledged') return event.majority ? judge(event, epochSecs) : undefined;
      if (event.type === 'commitPoint') commitPoints.set(event.member, event.opTime);
      else if (event.type === 'processStarted') commitPoints.delete(event.member);
      return undefined;
    },
  };
}
