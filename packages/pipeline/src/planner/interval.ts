/** Ranges of values as an index has them. Upstream: interval.h, index_bounds.h. */
import { type BsonValue, invariant } from '@replsim/protocol';
import { type Collator, UNDEFINED } from '@replsim/query';
import { compareKeys, describeValue, EMPTY_ARRAY_KEY, encodeKey, ITSELF, typePrefix } from '@replsim/storage';
import { newValue } from './newValue.ts';

/** One end of a range: the value, and its key in an ascending index, which has this collation. */
export interface Bound {
  readonly value: BsonValue;
  readonly key: string;
  readonly collator: Collator | undefined;
}

/** The values between two, in ascending order. */
export interface Interval {
  readonly low: Bound;
  readonly lowInclusive: boolean;
  readonly high: Bound;
  readonly highInclusive: boolean;
}

/** A value as an end of a range; `UNDEFINED` is what an empty array leaves in an index. */
export function boundAt(value: BsonValue, collator?: Collator): Bound {
  const key = value === UNDEFINED ? EMPTY_ARRAY_KEY : encodeKey(value, false, collator && ITSELF);
  return { value, key, collator };
}

function compareBounds(a: Bound, b: Bound): number {
  return compareKeys(a.key, b.key, a.collator ?? b.collator);
}

/** The one value. */
export function pointAt(value: BsonValue, collator?: Collator): Interval {
  const bound = boundAt(value, collator);
  return { low: bound, lowInclusive: true, high: bound, highInclusive: true };
}

export function isPoint({ low, high }: Interval): boolean {
  return low.key === high.key;
}

/** Whether they hold one value and no other. */
export function isOnePoint(intervals: readonly Interval[]): boolean {
  return intervals.length === 1 && intervals.every(isPoint);
}

/** The intervals of one part of an index: InvariantError if the bounds are those of another index. */
export function intervalsOf(bounds: readonly (readonly Interval[])[], part: number): readonly Interval[] {
  const intervals = bounds[part];
  invariant(intervals, 'the bounds of an index have intervals for each of its parts');
  return intervals;
}

/** Every key of an index. */
export const EVERYTHING: Interval = {
  low: boundAt(newValue((writer, name) => writer.minKey(name))),
  lowInclusive: true,
  high: boundAt(newValue((writer, name) => writer.maxKey(name))),
  highInclusive: true,
};

/** What all of the values in both lists are in; both are in order and hold no value twice. */
export function intersection(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const both: Interval[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const common = overlap(a[i]!, b[j]!);
    if (common) both.push(common);
    // What ends first meets nothing further on.
    if (compareHighs(a[i]!, b[j]!) < 0) i += 1;
    else j += 1;
  }
  return both;
}

function overlap(a: Interval, b: Interval): Interval | undefined {
  const lower = compareLows(a, b) >= 0 ? a : b;
  const upper = compareHighs(a, b) <= 0 ? a : b;
  const { low, lowInclusive } = lower;
  const { high, highInclusive } = upper;
  const order = compareBounds(low, high);
  if (order > 0 || (order === 0 && !(lowInclusive && highInclusive))) return undefined;
  return { low, lowInclusive, high, highInclusive };
}

/** In the order of their values, without repetition. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const next of [...intervals].sort(compareLows)) {
    const last = merged.at(-1);
    if (!last || isApart(last, next)) merged.push(next);
    else if (compareHighs(next, last) > 0) {
      merged[merged.length - 1] = { ...last, high: next.high, highInclusive: next.highInclusive };
    }
  }
  return merged;
}

/** Whether a gap lies between, be it one value. */
function isApart(last: Interval, next: Interval): boolean {
  const gap = compareBounds(next.low, last.high);
  return gap > 0 || (gap === 0 && !next.lowInclusive && !last.highInclusive);
}

/** Whether each of `inner` lies in one of `outer`. */
export function isWithin(inner: readonly Interval[], outer: readonly Interval[]): boolean {
  return inner.every((one) => outer.some((other) => compareLows(one, other) >= 0 && compareHighs(one, other) <= 0));
}

/** Whether a key in it may be that of a value which is missing, null, or an empty array. */
export function meetsNull(intervals: readonly Interval[]): boolean {
  return intersection(intervals, [NULLISH]).length > 0;
}

/** Whether a key in it may hold a string: be one, or be an object or array with one inside. */
export function meetsStrings(intervals: readonly Interval[]): boolean {
  return intersection(intervals, [STRINGY]).length > 0;
}

const EMPTY_STRING = newValue((writer, name) => writer.string(name, ''));

const STRINGY: Interval = {
  // Below every string, whatever the collation.
  low: { value: EMPTY_STRING, key: typePrefix(EMPTY_STRING.type), collator: undefined },
  lowInclusive: true,
  high: boundAt(newValue((writer, name) => writer.binary(name, 0, new Uint8Array(0)))),
  highInclusive: false,
};

const NULLISH: Interval = {
  low: boundAt(UNDEFINED),
  lowInclusive: true,
  high: boundAt(newValue((writer, name) => writer.null(name))),
  highInclusive: true,
};

function compareLows(a: Interval, b: Interval): number {
  return compareBounds(a.low, b.low) || Number(b.lowInclusive) - Number(a.lowInclusive);
}

function compareHighs(a: Interval, b: Interval): number {
  return compareBounds(a.high, b.high) || Number(a.highInclusive) - Number(b.highInclusive);
}

/** `[1, 5)`, or `(5, 1]` for an index that is walked downwards. Upstream: Interval::toString. */
export function showInterval({ low, lowInclusive, high, highInclusive }: Interval, downwards: boolean): string {
  const [from, fromIncluded] = downwards ? [high, highInclusive] : [low, lowInclusive];
  const [to, toIncluded] = downwards ? [low, lowInclusive] : [high, highInclusive];
  return `${fromIncluded ? '[' : '('}${describeValue(from.value)}, ${describeValue(to.value)}${toIncluded ? ']' : ')'}`;
}
