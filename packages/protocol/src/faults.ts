/**
 * Parts of a member that its host can stop one by one, while the rest goes on.
 * - `fetch`: the oplog fetcher: answers of the sync source wait
 * - `apply`: what was fetched is written to the oplog, and not applied
 * - `journal`: nothing reaches the disk
 * - `heartbeats`: none are sent, answered or taken in
 * - `ttl`: the TTL monitor does not wake
 */
export const HOLDABLE_PARTS = ['fetch', 'apply', 'journal', 'heartbeats', 'ttl'] as const;

/** One of these parts. */
export type HoldablePart = (typeof HOLDABLE_PARTS)[number];

/** The places in a member that a test can reach into by `configureFailPoint`. Names are upstream's. */
export const FAIL_POINTS = [
  'failCommand',
  'onPrimaryTransactionalWrite',
  'failGetMoreAfterCursorCheckout',
  'hangAfterPreallocateSnapshot',
  'hangBeforeCommitingTxn',
  'hangBeforeAbortingTxn',
  'failTransactionNoopWrite',
  'maxTimeAlwaysTimeOut',
  'maxTimeNeverTimeOut',
  'hangTTLMonitorBetweenPasses',
  'hangTTLMonitorWithLock',
  'TTLMonitorSkipRunningCollMod',
  'skipTTLIndexValidationOnCreateIndex',
  'skipTTLIndexExpireAfterSecondsValidation',
  'batchedDeleteStageSleepAfterNDocuments',
  'throwWriteConflictExceptionInBatchedDeleteStage',
  'hangAfterStartingIndexBuild',
  'hangIndexBuildBeforeCommit',
  'waitInFindBeforeMakingBatch',
  'hangBeforeWaitingForWriteConcern',
  'applyOpsPauseBetweenOperations',
  'hangAfterCollectionInserts',
  'waitInHello',
  'waitForHelloResponse',
  'hangWhileWaitingForHelloResponse',
  'hangAfterWaitingForTopologyChangeTimesOut',
  'voteNoInElection',
  'voteYesInDryRunButNoInRealElection',
  'hangInWritingLastVoteForDryRun',
  'electionHangsBeforeUpdateMemberState',
  'hangBeforeRSTLOnDrainComplete',
  'hangBeforeReconfigOnDrainComplete',
  'hangAfterReconfigOnDrainComplete',
  'blockHeartbeatStepdown',
  'stepdownHangBeforeRSTLEnqueue',
  'stepdownHangAfterGrabbingRSTL',
  'stopReplProducer',
  'stopReplProducerOnDocument',
  'rsSyncApplyStop',
  'pauseBatchApplicationAfterWritingOplogEntries',
  'pauseBatchApplicationBeforeCompletion',
  'forceSyncSourceCandidate',
  'rollbackHangBeforeStart',
  'rollbackHangBeforeTransitioningToRollback',
  'rollbackHangAfterTransitionToRollback',
  'hangBeforeNewConfigValidationChecks',
  'omitConfigQuorumCheck',
  'hangAfterReconfig',
  'blockHeartbeatReconfigFinish',
  'hangDuringAutomaticReconfig',
  'doNotRemoveNewlyAddedOnHeartbeats',
  'failInitialSyncWithBadHost',
  'initialSyncHangBeforeChoosingSyncSource',
  'initialSyncHangBeforeCreatingOplog',
  'initialSyncHangAfterGettingBeginFetchingTimestamp',
  'initialSyncHangBeforeSplittingControlFlow',
  'initialSyncHangBeforeCopyingDatabases',
  'initialSyncHangDuringCollectionClone',
  'initialSyncHangAfterDataCloning',
  'initialSyncHangBeforeFinish',
  'stepdownHangBeforePerformingPostMemberStateUpdateActions',
] as const;

export type FailPointName = (typeof FAIL_POINTS)[number];
