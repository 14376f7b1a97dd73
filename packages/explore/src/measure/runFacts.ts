import { type TraceEvent, TraceNames } from '@replsim/protocol';
import { type LedgerReport, type PlayResult, Primaries, type Stretches, type TtlIndexReport } from '@replsim/scenario';
import { type Failover, Failovers } from './failovers.ts';
import { type Lag, Lags } from './lags.ts';

/** What figures are taken from: a run that is over. Times are microseconds since time zero. */
export interface RunFacts {
  /** Since the first primary. */
  readonly withoutPrimary: Stretches | undefined;
  readonly failovers: readonly Failover[];
  /** Elections behind the first primary's. */
  readonly electionsWon: number;
  readonly electionsLost: number;
  readonly needlessElections: number;
  readonly rollbacks: number;
  readonly rolledBackDocuments: number;
  readonly tooStale: number;
  readonly lag: Lag | undefined;
  readonly workloads: readonly WorkloadFacts[];
  readonly ttl: readonly TtlIndexReport[];
}

export interface WorkloadFacts {
  readonly ledger: LedgerReport;
  /** From each primary that was lost to the first operation that was acknowledged behind it. */
  readonly mended: readonly number[];
}

/** Watches a run for what figures are taken from. */
export class RunWatch {
  readonly #names = new TraceNames();
  readonly #primaries = new Primaries();
  readonly #failovers = new Failovers();
  readonly #lags = new Lags();
  readonly #started = new Map<string, number>();
  #electionsWon = 0;
  #electionsLost = 0;
  #rollbacks = 0;
  #rolledBackDocuments = 0;
  #tooStale = 0;

  observe(raw: TraceEvent): void {
    const event = this.#names.named(raw);
    this.#primaries.observe(event);
    const isFirst = this.#failovers.firstMicros === undefined;
    this.#failovers.observe(event);
    this.#lags.observe(event);
    switch (event.type) {
      case 'electionWon':
        if (!isFirst) this.#electionsWon += 1;
        break;
      case 'electionLost':
        if (!isFirst && !event.dryRun) this.#electionsLost += 1;
        break;
      case 'tooStale':
        this.#tooStale += 1;
        break;
      case 'rolledBack':
        this.#rollbacks += 1;
        this.#rolledBackDocuments += changesIn(event.removedEntries);
        break;
      case 'workloadStarted':
        this.#started.set(event.workload, event.atMicros);
        break;
    }
  }

  facts({ workloads, ttl = [], virtualMicros }: PlayResult): RunFacts {
    const { firstMicros, all: failovers, needless } = this.#failovers;
    return {
      withoutPrimary: firstMicros === undefined ? undefined : this.#primaries.without(firstMicros, virtualMicros),
      failovers,
      electionsWon: this.#electionsWon,
      electionsLost: this.#electionsLost,
      needlessElections: needless,
      rollbacks: this.#rollbacks,
      rolledBackDocuments: this.#rolledBackDocuments,
      tooStale: this.#tooStale,
      lag: this.#lags.lag,
      workloads: workloads.map((ledger) => ({ ledger, mended: mendedOf(ledger, failovers, this.#started) })),
      ttl,
    };
  }
}

/** Inserts, updates and deletes. */
function changesIn(entries: Extract<TraceEvent, { type: 'rolledBack' }>['removedEntries']): number {
  return entries.flatMap(({ operations }) => operations).filter(({ op }) => op === 'i' || op === 'u' || op === 'd')
    .length;
}

/** What is acknowledged by a primary that was lost already, and does not know it, mends nothing. */
function mendedOf(
  { workload, operations }: LedgerReport,
  failovers: readonly Failover[],
  started: ReadonlyMap<string, number>,
): readonly number[] {
  const startedMicros = started.get(workload) ?? 0;
  const told = operations
    .flatMap(({ outcome, toldMicros }) => (outcome === 'acknowledged' && toldMicros !== undefined ? [toldMicros] : []))
    .sort((a, b) => a - b);
  return failovers.flatMap(({ lostMicros, electedMicros }) => {
    if (electedMicros === undefined || lostMicros < startedMicros) return [];
    const first = told.find((atMicros) => atMicros >= electedMicros);
    return first === undefined ? [] : [first - lostMicros];
  });
}
