import type { Operation, WriteConcernRequest } from '@replsim/operations';
import type { Reply } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { ConcernServices, ReplyServices } from '../member.ts';
import { endsCommand } from './errorLabels.ts';

/**
 * Codes that tell a client what the data are like, from UserNotFound to DuplicateKey: a mongod has taken a lock for writing by then.
 * Codes that may also mean wrong arguments (2, 14, 72) are left out.
 */
// biome-ignore format: a list
const ofData: ReadonlySet<number> = new Set([11, 26, 27, 28, 31, 48, 52, 66, 68, 85, 86, 121, 166, 167, 171, 181, 215, 359, 361,
  371, 10334, 11000, 12587, 13297, 17280, 17419, 17420, 51002, 51003]);

/**
 * A write that fails waits for its write concern as well, if it has written something or if its error tells of the data: the client
 * may rely on what it was told, so that must not be rolled back either. Upstream: service_entry_point_shard_role.cpp,
 * RunCommandAndWaitForWriteConcern::_handleError; jstests/libs/write_concern_all_commands.js.
 */
export function* withFailureAwaited<T>(
  running: Operation<T>,
  request: WriteConcernRequest | undefined,
  member: Pick<ConcernServices, 'awaitWriteConcern'> & Pick<ReplyServices, 'lastOpTime'>,
): Operation<T> {
  try {
    return yield* running;
  } catch (error) {
    if (!(error instanceof CommandError) || !awaitsWriteConcern(error.code, member.lastOpTime !== undefined))
      throw error;
    const failure: Reply | undefined = yield* member.awaitWriteConcern(request);
    if (!failure) throw error;
    throw new CommandError(error.code, error.message, { ...error.extra, writeConcernError: failure });
  }
}

/** A command that was killed, or whose time is over, does not wait. */
function awaitsWriteConcern(code: number, wrote: boolean): boolean {
  return !endsCommand(code) && (wrote || ofData.has(code));
}
