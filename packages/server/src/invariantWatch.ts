import { Checkers, type Violation } from '@replsim/checker';
import { required } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';

/** So many are kept: a set that breaks something at every event must not grow without bound. */
const MAX_BROKEN = 20;

/** What a set broke, and when. */
export interface BrokenInvariant {
  /** The checker's. */
  readonly name: string;
  /** What is broken, in words with numbers. */
  readonly detail: string;
  /** Virtual time since the start. */
  readonly atMicros: number;
}

/** Holds the invariants against a set from its first event on, and says at once what it breaks. */
export class InvariantWatch {
  readonly #set: ReplSet;
  readonly #broken: BrokenInvariant[] = [];
  readonly #listeners: ((broken: BrokenInvariant) => void)[] = [];

  /** @param set in which nothing has happened yet */
  constructor(set: ReplSet) {
    this.#set = set;
    const checkers = new Checkers();
    set.onTrace((event) => {
      const violation = checkers.observe(event);
      if (violation !== undefined) this.#found(violation);
    }, checkers.events);
  }

  /** First things first; the first 20. */
  get broken(): readonly BrokenInvariant[] {
    return this.#broken;
  }

  /** Calls `told` with each that breaks from now on, when it does. */
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

/** A set has broken an invariant: a bug of ours, or members that were broken on purpose. */
export class InvariantBroken extends Error {
  readonly broken: readonly BrokenInvariant[];
  readonly seed: number;

  /**
   * @param broken one or more
   * @param repeat how to have the same run again, in a sentence
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
