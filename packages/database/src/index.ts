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
export {
  ConcernDefaults,
  DEFAULTS_ID,
  type DefaultWriteConcern,
  isClusterWideWriteConcernSet,
  SETTINGS_NS,
} from './concernDefaults.ts';
export {
  parseReadConcern,
  parseWriteConcern,
  type ReadConcernLevel,
  type ReadConcernRequest,
  type WriteConcernRequest,
} from './concernRequests.ts';
export type { ClientConnection } from './connections/clientConnection.ts';
export { Connections } from './connections/connections.ts';
export { OpenConnection } from './connections/openConnection.ts';
export { type PreImageCounters, ServerCounters } from './counts/counters.ts';
export { CursorStore, type CursorUser } from './cursors.ts';
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
export { FsyncLock } from './operations/fsyncLock.ts';
export {
  type Killable,
  type Operation,
  type Pause,
  type Resume,
  type RunningOperation,
  spend,
} from './operations/operation.ts';
export { OperationDebug } from './operations/operationDebug.ts';
export { failIfInsertsAre, pauseWhileSet } from './operations/pauseWhileSet.ts';
export { Profiler } from './profiler/profiler.ts';
export { RamLog } from './ramLog.ts';
export { ANYWHERE, atOnce } from './replies/atOnce.ts';
export { isStateChangeError } from './replies/errorLabels.ts';
export { errorReply } from './replies/errorReply.ts';
export { ConnectionClosed, transactionalFailure } from './replies/failCommand.ts';
export { Dispatcher } from './requests/dispatcher.ts';
export { GUARDS } from './requests/guards.ts';
export { CommandRegistry } from './requests/registry.ts';
export type { Request } from './requests/request.ts';
export { type LogicalSessionServices, type LogicalSessionStats, SESSIONS_NS } from './sessions/logicalSessions.ts';
export type { OpenTransaction, TransactionIdentity, TransactionServices } from './sessions/openTransaction.ts';
export type { Session } from './sessions/session.ts';
export type { KnownSession } from './sessions/sessionCache.ts';
export { SessionCatalog } from './sessions/sessionCatalog.ts';
export { abandonedSessions } from './sessions/sessionRows.ts';
export {
  lastWriteOf,
  oldestUnfinishedChain,
  recordStatement,
  recordTransaction,
  TRANSACTIONS_NS,
  unfinishedChains,
} from './sessions/transactionTable.ts';
export { METRICS } from './sessions/transactionTimes.ts';
export type { WriteServices } from './writes.ts';
