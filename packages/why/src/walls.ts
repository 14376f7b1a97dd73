import { Barriers } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';

/** Who cannot reach whom, and since when: what partitions, cuts and healing have left. */
export class Walls {
  readonly #barriers = new Barriers();
  readonly #members: readonly string[];
  /** Of each directed pair that is kept apart, since when. Unit: µs. */
  readonly #since = new Map<string, number>();

  /** @param members all names of the run: what a partition does not name stands together */
  constructor(members: readonly string[]) {
    this.#members = members;
  }

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'partitioned':
        this.#barriers.partition(event.groups);
        break;
      case 'cut':
        this.#barriers.cut(event.from, event.to);
        break;
      case 'healed':
        if (event.members === 'all') this.#barriers.healAll();
        else this.#barriers.heal(event.members, new Set(this.#members));
        break;
      default:
        return;
    }
    this.#mark(event.atMicros);
  }

  /** Since when nothing of `from` reaches `to`; undefined if it does. Unit: µs. */
  cutSince(from: string, to: string): number | undefined {
    return this.#since.get(pair(from, to));
  }

  /** Since when two cannot talk: an answer needs both ways. Unit: µs. */
  apartSince(one: string, other: string): number | undefined {
    const there = this.cutSince(one, other);
    const back = this.cutSince(other, one);
    return there === undefined || back === undefined ? (there ?? back) : Math.min(there, back);
  }

  #mark(atMicros: number): void {
    for (const from of this.#members) {
      for (const to of this.#members) {
        const key = pair(from, to);
        if (!this.#barriers.block(from, to)) this.#since.delete(key);
        else if (!this.#since.has(key)) this.#since.set(key, atMicros);
      }
    }
  }
}

function pair(from: string, to: string): string {
  return `${from} ${to}`;
}
