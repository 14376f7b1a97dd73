import type { Actions, ActionType } from './actionType.ts';
import { matches, patternKey, type ResourcePattern, type Target, touchesDatabase } from './resourcePattern.ts';

/** The right to do some things to all that a pattern fits. Upstream: privilege.h, Privilege. */
export interface Privilege {
  readonly resource: ResourcePattern;
  readonly actions: Actions;
}

/** Upstream: authorization_session_impl.cpp, isAuthorizedForActionsOnResource. */
export function allows(privileges: readonly Privilege[], action: ActionType, target: Target): boolean {
  return privileges.some(
    ({ resource, actions }) => (actions.has(action) || actions.has('anyAction')) && matches(resource, target),
  );
}

/** Whether they allow anything at all in a database. Upstream: isAuthorizedForAnyActionOnAnyResourceInDB. */
export function allowsAnythingIn(privileges: readonly Privilege[], db: string): boolean {
  return privileges.some(({ resource }) => touchesDatabase(resource, db));
}

/** Whether they allow anything at all of one thing. Upstream: isAuthorizedForAnyActionOnResource. */
export function allowsAnythingOn(privileges: readonly Privilege[], target: Target): boolean {
  return privileges.some(({ resource }) => matches(resource, target));
}

/** The same rights with each resource once, in the order in which the resources come first. Upstream: Privilege::addPrivilegeToPrivilegeVector. */
export function united(privileges: Iterable<Privilege>): readonly Privilege[] {
  const byResource = new Map<string, { resource: ResourcePattern; actions: Set<ActionType> }>();
  for (const { resource, actions } of privileges) {
    const key = patternKey(resource);
    const known = byResource.get(key);
    if (!known) byResource.set(key, { resource, actions: new Set(actions) });
    else for (const action of actions) known.actions.add(action);
  }
  return [...byResource.values()];
}
