import type { Now } from '@replsim/protocol';
import type { OpenConnection } from '../connections/openConnection.ts';
import type { OperationDebug } from '../operations/operationDebug.ts';

/** In the order in which the log has them. Upstream: op_debug.cpp, AdditiveMetrics::report. */
export const METRICS = [
  'keysExamined',
  'docsExamined',
  'nMatched',
  'nModified',
  'ninserted',
  'ndeleted',
  'nUpserted',
] as const;
export type Metric = (typeof METRICS)[number];

/** When a transaction began, how long its statements worked, and who sent the last one. Upstream: single_transaction_stats.cpp. */
export class TransactionTimes {
  readonly started: Now;
  /** Of the client that sent the newest statement. */
  connection: OpenConnection | undefined;
  /** What its statements have looked at and written, under the names that the log has for it. */
  readonly metrics: Partial<Record<Metric, number>> = {};
  /** Statements of it that met somebody else's write: it ends with the first. */
  writeConflicts = 0;
  #activeMicros = 0;
  #activeSinceMicros: number | undefined;

  constructor(started: Now) {
    this.started = started;
  }

  begins(now: Now): void {
    this.#activeSinceMicros = now.monotonicMicros;
  }

  ends(now: Now): void {
    this.#activeMicros = this.activeMicros(now);
    this.#activeSinceMicros = undefined;
  }

  /** A statement has looked at documents. */
  looked({ hasLooked, keysExamined, docsExamined }: OperationDebug): void {
    if (hasLooked) this.add({ keysExamined, docsExamined });
  }

  add(more: Partial<Record<Metric, number>>): void {
    for (const [name, count] of Object.entries(more) as [Metric, number][]) {
      this.metrics[name] = (this.metrics[name] ?? 0) + count;
    }
  }

  activeMicros({ monotonicMicros }: Now): number {
    const since = this.#activeSinceMicros;
    return this.#activeMicros + (since === undefined ? 0 : monotonicMicros - since);
  }

  openMicros({ monotonicMicros }: Now): number {
    return monotonicMicros - this.started.monotonicMicros;
  }
}
