import type { Actions, Privilege, ResourcePattern } from '@replsim/access';

type Row = readonly [resource: ResourcePattern, actions: Actions];

const rows: readonly Row[] = [
  [{ kind: 'database', db: 'admin' }, new Set(['createUser', 'grantRole'])],
  [{ kind: 'database', db: '$external' }, new Set(['createUser'])],
  [{ kind: 'cluster' }, new Set(['addShard', 'replSetConfigure', 'replSetGetStatus', 'issueDirectShardOperations'])],
];

const onArbiter: readonly Row[] = [
  [{ kind: 'cluster' }, new Set(['getCmdLineOpts', 'getParameter', 'serverStatus', 'shutdown'])],
];

/**
 * What a client on this machine may do while there is no user and no role: what it takes to begin a set and to create the first user.
 * An arbiter never has users. Upstream: authorization_session_impl.cpp, getDefaultPrivileges.
 */
export function exceptionPrivileges(isArbiter: boolean): readonly Privilege[] {
  return [...rows, ...(isArbiter ? onArbiter : [])].map(([resource, actions]) => ({ resource, actions }));
}
