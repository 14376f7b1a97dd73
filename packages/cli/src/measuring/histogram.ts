import type { Distribution } from '@replsim/explore';

/** How many runs have a value between two bounds; the last bin has its upper bound, too. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly runs: number;
}

/** Values in bins of the same width over the range of several series, so that their histograms can be laid above each other. */
export function histogram(values: readonly number[], range: readonly [from: number, to: number], bins: number): Bin[] {
  const [from, to] = range;
  const width = (to - from) / bins;
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = width === 0 ? 0 : Math.min(Math.floor((value - from) / width), bins - 1);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((runs, i) => ({ from: from + i * width, to: from + (i + 1) * width, runs }));
}

/** From the least to the greatest of all. */
export function rangeOf(all: readonly Distribution[]): readonly [from: number, to: number] {
  return [Math.min(...all.map(({ min }) => min.value)), Math.max(...all.map(({ max }) => max.value))];
}
