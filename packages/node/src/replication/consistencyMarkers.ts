import { BsonWriter, NULL_TIMESTAMP, type Timestamp } from '@replsim/protocol';
import type { LocalDocuments } from '../data/local.ts';

const MIN_VALID = 'local.replset.minvalid';
const INITIAL_SYNC_ID = 'local.replset.initialSyncId';
const TRUNCATE_AFTER_POINT = 'local.replset.oplogTruncateAfterPoint';

/**
 * The documents in `local` that tell a restarted member how far it can trust its data.
 * Upstream: replication_consistency_markers_impl.cpp.
 */
export class ConsistencyMarkers {
  readonly #local: LocalDocuments;

  constructor(local: LocalDocuments) {
    this.#local = local;
  }

  /** At the start of a member of a set: what is missing is made, and the oplog has been cut where it had to be. */
  initialize(): void {
    if (!this.#local.bytes(MIN_VALID)) this.#setMinValid(false);
    this.showTruncateAfterPoint(NULL_TIMESTAMP);
  }

  /** An initial sync has begun, or is over: a process that finds the flag restarts it. */
  set initialSyncFlag(value: boolean) {
    this.#setMinValid(value);
  }

  get initialSyncFlag(): boolean {
    return this.#local.get(MIN_VALID)?.initialSyncFlag === true;
  }

  /** @param uuid 16 bytes, new for each initial sync */
  setInitialSyncId(uuid: Uint8Array, wallMs: number): void {
    const writer = new BsonWriter();
    writer.binary('_id', 4, uuid);
    writer.date('wallTime', wallMs);
    this.#local.set(INITIAL_SYNC_ID, writer.finish());
  }

  /**
   * Behind this the oplog may have holes. It is shown and not journalled: a journal segment is written whole or not at all,
   * so that no restart ever finds a hole.
   */
  showTruncateAfterPoint(ts: Timestamp): void {
    const writer = new BsonWriter();
    writer.string('_id', 'oplogTruncateAfterPoint');
    writer.timestamp('oplogTruncateAfterPoint', ts);
    this.#local.show(TRUNCATE_AFTER_POINT, writer.finish());
  }

  /** Recovery goes to a stable checkpoint, so no point beyond the oplog's end ever has to be reached: it is null. */
  #setMinValid(initialSyncFlag: boolean): void {
    const writer = new BsonWriter();
    writer.timestamp('ts', NULL_TIMESTAMP);
    writer.int64('t', -1);
    if (initialSyncFlag) writer.bool('initialSyncFlag', true);
    this.#local.set(MIN_VALID, writer.finish());
  }
}
