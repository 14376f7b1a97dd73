/** `{ num, totalMillis }` as serverStatus shows a timer. Upstream: timer_stats.h, TimerStats. */
export class TimerCounter {
  num = 0;
  totalMicros = 0;

  add(micros: number): void {
    this.num += 1;
    this.totalMicros += micros;
  }

  /** Unit: ms, whole. */
  get totalMillis(): number {
    return Math.floor(this.totalMicros / 1000);
  }
}

/** One of the two buffers between fetching and applying. */
export interface BufferCounters {
  count: number;
  sizeBytes: number;
  /** 0: any number. */
  maxCount: number;
  readonly maxSizeBytes: number;
}

/** Upstream: oplog_buffer's default size limit, 256 MB. */
const OPLOG_BUFFER_MAX_BYTES = 256 * 1024 * 1024;
/** The applier's own buffer (8.0) is smaller, and limited in entries too. Upstream: oplog_buffer_batched_queue. */
const APPLY_BUFFER_MAX_BYTES = 100 * 1024 * 1024;
const APPLY_BUFFER_MAX_COUNT = 10_000;

/** The changes of state that end operations. Upstream: ReplicationCoordinator::OpsKillingStateTransitionEnum. */
export type StateTransition = 'stepUp' | 'stepDown' | 'rollback';

/**
 * What `metrics.repl` of serverStatus counts about replication, since the process started; the code that does the work adds.
 * Upstream: replication_metrics.idl, oplog_applier_impl.cpp, oplog_writer_impl.cpp, oplog_fetcher.cpp, bgsync.cpp.
 */
export class ReplicationMetrics {
  /** `apply`: batches put into the data, and the operations in them. */
  readonly apply = { batchSize: 0, batches: new TimerCounter(), ops: 0, attemptsToBecomeSecondary: 0 };
  /** `write` (8.0): batches put into the oplog. */
  readonly write = { batchSize: 0, batches: new TimerCounter() };
  /** `buffer.write` and `buffer.apply` (8.0); one `buffer` before. */
  readonly buffer: { readonly write: BufferCounters; readonly apply: BufferCounters } = {
    write: { count: 0, sizeBytes: 0, maxCount: 0, maxSizeBytes: OPLOG_BUFFER_MAX_BYTES },
    apply: { count: 0, sizeBytes: 0, maxCount: APPLY_BUFFER_MAX_COUNT, maxSizeBytes: APPLY_BUFFER_MAX_BYTES },
  };
  /** `initialSync`: `failures` are syncs that were given up, `failedAttempts` single attempts. */
  readonly initialSync = { completed: 0, failedAttempts: 0, failures: 0 };
  /** `network`: what was fetched (`bytes`, `ops`, `getmores`), and served (`oplogGetMoresProcessed`). */
  readonly network = {
    bytes: 0,
    ops: 0,
    getmores: Object.assign(new TimerCounter(), { numEmptyBatches: 0 }),
    oplogGetMoresProcessed: new TimerCounter(),
    readersCreated: 0,
    replSetUpdatePosition: { num: 0 },
    notPrimaryLegacyUnacknowledgedWrites: 0,
    notPrimaryUnacknowledgedWrites: 0,
  };
  /** `reconfig`: how often this primary gave a new member its vote. */
  readonly reconfig = { numAutoReconfigsForRemovalOfNewlyAddedFields: 0 };
  /** `stateTransition`: what the changes of state did to operations. */
  readonly stateTransition: { last: StateTransition | ''; operationsKilled: number; operationsRunning: number } = {
    last: '',
    operationsKilled: 0,
    operationsRunning: 0,
  };
  /** `syncSource`: outcomes of each look for a source. */
  readonly syncSource = {
    numSelections: 0,
    numTimesChoseSame: 0,
    numTimesChoseDifferent: 0,
    numTimesCouldNotFind: 0,
    numSyncSourceChangesDueToSignificantlyCloserNode: 0,
  };
}
