import { CommandError, invariant } from '@replsim/protocol';
import { isAborted, isRetryableWriteMode, moved, type TxnState } from './txnState.ts';

/** What the data say of a session: its row in `config.transactions`. */
export interface SessionRow {
  readonly txnNumber: bigint;
  /** Of a transaction; a retryable write has none. */
  readonly state?: 'inProgress' | 'committed' | 'aborted' | undefined;
}

/** What a statement is to its transaction. */
export type StatementKind = 'commit' | 'abort' | 'other';

/**
 * One session's transactions on one member: which number it has come to, and what has become of it. It judges what clients send,
 * and holds no data: whoever owns it keeps those of the open transaction and throws them away when told that it is over.
 * Upstream: transaction_participant.cpp.
 */
export class Participant {
  readonly #session: string;
  readonly #onAborted: () => void;
  #txnNumber = -1n;
  #state: TxnState = 'None';

  /**
   * @param session as messages call it
   * @param onAborted an open transaction has been given up
   */
  constructor(session: string, onAborted: () => void) {
    this.#session = session;
    this.#onAborted = onAborted;
  }

  /** The newest number, -1 before the first. */
  get txnNumber(): bigint {
    return this.#txnNumber;
  }

  get state(): TxnState {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.#state === 'InProgress';
  }

  /**
   * Takes over what the data know better: another member was primary, or this one was restarted. A row that is `inProgress`
   * has been settled before a member leads. Upstream: _refreshSelfFromStorageIfNeeded.
   */
  refresh(row: SessionRow | undefined): void {
    if (!row || row.txnNumber <= this.#txnNumber) return;
    this.#renumber(row.txnNumber);
    this.#state = stateOfRow(row.state);
  }

  /**
   * A retryable write comes. Errors: TransactionTooOld 225, IncompleteTransactionHistory 217 under the number of a
   * transaction. Upstream: _beginOrContinueRetryableWrite.
   */
  beginRetryableWrite(txnNumber: bigint): void {
    if (txnNumber === this.#txnNumber && isRetryableWriteMode(this.#state)) return;
    this.#requireNotOld(txnNumber, `Retryable write with txnNumber ${txnNumber} is prohibited`);
    if (txnNumber > this.#txnNumber) return this.#renumber(txnNumber);
    throw new CommandError(
      'IncompleteTransactionHistory',
      `Incomplete history detected for transaction ${txnNumber} on session ${this.#session}: it is no retryable write`,
    );
  }

  /** Begins a transaction. Errors: TransactionTooOld 225, ConflictingOperationInProgress 117 for a number that is known. */
  start(txnNumber: bigint): void {
    this.#requireNotOld(txnNumber);
    if (txnNumber === this.#txnNumber) {
      throw new CommandError(
        'ConflictingOperationInProgress',
        `Only servers in a sharded cluster can start a new transaction at the active transaction number, ${txnNumber}`,
      );
    }
    this.#renumber(txnNumber);
    this.#state = moved(this.#state, 'InProgress');
  }

  /**
   * A statement of a transaction that is said to be under way.
   * @param hasData whether its first statement has left something to go on with
   * Errors: TransactionTooOld 225, NoSuchTransaction 251. Upstream: _continueMultiDocumentTransaction.
   */
  continueWith(txnNumber: bigint, hasData: boolean): void {
    this.#requireNotOld(txnNumber);
    if (txnNumber !== this.#txnNumber || isRetryableWriteMode(this.#state)) {
      throw noSuch(
        `Given transaction number ${txnNumber} does not match any in-progress transactions. The active transaction number is ${this.#txnNumber}`,
      );
    }
    if (this.#state !== 'InProgress' || hasData) return;
    this.abort();
    throw noSuch(`Transaction with { txnNumber: ${txnNumber} } has been aborted: an earlier command in it failed`);
  }

  /** Errors: NoSuchTransaction 251, TransactionCommitted 256. Upstream: _checkIsCommandValidWithTxnState. */
  checkRunnable(kind: StatementKind): void {
    if (isAborted(this.#state)) throw noSuch(`Transaction with { txnNumber: ${this.#txnNumber} } has been aborted.`);
    if (this.#state !== 'Committed' || kind === 'commit') return;
    throw new CommandError('TransactionCommitted', `Transaction ${this.#txnNumber} has been committed.`);
  }

  committed(): void {
    this.#state = moved(this.#state, 'Committed');
  }

  /** Gives the open transaction up. */
  abort(): void {
    invariant(this.isOpen, 'only what is open is aborted');
    this.#state = moved(this.#state, 'AbortedWithoutPrepare');
    this.#onAborted();
  }

  /** Forgets all but what the data will say. Upstream: Participant::invalidate. */
  invalidate(): void {
    if (this.isOpen) this.abort();
    this.#txnNumber = -1n;
    this.#state = 'None';
  }

  #requireNotOld(txnNumber: bigint, refused = `Cannot start transaction with { txnNumber: ${txnNumber} }`): void {
    if (txnNumber >= this.#txnNumber) return;
    const newer = isRetryableWriteMode(this.#state) ? 'retryable write' : 'transaction';
    throw new CommandError(
      'TransactionTooOld',
      `${refused} on session ${this.#session} because a newer ${newer} with txnNumber ${this.#txnNumber} has already started`,
    );
  }

  /** What was under way is given up, without a word to anybody. */
  #renumber(txnNumber: bigint): void {
    if (this.isOpen) this.abort();
    this.#state = moved(this.#state, 'None');
    this.#txnNumber = txnNumber;
  }
}

function noSuch(errmsg: string): CommandError {
  return new CommandError('NoSuchTransaction', errmsg);
}

function stateOfRow(state: SessionRow['state']): TxnState {
  if (state === undefined) return 'ExecutedRetryableWrite';
  return state === 'committed' ? 'Committed' : 'AbortedWithPrepare';
}
