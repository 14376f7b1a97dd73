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
  type PrivilegeDocument,
  parsePrivilege,
  parsePrivileges,
  privilegeDocument,
  storedPrivileges,
  storedRoles,
} from './privileges/privilegeDocument.ts';
export {
  ANY_NORMAL,
  CLUSTER,
  database,
  namespace,
  patternKey,
  type ResourcePattern,
  type Target,
} from './privileges/resourcePattern.ts';
export { builtInPrivileges, builtInRolesOf, isBuiltInRole } from './roles/builtInRoles.ts';
export { type FindRole, type ResolvedRoles, resolveRoles, wouldCircle } from './roles/resolve.ts';
