import { type Cycle, cyclesIn } from './cycles.ts';
import { appendId, type Dependency, dependenciesOf, readsFromOthers } from './dependencies.ts';
import type { TransactionCall } from './history.ts';
import type { Anomaly } from './verdict.ts';

/** Who appended what, of all transactions. */
interface Appends {
  readonly by: ReadonlyMap<string, number>;
  /** Elements that their transaction followed by another of the same key. */
  readonly intermediate: ReadonlySet<string>;
}

/**
 * Finds what no serial order of the transactions explains in a history over lists. Elements are identified by their values, so each must
 * be appended once.
 * Source: Kingsbury and Alvaro, "Elle: Inferring isolation anomalies from experimental observations".
 */
export function listAnomalies(transactions: readonly TransactionCall[]): readonly Anomaly[] {
  const appends = appendsOf(transactions);
  const anomalies = [
    ...internalReads(transactions),
    ...duplicates(transactions),
    ...abortedReads(transactions, appends),
    ...intermediateReads(transactions, appends),
  ];
  const { longest, contradictions } = versionsOf(transactions);
  anomalies.push(...contradictions);
  const seen = new Set([...longest].flatMap(([key, list]) => list.map((value) => appendId(key, value))));
  const isDone = (index: number, id: string) => {
    const { outcome } = transactions[index]!;
    return outcome === 'ok' || (outcome === 'info' && seen.has(id));
  };
  const appenders = new Map([...appends.by].filter(([id, index]) => isDone(index, id)));
  const cycles = cyclesIn(dependenciesOf(transactions, { longest, appenders }));
  return [...anomalies, ...cycles.map((cycle) => cycleAnomaly(cycle, transactions))];
}

function appendsOf(transactions: readonly TransactionCall[]): Appends {
  const by = new Map<string, number>();
  const intermediate = new Set<string>();
  transactions.forEach(({ operations }, index) => {
    const last = new Map<string, string>();
    for (const operation of operations) {
      if (operation.f !== 'append') continue;
      const id = appendId(operation.key, operation.value);
      by.set(id, index);
      const before = last.get(operation.key);
      if (before !== undefined) intermediate.add(before);
      last.set(operation.key, id);
    }
  });
  return { by, intermediate };
}

/** A transaction that does not find what it has read or appended itself. */
function internalReads(transactions: readonly TransactionCall[]): Anomaly[] {
  return transactions.flatMap((transaction): Anomaly[] => {
    if (transaction.outcome !== 'ok') return [];
    const known = new Map<string, readonly string[]>();
    const appended = new Map<string, readonly string[]>();
    for (const operation of transaction.operations) {
      const { key } = operation;
      const before = known.get(key);
      const own = appended.get(key) ?? [];
      if (operation.f === 'append') {
        if (before) known.set(key, [...before, operation.value]);
        appended.set(key, [...own, operation.value]);
        continue;
      }
      const list = operation.list ?? [];
      const expected = before ?? [...list.slice(0, Math.max(0, list.length - own.length)), ...own];
      if (list.join() !== expected.join()) {
        const detail = `${nameOf(transaction)} read ${listText(list)} in list ${key}, and its own operations before make that ${listText(expected)}`;
        return [{ name: 'internal', detail }];
      }
      known.set(key, list);
    }
    return [];
  });
}

function duplicates(transactions: readonly TransactionCall[]): Anomaly[] {
  const found = readsOf(transactions).find(({ list }) => new Set(list).size < list.length);
  if (!found) return [];
  const { reader, key, list } = found;
  const twice = list.find((value, i) => list.indexOf(value) < i);
  return [{ name: 'duplicate-elements', detail: `${nameOf(reader)} read list ${key} with ${twice} in it twice` }];
}

function abortedReads(transactions: readonly TransactionCall[], { by }: Appends): Anomaly[] {
  for (const { reader, key, list } of readsOf(transactions))
    for (const value of list) {
      const index = by.get(appendId(key, value));
      const appender = index === undefined ? undefined : transactions[index];
      if (appender && appender.outcome !== 'fail') continue;
      const what = appender ? `which ${nameOf(appender)} appended and aborted` : 'which nobody appended';
      return [{ name: 'G1a', detail: `${nameOf(reader)} read ${value} in list ${key}, ${what}` }];
    }
  return [];
}

function intermediateReads(transactions: readonly TransactionCall[], { by, intermediate }: Appends): Anomaly[] {
  for (const reader of transactions)
    for (const { key, list } of readsFromOthers(reader)) {
      const value = list.at(-1);
      const id = value === undefined ? '' : appendId(key, value);
      const appender = transactions[by.get(id) ?? -1];
      if (!appender || appender === reader || !intermediate.has(id)) continue;
      const detail = `${nameOf(reader)} read list ${key} up to ${value}, and ${nameOf(appender)} appended more to it`;
      return [{ name: 'G1b', detail }];
    }
  return [];
}

/** The longest list of each key; what is no beginning of it cannot have been before it. */
function versionsOf(transactions: readonly TransactionCall[]) {
  const longest = new Map<string, { readonly list: readonly string[]; readonly reader: TransactionCall }>();
  const reads = readsOf(transactions);
  for (const { reader, key, list } of reads)
    if (list.length > (longest.get(key)?.list.length ?? -1)) longest.set(key, { list, reader });
  const contradictions: Anomaly[] = [];
  const told = new Set<string>();
  for (const { reader, key, list } of reads) {
    const other = longest.get(key)!;
    const at = list.findIndex((value, i) => other.list[i] !== value);
    if (at < 0 || told.has(key)) continue;
    told.add(key);
    const detail =
      `${nameOf(reader)} read list ${key} with ${list[at]} as its element ${at + 1}, ` +
      `and ${nameOf(other.reader)} with ${other.list[at]}`;
    contradictions.push({ name: 'incompatible-order', detail });
  }
  return { longest: new Map([...longest].map(([key, { list }]) => [key, list])), contradictions };
}

function readsOf(transactions: readonly TransactionCall[]) {
  return transactions.flatMap((reader) => {
    if (reader.outcome !== 'ok') return [];
    return reader.operations.flatMap((operation) =>
      operation.f === 'read' ? [{ reader, key: operation.key, list: operation.list ?? [] }] : [],
    );
  });
}

function cycleAnomaly({ name, dependencies }: Cycle, transactions: readonly TransactionCall[]): Anomaly {
  const sentences = dependencies.map((dependency) => {
    const from = nameOf(transactions[dependency.from]!);
    return `${from} ${clauseOf(dependency, nameOf(transactions[dependency.to]!))}`;
  });
  return { name, detail: `no order of these: ${sentences.join('; ')}` };
}

function clauseOf({ kind, key, value, next }: Dependency, to: string): string {
  switch (kind) {
    case 'ww':
      return `appended ${value} to list ${key} before ${to} appended ${next}`;
    case 'wr':
      return `appended ${value} to list ${key}, which ${to} read`;
    case 'rw':
      return `read list ${key} ${value === undefined ? 'empty' : `up to ${value}`}, before ${to} appended ${next}`;
  }
}

function nameOf({ client, calledMicros }: TransactionCall): string {
  return `${client} at ${(calledMicros / 1e6).toFixed(3)}s`;
}

function listText(list: readonly string[]): string {
  return `[${list.join(', ')}]`;
}
