import type { SessionId } from '@replsim/pipeline';
import type { Now } from '@replsim/protocol';
import { Participant, type TransactionMetrics } from '@replsim/transactions';
import type { WriteConcernRequest } from '../concernRequests.ts';
import type { OpenConnection } from '../connections/openConnection.ts';
import type { LatencyHistogram } from '../counts/latencyHistogram.ts';
import type { OperationDebug } from '../operations/operationDebug.ts';
import type { OpenTransaction } from './openTransaction.ts';
import { TransactionTimes } from './transactionTimes.ts';

/** What a session asks of its catalog. */
export interface SessionOwner {
  readonly metrics: TransactionMetrics;
  /** How long those lasted that are over. */
  readonly ended: LatencyHistogram;
  /** Ends the cursors of one of its transactions. */
  closeCursors(key: string, txnNumber: bigint): void;
  /** A transaction has begun, or one is over. */
  transactionChanged(): void;
  /** One is over that had read or written something; its session still says which. */
  transactionEnded(session: Session, cause: 'committed' | 'aborted'): void;
  now(): Now;
}

/** One session that writes on this member, in the hands of one operation at a time. Upstream: session.h. */
export class Session {
  readonly lsid: SessionId;
  readonly participant: Participant;
  checkedOut = false;
  /** What the first statement of its transaction said of the Stable API. */
  apiParameters = '{}';
  /** Is to be forgotten when it is checked in. */
  ended = false;
  /** When its open transaction is given up, of the monotonic clock. */
  expiresMicros = Infinity;
  /** Of its open transaction, or of the last. */
  times: TransactionTimes;
  readonly #owner: SessionOwner;
  #open: OpenTransaction | undefined;
  #isActive = false;

  constructor(lsid: SessionId, owner: SessionOwner) {
    this.lsid = lsid;
    this.#owner = owner;
    this.times = new TransactionTimes(owner.now());
    this.participant = new Participant(lsid.key, () => this.#onAborted());
  }

  get txnNumber(): bigint {
    return this.participant.txnNumber;
  }

  /** The data of its transaction, once the first statement has got so far and while it is open. */
  get open(): OpenTransaction | undefined {
    return this.#open;
  }

  /** Begins or goes on. Errors: those of `Participant`. @param expiresMicros of one that begins */
  begin(txnNumber: bigint, starts: boolean, expiresMicros: number): void {
    if (!starts) return this.participant.continueWith(txnNumber, this.#open !== undefined);
    this.participant.start(txnNumber);
    this.times = new TransactionTimes(this.#owner.now());
    this.expiresMicros = expiresMicros;
    this.#owner.metrics.started();
    this.#owner.transactionChanged();
  }

  /** Whether a statement is at work. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** A statement begins its work. */
  unstash(connection: OpenConnection | undefined): void {
    this.#isActive = true;
    this.times.connection = connection;
    this.times.begins(this.#owner.now());
    this.#owner.metrics.unstashed();
  }

  attach(open: OpenTransaction): void {
    this.#open = open;
  }

  /** A statement is over, and the transaction waits for the next. */
  stash(debug: OperationDebug): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.times.looked(debug);
    this.times.ends(this.#owner.now());
    this.#owner.metrics.stashed();
  }

  /** Throws what `OpenTransaction.commit` throws; then it is still open. */
  commit(writeConcern: WriteConcernRequest | undefined): void {
    this.#open?.commit(writeConcern);
    this.participant.committed();
    this.#owner.metrics.committed();
    this.#over('committed');
  }

  /** Gives up what is open, if anything is. @param debug of the statement that failed */
  abort(debug?: OperationDebug): void {
    if (!this.participant.isOpen) return;
    if (debug && this.#isActive) this.times.looked(debug);
    this.participant.abort();
  }

  #onAborted(): void {
    this.#open?.abort();
    this.#owner.metrics.aborted(this.#isActive);
    this.#over('aborted');
  }

  #over(cause: 'committed' | 'aborted'): void {
    this.#owner.ended.add(this.times.openMicros(this.#owner.now()));
    if (this.#open) this.#owner.transactionEnded(this, cause);
    this.#open = undefined;
    this.#isActive = false;
    this.expiresMicros = Infinity;
    this.#owner.closeCursors(this.lsid.key, this.txnNumber);
    this.#owner.transactionChanged();
  }
}
