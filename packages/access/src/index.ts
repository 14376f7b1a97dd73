export type { AuthorizedUser } from './authorizedUser.ts';
export { parseKeyFile, setSecret, standInOf } from './keyFile.ts';
export type { AccessChanges, AccessCollection, AccessDocuments, UserSettings } from './management/accessDocuments.ts';
export { managingNeeds } from './management/managingNeeds.ts';
export { roleChanges } from './management/roles.ts';
export { rolesInfo } from './management/rolesInfo.ts';
export { userChanges, withoutPassword } from './management/users.ts';
export { usersInfo } from './management/usersInfo.ts';
export { type RoleName, SYSTEM_USER, sameRole, sameUser, shownName, type UserName } from './names.ts';
export { applyOpsNeeds } from './needs/applyOpsNeeds.ts';
export {
  type Asker,
  type CommandPrivilege,
  type Needed,
  NOTHING,
  on,
  onCluster,
  onDatabase,
} from './needs/needed.ts';
export { pipelineNeeds } from './needs/pipelineNeeds.ts';
export { anySession, killSessionsNeeds, patternNeeds, sessionsListed } from './needs/sessionNeeds.ts';
export { viewNeeds } from './needs/viewNeeds.ts';
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
export { type AddressRange, isInRange, parseRange } from './restrictions/addressRange.ts';
export { type Ends, type Restriction, readRestrictions, unmetRestriction } from './restrictions/restriction.ts';
export { builtInPrivileges, builtInRolesOf, isBuiltInRole } from './roles/builtInRoles.ts';
export { type FindRole, type ResolvedRoles, resolveRoles, wouldCircle } from './roles/resolve.ts';
export { base64Of, bytesOfBase64 } from './scram/bytes.ts';
export { type ScramAccount, ScramConversation } from './scram/conversation.ts';
export {
  fakeCredentials,
  type ScramCredentials,
  type StoredCredentials,
  scramCredentials,
  secretOf,
} from './scram/credentials.ts';
export {
  enabledMechanisms,
  SCRAM_MECHANISMS,
  SCRAM_SHAPES,
  type ScramMechanism,
  scramMechanism,
} from './scram/mechanisms.ts';
export { haveOneProof, isProofOf, timeProof } from './timeProof.ts';
export { type AccountHost, accountOf } from './users/accounts.ts';
export { type Held, HeldByUser } from './users/heldByUser.ts';
export {
  type HashSettings,
  KEPT_CREDENTIALS,
  type NewPassword,
  newCredentials,
  wantedMechanisms,
} from './users/newCredentials.ts';
export { digestOfUser } from './users/userDigest.ts';
export {
  documentId,
  EXTERNAL_DB,
  type NewUser,
  readRoleNames,
  readUser,
  type StoredUser,
  userDocument,
  withFields,
} from './users/userDocument.ts';
