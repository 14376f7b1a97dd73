import { decodePromoted, isNullOpTime, type OplogOperation, splitNamespace, type TraceEvent } from '@replsim/protocol';
import { at } from './situation.ts';
import type { CatalogChange } from './ttlIndexes.ts';

/** A collection comes, or goes. */
interface Turn {
  readonly atMicros: number;
  /** Why it is not there any more; undefined where it is. */
  readonly gone: string | undefined;
}

/** Databases that have collections which no oplog entry made. */
const OWN_DATABASES = new Set(['admin', 'config', 'local']);

/** What there is to ask about in a whole run, whenever a question is asked: its workloads and its collections. */
export class Subjects {
  readonly #workloads = new Map<string, number>();
  readonly #collections = new Map<string, Turn[]>();
  #incomplete = false;

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'workloadStarted':
        if (!this.#workloads.has(event.workload)) this.#workloads.set(event.workload, event.atMicros);
        return;
      case 'processStarted':
        // Data from before the run, and what a standalone writes, came without entries.
        if (event.mode === 'standalone' || (event.atMicros === 0 && !isNullOpTime(event.lastApplied)))
          this.#incomplete = true;
        return;
      case 'oplogWritten':
        if (event.origin !== 'self') return;
        for (const { operations } of event.entries)
          for (const operation of operations) this.#take(operation, event.atMicros);
    }
  }

  /** The names of all workloads, in the order in which they start. */
  get workloads(): readonly string[] {
    return [...this.#workloads.keys()];
  }

  /** The collections that the clients of a run have; undefined where it may have others. */
  get collections(): readonly string[] | undefined {
    return this.#incomplete ? undefined : [...this.#collections.keys()].filter((ns) => !isOwn(ns)).sort();
  }

  /** Whether a collection may be there at some time. */
  mayHave(ns: string): boolean {
    return this.#incomplete || isOwn(ns) || this.#collections.has(ns);
  }

  /** Why a collection is not there at an instant, in a sentence; undefined if it is, or may be. */
  whyAbsent(ns: string, nowMicros: number): string | undefined {
    const turns = this.#collections.get(ns) ?? [];
    const last = turns.findLast(({ atMicros }) => atMicros <= nowMicros);
    const next = turns.find(({ atMicros, gone }) => atMicros > nowMicros && gone === undefined);
    const again = next && `it is created${last ? ' again' : ''} at ${at(next.atMicros)}`;
    if (last?.gone !== undefined)
      return [`${ns} was ${last.gone} at ${at(last.atMicros)}`, again].filter(Boolean).join('; ');
    return last || !again || this.#incomplete ? undefined : `${ns} does not exist yet: ${again}`;
  }

  #take({ op, ns, o }: OplogOperation, atMicros: number): void {
    if ((op === 'i' || op === 'd') && ns.endsWith('.system.views')) {
      const { _id } = decodePromoted(o) as { _id?: unknown };
      if (typeof _id === 'string') this.#turn(_id, atMicros, op === 'd' ? 'dropped' : undefined);
    }
    if (op !== 'c') return op === 'n' ? undefined : this.#turn(ns, atMicros);
    const { create, drop, renameCollection, to } = decodePromoted(o) as CatalogChange;
    const [db] = splitNamespace(ns);
    if (create !== undefined) for (const name of [create, ...measured(create)]) this.#turn(`${db}.${name}`, atMicros);
    if (drop !== undefined)
      for (const name of [drop, ...measured(drop)]) this.#turn(`${db}.${name}`, atMicros, 'dropped');
    if (renameCollection === undefined || to === undefined) return;
    this.#turn(renameCollection, atMicros, `renamed to ${to}`);
    this.#turn(to, atMicros);
  }

  #turn(ns: string, atMicros: number, gone: string | undefined = undefined): void {
    const turns = this.#collections.get(ns) ?? [];
    this.#collections.set(ns, turns);
    const last = turns.at(-1);
    if (!last || (last.gone === undefined) !== (gone === undefined)) turns.push({ atMicros, gone });
  }
}

/** The time series of which these are the buckets. */
function measured(name: string): string[] {
  return name.startsWith('system.buckets.') ? [name.slice('system.buckets.'.length)] : [];
}

function isOwn(ns: string): boolean {
  const [db, name] = splitNamespace(ns);
  return OWN_DATABASES.has(db) || name.startsWith('system.');
}
