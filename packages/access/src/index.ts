export type { AuthorizedUser } from './authorizedUser.ts';
export { type RoleName, SYSTEM_USER, sameRole, sameUser, shownName, type UserName } from './names.ts';
export {
  ACTION_TYPES,
  type Actions,
  type ActionType,
  EVERY_ACTION,
  inOrder,
  isAction,
} from './privileges/actionType.ts';
export { allows, allowsAnythingIn, allowsAnythingOn, type Privilege, united } from './privileges/privilege.ts';
export {
  ANY_NORMAL,
  CLUSTER,
  database,
  namespace,
  patternKey,
  type ResourcePattern,
  type Target,
} from './privileges/resourcePattern.ts';
