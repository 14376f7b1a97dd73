/**
 * A log as RaftMongo has it, a sequence of terms, kept as runs of equal ones: its index counts from 1, and terms never fall.
 */
export type Terms = readonly (readonly [term: number, count: number])[];

export const NO_TERMS: Terms = [];

export function lengthOf(log: Terms): number {
  return log.reduce((sum, [, count]) => sum + count, 0);
}

export function lastTermOf(log: Terms): number {
  return log.at(-1)?.[0] ?? 0;
}

/** The term at an index; 0 before the first entry, undefined behind the last. */
export function termAt(log: Terms, index: number): number | undefined {
  if (index === 0) return 0;
  let end = 0;
  for (const [term, count] of log) {
    end += count;
    if (index <= end) return term;
  }
  return undefined;
}

export function withMore(log: Terms, term: number, count: number): Terms {
  const last = log.at(-1);
  if (last?.[0] !== term) return [...log, [term, count]];
  return [...log.slice(0, -1), [term, last[1] + count]];
}

/** The first `length` entries. */
export function firstOf(log: Terms, length: number): Terms {
  const first: (readonly [number, number])[] = [];
  let left = length;
  for (const [term, count] of log) {
    if (left <= 0) break;
    first.push([term, Math.min(count, left)]);
    left -= count;
  }
  return first;
}

export function sameTerms(a: Terms, b: Terms): boolean {
  return a.length === b.length && a.every(([term, count], i) => term === b[i]?.[0] && count === b[i]?.[1]);
}
