/**
 * Fail points of a mongod that have to do with replication and that replsim does not have: by the file that defines them by
 * MONGO_FAIL_POINT_DEFINE, of whatever release has them, below src/mongo/db.
 */
// biome-ignore format: a list
const DEFINED: Readonly<Record<string, readonly string[]>> = {
  'repl/replication_coordinator_impl.cpp': [
    'ReconfigHangBeforeConfigValidationCheck', 'forceSyncSourceRetryWaitForInitialSync', 'holdStableTimestampAtSpecificTimestamp',
    'setCustomErrorInHelloResponseMongoD', 'setMaintenanceModeFailsWithNotSecondary', 'skipBeforeFetchingConfig',
    'skipDurableTimestampUpdates', 'transitionToPrimaryHangBeforeTakingGlobalExclusiveLock',
  ],
  'repl/replication_coordinator_impl_heartbeat.cpp': [
    'hangAfterTrackingNewHandleInHandleHeartbeatResponseForTest', 'hangHeartbeatReconfigStore', 'pauseInHandleHeartbeatResponse',
    'waitForPostActionCompleteInHbReconfig',
  ],
  'repl/replication_coordinator_impl_elect_v1.cpp': ['hangBeforeOnVoteRequestCompleteCallback'],
  'repl/replication_info.cpp': ['appendHelloOkToHelloResponse', 'hangWaitingForHelloResponseOnStandalone'],
  'repl/bgsync.cpp': ['bgSyncHangAfterRunRollback', 'forceBgSyncSyncSourceRetryWaitMS'],
  'repl/oplog_fetcher.cpp': [
    'hangAfterOplogFetcherCallbackScheduled', 'hangBeforeOplogFetcherRetries', 'hangBeforeProcessingSuccessfulBatch',
    'hangBeforeStartingOplogFetcher', 'hangOplogFetcherBeforeAdvancingLastFetched', 'logAfterOplogFetcherConnCreated',
    'setSmallOplogGetMoreMaxTimeMS',
  ],
  'repl/oplog_batcher.cpp': ['skipOplogBatcherWaitForData'],
  'repl/oplog_applier_impl.cpp': ['hangAfterRecordingOpApplicationStartTime'],
  'repl/oplog.cpp': ['dropPendingCollectionReaperHang', 'hangBeforeLogOpAdvancesLastApplied'],
  'repl/rollback_impl.cpp': ['rollbackToTimestampHangCommonPointBeforeReplCommitPoint'],
  'repl/rs_rollback.cpp': ['rollbackExitEarlyAfterCollectionDrop', 'rollbackViaRefetchHangCommonPointBeforeReplCommitPoint'],
  'repl/roll_back_local_operations.cpp': ['rollbackHangBeforeFinish', 'rollbackHangThenFailAfterWritingMinValid'],
  'repl/initial_syncer.cpp': [
    'failAndHangInitialSync', 'failInitSyncWithBufferedEntriesLeft', 'initialSyncHangBeforeCompletingOplogFetching',
    'initialSyncHangBeforeGettingMissingDocument', 'skipClearInitialSyncState',
  ],
  'repl/base_cloner.cpp': [
    'hangAfterClonerStage', 'hangBeforeCheckingRollBackIdClonerStage', 'hangBeforeClonerStage', 'hangBeforeRetryingClonerStage',
    'initialSyncFuzzerSynchronizationPoint1',
  ],
  'repl/collection_cloner.cpp': [
    'initialSyncHangBeforeCollectionClone', 'initialSyncHangCollectionClonerAfterHandlingBatchResponse',
    'initialSyncHangCollectionClonerBeforeEstablishingCursor',
  ],
  'rss/disable_snapshotting_fail_point.cpp': ['disableSnapshotting'],
  'catalog/collection_impl.cpp': ['corruptDocumentOnInsert', 'failAfterBulkLoadDocInsert'],
  'catalog/database_impl.cpp': [
    'hangAndFailAfterCreateCollectionReservesOpTime', 'hangBeforeLoggingCreateCollection', 'throwWCEDuringTxnCollCreate',
  ],
  'catalog/multi_index_block.cpp': [
    'hangAfterSettingUpIndexBuild', 'hangAfterStartingIndexBuildUnlocked', 'hangBeforeIndexBuildOf', 'slowBackgroundIndexBuild',
  ],
  'ops/write_ops_exec.cpp': ['hangDuringBatchInsert', 'hangDuringBatchUpdate'],
  'query/plan_executor_impl.cpp': ['planExecutorAlwaysFails', 'planExecutorHangBeforeShouldWaitForInserts'],
  'commands/getmore_cmd.cpp': [
    'GetMoreHangBeforeReadLock', 'disableAwaitDataForGetMoreCmd', 'rsStopGetMoreCmd', 'waitAfterPinningCursorBeforeGetMoreBatch',
  ],
  'storage/wiredtiger/wiredtiger_kv_engine.cpp': [
    'WTPreserveSnapshotHistoryIndefinitely', 'WTRollbackToStableReturnOnEBUSY', 'WTSetOldestTSToStableTS',
  ],
};

/** The names that mongod knows and replsim refuses. */
export const FAIL_POINTS_ELSEWHERE: ReadonlySet<string> = new Set(Object.values(DEFINED).flat());
