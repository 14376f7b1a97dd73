export { nextBatchLength, REPL_BATCH_LIMIT_BYTES, REPL_BATCH_LIMIT_OPERATIONS } from './applier.ts';
export { advanceCommitPoint, type LearnedCommitPoint, learnCommitPoint, type PrimaryKnowledge } from './commitPoint.ts';
export {
  type FetcherContext,
  type FetcherEffect,
  type FetcherEvent,
  type FetcherState,
  STOPPED_FETCHER,
  stepFetcher,
} from './fetcher.ts';
export { Oplog } from './oplog.ts';
export {
  applyOpsOperation,
  commandOperation,
  deleteOperation,
  documentKeyOf,
  insertOperation,
  type LoggedCollection,
  noopOperation,
  oplogNoteOperation,
  updateOperation,
} from './opObserver.ts';
export { maxTimestamp, reservedOpTime, reserveTimestamps } from './optimes.ts';
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
  reasonToChangeSyncSource,
  type SourceCandidate,
  type SyncSourceQuestion,
} from './syncSource.ts';
export {
  coversTags,
  type KnownPosition,
  MAJORITY_MODE,
  numNodesReached,
  type Provenance,
  type Quorum,
  quorumOf,
  quorumReached,
  type Unsatisfiable,
  type WriteConcern,
  type WriteConcernW,
} from './writeConcern.ts';
