import { type KeyedSort, type Meter, sortInParts } from '@replsim/query';
import { inParts, mapped, type Work } from './work.ts';

/** In order in an array of its own, equal ones as they came; one step each, and one for each time that it is merged. */
export function sortInTurns<T>(items: readonly T[], compare: (a: T, b: T) => number, meter: Meter): Work<T[]> {
  return inParts(sortInParts(items, compare), meter);
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
