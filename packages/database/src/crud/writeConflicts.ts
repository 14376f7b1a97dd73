import { CommandError, ErrorCodes } from '@replsim/protocol';
import { backoffMicros } from '@replsim/transactions';
import type { CommandContext } from '../definition.ts';
import type { Operation } from '../operations/operation.ts';

/**
 * A single write that meets an open transaction's waits a while and is then tried again; a statement of a transaction never waits.
 * Throws `error` if it is anything else. Upstream: write_conflict_exception.cpp, logAndBackoff; plan_executor_impl.cpp.
 * @param attempt how many have failed, from 1 on
 */
export function* backOff({ member, transaction }: CommandContext, error: unknown, attempt: number): Operation<void> {
  if (transaction || !isWriteConflict(error)) throw error;
  member.counters.writeConflicts += 1;
  const micros = backoffMicros(attempt);
  if (micros === 0) return;
  yield { type: 'wait', what: 'other', ready: () => false, deadlineMicros: member.now.monotonicMicros + micros };
}

export function isWriteConflict(error: unknown): boolean {
  return error instanceof CommandError && error.code === ErrorCodes.WriteConflict;
}
