import { formatOpTime } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Branches } from './branches.ts';
import { Committed } from './committed.ts';

/**
 * A commit point that a member learns names an entry that some primary announced as committed, or one that lies before such
 * an entry on its branch; and ahead of the member's own log it lies only within the term of the log's last entry, since only
 * then it is surely on the same branch. An arbiter has no log to compare with.
 * Source: RaftMongo.tla, LearnCommitPoint…; topology_coordinator.cpp, advanceLastCommittedOpTimeAndWallTime.
 */
export function commitPointSound(branches = new Branches()): Checker {
  const committed = new Committed();

  function judge({ member, opTime }: EventOf<'commitPoint'>, epochSecs: number): string | undefined {
    const learned = `${member} learned the commit point ${formatOpTime(opTime, epochSecs)}`;
    const newest = committed.newest;
    const known =
      committed.covering(opTime) !== undefined ||
      (newest !== undefined && branches.holds(newest.opTime, opTime) !== false);
    if (!known) return `${learned}, which no primary has announced`;
    const end = branches.endOf(member);
    if (end === undefined || end.t === opTime.t || branches.holds(end, opTime) !== false) return undefined;
    return `${learned}, which is not in its log up to ${formatOpTime(end, epochSecs)} and of another term`;
  }

  return {
    name: 'commitPointSound',
    events: ['commitPoint'],
    records: [branches],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'unjournaledMajority', 'lyingDisk'],
    observe(event, epochSecs) {
      if (event.type !== 'commitPoint') return undefined;
      committed.announce(event);
      return event.learned ? judge(event, epochSecs) : undefined;
    },
  };
}
