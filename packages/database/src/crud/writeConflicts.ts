import type { Operation } from '@replsim/operations';
import { CommandError, ErrorCodes } from '@replsim/protocol';
import { backoffMicros } from '@replsim/transactions';
import type { CommandContext } from '../definition.ts';

/** What applications know a conflict by where a statement looked for its documents first. */
const DURING_PLAN =
  'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.';
/** Those that look for none. */
const INSERTS: ReadonlySet<string> = new Set(['insert', 'bulkWrite']);

/**
 * A single write that meets an open transaction's waits a while and is then tried again; a statement of a transaction never waits.
 * Throws `error` if it is anything else. Upstream: write_conflict_exception.cpp, logAndBackoff; plan_executor_impl.cpp.
 * @param attempt how many have failed, from 1 on
 */
export function* backOff(context: CommandContext, error: unknown, attempt: number): Operation<void> {
  const { args, member, transaction } = context;
  if (!isWriteConflict(error) || (transaction && INSERTS.has(args.name))) throw error;
  if (transaction) throw new CommandError('WriteConflict', DURING_PLAN);
  member.counters.writeConflicts += 1;
  const micros = backoffMicros(attempt);
  if (micros === 0) return;
  yield { type: 'wait', what: 'other', ready: () => false, deadlineMicros: member.now.monotonicMicros + micros };
}

export function isWriteConflict(error: unknown): boolean {
  return error instanceof CommandError && error.code === ErrorCodes.WriteConflict;
}
