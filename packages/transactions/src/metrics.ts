/** The last transaction that was committed. */
export interface LastCommitted {
  readonly operationCount: number;
  readonly oplogOperationBytes: number;
  /** As it was sent, with the defaults filled in. */
  readonly writeConcern: object;
}

/** `transactions` of serverStatus, since the process started. Upstream: server_transactions_metrics.cpp, transactions_stats.idl. */
export class TransactionMetrics {
  /** Retryable writes that were answered, in whole or in part, from what they had done before. */
  retriedCommands = 0;
  retriedStatements = 0;
  /** A statement of theirs runs. */
  currentActive = 0;
  /** They wait for their next statement. */
  currentInactive = 0;
  totalAborted = 0;
  totalCommitted = 0;
  totalStarted = 0;
  lastCommitted: LastCommitted | undefined;

  get currentOpen(): number {
    return this.currentActive + this.currentInactive;
  }

  started(): void {
    this.totalStarted += 1;
    this.currentInactive += 1;
  }

  unstashed(): void {
    this.currentInactive -= 1;
    this.currentActive += 1;
  }

  stashed(): void {
    this.currentActive -= 1;
    this.currentInactive += 1;
  }

  committed(): void {
    this.totalCommitted += 1;
    this.currentActive -= 1;
  }

  aborted(wasActive: boolean): void {
    this.totalAborted += 1;
    if (wasActive) this.currentActive -= 1;
    else this.currentInactive -= 1;
  }
}
