import { type Coverage, NO_COVERAGE, plus } from './coverage.ts';
import type { Trial } from './trial.ts';

/** What runs have come to together, whichever they were. */
export interface Sums {
  readonly runs: number;
  readonly coverage: Coverage;
  /** Runs that did not come to their end, by what stood in their way. */
  readonly obstacles: Readonly<Record<'fault' | 'step', number>>;
  /** What the first of them reports. */
  readonly obstacle?: string;
  /** Of each `sometimes` of the scenario, in its order, in how many runs it held. */
  readonly sometimes: readonly number[];
  /** In how many runs each failure was seen. */
  readonly times: readonly (readonly [sameAs: string, runs: number])[];
}

export const NO_SUMS: Sums = {
  runs: 0,
  coverage: NO_COVERAGE,
  obstacles: { fault: 0, step: 0 },
  sometimes: [],
  times: [],
};

/** The same of one run. */
export function sumsOf({ failure, obstacle, coverage, sometimes = [] }: Trial): Sums {
  const hindered = obstacle && obstacle.of !== 'text' ? obstacle : undefined;
  return {
    runs: 1,
    coverage,
    obstacles: { fault: Number(hindered?.of === 'fault'), step: Number(hindered?.of === 'step') },
    ...(hindered && { obstacle: hindered.title }),
    sometimes: sometimes.map(({ held }) => Number(held > 0)),
    times: failure ? [[failure.sameAs, 1]] : [],
  };
}

/** @param later what came behind, so that the first example stays the first */
export function together(earlier: Sums, later: Sums): Sums {
  const times = new Map(earlier.times);
  for (const [sameAs, runs] of later.times) times.set(sameAs, (times.get(sameAs) ?? 0) + runs);
  const obstacle = earlier.obstacle ?? later.obstacle;
  return {
    runs: earlier.runs + later.runs,
    coverage: plus(earlier.coverage, later.coverage),
    obstacles: {
      fault: earlier.obstacles.fault + later.obstacles.fault,
      step: earlier.obstacles.step + later.obstacles.step,
    },
    sometimes: added(earlier.sometimes, later.sometimes),
    ...(obstacle !== undefined && { obstacle }),
    times: [...times],
  };
}

function added(some: readonly number[], others: readonly number[]): readonly number[] {
  return Array.from({ length: Math.max(some.length, others.length) }, (_, i) => (some[i] ?? 0) + (others[i] ?? 0));
}
