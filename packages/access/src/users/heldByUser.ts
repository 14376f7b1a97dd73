import { shownName, type UserName } from '../names.ts';

/** What there is of one kind, and how much of it one user has. */
export interface Held {
  /** `name@db` or its digest; empty for whoever has not logged in. */
  readonly owner: string;
  readonly own: number;
  readonly all: number;
}

/** A user, or what stands for one; undefined: somebody who has not logged in. */
type Owner = UserName | string | undefined;

/** Counts what users hold of one kind, such as cursors, so that nobody holds so much of it that nothing is left for others. */
export class HeldByUser {
  readonly #check: (held: Held) => void;
  readonly #counts = new Map<string, number>();
  #all = 0;

  /** @param check throws if somebody who has so much may have no more */
  constructor(check: (held: Held) => void) {
    this.#check = check;
  }

  /** Somebody wants one more. Throws what the check throws; then nothing is counted. */
  take(whose: Owner): void {
    const owner = keyOf(whose);
    const own = this.#counts.get(owner) ?? 0;
    this.#check({ owner, own, all: this.#all });
    this.#counts.set(owner, own + 1);
    this.#all += 1;
  }

  release(whose: Owner): void {
    const owner = keyOf(whose);
    const left = (this.#counts.get(owner) ?? 0) - 1;
    if (left > 0) this.#counts.set(owner, left);
    else this.#counts.delete(owner);
    this.#all -= 1;
  }
}

function keyOf(owner: Owner): string {
  return typeof owner === 'object' ? shownName(owner) : (owner ?? '');
}
