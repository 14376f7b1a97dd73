import type { TransactionCall } from './history.ts';

/** Why one transaction must stand before another: it wrote what the other overwrote or read, or read what the other overwrote. */
export type DependencyKind = 'ww' | 'wr' | 'rw';

/** From the transaction that stands before. */
export interface Dependency {
  readonly kind: DependencyKind;
  readonly from: number;
  readonly to: number;
  readonly key: string;
  /** The element that `from` appended; of `rw` the last that it read, undefined for an empty list. */
  readonly value: string | undefined;
  /** Of `ww` and `rw`: the element that `to` appended right behind. */
  readonly next: string | undefined;
}

/** Lists as they grew, and who made them grow. */
export interface Versions {
  /** Of each key the longest list that anybody read. */
  readonly longest: ReadonlyMap<string, readonly string[]>;
  /** Who appended an element, by `appendId`. */
  readonly appenders: ReadonlyMap<string, number>;
}

export function appendId(key: string, value: string): string {
  return JSON.stringify([key, value]);
}

/**
 * What must stand before what, as far as lists tell: a list shows the order of its appends. An append that nobody read has no place
 * in that order, and gives no dependency.
 * Source: Adya, "Weak consistency"; Kingsbury and Alvaro, "Elle", on list-append.
 */
export function dependenciesOf(
  transactions: readonly TransactionCall[],
  { longest, appenders }: Versions,
): readonly Dependency[] {
  const found: Dependency[] = [];
  const add = (dependency: Omit<Dependency, 'from' | 'to'>, from: number | undefined, to: number | undefined) => {
    if (from !== undefined && to !== undefined && from !== to) found.push({ ...dependency, from, to });
  };
  const appender = (key: string, value: string | undefined) =>
    value === undefined ? undefined : appenders.get(appendId(key, value));
  for (const [key, list] of longest)
    for (let i = 1; i < list.length; i++) {
      const [value, next] = [list[i - 1], list[i]];
      add({ kind: 'ww', key, value, next }, appender(key, value), appender(key, next));
    }
  transactions.forEach((transaction, reader) => {
    for (const { key, list } of readsFromOthers(transaction)) {
      const value = list.at(-1);
      const next = longest.get(key)?.[list.length];
      add({ kind: 'wr', key, value, next: undefined }, appender(key, value), reader);
      add({ kind: 'rw', key, value, next }, reader, appender(key, next));
    }
  });
  return found;
}

/** Of each key the list that a transaction found before it appended to it itself. */
export function readsFromOthers({ outcome, operations }: TransactionCall): { key: string; list: readonly string[] }[] {
  if (outcome !== 'ok') return [];
  const touched = new Set<string>();
  const reads: { key: string; list: readonly string[] }[] = [];
  for (const operation of operations) {
    const { key } = operation;
    if (operation.f === 'read' && !touched.has(key)) reads.push({ key, list: operation.list ?? [] });
    touched.add(key);
  }
  return reads;
}
