import { compareOpTimes, type OpTime, type Term } from '@replsim/protocol';
import type { EventOf } from '../checker.ts';
import { keepNewest } from '../keepNewest.ts';

/** Newer terms carry what older ones committed, so the old ones may be forgotten. */
const MAX_TERMS = 1000;

/** A commit point that a primary computed, and which member that was. */
export interface Announced {
  readonly opTime: OpTime;
  readonly member: string;
}

/** The highest commit point that each term's primary ever announced; all entries up to it, on its branch, are committed. */
export class Committed {
  readonly #byTerm = new Map<Term, Announced>();
  #highest: Announced | undefined;

  /** @returns whether it is news: computed by a primary, and higher than before */
  announce({ opTime, member, learned }: EventOf<'commitPoint'>): boolean {
    if (learned) return false;
    const known = this.#byTerm.get(opTime.t);
    if (known !== undefined && compareOpTimes(opTime, known.opTime) <= 0) return false;
    const announced = { opTime, member };
    this.#byTerm.set(opTime.t, announced);
    keepNewest(this.#byTerm, MAX_TERMS);
    if (this.#highest === undefined || compareOpTimes(opTime, this.#highest.opTime) > 0) this.#highest = announced;
    return true;
  }

  /** The highest commit point of all. */
  get newest(): Announced | undefined {
    return this.#highest;
  }

  /** The highest commit point of a term before `term`. */
  before(term: Term): Announced | undefined {
    if (this.#highest === undefined || this.#highest.opTime.t < term) return this.#highest;
    // An election that was won late: a newer term has committed something already.
    let highest: Announced | undefined;
    for (const announced of this.#byTerm.values()) {
      if (announced.opTime.t >= term) continue;
      if (highest === undefined || announced.opTime.t > highest.opTime.t) highest = announced;
    }
    return highest;
  }

  /** The commit point of the same term that reaches `opTime`: entries of one term stand in one line. */
  covering(opTime: OpTime): Announced | undefined {
    const announced = this.#byTerm.get(opTime.t);
    return announced !== undefined && compareOpTimes(opTime, announced.opTime) <= 0 ? announced : undefined;
  }
}
