import { Placing } from './placing.ts';
import type { State, Step } from './raftMongo.ts';

/** What is asked of a server, whose state decides what it comes to, or that there is nothing to do. */
export interface Wanted {
  readonly atMicros: number;
  readonly server: string;
  /** What a server writes rests on its role and its log, so these come in order; the others come when they can. */
  readonly what: 'inOrder' | 'term' | 'commitPoint';
  /** How many steps there were when it came about. */
  readonly since: number;
  readonly stepFrom: (state: State) => Step | undefined;
}

/** What servers do, in the order in which it came about, until there is a place for it. */
export class Waiting {
  readonly #servers: readonly string[];
  readonly #placing: Placing;
  #waiting: Wanted[] = [];
  /** Commit points that were left out. */
  overtaken = 0;

  constructor(servers: readonly string[]) {
    this.#servers = servers;
    this.#placing = new Placing(servers);
  }

  get steps(): readonly Step[] {
    return this.#placing.steps;
  }

  /** The first for which there was no place, and on which the rest of its server rests. */
  get stuck(): Wanted | undefined {
    return this.#waiting.find(({ what }) => what === 'inOrder');
  }

  /** A member hears of another commit point: one that has no place yet is left out. */
  overtake(member: string): void {
    const left = this.#waiting.filter(({ server, what }) => server !== member || what !== 'commitPoint');
    this.overtaken += this.#waiting.length - left.length;
    this.#waiting = left;
  }

  /** Members that are no servers are passed over: they only pass on what voters have written. */
  want(
    { atMicros, member }: { readonly atMicros: number; readonly member: string },
    what: Wanted['what'],
    stepFrom: Wanted['stepFrom'],
  ): void {
    if (!this.#servers.includes(member)) return;
    this.#waiting.push({ atMicros, server: member, what, since: this.#placing.steps.length, stepFrom });
  }

  /** Places what can be placed now. */
  retry(): void {
    for (let placed = true; placed; ) {
      placed = false;
      const held = new Set<string>();
      this.#waiting = this.#waiting.filter((wanted) => {
        const inOrder = wanted.what === 'inOrder';
        if (inOrder && held.has(wanted.server)) return true;
        const step = wanted.stepFrom(this.#placing.state);
        const done = step === undefined || this.#placing.place(step);
        if (!done && inOrder) held.add(wanted.server);
        placed ||= done;
        return !done;
      });
      if (this.#waiting.length === 0) return;
    }
  }
}
