import { Random } from '@replsim/kernel';
import { type Coverage, NO_COVERAGE, plus } from './coverage.ts';
import { Draft, type FaultAt } from './draft.ts';
import { everywhere, type FaultText, instantsBefore } from './everywhere.ts';
import { ExploreError } from './exploreError.ts';
import type { Failure } from './failure.ts';
import { DRAWN_KINDS, drawFaults } from './swarm.ts';
import type { Trial, TrialInput } from './trial.ts';

/** How runs differ from each other. */
export type Mode =
  /** By their seeds alone. */
  | { readonly kind: 'seeds' }
  /** By faults that chance draws. */
  | { readonly kind: 'faults'; readonly atMost: number; readonly kinds?: readonly string[] }
  /** By the instant at which given faults happen. */
  | { readonly kind: 'everywhere'; readonly faults: readonly FaultText[] };

export interface ExploreOptions {
  readonly mode: Mode;
  /** Of the first run; undefined: the text's own. */
  readonly seed?: number;
  /** So many runs at most. */
  readonly runs: number;
  /** So many different findings at most. */
  readonly stopAt: number;
  /** Plays a run. */
  readonly play: (input: TrialInput) => Promise<Trial>;
  /** How many may be under way at once; what is found does not depend on it. */
  readonly atOnce?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Asked after each run. */
  readonly isOver?: () => boolean;
}

/** What is known so far. */
export interface Progress {
  readonly runs: number;
  /** How many there are to be. */
  readonly of: number;
  readonly findings: readonly Finding[];
}

/** A run in which the claim does not hold. */
export interface Finding {
  readonly failure: Failure;
  /** A scenario that fails so. */
  readonly text: string;
  readonly seed: number;
  /** Which run it was, from 1. */
  readonly run: number;
  /** In how many runs the same failed. */
  readonly times: number;
}

export interface Explored {
  /** What came of the scenario as it stands. */
  readonly base: Trial;
  readonly runs: number;
  /** How many there were to be. */
  readonly of: number;
  readonly findings: readonly Finding[];
  readonly coverage: Coverage;
  /** Runs that did not come to their end, by what stood in their way. */
  readonly obstacles: Readonly<Record<'fault' | 'step', number>>;
  /** An example of one, as its run reports it. */
  readonly obstacle: string | undefined;
}

/**
 * Looks for a run in which what a scenario claims does not hold. The same text, mode and seed try the same runs, in the same order.
 * @throws ExploreError if the scenario cannot be read, or not with what is to happen in it
 */
export async function explore(text: string, options: ExploreOptions): Promise<Explored> {
  const { mode, play, isOver = () => false } = options;
  const seeded = options.seed === undefined ? {} : { seed: options.seed };
  const base = await play({ text, ...seeded, wantsInstants: mode.kind === 'everywhere' });
  if (base.obstacle?.of === 'text') throw new ExploreError(base.obstacle.title);
  const tally = new Tally(base);
  tally.take(base, { text, seed: base.seed });
  const variants = variantsOf(text, base, mode, options.runs);
  for await (const [trial, input] of inOrder(variants, options)) {
    // The base can be read, so this is what was put into it.
    if (trial.obstacle?.of === 'text') throw new ExploreError(trial.obstacle.title);
    tally.take(trial, input);
    options.onProgress?.({ runs: tally.runs, of: variants.count, findings: tally.findings });
    if (tally.findings.length >= options.stopAt || isOver()) break;
  }
  return tally.explored(variants.count);
}

type Input = Required<Pick<TrialInput, 'text' | 'seed'>>;

/** All runs but the first, which has been made, as if one were played after the other. */
async function* inOrder(
  variants: Variants,
  { play, stopAt, atOnce = 1, isOver }: ExploreOptions,
): AsyncGenerator<[Trial, Input]> {
  if (stopAt <= 0 || isOver?.()) return;
  const underWay: (readonly [Promise<Trial>, Input])[] = [];
  for (let next = 1; ; ) {
    while (underWay.length < atOnce && next < variants.count) {
      const input = variants.at(next++);
      const trial = play(input);
      // Who breaks off does not hear of those behind.
      trial.catch(() => {});
      underWay.push([trial, input]);
    }
    const first = underWay.shift();
    if (!first) return;
    yield [await first[0], first[1]];
  }
}

/** The runs that are to be tried; the first, at 0, is the scenario as it stands. */
interface Variants {
  readonly count: number;
  at(index: number): Input;
}

function variantsOf(text: string, base: Trial, mode: Mode, runs: number): Variants {
  const withFaults = (faults: readonly FaultAt[]) => Draft.of(text).add(faults).text;
  switch (mode.kind) {
    case 'seeds':
      return { count: runs, at: (index) => ({ text, seed: base.seed + index }) };
    case 'everywhere': {
      const all = everywhere(mode.faults, instantsBefore(base.instants ?? [], base.beganMicros));
      return {
        count: Math.min(runs, 1 + all.count),
        at: (index) => ({ text: withFaults(all.at(index - 1)), seed: base.seed }),
      };
    }
    case 'faults': {
      const { beganMicros: fromMicros, endMicros: toMicros, members } = base;
      const field = { members, kinds: mode.kinds ?? DRAWN_KINDS, fromMicros, toMicros, atMost: mode.atMost };
      const at = (index: number) => {
        const faults = drawFaults(field, Random.fromSeed(base.seed).split('explore', index));
        return { text: withFaults(faults), seed: base.seed + index };
      };
      return { count: runs, at };
    }
  }
}

/** What runs have come to. */
class Tally {
  readonly #base: Trial;
  readonly #findings = new Map<string, Finding>();
  readonly #obstacles = { fault: 0, step: 0 };
  #obstacle: string | undefined;
  #coverage = NO_COVERAGE;
  runs = 0;

  constructor(base: Trial) {
    this.#base = base;
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  take({ failure, obstacle, coverage }: Trial, { text, seed }: Input): void {
    this.runs += 1;
    this.#coverage = plus(this.#coverage, coverage);
    if (obstacle && obstacle.of !== 'text') {
      this.#obstacles[obstacle.of] += 1;
      this.#obstacle ??= obstacle.title;
    }
    if (!failure) return;
    const before = this.#findings.get(failure.sameAs);
    const found = before ?? { failure, text, seed, run: this.runs, times: 0 };
    this.#findings.set(failure.sameAs, { ...found, times: found.times + 1 });
  }

  explored(of: number): Explored {
    const { runs, findings } = this;
    return {
      ...{ base: this.#base, runs, of, findings, coverage: this.#coverage },
      ...{ obstacles: this.#obstacles, obstacle: this.#obstacle },
    };
  }
}
