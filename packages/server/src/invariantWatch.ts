import { Checkers, type Violation } from '@replsim/checker';
import { required } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';

/** Only this many are kept, because a set that breaks something at every event must not grow without bound. */
const MAX_BROKEN = 20;

/** An invariant that a set broke, and when. */
export interface BrokenInvariant {
  /** Name of the checker that found it, for example `onePrimaryPerTerm`. */
  readonly name: string;
  /** What exactly is broken, as a sentence with the values involved. */
  readonly detail: string;
  /** When it broke. Unit: µs of virtual time since the start. */
  readonly atMicros: number;
}

/** Checks the invariants of a set from its first event on, and reports each break at once. */
export class InvariantWatch {
  readonly #set: ReplSet;
  readonly #broken: BrokenInvariant[] = [];
  readonly #listeners: ((broken: BrokenInvariant) => void)[] = [];

  /** @param set a set in which nothing has happened yet */
  constructor(set: ReplSet) {
    this.#set = set;
    const checkers = new Checkers();
    set.onTrace((event) => {
      const violation = checkers.observe(event);
      if (violation !== undefined) this.#found(violation);
    }, checkers.events);
  }

  /** What broke so far, oldest first, at most the first 20. */
  get broken(): readonly BrokenInvariant[] {
    return this.#broken;
  }

  /** Calls `told` whenever an invariant breaks from now on. */
  onBroken(told: (broken: BrokenInvariant) => void): void {
    this.#listeners.push(told);
  }

  #found({ name, detail, event: { atMicros } }: Violation): void {
    if (this.#broken.length >= MAX_BROKEN) return;
    const broken = { name, detail, atMicros };
    this.#broken.push(broken);
    this.#set.record({ type: 'invariantBroken', name, detail });
    for (const told of this.#listeners) told(broken);
  }
}

/** One line on a broken invariant. */
export function brokenLine({ name, detail, atMicros }: BrokenInvariant): string {
  return `invariant ${name} broken at ${(atMicros / 1e6).toFixed(6)}s: ${detail}`;
}

/** Thrown by `stop()` if the set broke an invariant: through a bug in replsim, or because a test broke its members on purpose. */
export class InvariantBroken extends Error {
  /** The broken invariants, oldest first, at most the first 20. */
  readonly broken: readonly BrokenInvariant[];
  /** Seed of the run. */
  readonly seed: number;

  /**
   * @param broken at least one
   * @param repeat a sentence that says how to repeat the run
   */
  constructor(
    broken: readonly BrokenInvariant[],
    seed: number,
    repeat: string,
    options?: { readonly cause?: unknown },
  ) {
    const [first, ...others] = broken;
    const more =
      others.length === 0 ? [] : [`${others.length}${others.length + 1 < MAX_BROKEN ? '' : ' or more'} after it`];
    super(
      [`${brokenLine(required(first, 'broken invariant'))} (virtual time; seed ${seed})`, ...more, repeat].join('\n'),
      options,
    );
    this.name = 'InvariantBroken';
    this.broken = broken;
    this.seed = seed;
  }
}
