import type { OplogEntry } from '@replsim/protocol';

/** How much goes into one batch. Parameters: replBatchLimitOperations, replBatchLimitBytes. */
export interface BatchLimits {
  readonly operations: number;
  readonly bytes: number;
}

/** Upstream: oplog_writer_batcher.cpp; it knows no parameters. */
const WRITER_BATCH_BYTES = 16 * 1024 * 1024;
const WRITER_BATCH_ENTRIES = 5000;

/** An applier batch also ends at a tenth of the oplog. Upstream: oplog_applier_utils.cpp, getBatchLimitOplogBytes. */
export function applierLimits(parameters: BatchLimits, oplogSizeBytes: number): BatchLimits {
  return { operations: parameters.operations, bytes: Math.min(parameters.bytes, Math.floor(oplogSizeBytes / 10)) };
}

/**
 * How many of the waiting entries are applied together: a command stands alone, all else shares a batch up to the limits.
 * Readers of a secondary see only the ends of batches. Upstream: oplog_applier_batcher.cpp, getNextApplierBatch.
 */
export function nextBatchLength(waiting: readonly OplogEntry[], limits: BatchLimits, start = 0): number {
  let operations = 0;
  let bytes = 0;
  let length = 0;
  for (let i = start; i < waiting.length; i++) {
    const entry = waiting[i]!;
    if (mustStandAlone(entry)) return length === 0 ? 1 : length;
    operations += entry.operations.length;
    bytes += entry.byteLength;
    const full = operations > limits.operations || bytes > limits.bytes;
    // An entry that exceeds a limit by itself makes a batch all the same.
    if (full && length > 0) return length;
    length += 1;
  }
  return length;
}

/** How many of the first `count` waiting entries are written to the oplog together. Upstream: oplog_writer_batcher.cpp. */
export function nextWriterBatchLength(waiting: readonly OplogEntry[], count = waiting.length): number {
  let bytes = 0;
  const most = Math.min(count, waiting.length, WRITER_BATCH_ENTRIES);
  for (let length = 0; length < most; length++) {
    bytes += waiting[length]!.byteLength;
    if (bytes > WRITER_BATCH_BYTES) return length + 1;
  }
  return most;
}

/** Commands other than an `applyOps` of nothing but CRUD operations. */
function mustStandAlone(entry: OplogEntry): boolean {
  return entry.operation.op === 'c' && (entry.applyOps?.some(({ op }) => op === 'c') ?? true);
}
