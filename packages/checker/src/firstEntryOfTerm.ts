import {
  encodeName,
  findField,
  formatOpTime,
  type OplogEntry,
  readString,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';
import { Branches } from './branches.ts';
import type { Checker, EventOf } from './checker.ts';

const MSG = encodeName('msg');

/**
 * The first entry that a new primary writes is the no-op `{msg: "new primary"}`, before any client's.
 * Source: replication_coordinator_external_state_impl.cpp, onTransitionToPrimary.
 */
export function firstEntryOfTerm(branches = new Branches()): Checker {
  function judge(event: EventOf<'oplogWritten'>, epochSecs: number): string | undefined {
    let term = branches.endOf(event.member)?.t ?? UNINITIALIZED_TERM;
    for (const entry of event.entries) {
      const { opTime, operation } = entry;
      if (opTime.t === term) continue;
      term = opTime.t;
      if (isNewPrimary(entry)) continue;
      const what = `${operation.op} ${operation.ns}`.trim();
      return `${event.member} began term ${term} with ${formatOpTime(opTime, epochSecs)} (${what}), not with its "new primary" no-op`;
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

function isNewPrimary({ operation }: OplogEntry): boolean {
  if (operation.op !== 'n') return false;
  const msg = findField(operation.o, MSG);
  // A string's bytes follow its length, and end in a NUL.
  return msg !== undefined && readString(msg) === 'new primary';
}
