import type { TraceEvent } from '@replsim/protocol';
import type { LedgerCount } from '../ledgerCounts.ts';
import { History } from './history.ts';
import { Ledger, type LedgerReport } from './ledger.ts';

/** The accounts of all workloads of a run, kept from its trace. */
export class Ledgers {
  readonly #history = new History();
  readonly #ledgers = new Map<string, Ledger>();
  /** Counting takes as long as the ledger is; it is done again only after something has happened that may matter. */
  readonly #counted = new Map<string, { readonly version: number; readonly counts: Record<LedgerCount, number> }>();
  #version = 0;

  observe(event: TraceEvent): void {
    const before = this.#history.newestTerm;
    this.#history.observe(event);
    if (this.#history.newestTerm !== before) this.#version++;
    if (event.type === 'workloadStarted') this.#ledgers.set(event.workload, new Ledger(this.#history, event));
    else if (event.type === 'clientSent' || event.type === 'clientTold') {
      this.#ledgers.get(event.workload)?.observe(event);
      this.#version++;
    }
  }

  /** A workload's numbers as of now; undefined before it was started. */
  counts(workload: string): Readonly<Record<LedgerCount, number>> | undefined {
    const known = this.#counted.get(workload);
    if (known?.version === this.#version) return known.counts;
    const counts = this.#ledgers.get(workload)?.counts();
    if (counts) this.#counted.set(workload, { version: this.#version, counts });
    return counts;
  }

  /** All accounts, in the order in which the workloads were started. */
  reports(): LedgerReport[] {
    return [...this.#ledgers.values()].map((ledger) => ledger.report());
  }
}
