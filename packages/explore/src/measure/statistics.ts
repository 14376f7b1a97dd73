import { nearestRank } from '@replsim/kernel';
import { required } from '@replsim/protocol';

/** A figure of one run, and the seed that plays it again. */
export interface Sample {
  readonly seed: number;
  readonly value: number;
}

/** What one figure came to over many runs. Each is a value that some run has, and says which. */
export interface Distribution {
  /** How many runs have the figure. */
  readonly runs: number;
  readonly min: Sample;
  readonly median: Sample;
  readonly p95: Sample;
  readonly p99: Sample;
  readonly max: Sample;
  /** All together. */
  readonly total: number;
  /** Where the median of all seeds there are lies; undefined of too few runs to say. */
  readonly medianWithin: Interval | undefined;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
  /** How sure that is, exactly: at least `CONFIDENCE`. */
  readonly confidence: number;
}

const CONFIDENCE = 0.95;
/** Two series of runs are said to differ if chance alone would show as much less often than this. */
export const SIGNIFICANCE = 0.01;

/** Of equal values the smaller seed comes first, so that the order of the runs does not matter. Undefined of none. */
export function distributionOf(samples: readonly Sample[]): Distribution | undefined {
  const runs = samples.length;
  if (runs === 0) return undefined;
  const sorted = [...samples].sort((a, b) => a.value - b.value || a.seed - b.seed);
  const at = (share: number) => required(sorted[nearestRank(runs, share)], 'sample of that rank');
  // The worst is told by its first seed, too.
  const max = required(
    sorted.find(({ value }) => value === at(1).value),
    'greatest sample',
  );
  return {
    ...{ runs, min: at(0), median: at(0.5), p95: at(0.95), p99: at(0.99), max },
    total: samples.reduce((sum, { value }) => sum + value, 0),
    medianWithin: medianInterval(sorted.map(({ value }) => value)),
  };
}

/**
 * The narrowest interval between two order statistics of the same rank from either end that holds the median with the confidence wanted: the
 * number of values below the median is binomial, whatever their distribution. @param sorted ascending
 */
export function medianInterval(sorted: readonly number[], confidence = CONFIDENCE): Interval | undefined {
  const count = sorted.length;
  let outside = 0;
  let found: Interval | undefined;
  for (let rank = 0; 2 * rank < count; rank++) {
    outside += 2 * fairly(count, rank);
    if (1 - outside < confidence) break;
    const [low, high] = [sorted[rank], sorted[count - 1 - rank]];
    found = { low: required(low, 'lower value'), high: required(high, 'upper value'), confidence: 1 - outside };
  }
  return found;
}

/**
 * How probable it is that of so many fair coins the two sides differ by as much as this, or more.
 * @returns 1 where neither side has any
 */
export function signTest(more: number, less: number): number {
  const count = more + less;
  let tail = 0;
  for (let k = 0; k <= Math.min(more, less); k++) tail += fairly(count, k);
  return Math.min(1, 2 * tail);
}

/** The probability of exactly k heads of n fair coins. */
function fairly(n: number, k: number): number {
  return Math.exp(logFactorial(n) - logFactorial(k) - logFactorial(n - k) - n * Math.LN2);
}

const LOG_FACTORIALS: number[] = [0];

function logFactorial(n: number): number {
  for (let i = LOG_FACTORIALS.length; i <= n; i++)
    LOG_FACTORIALS.push(required(LOG_FACTORIALS[i - 1], 'logarithm before') + Math.log(i));
  return required(LOG_FACTORIALS[n], 'logarithm of a factorial');
}
