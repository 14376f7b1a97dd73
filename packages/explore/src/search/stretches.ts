import type { Failure } from './failure.ts';
import type { Range } from './range.ts';
import { NO_SUMS, type Sums, sumsOf, together } from './sums.ts';
import type { Trial } from './trial.ts';

/** A run in which the claim does not hold. */
export interface Found {
  readonly failure: Failure;
  /** A scenario that fails so. */
  readonly text: string;
  readonly seed: number;
  /** Which run it was, from 1. */
  readonly run: number;
}

/**
 * Runs that follow each other, up to one that failed as none before it. An exploration ends with such a run or with the last, so whoever joins
 * stretches can end where one process would have, whoever played them.
 */
export interface Stretch extends Range {
  readonly sums: Sums;
  /** By the last of them. */
  readonly found?: Found;
}

/** Takes runs, in their order, and makes stretches of them. */
export class Stretches {
  readonly #done: Stretch[] = [];
  readonly #known = new Set<string>();
  readonly #from: number;
  #sums = NO_SUMS;

  constructor(from: number) {
    this.#from = from;
  }

  take(trial: Trial, { text, seed }: { readonly text: string; readonly seed: number }): void {
    this.#sums = together(this.#sums, sumsOf(trial));
    const { failure } = trial;
    if (failure === undefined || this.#known.has(failure.sameAs)) return;
    this.#known.add(failure.sameAs);
    this.#end({ failure, text, seed, run: this.#begun + this.#sums.runs });
  }

  get found(): number {
    return this.#known.size;
  }

  /** Those so far. */
  get all(): readonly Stretch[] {
    if (this.#sums.runs > 0) this.#end(undefined);
    return this.#done;
  }

  /** The first run of the stretch that is not over. */
  get #begun(): number {
    return this.#done.at(-1)?.to ?? this.#from;
  }

  #end(found: Found | undefined): void {
    const from = this.#begun;
    this.#done.push({ from, to: from + this.#sums.runs, sums: this.#sums, ...(found && { found }) });
    this.#sums = NO_SUMS;
  }
}

/** What was found, and in how many runs the same failed. */
export interface Finding extends Found {
  readonly times: number;
}

/** What stretches come to, as if one process had played them and ended at that many findings. */
export interface Joined extends Sums {
  readonly findings: readonly Finding[];
  /** The run behind the last that counts. */
  readonly to: number;
  /** Whether that is because enough was found. */
  readonly isEnough: boolean;
}

/** @param stretches in their order */
export function joined(stretches: readonly Stretch[], stopAt: number): Joined {
  const found = new Map<string, Found>();
  let sums = NO_SUMS;
  let to = 0;
  for (const stretch of stretches) {
    if (found.size >= stopAt) break;
    sums = together(sums, stretch.sums);
    to = stretch.to;
    const { failure } = stretch.found ?? {};
    if (stretch.found && failure && !found.has(failure.sameAs)) found.set(failure.sameAs, stretch.found);
  }
  const times = new Map(sums.times);
  const findings = [...found].map(([sameAs, each]) => ({ ...each, times: times.get(sameAs) ?? 0 }));
  return { ...sums, findings, to, isEnough: found.size >= stopAt };
}
