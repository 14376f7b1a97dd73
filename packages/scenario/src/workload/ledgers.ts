import { ClientHistories, type HistoryModel, judgeHistory, type Verdict } from '@replsim/checker';
import type { TraceEvent } from '@replsim/protocol';
import type { LedgerCount, Phase } from '../ledgerCounts.ts';
import { History } from './history.ts';
import type { Latency } from './latencies.ts';
import { Ledger, type LedgerReport } from './ledger.ts';
import { readsOf } from './reads.ts';

/** The accounts of all workloads of a run, kept from its trace. */
export class Ledgers {
  readonly #history = new History();
  readonly #seen = new ClientHistories();
  readonly #ledgers = new Map<string, Ledger>();
  /** Counting takes as long as the ledger is; it is done again only after something has happened that may matter. */
  readonly #counted = new Map<string, { readonly version: number; readonly counts: ReturnType<Ledger['counts']> }>();
  #version = 0;

  observe(event: TraceEvent): void {
    const before = this.#history.newestTerm;
    this.#history.observe(event);
    if (this.#history.newestTerm !== before) this.#version++;
    this.#seen.observe(event);
    if (event.type === 'workloadStarted') this.#ledgers.set(event.workload, new Ledger(this.#history, event));
    else if (event.type === 'clientSent' || event.type === 'clientTold' || event.type === 'workloadStopped') {
      this.#ledgers.get(event.workload)?.observe(event);
      this.#version++;
    }
  }

  /** A workload's numbers as of now, with those of the reads of what it writes; undefined before it was started. */
  counts(workload: string, nowMicros: number): Readonly<Record<LedgerCount, number>> | undefined {
    const ledger = this.#ledgers.get(workload);
    if (!ledger) return undefined;
    const own = this.#countsOf(workload, ledger);
    const reader = this.#ledgers.get(readsOf(workload));
    const { reads, dirtyReads, staleReads } = reader ? this.#countsOf(readsOf(workload), reader) : own;
    return { ...own, reads, dirtyReads, staleReads, ...ledger.times(nowMicros) };
  }

  /** Whether what the clients of a workload saw so far is as a model allows; undefined where no history is kept. */
  verdict(workload: string, model: HistoryModel): Verdict | undefined {
    const history = this.#seen.of(workload);
    return history && judgeHistory(history, model);
  }

  #countsOf(workload: string, ledger: Ledger): ReturnType<Ledger['counts']> {
    const known = this.#counted.get(workload);
    const counts = known?.version === this.#version ? known.counts : ledger.counts();
    this.#counted.set(workload, { version: this.#version, counts });
    return counts;
  }

  /** How long a workload's operations took; undefined if none was acknowledged or answered. */
  latency(workload: string, phase?: Phase): Latency | undefined {
    return this.#ledgers.get(workload)?.latency(phase);
  }

  /** All accounts, in the order in which the workloads were started. */
  reports(nowMicros: number): LedgerReport[] {
    return [...this.#ledgers.values()].map((ledger) => ledger.report(nowMicros));
  }
}
