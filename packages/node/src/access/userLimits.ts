import { HeldByUser } from '@replsim/access';
import type { ParameterStore } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';

/** The cursors of users. Where nobody logs in there is no limit, as in any mongod. Errors: OperationFailed 96. */
export function cursorsOfUsers(parameters: ParameterStore): HeldByUser {
  return new HeldByUser(({ owner, own }) => {
    const most = parameters.number('maxCursorsPerUser');
    if (owner === '' || most === 0 || own < most) return;
    throw new CommandError(
      'OperationFailed',
      `${owner} has ${own} open cursors, as many as maxCursorsPerUser allows: exhaust or kill some`,
    );
  });
}

/**
 * The sessions of all, and of each user; with access control those who have not logged in are one user. Errors: TooManyLogicalSessions 261.
 * Upstream: logical_session_cache_impl.cpp, LogicalSessionCacheImpl::_addToCacheIfNotFull.
 */
export function sessionsOfUsers(parameters: ParameterStore, isAccessControlled: boolean): HeldByUser {
  return new HeldByUser(({ owner, own, all }) => {
    const why = 'Unable to add session into the cache because the number of active sessions is too high';
    if (all >= parameters.number('maxSessions')) throw new CommandError('TooManyLogicalSessions', why);
    const most = parameters.number('maxSessionsPerUser');
    if ((owner === '' && !isAccessControlled) || most === 0 || own < most) return;
    throw new CommandError(
      'TooManyLogicalSessions',
      `${why}: the user has ${own}, as many as maxSessionsPerUser allows`,
    );
  });
}
