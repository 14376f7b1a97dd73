import { BeforePlanError } from '@replsim/pipeline';
import { CommandError, ErrorCodes, type VersionTraits } from '@replsim/protocol';
import type { Operation } from './operation.ts';

/** What was under way where an error was met. */
export type PlanUser = 'find' | 'distinct' | 'aggregate' | 'getMore' | 'findAndModify' | 'update' | 'delete';

/** The first `maxWireVersion` of a release. */
const [V4_4, V7_0, V8_0, V8_2] = [9, 21, 25, 27] as const;

/**
 * What this release puts in front of the message of an error that a plan meets while it is carried out, or undefined. Clients
 * know such errors by both parts.
 * Upstream: find_cmd.cpp; run_aggregate.cpp; getmore_cmd.cpp; distinct.cpp; write_ops_exec.cpp, advanceExecutor; from 8.1 on
 * plan_executor.cpp, executeWrite.
 */
export function contextOf(user: PlanUser, ns: string, { maxWireVersion }: VersionTraits): string | undefined {
  if (maxWireVersion < V4_4) return undefined;
  switch (user) {
    case 'find':
    case 'distinct':
      return `Executor error during ${user} command${maxWireVersion < V7_0 ? '' : `: ${ns}`}`;
    case 'aggregate':
      if (maxWireVersion < V8_0) return 'PlanExecutor error during aggregation';
      return `Executor error during aggregate command on namespace: ${ns}`;
    case 'getMore':
      return 'Executor error during getMore';
    case 'findAndModify':
      return 'Plan executor error during findAndModify';
    default:
      return maxWireVersion < V8_2 ? undefined : `Plan executor error during ${user}`;
  }
}

/** Carries out a plan, and says of what goes wrong where it did. @param context from `contextOf` */
export function* inPlan<T>(context: string | undefined, work: Operation<T>): Operation<T> {
  try {
    return yield* work;
  } catch (error) {
    throw within(context, error);
  }
}

/** The same of what takes no time. */
export function nowInPlan<T>(context: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw within(context, error);
  }
}

/**
 * The same of a write. From 7.0 on a write conflict is passed on as it is, so that the client tries again.
 * Upstream: write_ops_exec.cpp, advanceExecutor, which passes StorageUnavailableException on.
 */
export function* inWritePlan<T>(
  user: 'findAndModify' | 'update' | 'delete',
  traits: VersionTraits,
  work: Operation<T>,
): Operation<T> {
  try {
    return yield* work;
  } catch (error) {
    const isConflict = error instanceof CommandError && error.code === ErrorCodes.WriteConflict;
    throw isConflict && traits.maxWireVersion >= V7_0 ? error : within(contextOf(user, '', traits), error);
  }
}

function within(context: string | undefined, error: unknown): unknown {
  if (context === undefined || !(error instanceof CommandError) || error instanceof BeforePlanError) return error;
  return new CommandError(error.code, `${context} :: caused by :: ${error.message}`, error.extra);
}
