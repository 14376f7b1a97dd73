import { formatOpTime, type OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';
import { entryText, NEW_SET } from './entryText.ts';
import { lineAt } from './lineAt.ts';

/** How long alike lines are held back to be told as one, unless something else happens first. */
const HELD_MICROS = 1_000_000;

interface Held {
  readonly atMicros: number;
  readonly member: string;
  readonly verb: 'writes' | 'applies';
  readonly what: string;
  count: number;
  readonly first: OpTime;
  last: OpTime;
}

/** Entries written and applied: many alike become one line, which stands at the time of the first of them. */
export class BulkLines {
  epochSecs = 0;
  readonly #held = new Map<string, Held>();
  #since = 0;

  /** Whether what is held back has waited long enough. */
  isOver(atMicros: number): boolean {
    return this.#held.size > 0 && atMicros - this.#since > HELD_MICROS;
  }

  /** Takes an event of this kind; false for all others. */
  take(event: TraceEvent): boolean {
    if (event.type === 'oplogWritten') {
      if (event.origin === 'self') this.#add(event.atMicros, event.member, 'writes', event.entries);
      return true;
    }
    if (event.type === 'applied') {
      if (event.batch) this.#add(event.atMicros, event.member, 'applies', event.batch);
      return true;
    }
    return false;
  }

  #add(atMicros: number, member: string, verb: Held['verb'], entries: readonly OplogEntry[]): void {
    for (const entry of entries) {
      const what = entryText(entry);
      // Whoever applies a no-op does nothing.
      if (what === undefined || (verb === 'applies' && entry.operation.op === 'n')) continue;
      if (this.#held.size === 0) this.#since = atMicros;
      const key = `${member} ${verb} ${what}`;
      const held = this.#held.get(key);
      if (held) {
        held.count += 1;
        held.last = entry.opTime;
      } else {
        this.#held.set(key, { atMicros, member, verb, what, count: 1, first: entry.opTime, last: entry.opTime });
      }
    }
  }

  flush(): string[] {
    const lines = [...this.#held.values()].map((held) => this.#line(held));
    this.#held.clear();
    return lines;
  }

  #line({ atMicros, member, verb, what, count, first, last }: Held): string {
    const many = count > 1 && what !== NEW_SET ? `${count} × ` : '';
    const to = count > 1 ? ` to ${formatOpTime(last, this.epochSecs)}` : '';
    return lineAt(atMicros, member, `${verb} ${many}${what} at ${formatOpTime(first, this.epochSecs)}${to}`);
  }
}
