import type { Now } from '@replsim/protocol';
import type { OpenConnection } from '../connections/openConnection.ts';
import type { OperationDebug } from '../operations/operationDebug.ts';

/** When a transaction began, how long its statements worked, and who sent the last one. Upstream: single_transaction_stats.cpp. */
export class TransactionTimes {
  readonly started: Now;
  /** Of the client that sent the newest statement. */
  connection: OpenConnection | undefined;
  keysExamined = 0;
  docsExamined = 0;
  #activeMicros = 0;
  #activeSinceMicros: number | undefined;

  constructor(started: Now) {
    this.started = started;
  }

  begins(now: Now): void {
    this.#activeSinceMicros = now.monotonicMicros;
  }

  ends(now: Now, { keysExamined, docsExamined }: OperationDebug): void {
    this.#activeMicros = this.activeMicros(now);
    this.#activeSinceMicros = undefined;
    this.keysExamined += keysExamined;
    this.docsExamined += docsExamined;
  }

  activeMicros({ monotonicMicros }: Now): number {
    const since = this.#activeSinceMicros;
    return this.#activeMicros + (since === undefined ? 0 : monotonicMicros - since);
  }

  openMicros({ monotonicMicros }: Now): number {
    return monotonicMicros - this.started.monotonicMicros;
  }
}
