import type { KeyedSort, Meter } from '@replsim/query';
import { mapped, pay, type Work } from './work.ts';

/** So many are sorted at once; longer lists are sorted in parts of that length, which are then merged. */
const AT_ONCE = 1000;

/** In order in an array of its own, equal ones as they came; one step each, and one for each time that it is merged. */
export function* sortInTurns<T>(items: readonly T[], compare: (a: T, b: T) => number, meter: Meter): Work<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const run = items.slice(at, at + AT_ONCE).sort(compare);
    yield* pay(meter, run.length);
    runs.push(run);
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare, meter));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (a: T, b: T) => number,
  meter: Meter,
): Work<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    const until = merged.length + AT_ONCE;
    const before = merged.length;
    while (merged.length < until && (i < first.length || j < second.length)) {
      const isFirst = j >= second.length || (i < first.length && compare(first[i]!, second[j]!) <= 0);
      merged.push(isFirst ? first[i++]! : second[j++]!);
    }
    yield* pay(meter, merged.length - before);
  }
  return merged;
}

/** Documents by the keys of a sort. */
export function* documentsInOrder(
  documents: readonly Uint8Array[],
  { keyOf, compare }: KeyedSort,
  meter: Meter,
): Work<Uint8Array[]> {
  const keyed = yield* mapped(documents, (document) => ({ document, key: keyOf(document) }), meter);
  const sorted = yield* sortInTurns(keyed, (a, b) => compare(a.key, b.key), meter);
  return sorted.map(({ document }) => document);
}
