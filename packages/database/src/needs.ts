import { type ActionType, type AuthorizedUser, CLUSTER, database, namespace, type Target } from '@replsim/access';
import type { CommandArguments } from '@replsim/pipeline';
import type { OpenConnection } from './connections/openConnection.ts';
import type { MemberServices } from './member.ts';
import type { OperationNeed } from './operations/operationDebug.ts';

/** What somebody must be allowed to do. */
export type Needed = OperationNeed;

/** The right to do something to the cluster, or to the database or collection that a command names. */
export interface CommandPrivilege {
  readonly action: ActionType;
  readonly resource: 'cluster' | 'database' | 'collection';
}

/** A client that wants to run a command, where access control is on. */
export interface Asking {
  readonly args: CommandArguments;
  readonly member: MemberServices;
  readonly connection: OpenConnection;
  /** Undefined while the localhost exception lets somebody in who is nobody. */
  readonly user: AuthorizedUser | undefined;
  /** Whether it may do this now: for needs that are one of several. */
  mayDo(action: ActionType, target: Target): boolean;
  /** What another command needs, as the one that is explained. */
  needsOf(args: CommandArguments): readonly Needed[];
}

/**
 * All that a command needs, by its arguments. It reads them as the command does, and throws the same errors for those that make no
 * sense; whoever gets that far has logged in. Upstream: Command::doCheckAuthorization.
 */
export type NeedsOf = (asking: Asking) => readonly Needed[];

export const NOTHING: readonly Needed[] = [];

export function onCluster(...actions: readonly ActionType[]): readonly Needed[] {
  return actions.map((action) => ({ action, target: CLUSTER }));
}

export function onDatabase(db: string, ...actions: readonly ActionType[]): readonly Needed[] {
  return actions.map((action) => ({ action, target: database(db) }));
}

/** @param ns `db.collection` */
export function on(ns: string, ...actions: readonly ActionType[]): readonly Needed[] {
  return actions.map((action) => ({ action, target: namespace(ns) }));
}
