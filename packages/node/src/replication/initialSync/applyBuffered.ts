import { type Operation, spend } from '@replsim/operations';
import { nextBatchLength } from '@replsim/oplog';
import { compareOpTimes, type OplogEntry } from '@replsim/protocol';
import { applyEntry } from '../../data/applyEntry.ts';
import { applyMicros, batchLimits } from '../oplogApplier.ts';
import type { InitialSyncAttempt } from './attempt.ts';

/**
 * Writes and applies what was fetched beside the copy, until the copy is consistent: its documents are of various
 * moments, none later than `stop`. Upstream: initial_syncer.cpp, _getNextApplierBatchCallback.
 */
export function* applyBuffered(attempt: InitialSyncAttempt): Operation<void> {
  const { repl } = attempt;
  while (compareOpTimes(repl.oplog.last, attempt.stop) < 0) {
    yield { type: 'wait', what: 'other', ready: () => attempt.buffer.length > 0 };
    const next = attempt.buffer[0]!;
    yield { type: 'wait', what: 'indexBuild', ready: () => !repl.host.builds.holdsBack(next) };
    const count = nextBatchLength(attempt.buffer, batchLimits(repl));
    yield* spend(applyMicros(repl.core, attempt.buffer, count));
    applyBatch(attempt, attempt.buffer.splice(0, count));
  }
}

function applyBatch(attempt: InitialSyncAttempt, entries: readonly OplogEntry[]): void {
  const { core, replicator, positions, host } = attempt.repl;
  replicator.writer.write(entries, attempt.chosenSource);
  for (const entry of entries) {
    // What came before is in every copied document.
    if (compareOpTimes(entry.opTime, attempt.beginApplying) <= 0) continue;
    applyEntry(core, entry, 'initialSync', host);
    attempt.appliedOps += entry.operations.length;
  }
  positions.applied = positions.written;
}
