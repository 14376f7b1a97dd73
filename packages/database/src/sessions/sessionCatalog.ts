import { CommandError, NULL_OP_TIME } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import type { SessionId } from '../fields/sessionId.ts';
import type { Operation } from '../operations/operation.ts';
import { type FindEntry, RetryableWrite } from './retryableWrite.ts';
import { SessionCache, type SessionCacheHost } from './sessionCache.ts';
import { sessionRecord } from './transactionTable.ts';

/** What the catalog asks of its member. */
export interface SessionHost extends Omit<SessionCacheHost, 'ended'> {
  engine(): ReadView;
  readonly findEntry: FindEntry;
  /** Lets those look again who wait for a session. */
  wake(): void;
  /** Ends the cursors of a session. @param key the hex of its UUID */
  closeCursors(key: string): void;
}

interface Session {
  /** The newest number that was begun on this member, whether or not it wrote anything. */
  txnNumber: bigint;
  checkedOut: boolean;
  /** Is to be forgotten when it is checked in. */
  ended?: true;
}

/**
 * The sessions that write on this member. Each is in the hands of one operation at a time. What was written is in the data
 * (`config.transactions`) and in the oplog, so that a new primary knows it too; this holds only what is under way.
 * Upstream: session_catalog.cpp, session_catalog_mongod.cpp.
 */
export class SessionCatalog {
  readonly #host: SessionHost;
  readonly #sessions = new Map<string, Session>();
  /** All that are in use, whether they write or not. */
  readonly cache: SessionCache;

  constructor(host: SessionHost) {
    this.#host = host;
    this.cache = new SessionCache({
      wallMs: () => host.wallMs(),
      timeoutMinutes: () => host.timeoutMinutes(),
      inUse: (key) => host.inUse(key),
      ended: (key) => {
        host.closeCursors(key);
        this.#forget(key);
      },
    });
  }

  /**
   * Takes a session for a retryable write, waiting until no other operation has it. Throws TransactionTooOld 225 for a
   * number that lies before one begun already. Whoever has taken it calls `checkIn`.
   */
  *checkOut(lsid: SessionId, txnNumber: bigint): Operation<RetryableWrite> {
    yield { type: 'wait', what: 'other', ready: () => !this.#sessions.get(lsid.key)?.checkedOut };
    const record = sessionRecord(this.#host.engine(), lsid.bytes);
    const begun = newest(record?.txnNumber, this.#sessions.get(lsid.key)?.txnNumber);
    if (begun !== undefined && txnNumber < begun) {
      throw new CommandError(
        'TransactionTooOld',
        `txnNumber ${txnNumber} is too old for session ${lsid.key}, which has come to ${begun}`,
      );
    }
    this.#sessions.set(lsid.key, { txnNumber, checkedOut: true });
    const last = record?.txnNumber === txnNumber ? record.lastWriteOpTime : NULL_OP_TIME;
    return new RetryableWrite(lsid, txnNumber, last, this.#host.findEntry);
  }

  checkIn({ key }: SessionId): void {
    const session = this.#sessions.get(key);
    if (session?.ended) this.#sessions.delete(key);
    else if (session) session.checkedOut = false;
    this.#host.wake();
  }

  /** Forgets what is not in the data: after an election the data alone counts. */
  invalidate(): void {
    for (const [key, session] of this.#sessions) if (!session.checkedOut) this.#sessions.delete(key);
  }

  /** How long a session lasts without being used. */
  get timeoutMinutes(): number {
    return this.#host.timeoutMinutes();
  }

  /** Nothing of a session stays but what it wrote. */
  #forget(key: string): void {
    const session = this.#sessions.get(key);
    if (session?.checkedOut) session.ended = true;
    else this.#sessions.delete(key);
  }
}

function newest(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
