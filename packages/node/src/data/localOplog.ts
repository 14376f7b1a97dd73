import { lastWriteOf } from '@replsim/database';
import { maxTimestamp, reservedOpTime, reserveTimestamps } from '@replsim/oplog';
import { BsonWriter, OplogEntry, type OplogOperation, type OpTime, UNINITIALIZED_TERM } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { Replication } from '../replication/replication.ts';
import { RecordKinds } from './journal.ts';

/**
 * What changes `local.oplog.rs` on this member: its own entries, the copies of others', the cap at the head and the cut of
 * a rollback at the tail. Upstream: oplog.cpp and local_oplog_info.cpp.
 */
export class LocalOplog {
  readonly #core: Core;
  readonly #repl: Replication;
  /** How often entries were let go of at the head, for serverStatus. */
  truncateCount = 0;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  /** Writes one entry of its own: reserves an opTime, appends, and counts as applied. */
  writeEntry(operation: OplogOperation): OplogEntry {
    const entry = this.logOperations([operation])[0]!;
    this.committedLocally();
    return entry;
  }

  /**
   * Appends entries for changes that are in the data already, one opTime each.
   * @param applyOps the inner operations, where the one operation is a group; it reserves an opTime for each
   */
  logOperations(operations: readonly OplogOperation[], applyOps?: readonly OplogOperation[]): OplogEntry[] {
    const core = this.#core;
    const { oplog, topology, positions, elections } = this.#repl;
    const count = applyOps?.length ?? operations.length;
    const base = maxTimestamp(core.clusterTime, oplog.last.ts);
    const reserved = reserveTimestamps(base, core.now.wallMs, count);
    const { clusterTime } = core;
    core.clusterTime = reserved.clusterTime;
    const term = topology.config ? topology.term : UNINITIALIZED_TERM;
    // Statements of one retryable write hang on each other, so that a retry finds them all.
    const statement = operations[0]?.statement;
    let prevOpTime = statement && lastWriteOf(core.engine, statement);
    const entries = operations.map((operation, i) => {
      const opTime = reservedOpTime(reserved.first, i, term);
      const entry = new OplogEntry(operation, opTime, core.now.wallMs, applyOps, prevOpTime);
      if (statement) prevOpTime = opTime;
      return entry;
    });
    for (const entry of entries) this.append(entry);
    const last = entries.at(-1)!;
    positions.written = { opTime: last.opTime, wallMs: last.wallMs };
    if (core.tracing) {
      const { acceptsWrites } = elections;
      core.trace({ type: 'oplogWritten', entries, origin: 'self', acceptsWrites, clusterTime });
    }
    return entries;
  }

  /** Adds one entry, wherever it came from, to the oplog and to what the journal is to flush. */
  append(entry: OplogEntry): void {
    const { oplog, parts } = this.#repl;
    // No-ops need no checkpoint, unless the oplog is full: what is truncated must not be needed for recovery.
    if (entry.operation.op !== 'n' || oplog.sizeBytes > parts.oplogCap.sizeBytes) parts.checkpoints.dirty();
    oplog.append(entry);
    oplog.addBytes(entry.byteLength);
    parts.journal.appendEntry(entry);
  }

  /** On a writer: a storage transaction has ended, its entries are applied by nature. */
  committedLocally(): void {
    const core = this.#core;
    const { oplog, positions, progress } = this.#repl;
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
        ...this.#repl.indexHash,
      });
    }
    this.truncateHead();
    progress.wroteLocally();
  }

  /** Lets go of the oldest entries that exceed the cap, that recovery does not need, and that are old enough. */
  truncateHead(): void {
    const { oplog, parts } = this.#repl;
    const { oplogCap, checkpoints } = parts;
    if (oplog.sizeBytes <= oplogCap.sizeBytes) return;
    const keepFromIndex = oplog.lastIndexUpTo(checkpoints.lastStable.ts);
    const keepFromMs = oplogCap.keepFromMs(this.#core.now.wallMs);
    if (oplog.truncateHead(oplogCap.sizeBytes, keepFromIndex, keepFromMs) === 0) return;
    this.truncateCount += 1;
    if (this.#core.tracing) this.#core.trace({ type: 'oplogTruncated', first: oplog.first });
  }

  /** Cuts the oplog behind `opTime`, on disk too. */
  truncateAfter(opTime: OpTime): OplogEntry[] {
    const { oplog, parts } = this.#repl;
    const removed = oplog.truncateAfter(opTime);
    const writer = new BsonWriter();
    writer.timestamp('ts', opTime.ts);
    writer.int64('t', opTime.t);
    parts.journal.append(RecordKinds.truncateAfter, writer.finish());
    return removed;
  }
}
