import {
  type OpenTransaction,
  type ReadConcernRequest,
  recordTransaction,
  type TransactionIdentity,
  type TransactionServices,
  type WriteConcernRequest,
} from '@replsim/operations';
import { noopOperation } from '@replsim/oplog';
import {
  encodeDocument,
  type OplogOperation,
  type OpTime,
  operationByteLength,
  required,
  type Timestamp,
  type TransactionLink,
} from '@replsim/protocol';
import { describeDocument, type ReadView, type StorageTransaction } from '@replsim/storage';
import { packOperations, type TransactionMetrics } from '@replsim/transactions';
import type { Core } from '../core/core.ts';
import { documentsHash } from '../data/documentsHash.ts';
import type { LocalOplog } from '../data/localOplog.ts';
import type { WriteObserver } from '../data/writeObserver.ts';
import type { Writes } from '../data/writes.ts';
import { TransactionWrites } from './transactionWrites.ts';

/** What transactions ask of their member. */
export interface TransactionsHost {
  readonly core: Core;
  readonly writes: Writes;
  readonly localOplog: LocalOplog | undefined;
  readonly observer: WriteObserver;
  readonly parameters: { number(name: string): number };
  readonly sessions: { readonly metrics: TransactionMetrics };
  /** What has been applied here. */
  lastApplied(): OpTime;
  /** The data as of a time. Errors: SnapshotTooOld 239, SnapshotUnavailable 246. */
  viewAt(readConcern: ReadConcernRequest): ReadView | undefined;
  /** The newest entry of those data; undefined where there is no oplog. */
  readsUpTo(readConcern: ReadConcernRequest): OpTime | undefined;
  /** A commit's write concern with the defaults filled in. */
  describeWriteConcern(request: WriteConcernRequest | undefined): object;
  /** Whether a commit waits for anything: its client has said so, or the default is more than `{ w: 1 }`. */
  isWriteConcernInForce(request: WriteConcernRequest | undefined): boolean;
}

/** Multi-document transactions on this member, while it leads. Upstream: transaction_participant.cpp. */
export class Transactions implements TransactionServices {
  readonly #host: TransactionsHost;

  constructor(host: TransactionsHost) {
    this.#host = host;
  }

  open(identity: TransactionIdentity): OpenTransaction {
    const host = this.#host;
    const { readConcern } = identity;
    const base = readConcern.atClusterTime && required(host.viewAt(readConcern), 'data of that time');
    return new MemberTransaction(host, identity, host.core.engine.begin(base), host.readsUpTo(readConcern));
  }

  writeNoop(msg: string, writeConcern: WriteConcernRequest | undefined): void {
    noteFor(this.#host, msg, writeConcern);
  }
}

/** One open transaction. */
class MemberTransaction implements OpenTransaction {
  readonly identity: TransactionIdentity;
  readonly readTimestamp: Timestamp | undefined;
  readonly data: StorageTransaction;
  readonly writes: TransactionWrites;
  readonly #host: TransactionsHost;
  readonly #readsUpTo: OpTime | undefined;

  constructor(
    host: TransactionsHost,
    identity: TransactionIdentity,
    data: StorageTransaction,
    readsUpTo: OpTime | undefined,
  ) {
    this.#host = host;
    this.#readsUpTo = readsUpTo;
    this.identity = identity;
    const { level, atClusterTime } = identity.readConcern;
    this.readTimestamp = level === 'snapshot' ? (atClusterTime ?? host.lastApplied().ts) : undefined;
    this.data = data;
    this.writes = new TransactionWrites(host, data);
  }

  traceRead(): void {
    const { core } = this.#host;
    if (!core.tracing || !this.#readsUpTo) return;
    const txnNumber = Number(this.identity.txnNumber);
    core.trace({ type: 'snapshotRead', opTime: this.#readsUpTo, dataHash: this.data.snapshotHash(), txnNumber });
  }

  touches(choose: (ns: string) => boolean): boolean {
    return this.data.touches(choose);
  }

  hasCreated(ns: string): boolean {
    return this.data.hasCreated(ns);
  }

  abort(): void {
    this.data.abort();
    this.#host.core.wake();
  }

  commit(writeConcern: WriteConcernRequest | undefined): void {
    const { operations } = this.writes;
    this.#host.writes.checkAccepted('admin.$cmd');
    let bytes = 0;
    if (operations.length > 0) bytes = this.#log(operations);
    else {
      this.data.abort();
      const sent = describeDocument(encodeDocument(this.#host.describeWriteConcern(writeConcern)));
      noteFor(this.#host, `read-only transaction with writeConcern ${sent}`, writeConcern);
    }
    this.#host.sessions.metrics.lastCommitted = {
      operationCount: operations.length,
      oplogOperationBytes: bytes,
      writeConcern: this.#host.isWriteConcernInForce(writeConcern) ? this.#host.describeWriteConcern(writeConcern) : {},
    };
    this.#host.core.wake();
  }

  /**
   * Data, oplog and the session's row at one instant. Upstream: op_observer_impl.cpp, onUnpreparedTransactionCommit.
   * @returns the bytes of the operations
   */
  #log(operations: readonly OplogOperation[]): number {
    const { core, localOplog, observer, parameters, writes } = this.#host;
    const limit = parameters.number('maxNumberOfTransactionOperationsInSingleOplogEntry');
    let bytes = 0;
    const sizeOf = (operation: OplogOperation) => {
      const size = operationByteLength(operation);
      bytes += size;
      return size;
    };
    const groups = packOperations(operations, sizeOf, { operations: limit });
    const before = core.tracing && groups.length > 1 ? documentsHash(core.engine) : undefined;
    this.data.commit();
    writes.traceCommitted(operations);
    const log = required(localOplog, 'oplog of a member of a set');
    const entries = log.logTransaction(this.#links(groups.length, operations.length), groups, before);
    const last = required(entries.at(-1), 'entry of the transaction');
    recordTransaction(core.engine, last);
    writes.keepPreImages(entries);
    observer.logged(entries);
    log.committedLocally();
    for (const operation of operations) if (operation.op === 'c') writes.announceCreated(operation);
    return bytes;
  }

  #links(entries: number, operations: number): TransactionLink[] {
    const { lsid, txnNumber } = this.identity;
    const link = { lsid: lsid.bytes, txnNumber };
    return Array.from({ length: entries }, (_, i) => {
      if (entries === 1) return link;
      return i < entries - 1 ? { ...link, partialTxn: true } : { ...link, count: operations };
    });
  }
}

function noteFor(host: TransactionsHost, msg: string, writeConcern: WriteConcernRequest | undefined): void {
  const { localOplog, observer } = host;
  if (localOplog && host.isWriteConcernInForce(writeConcern))
    observer.logged([localOplog.writeEntry(noopOperation(msg))]);
}
