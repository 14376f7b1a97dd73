/**
 * Fail points of a mongod that its tests of replication switch and replsim does not have. Upstream: jstests/replsets; the names
 * are those of MONGO_FAIL_POINT_DEFINE.
 */
// biome-ignore format: a list
export const FAIL_POINTS_ELSEWHERE: ReadonlySet<string> = new Set([
  'rollbackHangBeforeStart', 'rollbackHangBeforeFinish', 'rollbackHangAfterTransitionToRollback', 'rollbackHangThenFailAfterWritingMinValid',
  'forceSyncSourceCandidate', 'hangAfterCollectionInserts', 'pauseBatchApplicationBeforeCompletion', 'pauseBatchApplicationAfterWritingOplogEntries',
  'hangBeforeReconfigOnDrainComplete', 'hangAfterReconfigOnDrainComplete', 'stopReplProducerOnDocument', 'rsSyncApplyStopAfterAcquiringLock',
  'skipOplogBatcherWaitForData', 'waitInHello', 'shardWaitInHello', 'hangBeforeRSTLTimeout', 'stepdownHangBeforeRSTLEnqueue',
  'voteYesInDryRunButNoInRealElection', 'electionHangsBeforeUpdateMemberState', 'hangBeforeOnVoteRequestCompleteCallback',
  'hangInWritingLastVoteForDryRun', 'hangBeforeTermBumpDryRunElection', 'transitionToPrimaryHangBeforeTakingGlobalExclusiveLock',
  'initialSyncHangBeforeGettingMissingDocument', 'initialSyncHangBeforeSplittingControlFlow', 'initialSyncHangAfterDataCloning',
  'initialSyncHangBeforeChoosingSyncSource', 'initialSyncHangBeforeCreatingOplog', 'initialSyncHangAfterGettingBeginFetchingTimestamp',
  'initialSyncHangBeforeCompletingOplogFetching', 'initialSyncHangDuringCollectionClone', 'initialSyncHangCollectionClonerBeforeEstablishingCursor',
  'initialSyncHangBeforeExit', 'initialSyncFuzzerSynchronizationPoint1', 'failInitialSyncWithBadHost', 'failInitSyncWithBufferedEntriesLeft',
  'hangBeforeClonerStage', 'hangAfterClonerStage', 'hangDuringBatchInsert', 'hangBeforeLoggingCreateCollection', 'hangAndFailAfterCreateCollectionReservesOpTime',
  'disableSnapshotting', 'setSmallOplogGetMoreMaxTimeMS', 'planExecutorHangBeforeShouldWaitForInserts', 'hangAfterOplogFetcherCallbackScheduled',
  'logAfterOplogFetcherConnCreated', 'blockHeartbeatStepdown', 'blockHeartbeatReconfigFinish', 'hangDuringAutomaticReconfig', 'doNotRemoveNewlyAddedOnHeartbeats',
  'omitConfigQuorumCheck', 'hangBeforeNewConfigValidationChecks', 'topoCoordHangAfterShouldChangeSyncSource', 'dropPendingCollectionReaperHang',
  'hangBeforeWaitingForTopologyChangeTimesOut', 'waitForHelloResponse', 'skipDurableTimestampUpdates', 'holdStableTimestampAtSpecificTimestamp',
  'WTRollbackToStableReturnOnEBUSY', 'WTSetOldestTSToStableTS', 'hangAfterStartingIndexBuildUnlocked', 'hangAfterSettingUpIndexBuild',
]);
