import { type Figures, type Keyed, keyedOf } from './figures.ts';
import type { Measured, MeasureInput } from './measureRun.ts';
import { type Distribution, distributionOf } from './statistics.ts';

/** One of the things that are measured under the same seeds. */
export interface Arm extends Omit<MeasureInput, 'seed'> {
  readonly name: string;
}

export interface MeasureOptions {
  readonly seeds: { readonly from: number; readonly to: number };
  readonly play: (input: MeasureInput) => Promise<Measured>;
  /** How many may be under way at once; the figures do not depend on it. */
  readonly atOnce?: number;
  readonly onProgress?: (progress: { readonly runs: number; readonly of: number }) => void;
  /** Asked when all arms have been played with a seed. */
  readonly isOver?: () => boolean;
}

/** An arm and its runs, in the order of their seeds. */
export interface MeasuredArm {
  readonly arm: Arm;
  readonly runs: readonly Measured[];
}

/** Plays every arm with every seed; who breaks off has as many runs of each arm. */
export async function measure(arms: readonly Arm[], options: MeasureOptions): Promise<readonly MeasuredArm[]> {
  const { seeds, play, atOnce = 1, onProgress, isOver = () => false } = options;
  const of = arms.length * (seeds.to - seeds.from + 1);
  const underWay: Promise<Measured>[] = [];
  const measured: Measured[] = [];
  for (let next = 0; measured.length < of; ) {
    while (underWay.length < atOnce && next < of) {
      const { name: _, ...input } = arms[next % arms.length] as Arm;
      const run = play({ ...input, seed: seeds.from + Math.floor(next++ / arms.length) });
      // Who breaks off does not hear of those behind.
      run.catch(() => {});
      underWay.push(run);
    }
    measured.push((await underWay.shift()) as Measured);
    onProgress?.({ runs: measured.length, of });
    if (measured.length % arms.length === 0 && isOver()) break;
  }
  return arms.map((arm, i) => ({ arm, runs: measured.filter((_, run) => run % arms.length === i) }));
}

/** What the runs of an arm come to. */
export interface Summary {
  readonly name: string;
  /** How many runs there were, how many came to their end, and in how many of these a check failed. */
  readonly runs: number;
  readonly whole: number;
  readonly failed: number;
  /** An example of each, with the seed that shows it. */
  readonly failure: { readonly seed: number; readonly title: string } | undefined;
  readonly obstacle: { readonly seed: number; readonly title: string } | undefined;
  /** In the order of the table; a figure that no run has is not there. */
  readonly rows: readonly Row[];
}

export interface Row {
  readonly figure: Keyed;
  readonly distribution: Distribution;
}

export function summaryOf({ arm: { name }, runs }: MeasuredArm): Summary {
  const failure = runs.find(({ failed }) => failed !== undefined);
  const obstacle = runs.find((run) => run.obstacle !== undefined);
  return {
    name,
    runs: runs.length,
    whole: runs.filter((run) => run.obstacle === undefined).length,
    failed: runs.filter(({ failed }) => failed !== undefined).length,
    failure: failure && { seed: failure.seed, title: failure.failed ?? '' },
    obstacle: obstacle && { seed: obstacle.seed, title: obstacle.obstacle ?? '' },
    rows: keyedOf(runs.map(({ figures }) => figures)).flatMap((figure) => {
      const distribution = distributionOf(samplesOf(runs, figure.key));
      return distribution ? [{ figure, distribution }] : [];
    }),
  };
}

export function samplesOf(runs: readonly { readonly seed: number; readonly figures: Figures }[], key: string) {
  return runs.flatMap(({ seed, figures }) => {
    const value = figures[key];
    return value === undefined ? [] : [{ seed, value }];
  });
}
