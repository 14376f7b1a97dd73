export { applierLimits, type BatchLimits, nextBatchLength, nextWriterBatchLength } from './applier.ts';
export {
  closerSyncSource,
  memberToChangeTo,
  type PingQuestion,
  type ReasonToChange,
  type ReevaluationQuestion,
  reasonToChangeSyncSource,
  type SourceMetadata,
} from './changeSyncSource.ts';
export { advanceCommitPoint, type LearnedCommitPoint, learnCommitPoint, type PrimaryKnowledge } from './commitPoint.ts';
export { decodeEntry } from './decodeEntry.ts';
export { EntryBuffer } from './entryBuffer.ts';
export { EntrySources } from './entrySources.ts';
export { increases, STOPPED_FETCHER, stepFetcher } from './fetcher.ts';
export type { FetcherContext, FetcherEffect, FetcherEvent, FetcherState } from './fetcherTypes.ts';
export { Oplog } from './oplog.ts';
export { findCommand, findTimeoutMs, getMoreCommand, getMoreTimeoutMs } from './oplogQueries.ts';
export {
  abortTransactionOperation,
  applyOpsOperation,
  commandOperation,
  deleteOperation,
  insertOperation,
  type LoggedCollection,
  noopOperation,
  oplogNoteOperation,
  updateOperation,
} from './opObserver.ts';
export { maxTimestamp, reservedOpTime, reserveTimestamps } from './optimes.ts';
export { forward, NULL_POSITION, type OpTimeAndWall, Positions } from './positions.ts';
export { ReplicationMetrics, type StateTransition, type TimerCounter } from './replicationMetrics.ts';
export {
  type FirstBatchVerdict,
  findCommonPoint,
  judgeFirstBatch,
  type LocalHistory,
  type RollbackRefusal,
  rollbackForbidden,
} from './rollback.ts';
export {
  chooseSyncSource,
  type SourceCandidate,
  type SourceReadPreference,
  type SyncSourceQuestion,
} from './syncSource.ts';
export {
  coversTags,
  type KnownPosition,
  numNodesReached,
  type Quorum,
  quorumOf,
  quorumReached,
  type Unsatisfiable,
  type WriteConcern,
} from './writeConcern.ts';
