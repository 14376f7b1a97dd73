import type { HistoryReads, WorkloadOperation } from '@replsim/protocol';
import type { HistoryModel } from './models.ts';

/**
 * What MongoDB's manual promises to clients that read and write so. Where it promises nothing, nothing is asked: reads with `local`
 * may be undone, reads with `majority` may be old, and without a causally consistent session a client need not find its own write.
 * A transaction promises a snapshot, which is less than serializable: two may each read what the other overwrites.
 * Source: the manual on read concerns, on causal consistency and on transactions.
 */
export function promisedTo(operation: WorkloadOperation, reads: HistoryReads): readonly HistoryModel[] {
  const { readConcern, readPreference, causalConsistency, afterWrites, w } = reads;
  if (w !== 'majority') return [];
  if (operation === 'append') {
    if (readConcern === 'snapshot') return ['snapshotIsolation'];
    return readConcern === 'majority' ? ['readCommitted'] : [];
  }
  if (readConcern === 'linearizable') return readPreference === 'primary' ? ['linearizable'] : [];
  if (!causalConsistency || readConcern !== 'majority') return [];
  return afterWrites ? ['readYourWrites', 'monotonicReads'] : ['monotonicReads'];
}
