import { databaseOf } from '@replsim/protocol';
import type { OperationDebug } from '../operations/operationDebug.ts';
import { LatencyHistogram } from './latencyHistogram.ts';

/** How often, and how long in sum. Unit: µs. */
export interface Usage {
  count: number;
  micros: number;
}

/** What `top` tells apart. Upstream: top.h, Top::CollectionData. */
const USAGE_KINDS = [
  'total',
  'readLock',
  'writeLock',
  'queries',
  'getmore',
  'insert',
  'update',
  'remove',
  'commands',
] as const;
type UsageKind = (typeof USAGE_KINDS)[number];
export type CollectionUsage = Readonly<Record<UsageKind, Usage>>;

/** What `opLatencies` tells apart. Upstream: operation_latency_histogram.h. */
export type LatencyKind = 'reads' | 'writes' | 'commands';
export type Latencies = Readonly<Record<LatencyKind, LatencyHistogram>>;

/** A command that has been answered. */
export interface EndedCommand {
  readonly name: string;
  readonly ns: string;
  readonly micros: number;
  /** 0 for success. */
  readonly code: number;
  readonly debug: Pick<OperationDebug, 'keysExamined' | 'docsExamined'>;
}

const KIND_OF: Readonly<Record<string, UsageKind>> = {
  find: 'queries',
  getMore: 'getmore',
  insert: 'insert',
  update: 'update',
  delete: 'remove',
};
const READS: ReadonlySet<string> = new Set(['find', 'getMore', 'count', 'distinct', 'aggregate']);
/** The commands that take a collection's lock for writing. */
// biome-ignore format: a list
const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'create', 'createIndexes', 'dropIndexes',
  'collMod', 'convertToCapped']);
/** Those of them that `opLatencies` counts as writes. */
const LATENCY_WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite']);
const COMMAND_NOT_FOUND = 59;

/**
 * What a process counts of each command that it has answered: by its name, by its collection, by its duration. Simplification:
 * what the process does by itself, such as applying the oplog and TTL deletes, is not counted by collection.
 * Upstream: commands.h, Command::_commandsExecuted; top.cpp; operation_latency_histogram.cpp.
 */
export class CommandStats {
  readonly byName = new Map<string, { total: number; failed: number }>();
  readonly latencies: Latencies = latencies();
  unknown = 0;
  keysExamined = 0;
  docsExamined = 0;
  readonly #byNs = new Map<string, CollectionUsage>();
  readonly #latenciesByNs = new Map<string, Latencies>();

  ended({ name, ns, micros, code, debug }: EndedCommand): void {
    if (name === '') return;
    if (code === COMMAND_NOT_FOUND) this.unknown += 1;
    else this.#countName(name, code !== 0);
    this.keysExamined += debug.keysExamined;
    this.docsExamined += debug.docsExamined;
    this.latencies[latencyKind(name)].add(micros);
    if (code !== 0 || ns.includes('.$cmd')) return;
    if (name === 'drop') return this.#forget(ns);
    this.#countUse(name, ns, micros);
    this.#countLatency(name, ns, micros);
  }

  /** Of the commands about one collection. Upstream: Top::appendLatencyStats. */
  latenciesOf(ns: string): Latencies {
    return this.#latenciesByNs.get(ns) ?? latencies();
  }

  /** By namespace, in the order of names; those that `exists` knows. */
  usage(exists: (ns: string) => boolean): [ns: string, usage: CollectionUsage][] {
    return [...this.#byNs].filter(([ns]) => exists(ns)).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** All collections of a database are gone. */
  databaseDropped(db: string): void {
    for (const ns of [...this.#byNs.keys()]) if (databaseOf(ns) === db) this.#forget(ns);
  }

  #forget(ns: string): void {
    this.#byNs.delete(ns);
    this.#latenciesByNs.delete(ns);
  }

  #countName(name: string, failed: boolean): void {
    let counts = this.byName.get(name);
    if (!counts) {
      counts = { total: 0, failed: 0 };
      this.byName.set(name, counts);
    }
    counts.total += 1;
    if (failed) counts.failed += 1;
  }

  #countLatency(name: string, ns: string, micros: number): void {
    let own = this.#latenciesByNs.get(ns);
    if (!own) {
      own = latencies();
      this.#latenciesByNs.set(ns, own);
    }
    own[latencyKind(name)].add(micros);
  }

  #countUse(name: string, ns: string, micros: number): void {
    let usage = this.#byNs.get(ns);
    if (!usage) {
      usage = Object.fromEntries(USAGE_KINDS.map((kind) => [kind, none()])) as Record<UsageKind, Usage>;
      this.#byNs.set(ns, usage);
    }
    add(usage.total, micros);
    add(WRITES.has(name) ? usage.writeLock : usage.readLock, micros);
    add(usage[KIND_OF[name] ?? 'commands'], micros);
  }
}

/** What a command counts as, by its name. */
export function latencyKind(name: string): LatencyKind {
  if (READS.has(name)) return 'reads';
  return LATENCY_WRITES.has(name) ? 'writes' : 'commands';
}

function latencies(): Latencies {
  return { reads: new LatencyHistogram(), writes: new LatencyHistogram(), commands: new LatencyHistogram() };
}

function none(): Usage {
  return { count: 0, micros: 0 };
}

function add(usage: Usage, micros: number): void {
  usage.count += 1;
  usage.micros += micros;
}
