import { formatOpTime, isNullOpTime, type OplogEntry, type Term, UNINITIALIZED_TERM } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Branches } from '../log/branches.ts';
import { mayPrecedeNoop } from '../log/termOpening.ts';
import { Writability } from './writability.ts';

/** A member's mandate: the term that it won and did not lose yet, and whether it has written in it. */
interface Mandate {
  readonly term: Term;
  wrote: boolean;
}

/**
 * A member writes entries of its own only while it accepts writes, and only in the term that it won. Two exceptions:
 * the first entry of the set, written before there are terms, and what opens a term, written at the moment of becoming
 * writable: a no-op, and before it the end of transactions that will get no other and, once in the life of a set, the collections
 * of sessions. Source: opTimes are given out by oplog.cpp under canAcceptWritesFor; RaftMongo.tla, ClientWrite.
 */
export function writesOnlyWhenAccepting(branches = new Branches()): Checker {
  const writability = new Writability();
  const mandates = new Map<string, Mandate>();

  function judge(event: EventOf<'oplogWritten'>, epochSecs: number): string | undefined {
    const { member } = event;
    const mandate = mandates.get(member);
    const accepts = event.acceptsWrites && writability.of(member) !== false;
    let end = branches.endOf(member);
    let broken: string | undefined;
    for (const entry of event.entries) {
      const { opTime } = entry;
      const isNoop = entry.operation.op === 'n';
      if (opTime.t === UNINITIALIZED_TERM) {
        if (!isNoop || (end !== undefined && !isNullOpTime(end)))
          broken ??= `${member} wrote ${wording(entry, epochSecs)}, which only a set's very first entry may be`;
      } else if (mandate?.term !== opTime.t) {
        const won =
          mandate === undefined
            ? 'without a mandate: it won no term, or lost it'
            : `while its mandate was for term ${mandate.term}`;
        broken ??= `${member} wrote ${wording(entry, epochSecs)} ${won}`;
      } else {
        const opens = !mandate.wrote && (isNoop || mayPrecedeNoop(entry));
        if (!accepts && !opens)
          broken ??= `${member} wrote ${wording(entry, epochSecs)} while it did not accept writes`;
        mandate.wrote ||= isNoop || accepts;
      }
      end = opTime;
    }
    return broken;
  }

  return {
    name: 'writesOnlyWhenAccepting',
    events: ['electionWon', 'steppedDown', 'oplogWritten', ...Writability.events],
    records: [branches],
    observe(event, epochSecs) {
      if (event.type === 'oplogWritten') return event.origin === 'self' ? judge(event, epochSecs) : undefined;
      if (event.type === 'electionWon') mandates.set(event.member, { term: event.term, wrote: false });
      if (event.type === 'steppedDown' || event.type === 'processStarted') mandates.delete(event.member);
      writability.observe(event);
      return undefined;
    },
  };
}

function wording({ opTime, operation }: OplogEntry, epochSecs: number): string {
  return `${formatOpTime(opTime, epochSecs)} (${`${operation.op} ${operation.ns}`.trim()})`;
}
