import type { SessionId } from '@replsim/pipeline';
import { type Now, NULL_OP_TIME } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { TransactionMetrics } from '@replsim/transactions';
import { LatencyHistogram } from '../counts/latencyHistogram.ts';
import type { Operation } from '../operations/operation.ts';
import { CollectionLocks } from './collectionLocks.ts';
import { type FindEntry, RetryableWrite } from './retryableWrite.ts';
import { Session } from './session.ts';
import { SessionCache, type SessionCacheHost } from './sessionCache.ts';
import { recordedUseMs } from './sessionRows.ts';
import { type SessionRecord, sessionRecord } from './transactionTable.ts';

/** What the catalog asks of its member. */
export interface SessionHost extends Omit<SessionCacheHost, 'ended' | 'recordedUseMs'> {
  engine(): ReadView;
  readonly findEntry: FindEntry;
  /** Lets those look again who wait for a session, or for a transaction's end. */
  wake(): void;
  /** Ends the cursors of a session. @param key the hex of its UUID @param txnNumber of one transaction alone */
  closeCursors(key: string, txnNumber?: bigint): void;
  /** The parameter `transactionLifetimeLimitSeconds`. */
  lifetimeLimitSecs(): number;
  now(): Now;
  /** A transaction has begun, or one is over. */
  transactionChanged(): void;
  /** One is over that had read or written something; its session still says which. */
  transactionEnded(session: Session, cause: 'committed' | 'aborted'): void;
}

/**
 * The sessions that write on this member. Each is in the hands of one operation at a time. What was written is in the data
 * (`config.transactions`) and in the oplog, so that a new primary knows it too; this holds only what is under way, open
 * transactions among it. Upstream: session_catalog.cpp, session_catalog_mongod.cpp.
 */
export class SessionCatalog {
  readonly #host: SessionHost;
  readonly #sessions = new Map<string, Session>();
  /** All that are in use, whether they write or not. */
  readonly cache: SessionCache;
  readonly metrics = new TransactionMetrics();
  /** How long transactions lasted that are over. */
  readonly ended = new LatencyHistogram();
  readonly locks = new CollectionLocks(this);

  constructor(host: SessionHost) {
    this.#host = host;
    this.cache = new SessionCache({
      wallMs: () => host.wallMs(),
      timeoutMinutes: () => host.timeoutMinutes(),
      held: host.held,
      inUse: (key) => host.inUse(key),
      recordedUseMs: (lsid) => recordedUseMs(host.engine(), lsid.bytes),
      ended: (key) => {
        host.closeCursors(key);
        this.#forget(key);
      },
    });
  }

  /**
   * Takes a session for a retryable write, waiting until no other operation has it. Throws TransactionTooOld 225 for a
   * number that lies before one begun already, IncompleteTransactionHistory 217 for that of a transaction. Whoever has taken
   * it calls `checkIn`.
   */
  *checkOut(lsid: SessionId, txnNumber: bigint): Operation<RetryableWrite> {
    yield { type: 'wait', what: 'other', ready: () => !this.#sessions.get(lsid.key)?.checkedOut };
    const record = sessionRecord(this.#host.engine(), lsid.bytes);
    const session = this.#session(lsid, record);
    session.participant.beginRetryableWrite(txnNumber);
    session.checkedOut = true;
    const last = record?.txnNumber === txnNumber ? record.lastWriteOpTime : NULL_OP_TIME;
    return new RetryableWrite(lsid, txnNumber, last, this.#host.findEntry);
  }

  /**
   * Takes a session for a statement of a transaction, and begins that or goes on with it. Errors: those of `Participant`,
   * which leave what is under way as it was. Whoever has taken it calls `checkIn`.
   */
  *checkOutTransaction(lsid: SessionId, txnNumber: bigint, starts: boolean): Operation<Session> {
    yield { type: 'wait', what: 'other', ready: () => !this.#sessions.get(lsid.key)?.checkedOut };
    const session = this.#session(lsid, sessionRecord(this.#host.engine(), lsid.bytes));
    session.begin(txnNumber, starts, this.#host.now().monotonicMicros + this.#host.lifetimeLimitSecs() * 1_000_000);
    session.checkedOut = true;
    return session;
  }

  checkIn({ key }: SessionId): void {
    const session = this.#sessions.get(key);
    if (session?.ended) {
      session.abort();
      this.#sessions.delete(key);
    } else if (session) session.checkedOut = false;
    this.#host.wake();
  }

  /** How many sessions have written here of which something is held. */
  get size(): number {
    return this.#sessions.size;
  }

  /** How many transactions are open. */
  get openCount(): number {
    return this.metrics.currentOpen;
  }

  /** Those with an open transaction, in the order in which they first wrote here. */
  open(): readonly Session[] {
    if (this.openCount === 0) return [];
    return [...this.#sessions.values()].filter(({ participant }) => participant.isOpen);
  }

  /** Whether an open transaction has looked at such a collection. */
  anyTouches(choose: (ns: string) => boolean): boolean {
    return this.open().some(({ open }) => open?.touches(choose));
  }

  /** Gives up open transactions; those whose statement runs at this moment hear of it by its failure. */
  abortAll(choose: (session: Session) => boolean = () => true): void {
    for (const session of this.open()) if (!session.checkedOut && choose(session)) session.abort();
  }

  /** Forgets what is not in the data: after an election the data alone counts. */
  invalidate(): void {
    for (const [key, session] of this.#sessions) {
      if (session.checkedOut) continue;
      session.abort();
      this.#sessions.delete(key);
    }
  }

  /** How long a session lasts without being used. */
  get timeoutMinutes(): number {
    return this.#host.timeoutMinutes();
  }

  /** What was written elsewhere, or before a restart, counts as well. */
  #session(lsid: SessionId, record: SessionRecord | undefined): Session {
    let session = this.#sessions.get(lsid.key);
    if (!session) {
      session = new Session(lsid, {
        metrics: this.metrics,
        ended: this.ended,
        closeCursors: (key, txnNumber) => this.#host.closeCursors(key, txnNumber),
        transactionChanged: () => this.#host.transactionChanged(),
        transactionEnded: (ended, cause) => this.#host.transactionEnded(ended, cause),
        now: () => this.#host.now(),
      });
      this.#sessions.set(lsid.key, session);
    }
    session.participant.refresh(record);
    return session;
  }

  /** Nothing of a session stays but what it wrote. */
  #forget(key: string): void {
    const session = this.#sessions.get(key);
    if (!session) return;
    if (session.checkedOut) session.ended = true;
    else {
      session.abort();
      this.#sessions.delete(key);
    }
  }
}
