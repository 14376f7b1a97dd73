import { lastWriteOf } from '@replsim/operations';
import {
  abortTransactionOperation,
  applyOpsOperation,
  maxTimestamp,
  type Oplog,
  type Positions,
  reservedOpTime,
  reserveTimestamps,
} from '@replsim/oplog';
import {
  BsonWriter,
  type DataHash,
  NULL_OP_TIME,
  OplogEntry,
  type OplogOperation,
  type OpTime,
  required,
  type Term,
  type Timestamp,
  type TransactionLink,
} from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { Checkpoints } from './checkpoints.ts';
import { documentsHashAt } from './documentsHash.ts';
import { type Journal, RecordKinds } from './journal.ts';
import type { OplogCap } from './oplogCap.ts';

/** What the oplog of a member hangs on, and who hears of its growth. */
export interface LocalOplogHost {
  readonly oplog: Oplog;
  readonly oplogCap: OplogCap;
  readonly journal: Journal;
  readonly checkpoints: Checkpoints;
  readonly positions: Positions;
  /** Of the entries that this member writes; that of a set without a config is UNINITIALIZED_TERM. */
  readonly entryTerm: Term;
  readonly acceptsWrites: boolean;
  /** For the trace: absent where a member need not have the indexes that the others have at the same opTime. */
  readonly indexHash: { readonly indexHash?: DataHash };
  /** A storage transaction of this member's own has ended. */
  wroteLocally(): void;
}

/**
 * What changes `local.oplog.rs` on this member: its own entries, the copies of others', the cap at the head and the cut of
 * a rollback at the tail. Upstream: oplog.cpp and local_oplog_info.cpp.
 */
export class LocalOplog {
  readonly #core: Core;
  readonly #host: LocalOplogHost;
  /** How often entries were removed at the head, for serverStatus. */
  truncateCount = 0;

  constructor(core: Core, host: LocalOplogHost) {
    this.#core = core;
    this.#host = host;
  }

  /** Writes one entry of its own: reserves an opTime, appends, and counts as applied. */
  writeEntry(operation: OplogOperation): OplogEntry {
    const [entry] = this.logOperations([operation]);
    this.committedLocally();
    return required(entry, 'entry of this operation');
  }

  /**
   * Appends entries for changes that are in the data already, one opTime each.
   * @param applyOps the inner operations, where the one operation is a group. It reserves an opTime for each though it stands at
   *   the first alone: mongod takes the places before it knows into how many entries the operations will fit.
   *   Upstream: OpObserverImpl::onBatchedWriteCommit
   */
  logOperations(operations: readonly OplogOperation[], applyOps?: readonly OplogOperation[]): OplogEntry[] {
    const core = this.#core;
    const { clusterTime } = core;
    const opTimeOf = this.#reserve(applyOps?.length ?? operations.length);
    // Statements of one retryable write hang on each other, so that a retry finds them all.
    const statement = operations[0]?.statement;
    let prevOpTime = statement && lastWriteOf(core.engine, statement);
    const entries = operations.map((operation, i) => {
      const opTime = opTimeOf(i);
      const entry = new OplogEntry(operation, opTime, core.now.wallMs, applyOps, prevOpTime);
      if (statement) prevOpTime = opTime;
      return entry;
    });
    this.#write(entries, clusterTime);
    return entries;
  }

  /**
   * Appends the entries of a transaction, each of which holds a group of its operations and refers to the one before.
   * Upstream: op_observer_impl.cpp, logOplogEntries.
   * @param links what each entry says of the transaction, one for each group
   * @param documentsHash for the trace: of the data before it, where there are several
   */
  logTransaction(
    links: readonly TransactionLink[],
    groups: readonly (readonly OplogOperation[])[],
    documentsHash?: DataHash,
  ): OplogEntry[] {
    const core = this.#core;
    const { clusterTime } = core;
    const opTimeOf = this.#reserve(links.length);
    let prevOpTime: OpTime = NULL_OP_TIME;
    const entries = links.map((transaction, i) => {
      const opTime = opTimeOf(i);
      const operation = { ...applyOpsOperation(), transaction };
      const entry = new OplogEntry(operation, opTime, core.now.wallMs, groups[i], prevOpTime);
      prevOpTime = opTime;
      return entry;
    });
    this.#write(entries, clusterTime, documentsHash);
    return entries;
  }

  /** Says that a transaction whose first entries are there will have no last. @param prevOpTime the newest of them that is known */
  logAbort(transaction: TransactionLink, prevOpTime: OpTime): OplogEntry {
    const core = this.#core;
    const { clusterTime } = core;
    const operation = { ...abortTransactionOperation(), transaction };
    const entry = new OplogEntry(operation, this.#reserve(1)(0), core.now.wallMs, undefined, prevOpTime);
    this.#write([entry], clusterTime);
    return entry;
  }

  /** Reserves this many opTimes, above all that this member has heard of. @returns the n-th of them */
  #reserve(count: number): (n: number) => OpTime {
    const core = this.#core;
    const { oplog, entryTerm } = this.#host;
    const reserved = reserveTimestamps(maxTimestamp(core.clusterTime, oplog.last.ts), core.now.wallMs, count);
    core.clusterTime = reserved.clusterTime;
    return (n) => reservedOpTime(reserved.first, n, entryTerm);
  }

  #write(entries: readonly OplogEntry[], clusterTime: Timestamp, documentsHash?: DataHash): void {
    const core = this.#core;
    for (const entry of entries) this.append(entry);
    const last = required(entries.at(-1), 'operation to log');
    this.#host.positions.written = { opTime: last.opTime, wallMs: last.wallMs };
    if (!core.tracing) return;
    const { acceptsWrites } = this.#host;
    core.trace({
      type: 'oplogWritten',
      entries,
      origin: 'self',
      acceptsWrites,
      clusterTime,
      ...(documentsHash && { documentsHash }),
    });
  }

  /** Adds one entry, wherever it came from, to the oplog and to what the journal is to flush. */
  append(entry: OplogEntry): void {
    const { oplog, oplogCap, checkpoints, journal } = this.#host;
    // No-ops need no checkpoint, unless the oplog is full: what is truncated must not be needed for recovery.
    if (entry.operation.op !== 'n' || oplog.sizeBytes > oplogCap.sizeBytes) checkpoints.dirty();
    oplog.append(entry);
    oplog.addBytes(entry.byteLength);
    journal.appendEntry(entry);
  }

  /** On a writer: a storage transaction has ended, its entries are applied by nature. */
  committedLocally(): void {
    const core = this.#core;
    const { oplog, positions } = this.#host;
    positions.applied = positions.written;
    core.markVersion(oplog.endIndex - 1);
    if (core.tracing) {
      const opTime = positions.applied.opTime;
      core.trace({
        type: 'applied',
        opTime,
        entries: 1,
        stable: positions.stable,
        dataHash: core.engine.dataHash(),
        ...this.#host.indexHash,
        ...documentsHashAt(core.engine, oplog.lastEntry),
      });
    }
    this.truncateHead();
    this.#host.wroteLocally();
  }

  /** Lets go of the oldest entries that exceed the cap, that recovery does not need, and that are old enough. */
  truncateHead(): void {
    const { oplog, oplogCap, checkpoints } = this.#host;
    if (oplog.sizeBytes <= oplogCap.sizeBytes || this.#core.failPoints.enter('hangOplogCapMaintainerThread')) return;
    const keepFromIndex = oplog.lastIndexUpTo(checkpoints.neededFrom.ts);
    const keepFromMs = oplogCap.keepFromMs(this.#core.now.wallMs);
    if (oplog.truncateHead(oplogCap.sizeBytes, keepFromIndex, keepFromMs) === 0) return;
    this.truncateCount += 1;
    if (this.#core.tracing) this.#core.trace({ type: 'oplogTruncated', first: oplog.first });
  }

  /**
   * Lets go of entries that were written before `keepFromMs` (wall clock, ms since 1970), however small the oplog is; never of what
   * recovery needs, nor of the newest. A restart does not bring them back.
   */
  truncateOlder(keepFromMs: number): void {
    const { oplog, checkpoints, journal } = this.#host;
    const keepFromIndex = oplog.lastIndexUpTo(checkpoints.neededFrom.ts);
    if (oplog.truncateHead(0, keepFromIndex, keepFromMs) > 0) {
      this.truncateCount += 1;
      const writer = new BsonWriter();
      writer.timestamp('ts', oplog.first.ts);
      journal.append(RecordKinds.truncateBefore, writer.finish());
    }
    this.#core.trace({ type: 'oplogTruncated', first: oplog.first, asked: true });
  }

  /** Cuts the oplog behind `opTime`, on disk too. */
  truncateAfter(opTime: OpTime): OplogEntry[] {
    const { oplog, journal } = this.#host;
    const removed = oplog.truncateAfter(opTime);
    const writer = new BsonWriter();
    writer.timestamp('ts', opTime.ts);
    writer.int64('t', opTime.t);
    journal.append(RecordKinds.truncateAfter, writer.finish());
    return removed;
  }
}
