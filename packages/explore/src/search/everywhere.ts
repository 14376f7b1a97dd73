import { parse } from 'yaml';
import type { FaultAt } from './draft.ts';
import { ExploreError } from './exploreError.ts';

/** A fault as it is asked for: `kill primary`, or `{ partition: [[n1], [n2, n3]] }`. */
export interface FaultText {
  readonly fault: FaultAt['fault'];
}

/** @throws ExploreError if it names nothing that could happen */
export function faultTextOf(text: string): FaultText {
  const trimmed = text.trim();
  const words = /^(\w+)\s+(\S.*)$/.exec(trimmed);
  const isFlow = trimmed.startsWith('{') || /^\w+:/.test(trimmed);
  let read: unknown;
  try {
    read = isFlow ? parse(trimmed) : words ? { [words[1]!]: parse(words[2]!) } : undefined;
  } catch {
    read = undefined;
  }
  if (typeof read !== 'object' || read === null || Object.keys(read).length !== 1)
    throw new ExploreError(
      `no fault reads ${JSON.stringify(text)}: write one as in "kill primary", or "partition: [[n1], [n2, n3]]"`,
    );
  return { fault: read as FaultAt['fault'] };
}

/**
 * The instants that matter: right before each at which something happens. Between two of them nothing does, so a fault anywhere there
 * does the same as at the later end.
 * @param instants at which something happened, in order
 */
export function instantsBefore(instants: readonly number[], fromMicros: number): readonly number[] {
  return instants.flatMap((at) => (at - 1 > fromMicros ? [at - 1] : []));
}

/** The runs in which the faults happen at each instant; of two, at each pair of instants. */
export function everywhere(
  faults: readonly FaultText[],
  instants: readonly number[],
): { readonly count: number; at(index: number): readonly FaultAt[] } {
  const [first, second] = faults;
  if (!first) return { count: 0, at: () => [] };
  const one = (index: number): FaultAt => ({ atMicros: instants[index] ?? 0, fault: first.fault });
  if (!second) return { count: instants.length, at: (index) => [one(index)] };
  const n = instants.length;
  // The same fault twice: which of the two is called the first makes no difference.
  if (JSON.stringify(first.fault) === JSON.stringify(second.fault))
    return { count: (n * (n + 1)) / 2, at: (index) => unordered(index).map(one) };
  return {
    count: n * n,
    at: (index) => [one(Math.floor(index / n)), { atMicros: instants[index % n] ?? 0, fault: second.fault }],
  };
}

/** The pairs (0, 0), (0, 1), (1, 1), (0, 2) …, by their number. */
function unordered(index: number): readonly [earlier: number, later: number] {
  let later = Math.floor((Math.sqrt(8 * index + 1) - 1) / 2);
  // What a root is rounded to may be one off.
  while (((later + 1) * (later + 2)) / 2 <= index) later++;
  while ((later * (later + 1)) / 2 > index) later--;
  return [index - (later * (later + 1)) / 2, later];
}
