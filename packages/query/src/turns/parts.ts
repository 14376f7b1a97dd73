/**
 * Work as long as a client makes it, done in parts: each `next()` does a little and tells how many steps that was, until it tells what
 * came of it. A generator is one as long as it computes no expression: what breaks those off would end it for good.
 */
export interface Parts<T> {
  next(): IteratorResult<number, T>;
}

/** The same, as a generator. */
export type Slices<T> = Generator<number, T, undefined>;

/** So many elements are a part of work that does little with each, and what such a part costs. */
export const [ELEMENTS_AT_ONCE, ELEMENTS_STEPS] = [256, 32];

const ONE_STEP: IteratorYieldResult<number> = { done: false, value: 1 };

/** One more part is done, and there is more to do. @param steps what it cost */
export function more(steps = 1): IteratorResult<number, never> {
  return steps === 1 ? ONE_STEP : { done: false, value: steps };
}

/** There is nothing more to do. */
export function finished<T>(value: T): IteratorResult<number, T> {
  return { done: true, value };
}

/** What needs no parts. */
export function atOnce<T>(value: T): Parts<T> {
  return { next: () => finished(value) };
}

/** All parts one after the other, for what nobody waits for. */
export function allParts<T>(parts: Parts<T>): T {
  let part = parts.next();
  while (!part.done) part = parts.next();
  return part.value;
}

/** So many are sorted at once; longer lists are sorted in parts of that length, which are then merged. */
const SORTED_AT_ONCE = 1000;

/** In order in an array of its own, equal ones as they came; one step each, and one for each time that it is merged. */
export function* sortInParts<T>(items: readonly T[], compare: (a: T, b: T) => number): Slices<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += SORTED_AT_ONCE) {
    const run = items.slice(at, at + SORTED_AT_ONCE).sort(compare);
    yield run.length;
    runs.push(run);
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) longer.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<T>(first: readonly T[], second: readonly T[], compare: (a: T, b: T) => number): Slices<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    const before = merged.length;
    const until = before + SORTED_AT_ONCE;
    while (merged.length < until && (i < first.length || j < second.length)) {
      const isFirst = j >= second.length || (i < first.length && compare(first[i]!, second[j]!) <= 0);
      merged.push(isFirst ? first[i++]! : second[j++]!);
    }
    yield merged.length - before;
  }
  return merged;
}

/** Those of a list that are wanted, in parts. */
export function* filterInParts<T>(items: readonly T[], keeps: (item: T, index: number) => boolean): Slices<T[]> {
  const kept: T[] = [];
  for (const [index, item] of items.entries()) {
    if (keeps(item, index)) kept.push(item);
    if (index % ELEMENTS_AT_ONCE === ELEMENTS_AT_ONCE - 1) yield ELEMENTS_AT_ONCE;
  }
  return kept;
}

/** The place of the first one that is wanted, or -1. */
export function* findInParts<T>(items: readonly T[], isWanted: (item: T) => boolean): Slices<number> {
  for (const [index, item] of items.entries()) {
    if (isWanted(item)) return index;
    if (index % ELEMENTS_AT_ONCE === ELEMENTS_AT_ONCE - 1) yield ELEMENTS_AT_ONCE;
  }
  return -1;
}
