import { Random } from '@replsim/kernel';
import { Draft, type FaultAt } from './draft.ts';
import { everywhere, type FaultText, instantsBefore } from './everywhere.ts';
import { ExploreError } from './exploreError.ts';
import type { Range } from './range.ts';
import { type Finding, joined, type Stretch, Stretches } from './stretches.ts';
import type { Sums } from './sums.ts';
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
  /** What `baseOf` came to, if that is known. */
  readonly base?: Trial;
  /** Plays a run. */
  readonly play: (input: TrialInput) => Promise<Trial>;
  /** How many may be under way at once; what is found does not depend on it. */
  readonly atOnce?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Only these of so many runs; all by default. */
  readonly part?: (count: number) => Range;
  /** Asked after each run. */
  readonly isOver?: () => boolean;
}

/** What is known so far. */
export interface Progress {
  readonly runs: number;
  /** How many there are to be. */
  readonly of: number;
  /** How many different findings there are. */
  readonly found: number;
}

export interface Explored extends Sums {
  /** What came of the scenario as it stands, whether or not it is one of these runs. */
  readonly base: Pick<Trial, 'failure' | 'seed'>;
  /** How many runs there were to be, in all parts. */
  readonly of: number;
  readonly findings: readonly Finding[];
  /** What others can be joined to. */
  readonly stretches: readonly Stretch[];
}

/**
 * Looks for a run in which what a scenario claims does not hold. The same text, mode and seed try the same runs, in the same order.
 * @throws ExploreError if the scenario cannot be read, or not with what is to happen in it
 */
export async function explore(text: string, options: ExploreOptions): Promise<Explored> {
  const { mode, stopAt, isOver = () => false, part = (count) => ({ from: 0, to: count }) } = options;
  const base = options.base ?? (await baseOf(text, options));
  if (base.obstacle?.of === 'text') throw new ExploreError(base.obstacle.title);
  const variants = variantsOf(text, base, mode, options.runs);
  const { from, to } = part(variants.count);
  const stretches = new Stretches(from);
  let runs = 0;
  const take = (trial: Trial, input: Input) => {
    // The base can be read, so this is what was put into it.
    if (trial.obstacle?.of === 'text') throw new ExploreError(trial.obstacle.title);
    stretches.take(trial, input);
    runs += 1;
  };
  // That one is known already.
  if (from === 0 && to > 0) take(base, { text, seed: base.seed });
  if (stretches.found < stopAt && !isOver())
    for await (const [trial, input] of inOrder(variants, { from: Math.max(from, 1), to }, options)) {
      take(trial, input);
      options.onProgress?.({ runs, of: to - from, found: stretches.found });
      if (stretches.found >= stopAt || isOver()) break;
    }
  return exploredOf(stretches.all, { base, of: variants.count, stopAt });
}

/** Plays the scenario as it stands. */
export function baseOf(
  text: string,
  { mode, seed, play }: Pick<ExploreOptions, 'mode' | 'seed' | 'play'>,
): Promise<Trial> {
  return play({ text, ...(seed !== undefined && { seed }), wantsInstants: mode.kind === 'everywhere' });
}

/** What the runs of one process come to, or of several that were told the same. */
export function exploredOf(
  stretches: readonly Stretch[],
  { base, of, stopAt }: Pick<Explored, 'base' | 'of'> & Pick<ExploreOptions, 'stopAt'>,
): Explored {
  const { failure, seed } = base;
  return { base: { ...(failure && { failure }), seed }, of, ...joined(stretches, stopAt), stretches };
}

type Input = Required<Pick<TrialInput, 'text' | 'seed'>>;

/** Runs, as if one were played after the other. */
async function* inOrder(
  variants: Variants,
  { from, to }: Range,
  { play, atOnce = 1 }: ExploreOptions,
): AsyncGenerator<[Trial, Input]> {
  // Who is done with a short run need not wait for a long one that others are busy with.
  const ahead = atOnce > 1 ? 2 * atOnce : 1;
  const underWay: (readonly [Promise<Trial>, Input])[] = [];
  for (let next = from; ; ) {
    while (underWay.length < ahead && next < to) {
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
