import { type Operation, sleep } from '@replsim/operations';
import {
  type Channel,
  CommandError,
  decodeDocument,
  encodeDocument,
  type MemberCommand,
  type MemberReply,
  type RbidReply,
  type RunCommandReply,
} from '@replsim/protocol';
import { call } from '../../core/call.ts';
import type { InitialSyncAttempt } from './attempt.ts';

/** Upstream: base_cloner.cpp waits between tries; the length is ours. */
const RETRY_PAUSE_MICROS = 1_000_000;
/** Errors of the network, and of a source that is just not readable. Upstream: error_codes.yml, category RetriableError. */
const TRANSIENT_CODES: ReadonlySet<number> = new Set([6, 7, 89, 91, 189, 9001, 11600, 11602, 13436]);

export function isTransient(error: unknown): error is CommandError {
  return error instanceof CommandError && TRANSIENT_CODES.has(error.code);
}

/**
 * Asks the source, again and again while it is merely out of reach, for as long as the parameter allows; once it answers,
 * it must still be the source that it was. Upstream: initial_sync_base_cloner.cpp, InitialSyncSharedData.
 */
export function* patientCall<T extends MemberReply>(
  attempt: InitialSyncAttempt,
  channel: Channel,
  command: MemberCommand,
): Operation<T> {
  const { core } = attempt.repl;
  try {
    return yield* call<T>(core, attempt.chosenSource, channel, command);
  } catch (error) {
    if (attempt.over || attempt.givenUpFor || !isTransient(error)) throw error;
    yield* waitUntilReachable(attempt, error);
    return yield* patientCall<T>(attempt, channel, command);
  }
}

/** Returns when the source answers and is the same; throws `error` when the time for that is over. */
export function* waitUntilReachable(attempt: InitialSyncAttempt, error: CommandError): Operation<void> {
  const { core, host } = attempt.repl;
  const periodMicros = host.parameters.number('initialSyncTransientErrorRetryPeriodSeconds') * 1_000_000;
  attempt.operationsRetried += 1;
  if (attempt.retrying === 0) attempt.unreachableSinceMicros = core.now.monotonicMicros;
  attempt.retrying += 1;
  try {
    for (;;) {
      if (core.now.monotonicMicros - attempt.unreachableSinceMicros >= periodMicros) throw error;
      yield* sleep(RETRY_PAUSE_MICROS);
      try {
        return yield* checkSameSource(attempt);
      } catch (again) {
        if (attempt.over || attempt.givenUpFor || !isTransient(again)) throw again;
      }
    }
  } finally {
    attempt.retrying -= 1;
    if (attempt.retrying === 0) attempt.unreachableMicros += core.now.monotonicMicros - attempt.unreachableSinceMicros;
  }
}

/** The source has not rolled back, was not resynced, and is in the set still. */
function* checkSameSource(attempt: InitialSyncAttempt): Operation<void> {
  const source = attempt.chosenSource;
  if (!attempt.repl.topology.viewOf(source)) throw new CommandError('InitialSyncFailure', `${source} left the set`);
  yield* checkRbid(attempt);
  if ((yield* readInitialSyncId(attempt)) !== attempt.initialSyncId) {
    throw new CommandError('InitialSyncFailure', `${source} was synced anew meanwhile`);
  }
}

/** Upstream: base_cloner.cpp, checkRollBackIdIsUnchanged. Throws UnrecoverableRollbackError 127. */
export function* checkRbid(attempt: InitialSyncAttempt): Operation<void> {
  const { rbid } = yield* call<RbidReply>(attempt.repl.core, attempt.chosenSource, 'fetch', { replSetGetRBID: 1 });
  if (rbid === attempt.rbid) return;
  throw new CommandError('UnrecoverableRollbackError', `${attempt.source} rolled back meanwhile`);
}

/** Which initial sync the source's data come from; undefined where they come from none. */
export function* readInitialSyncId(attempt: InitialSyncAttempt): Operation<string | undefined> {
  const clone = encodeDocument({
    find: 'replset.initialSyncId',
    $db: 'local',
    $readPreference: { mode: 'secondaryPreferred' },
  });
  const { reply } = yield* call<RunCommandReply>(attempt.repl.core, attempt.chosenSource, 'admin', {
    runCommand: clone,
  });
  const answer = decodeDocument(reply) as {
    ok: unknown;
    code?: number;
    errmsg?: string;
    cursor?: { firstBatch: { _id: unknown }[] };
  };
  if (Number(answer.ok) !== 1) throw new CommandError(Number(answer.code), String(answer.errmsg));
  const { cursor } = answer;
  const id = cursor?.firstBatch[0]?._id;
  return id === undefined ? undefined : String(id);
}
