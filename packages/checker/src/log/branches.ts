import {
  compareTimestamps,
  isNullOpTime,
  type OplogEntry,
  type OpTime,
  type Term,
  type TraceEvent,
} from '@replsim/protocol';
import type { Records } from '../checker.ts';
import { keepNewest } from '../keepNewest.ts';

/** Terms are small and few, but a run may fail over forever. */
const MAX_TERMS = 10_000;

/**
 * Where every member's oplog ends, and what came before the first entry of each term. All entries of a term stand in
 * one line, as one member wrote them, so this is enough to say whether a log holds an entry: memory for a term, not
 * for an entry.
 */
export class Branches implements Records {
  readonly events = ['oplogWritten', 'processStarted', 'rolledBack', 'initialSync'] as const;
  readonly #ends = new Map<string, { end: OpTime | undefined }>();
  readonly #before = new Map<Term, OpTime>();

  /** The member's last entry, or undefined where the trace does not tell (or the log is empty). */
  endOf(member: string): OpTime | undefined {
    return this.#ends.get(member)?.end;
  }

  /** Whether a log that ends in `end` holds `opTime`; undefined where the trace does not tell. */
  holds(end: OpTime, opTime: OpTime): boolean | undefined {
    if (isNullOpTime(opTime)) return true;
    let at = end;
    while (at.t > opTime.t) {
      const before = this.#before.get(at.t);
      if (before === undefined) return undefined;
      at = before;
    }
    return at.t === opTime.t && compareTimestamps(at.ts, opTime.ts) >= 0;
  }

  /** Takes in the log's change; ask about the state before it first. */
  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'oplogWritten': {
        const log = this.#logOf(event.member);
        const { entries } = event;
        const last = entries.at(-1);
        if (last === undefined) return;
        if (log.end?.t !== last.opTime.t) this.#recordTermStarts(log.end, entries);
        log.end = last.opTime;
        return;
      }
      case 'processStarted':
        // A process without the set does not touch the oplog: what it finds there is what the set's process left.
        if (event.mode === 'standalone') return;
        this.#logOf(event.member).end = isNullOpTime(event.lastApplied) ? undefined : event.lastApplied;
        return;
      case 'rolledBack':
        this.#logOf(event.member).end = event.commonPoint;
        return;
      case 'initialSync':
        if (event.phase === 'started') this.#logOf(event.member).end = undefined;
        return;
    }
  }

  #logOf(member: string): { end: OpTime | undefined } {
    let log = this.#ends.get(member);
    if (log === undefined) {
      log = { end: undefined };
      this.#ends.set(member, log);
    }
    return log;
  }

  #recordTermStarts(end: OpTime | undefined, entries: readonly OplogEntry[]): void {
    let before = end;
    for (const { opTime } of entries) {
      // Terms that fall would make the walk of `holds` endless; that they fall is logOrder's to say.
      if (before !== undefined && before.t < opTime.t && !this.#before.has(opTime.t)) {
        this.#before.set(opTime.t, before);
        keepNewest(this.#before, MAX_TERMS);
      }
      before = opTime;
    }
  }
}
