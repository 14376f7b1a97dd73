import { compareOpTimes, formatOpTime, type OpTime } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Committed } from './committed.ts';

/**
 * A rollback removes no entry that the primary of its own term announced as committed, and never goes behind the
 * member's own commit point. Source: RaftMongo.tla, NeverRollbackCommitted and NeverRollbackBeforeCommitPoint;
 * rollback_impl.cpp.
 *
 * Of its own term: an entry that became committed only by a later term's may leave a member that lags, if it syncs from
 * a deposed primary of a term between. The majority keeps it, and the member gets it back. Upstream knows: SERVER-39626.
 */
export function committedNeverRolledBack(): Checker {
  const committed = new Committed();
  /** Each member's own, which dies with its process. */
  const commitPoints = new Map<string, OpTime>();

  function judge(event: EventOf<'rolledBack'>, epochSecs: number): string | undefined {
    const { member, commonPoint, removedEntries } = event;
    const known = commitPoints.get(member);
    const own = known !== undefined && compareOpTimes(known, event.commitPoint) > 0 ? known : event.commitPoint;
    if (compareOpTimes(commonPoint, own) < 0)
      return `${member} rolled back to ${formatOpTime(commonPoint, epochSecs)}, behind its commit point ${formatOpTime(own, epochSecs)}`;
    for (const { opTime } of removedEntries) {
      const announced = committed.covering(opTime);
      if (announced === undefined) continue;
      const [removed, point] = [formatOpTime(opTime, epochSecs), formatOpTime(announced.opTime, epochSecs)];
      return `${member} rolled back ${removed}, though ${announced.member} had announced ${point} as committed`;
    }
    return undefined;
  }

  return {
    name: 'committedNeverRolledBack',
    events: ['commitPoint', 'processStarted', 'rolledBack'],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'unjournaledMajority', 'lyingDisk'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'commitPoint':
          commitPoints.set(event.member, event.opTime);
          committed.announce(event);
          return undefined;
        case 'processStarted':
          commitPoints.delete(event.member);
          return undefined;
        case 'rolledBack':
          return judge(event, epochSecs);
      }
      return undefined;
    },
  };
}
