import type { OplogEntry } from './oplogEntry.ts';
import type { OplogOperation } from './oplogOperation.ts';
import { isNullOpTime, NULL_OP_TIME } from './opTime.ts';

/**
 * Which operations come into the data with which entry: those of a transaction that takes several come with the last, and those of
 * one that was given up with none. Show it the entries of one oplog in order.
 * Upstream: transaction_oplog_application.cpp, readTransactionOperationsFromOplogChain.
 */
export class TransactionChain {
  readonly #waiting: OplogOperation[] = [];

  /** The operations that this entry brings, oldest first. */
  operationsOf(entry: OplogEntry): readonly OplogOperation[] {
    const { transaction } = entry.operation;
    if (!transaction) return entry.operations;
    if (isNullOpTime(entry.prevOpTime ?? NULL_OP_TIME)) this.#waiting.length = 0;
    if (transaction.partialTxn) {
      // Not as arguments: there may be more than a stack has room for.
      for (const operation of entry.operations) this.#waiting.push(operation);
      return [];
    }
    const operations = entry.applyOps ? [...this.#waiting, ...entry.applyOps] : [];
    this.#waiting.length = 0;
    return operations;
  }
}
