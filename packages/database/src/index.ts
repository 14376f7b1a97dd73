export { findRoleDocument, findUser, ROLES_NS, USERS_NS } from './access/accessStore.ts';
export { helloLogin } from './access/helloLogin.ts';
export { abandonLogin } from './access/loginLog.ts';
export { buildInfoReply } from './admin/diagnostics.ts';
export { checkStartableData } from './admin/featureCompatibility.ts';
export {
  parametersOf as parametersOfTransaction,
  readTimestampOf,
  sessionDocument,
} from './admin/transactionReports.ts';
export { allCommands } from './allCommands.ts';
export { checkIndexSpec } from './catalog/indexSpecs.ts';
export { storageEngineOptions } from './catalog/storageEngines.ts';
export type { CommandContext, CommandDefinition, CommandDescription } from './definition.ts';
export type {
  BuildRequest,
  BuildStats,
  CommandHost,
  CommittedOplog,
  IndexBuildServices,
  MemberAccess,
  MemberServices,
  OplogDocuments,
  SnapshotWindow,
} from './member.ts';
export { RamLog } from './ramLog.ts';
export { ANYWHERE, atOnce } from './replies/atOnce.ts';
export { isStateChangeError } from './replies/errorLabels.ts';
export { errorReply } from './replies/errorReply.ts';
export { ConnectionClosed, transactionalFailure } from './replies/failCommand.ts';
export { Dispatcher } from './requests/dispatcher.ts';
export { GUARDS } from './requests/guards.ts';
export { CommandRegistry } from './requests/registry.ts';
export type { Request } from './requests/request.ts';
