export {
  ConcernDefaults,
  DEFAULTS_ID,
  type DefaultWriteConcern,
  isClusterWideWriteConcernSet,
  SETTINGS_NS,
} from './concernDefaults.ts';
export {
  checkStandaloneWriteConcern,
  parseReadConcern,
  parseWriteConcern,
  type ReadConcernLevel,
  type ReadConcernRequest,
  shownReadConcern,
  type WriteConcernRequest,
} from './concernRequests.ts';
export type { ClientConnection } from './connections/clientConnection.ts';
export { Connections, MAX_CONNECTIONS, NO_ADDRESS } from './connections/connections.ts';
export { OpenConnection, type SaslSession } from './connections/openConnection.ts';
export { type Latencies, type LatencyKind, latencyKind, type Usage } from './counts/commandStats.ts';
export { type PreImageCounters, ServerCounters } from './counts/counters.ts';
export { type HistogramView, LatencyHistogram } from './counts/latencyHistogram.ts';
export type { CollectionScans } from './counts/workCounts.ts';
export {
  type BatchEnd,
  type ClientCursor,
  type CursorOptions,
  CursorStore,
  type CursorUser,
  type DocumentSource,
  killedCursor,
} from './cursors.ts';
export { withDeadline } from './operations/deadline.ts';
export { FsyncLock } from './operations/fsyncLock.ts';
export {
  type Killable,
  type Operation,
  type Pause,
  type Resume,
  type RunningOperation,
  sleep,
  spend,
} from './operations/operation.ts';
export { type AskedConcerns, OperationDebug } from './operations/operationDebug.ts';
export { failIfInsertsAre, failIfSet, pauseWhileSet, waitWhileSet } from './operations/pauseWhileSet.ts';
export { contextOf, inPlan, inWritePlan, nowInPlan } from './operations/planErrors.ts';
export { entriesRead, NO_WORK, type ScanWork } from './operations/scanWork.ts';
export { type OperationsHost, Scheduler } from './operations/scheduler.ts';
export { operationName } from './profiler/operationName.ts';
export { Profiler } from './profiler/profiler.ts';
export { type ProfilerSettings, type ProfilingLevel, profileFilter } from './profiler/profilerSettings.ts';
export { shownCommand } from './profiler/shownCommand.ts';
export { writeOutcome } from './profiler/writeOutcome.ts';
export { type LogicalSessionServices, type LogicalSessionStats, SESSIONS_NS } from './sessions/logicalSessions.ts';
export type { OpenTransaction, TransactionIdentity, TransactionServices } from './sessions/openTransaction.ts';
export type { RetryableWrite } from './sessions/retryableWrite.ts';
export type { Session } from './sessions/session.ts';
export type { KnownSession } from './sessions/sessionCache.ts';
export { SessionCatalog } from './sessions/sessionCatalog.ts';
export { abandonedSessions } from './sessions/sessionRows.ts';
export {
  lastWriteOf,
  oldestUnfinishedChain,
  recordStatement,
  recordTransaction,
  retryImage,
  TRANSACTIONS_NS,
  unfinishedChains,
} from './sessions/transactionTable.ts';
export { METRICS } from './sessions/transactionTimes.ts';
export type { WriteServices } from './writes.ts';
