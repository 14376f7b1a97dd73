import { compareOpTimes, formatOpTime, type OpTime } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

/**
 * A member's commit point never falls while its process lives; a restart forgets it, and it is learned again.
 * Source: RaftMongo.tla, CommitPointNeverRollsBack; topology_coordinator.cpp, advanceLastCommittedOpTimeAndWallTime.
 */
export function monotonicCommitPoint(): Checker {
  const commitPoints = new Map<string, OpTime>();

  return {
    name: 'monotonicCommitPoint',
    events: ['commitPoint', 'processStarted'],
    observe(event, epochSecs) {
      if (event.type === 'processStarted') commitPoints.delete(event.member);
      if (event.type !== 'commitPoint') return undefined;
      const { member, opTime, learned } = event;
      const before = commitPoints.get(member);
      if (before !== undefined && compareOpTimes(opTime, before) < 0) {
        const how = learned ? 'learned' : 'computed';
        const [from, to] = [formatOpTime(before, epochSecs), formatOpTime(opTime, epochSecs)];
        return `${member}'s commit point fell from ${from} to ${to}, which it ${how}`;
      }
      commitPoints.set(member, opTime);
      return undefined;
    },
  };
}
