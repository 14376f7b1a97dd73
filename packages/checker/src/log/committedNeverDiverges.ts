import { compareOpTimes, formatOpTime } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Branches } from './branches.ts';
import { Committed } from './committed.ts';

/**
 * All entries that primaries ever announce as committed lie on one branch. Hence no two members' committed prefixes
 * conflict: what members learn is among what was announced (`commitPointSound`).
 * Source: RaftMongo.tla; Raft §5.4.3, State Machine Safety.
 */
export function committedNeverDiverges(branches = new Branches()): Checker {
  const committed = new Committed();

  function judge(event: EventOf<'commitPoint'>, epochSecs: number): string | undefined {
    const highest = committed.newest;
    committed.announce(event);
    if (highest === undefined) return undefined;
    const { member, opTime } = event;
    const higher = compareOpTimes(opTime, highest.opTime) > 0;
    const [upper, lower] = higher ? [opTime, highest.opTime] : [highest.opTime, opTime];
    if (branches.holds(upper, lower) !== false) return undefined;
    const [one, other] = [formatOpTime(opTime, epochSecs), formatOpTime(highest.opTime, epochSecs)];
    return `${member} committed ${one} on another branch than ${other}, which ${highest.member} had committed`;
  }

  return {
    name: 'committedNeverDiverges',
    events: ['commitPoint'],
    records: [branches],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'unjournaledMajority', 'lyingDisk'],
    observe(event, epochSecs) {
      return event.type === 'commitPoint' && !event.learned ? judge(event, epochSecs) : undefined;
    },
  };
}
