import type { SessionId } from '@replsim/pipeline';
import { CommandError, isNullOpTime, type OplogEntry, type OpTime, type StatementLink } from '@replsim/protocol';

/** Entries of the oplog by their opTime. */
export type FindEntry = (opTime: OpTime) => OplogEntry | undefined;

/**
 * One retryable write that is being carried out: which of its statements were executed before, here or on a member that
 * was primary then. Upstream: transaction_participant.cpp, checkStatementExecuted.
 */
export class RetryableWrite {
  readonly lsid: SessionId;
  readonly txnNumber: bigint;
  /** Statements that were answered from the oplog, for `retriedStmtIds`. */
  readonly retried: number[] = [];
  readonly #executed = new Map<number, OplogEntry>();
  /** The oplog does not reach back to the write's first entry. */
  readonly #incomplete: boolean;

  /** @param newest the newest entry of this write, null if there is none */
  constructor(lsid: SessionId, txnNumber: bigint, newest: OpTime, find: FindEntry) {
    this.lsid = lsid;
    this.txnNumber = txnNumber;
    let at: OpTime | undefined = newest;
    while (at && !isNullOpTime(at)) {
      const entry = find(at);
      if (!entry?.operation.statement) break;
      // One entry may carry out several statements.
      for (const { statement } of entry.operations) if (statement) this.#executed.set(statement.stmtId, entry);
      at = entry.prevOpTime;
    }
    this.#incomplete = at !== undefined && !isNullOpTime(at);
  }

  /**
   * The entry that carried out a statement, if that was done before; the statement then counts as retried.
   * Throws IncompleteTransactionHistory 217 where the oplog no longer tells.
   */
  executed(stmtId: number): OplogEntry | undefined {
    const entry = this.#executed.get(stmtId);
    if (entry) this.retried.push(stmtId);
    else if (this.#incomplete) {
      throw new CommandError(
        'IncompleteTransactionHistory',
        `the oplog no longer tells which statements of txnNumber ${this.txnNumber} on session ${this.lsid.key} were carried out`,
      );
    }
    return entry;
  }

  /** What ties a statement's entry to this write. */
  link(stmtId: number, needsRetryImage?: StatementLink['needsRetryImage']): StatementLink {
    const { lsid, txnNumber } = this;
    return { lsid: lsid.bytes, txnNumber, stmtId, ...(needsRetryImage && { needsRetryImage }) };
  }
}
