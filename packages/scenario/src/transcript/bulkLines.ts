import { formatOpTime, type OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';
import { missedText } from './commandText.ts';
import { type Commit, Commits } from './commits.ts';
import { entryText, NEW_SET } from './entryText.ts';
import { lineAt } from './lineAt.ts';
import type { ToldLine } from './toldLine.ts';

/** How long alike lines are held back to be told as one, unless something else happens first. */
const HELD_MICROS = 1_000_000;

type EventOf<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;
type MemberEvent = Extract<TraceEvent, { readonly member: string }>;
/** What is held back, and where it stands. */
interface Held {
  readonly event: MemberEvent;
  /** See `ToldLine`. */
  readonly number: number;
}

interface HeldEntries extends Held {
  readonly verb: 'writes' | 'applies';
  readonly what: string;
  count: number;
  readonly first: OpTime;
  last: OpTime;
}

interface HeldCommits extends Commit, Held {}

/** Writes that were done, and not where their clients wanted them in time. */
interface HeldMisses extends Held {
  /** The command, and what it was told. */
  readonly missed: string;
  readonly errmsg: string;
  count: number;
}

/** Entries written, applied and committed, and write concerns that were missed: many alike become one line, which stands at the time of the first of them. */
export class BulkLines {
  epochSecs = 0;
  readonly #held = new Map<string, HeldEntries | HeldCommits | HeldMisses>();
  readonly #commits = new Commits();
  #since = 0;

  /** Whether what is held back has waited long enough. */
  isOver(atMicros: number): boolean {
    return this.#held.size > 0 && atMicros - this.#since > HELD_MICROS;
  }

  /** Whether something has happened that is not told yet. */
  get holds(): boolean {
    return this.#held.size > 0;
  }

  /** Takes an event of this kind; false for all others. */
  take(event: TraceEvent, number: number): boolean {
    const commit = this.#commits.observe(event);
    if (event.type === 'commitPoint') {
      if (commit) this.#addCommit({ event, number }, commit);
      return true;
    }
    if (event.type === 'oplogWritten') {
      if (event.origin === 'self') this.#add({ event, number }, 'writes', event.entries);
      return true;
    }
    if (event.type === 'applied') {
      if (event.batch) this.#add({ event, number }, 'applies', event.batch);
      return true;
    }
    if (event.type === 'commandEnded') return this.#addMiss({ event, number }, event);
    return false;
  }

  #add(where: Held, verb: HeldEntries['verb'], entries: readonly OplogEntry[]): void {
    const { atMicros, member } = where.event;
    for (const entry of entries) {
      const what = entryText(entry);
      // Whoever applies a no-op does nothing.
      if (what === undefined || (verb === 'applies' && entry.operation.op === 'n')) continue;
      if (this.#held.size === 0) this.#since = atMicros;
      const key = `${member} ${verb} ${what}`;
      const held = this.#held.get(key) as HeldEntries | undefined;
      if (held) {
        held.count += 1;
        held.last = entry.opTime;
      } else {
        this.#held.set(key, { ...where, verb, what, count: 1, first: entry.opTime, last: entry.opTime });
      }
    }
  }

  /** Gathers a missed write concern. @returns false for a reply that says more than that: it has a line of its own, at once */
  #addMiss(where: Held, { code, name, writeConcernError, retriedStatements = 0 }: EventOf<'commandEnded'>): boolean {
    if (code !== 0 || writeConcernError === undefined || retriedStatements > 0) return false;
    const { atMicros, member } = where.event;
    const { errmsg } = writeConcernError;
    if (this.#held.size === 0) this.#since = atMicros;
    const key = `${member} missed ${name} ${errmsg}`;
    const held = this.#held.get(key) as HeldMisses | undefined;
    if (held) held.count += 1;
    else this.#held.set(key, { ...where, missed: name, errmsg, count: 1 });
    return true;
  }

  /** The last of several says it all. */
  #addCommit(where: Held, commit: Commit): void {
    const { atMicros, member } = where.event;
    const key = `${member} commits`;
    // It stands where it is whole: behind what was written and applied meanwhile.
    this.#held.delete(key);
    if (this.#held.size === 0) this.#since = atMicros;
    this.#held.set(key, { ...where, ...commit });
  }

  flush(): ToldLine[] {
    const lines = [...this.#held.values()].map((held) => ({
      line: this.#line(held),
      event: held.event,
      number: held.number,
    }));
    this.#held.clear();
    return lines;
  }

  #line(held: HeldEntries | HeldCommits | HeldMisses): string {
    const { atMicros, member } = held.event;
    if ('missed' in held) return lineAt(atMicros, member, missedText(held.missed, held.errmsg, held.count));
    if ('heldBy' in held) {
      const { opTime, heldBy } = held;
      const who =
        heldBy.length === 0 ? 'a majority has it' : `${heldBy.join(', ')} ${heldBy.length === 1 ? 'has' : 'have'} it`;
      return lineAt(atMicros, member, `commit point moves to ${formatOpTime(opTime, this.epochSecs)}: ${who}`);
    }
    const { verb, what, count, first, last } = held;
    const many = count > 1 && what !== NEW_SET ? `${count} × ` : '';
    const to = count > 1 ? ` to ${formatOpTime(last, this.epochSecs)}` : '';
    return lineAt(atMicros, member, `${verb} ${many}${what} at ${formatOpTime(first, this.epochSecs)}${to}`);
  }
}
