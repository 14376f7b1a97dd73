import { formatOpTime, type OplogEntry, type Term, UNINITIALIZED_TERM } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Branches } from './branches.ts';
import { isNewPrimary, mayPrecedeNoop } from './termOpening.ts';

/**
 * The first entry that a new primary writes is the no-op `{msg: "new primary"}`, before any client's. Before that it gives up
 * transactions that lack their end and, where the set never had a primary, makes the collections of sessions.
 * Source: replication_coordinator_external_state_impl.cpp, onTransitionToPrimary.
 */
export function firstEntryOfTerm(branches = new Branches()): Checker {
  /** The term that a member has begun with what concerns sessions, and not opened yet. */
  const unopened = new Map<string, Term>();

  function judge(event: EventOf<'oplogWritten'>, epochSecs: number): string | undefined {
    const { member } = event;
    let term = branches.endOf(member)?.t ?? UNINITIALIZED_TERM;
    for (const entry of event.entries) {
      const { t } = entry.opTime;
      if (t === term && unopened.get(member) !== t) continue;
      term = t;
      unopened.delete(member);
      if (isNewPrimary(entry)) continue;
      if (!mayPrecedeNoop(entry)) return wording(member, entry, epochSecs);
      unopened.set(member, t);
    }
    return undefined;
  }

  return {
    name: 'firstEntryOfTerm',
    events: ['oplogWritten'],
    records: [branches],
    observe(event, epochSecs) {
      return event.type === 'oplogWritten' && event.origin === 'self' ? judge(event, epochSecs) : undefined;
    },
  };
}

function wording(member: string, { opTime, operation }: OplogEntry, epochSecs: number): string {
  const what = `${operation.op} ${operation.ns}`.trim();
  return `${member} began term ${opTime.t} with ${formatOpTime(opTime, epochSecs)} (${what}), not with its "new primary" no-op`;
}
