import type { CommandArguments } from '@replsim/pipeline';
import type { AuthorizedUser } from '../authorizedUser.ts';
import type { ActionType } from '../privileges/actionType.ts';
import { CLUSTER, database, namespace, type Target } from '../privileges/resourcePattern.ts';

/** What somebody must be allowed to do. */
export interface Needed {
  readonly action: ActionType;
  readonly target: Target;
}

/** The right to do something to the cluster, or to the database or collection that a command names. */
export interface CommandPrivilege {
  readonly action: ActionType;
  readonly resource: 'cluster' | 'database' | 'collection';
}

/** Somebody who wants to run a command. */
export interface Asker {
  readonly args: CommandArguments;
  /** Undefined while the localhost exception lets somebody in who is nobody. */
  readonly user: AuthorizedUser | undefined;
  /** Whether they may do this now: for needs that are one of several. */
  mayDo(action: ActionType, target: Target): boolean;
}

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
