import type { OplogEntry } from '@replsim/protocol';

/** Limits of one applier batch. Upstream: repl_server_parameters.idl, replBatchLimitOperations and replBatchLimitBytes. */
export const REPL_BATCH_LIMIT_OPERATIONS = 5000;
export const REPL_BATCH_LIMIT_BYTES = 100 * 1024 * 1024;

/**
 * How many of the waiting entries form the next batch: a command stands alone, all else shares one up to the limits.
 * Readers of a secondary see only the ends of batches. Upstream also stops at a tenth of the oplog's size.
 * Upstream: oplog_applier_batcher.cpp, getNextApplierBatch.
 */
export function nextBatchLength(waiting: readonly OplogEntry[], start = 0): number {
  let operations = 0;
  let bytes = 0;
  let length = 0;
  for (let i = start; i < waiting.length; i++) {
    const entry = waiting[i]!;
    if (mustStandAlone(entry)) return length === 0 ? 1 : length;
    operations += entry.operations.length;
    bytes += entry.byteLength;
    const full = operations > REPL_BATCH_LIMIT_OPERATIONS || bytes > REPL_BATCH_LIMIT_BYTES;
    // An entry that exceeds a limit by itself makes a batch all the same.
    if (full && length > 0) return length;
    length += 1;
  }
  return length;
}

/** Commands other than an `applyOps` of nothing but CRUD operations. */
function mustStandAlone(entry: OplogEntry): boolean {
  return entry.operation.op === 'c' && (entry.applyOps?.some(({ op }) => op === 'c') ?? true);
}
