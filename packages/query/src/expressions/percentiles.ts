/** Percentiles of numbers, as doubles. Upstream: percentile_algo_discrete.cpp, percentile_algo_tdigest.cpp. */
import type { BsonValue } from '@replsim/protocol';
import { isNumeric } from '../values.ts';
import { toDouble } from './operands.ts';

type Values = readonly (BsonValue | undefined)[];

/** How strongly a digest keeps numbers apart. Upstream: query_knobs.idl, internalQueryTdigestDelta. */
const DELTA = 2000;
/** So many numbers are merged into a digest at once. */
const BUFFERED = 5 * DELTA;

/**
 * Each percentile is one of the numbers; undefined if there is none. What is no number counts nothing, nor does NaN.
 * @param ps from 0 to 1
 */
export function discreteQuantiles(values: Values, ps: readonly number[]): number[] | undefined {
  const sorted = doublesOf(values).sort(byNumber);
  return sorted.length === 0 ? undefined : ps.map((p) => sorted[rankOf(sorted.length, p)]!);
}

/**
 * The same by a t-digest: exact up to some thousand numbers; of more, those in the middle are averaged and interpolated. The order
 * in which they come counts only beyond ten thousand.
 */
export function digestQuantiles(values: Values, ps: readonly number[]): number[] | undefined {
  const numbers = doublesOf(values);
  if (numbers.length === 0) return undefined;
  const digest = new Digest();
  for (const number of numbers) digest.add(number);
  return ps.map((p) => digest.quantile(p));
}

/** Numbers that come and go, in order: `discreteQuantiles` of those that are there. Upstream: window_function_percentile.h. */
export class MovingNumbers {
  readonly #sorted: number[] = [];

  add(value: BsonValue | undefined): void {
    const number = doubleOf(value);
    if (number !== undefined) this.#sorted.splice(this.#place(number), 0, number);
  }

  /** @param value one that was added */
  remove(value: BsonValue | undefined): void {
    const number = doubleOf(value);
    if (number !== undefined) this.#sorted.splice(this.#place(number), 1);
  }

  quantiles(ps: readonly number[]): number[] | undefined {
    const sorted = this.#sorted;
    return sorted.length === 0 ? undefined : ps.map((p) => sorted[rankOf(sorted.length, p)]!);
  }

  /** In front of those that equal it. */
  #place(number: number): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sorted[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What is no number counts nothing, nor does NaN. */
function doubleOf(value: BsonValue | undefined): number | undefined {
  if (value === undefined || !isNumeric(value.type)) return undefined;
  const number = toDouble(value);
  return Number.isNaN(number) ? undefined : number;
}

function doublesOf(values: Values): number[] {
  return values.map(doubleOf).filter((number) => number !== undefined);
}

function byNumber(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Upstream: percentile_algo.h, computeTrueRank. */
function rankOf(count: number, p: number): number {
  return p >= 1 ? count - 1 : Math.max(0, Math.ceil(count * p) - 1);
}

interface Centroid {
  weight: number;
  mean: number;
}

/** Numbers summed up by centroids, small ones at both ends. */
class Digest {
  #centroids: Centroid[] = [];
  #buffer: number[] = [];
  #count = 0;
  #below = 0;
  #above = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(number: number): void {
    if (number === Number.NEGATIVE_INFINITY) this.#below++;
    else if (number === Number.POSITIVE_INFINITY) this.#above++;
    else if (this.#buffer.push(number) >= BUFFERED) this.#flush();
  }

  /** Of at least one number. */
  quantile(p: number): number {
    this.#flush();
    const rank = rankOf(this.#count + this.#below + this.#above, p);
    if (rank < this.#below) return Number.NEGATIVE_INFINITY;
    if (rank >= this.#count + this.#below) return Number.POSITIVE_INFINITY;
    if (p >= 1) return this.#max;
    return p <= 0 ? this.#min : this.#interpolated(rank - this.#below);
  }

  /** Numbers are taken to lie evenly between the means of centroids. */
  #interpolated(rank: number): number {
    let at = 0;
    let upTo = 0;
    for (; at < this.#centroids.length; at++) {
      upTo += this.#centroids[at]!.weight;
      if (upTo > rank) break;
    }
    const { weight, mean } = this.#centroids[at]!;
    if (weight === 1) return mean;
    const behind = 2 * (upTo - 1 - rank);
    const isLeft = upTo - rank >= weight / 2;
    const neighbour = this.#centroids[isLeft ? at - 1 : at + 1] ?? { weight: 0, mean: isLeft ? this.#min : this.#max };
    const [left, right] = isLeft ? [neighbour.mean, mean] : [mean, neighbour.mean];
    const inner = isLeft ? neighbour.weight + 2 * weight - behind : weight - behind;
    return Math.min(left + (right - left) * (inner / (weight + neighbour.weight)), right);
  }

  /** Merges what is buffered with the centroids that there are: neighbours become one as far as the limit at their place allows. */
  #flush(): void {
    if (this.#buffer.length === 0) return;
    const sorted = this.#buffer.sort(byNumber);
    this.#buffer = [];
    this.#count += sorted.length;
    this.#min = Math.min(this.#min, sorted[0]!);
    this.#max = Math.max(this.#max, sorted.at(-1)!);
    const incoming = mergedInOrder(this.#centroids, sorted);
    const kept: Centroid[] = [];
    let before = 0;
    for (let i = 0; i < incoming.length; ) {
      const current = { ...incoming[i++]! };
      const limit = this.#count * limitAt(before / this.#count);
      for (; i < incoming.length && before + current.weight + incoming[i]!.weight <= limit; i++) {
        addTo(current, incoming[i]!);
      }
      kept.push(current);
      before += current.weight;
    }
    this.#centroids = kept;
  }
}

function mergedInOrder(centroids: readonly Centroid[], sorted: readonly number[]): Centroid[] {
  const merged: Centroid[] = [];
  let at = 0;
  for (const mean of sorted) {
    while (at < centroids.length && centroids[at]!.mean <= mean) merged.push(centroids[at++]!);
    merged.push({ weight: 1, mean });
  }
  return [...merged, ...centroids.slice(at)];
}

/** The mean that weighs more is moved, as that rounds less. */
function addTo(centroid: Centroid, other: Centroid): void {
  const weight = centroid.weight + other.weight;
  const isLighter = other.weight < centroid.weight || other.weight === 1;
  centroid.mean = isLighter
    ? centroid.mean + (other.mean - centroid.mean) * (other.weight / weight)
    : other.mean + (centroid.mean - other.mean) * (centroid.weight / weight);
  centroid.weight = weight;
}

/** Up to which share of the numbers a centroid may reach that begins at this one: the scaling function k2. */
function limitAt(share: number): number {
  const half = Math.SQRT1_2 * DELTA;
  const place = share <= 0.5 ? half * Math.sqrt(share) : DELTA - half * Math.sqrt(1 - share);
  const next = (1 + place) / DELTA;
  return next <= 0.5 ? 2 * next * next : 1 - 2 * (1 - next) * (1 - next);
}
