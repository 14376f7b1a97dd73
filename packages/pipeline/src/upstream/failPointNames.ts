import { namesOf } from './namesOf.ts';

/**
 * Fail points of mongod that replsim does not have, and why. They are those that mongod's files of replication, index builds, writes and
 * cursors define by MONGO_FAIL_POINT_DEFINE, of whatever release has them, and those that were met among some 140 uses in jstests
 * (replsets, noPassthrough, sharding) that set a fail point of a primary, a secondary or a member that rolls back. With those of
 * packages/replset/test/onSets/faults/failPointCensus.ts, which knows a tenth of the replication tests: a name that is missing is
 * refused like one that nobody has.
 */
const ELSEWHERE: readonly (readonly [why: string, names: readonly string[]])[] = [
  [
    'a lock or a yield of an operation is no moment of its own here',
    namesOf(`
hangWithLockDuringBatchInsert hangWithLockDuringBatchRemove hangWithLockDuringBatchUpdate planExecutorHangBeforeLogAndBackoff
planExecutorHangBeforeShouldWaitForInserts planExecutorHangWhileYieldedInWaitForInserts hangBeforeDocumentSourceCursorLoadBatch
setPreYieldWait setYieldAllLocksHang setYieldAllLocksWait hangInGetLog GetMoreHangBeforeReadLock
transitionToPrimaryHangBeforeTakingGlobalExclusiveLock hangAfterAcquiringCollectionCatalog hangAfterCreatingAggregationPlan
hangBeforeSettingTxnInterruptFlag hangAfterCheckingWritabilityForMultiDocumentTransactions hangBeforeSessionCheckOut
hangAfterSessionCheckOut hangBeforeChildRemoveOpFinishes hangBeforeChildRemoveOpIsPopped hangAfterAllChildRemoveOpsArePopped
`),
  ],
  [
    "it reaches into WiredTiger's storage",
    namesOf(`
WTPreserveSnapshotHistoryIndefinitely WTRollbackToStableReturnOnEBUSY WTSetOldestTSToStableTS WTPrintPrepareConflictLog
applyPrepareTxnOpsFailsWithWriteConflict sleepBeforeCommit WTWriteConflictException WTIndexPauseAfterSearchNear
WTRecordStoreUassertOutOfOrder disableSnapshotting holdStableTimestampAtSpecificTimestamp skipDurableTimestampUpdates
corruptDocumentOnInsert skipIdIndex skipIndexNewRecords skipUpdatingIndexDocument skipUnindexingDocumentWhenDeleted
hangAndFailAfterDocumentInsertsReserveOpTimes hangAndFailAfterCreateCollectionReservesOpTime hangBeforeLogOpAdvancesLastApplied
failAfterBulkLoadDocInsert
`),
  ],
  [
    'the step that it stops is not one of its own here',
    namesOf(`
ReconfigHangBeforeConfigValidationCheck hangHeartbeatReconfigStore pauseInHandleHeartbeatResponse waitForPostActionCompleteInHbReconfig
hangAfterTrackingNewHandleInHandleHeartbeatResponseForTest hangBeforeOnVoteRequestCompleteCallback skipBeforeFetchingConfig
forceSyncSourceRetryWaitForInitialSync forceBgSyncSyncSourceRetryWaitMS hangAfterOplogFetcherCallbackScheduled fetcherHangBeforeStart
disableMaxSyncSourceLagSecs hangBeforeOplogFetcherRetries hangBeforeProcessingSuccessfulBatch hangBeforeStartingOplogFetcher
logAfterOplogFetcherConnCreated hangOplogFetcherBeforeAdvancingLastFetched skipOplogBatcherWaitForData
hangAfterRecordingOpApplicationStartTime pauseOplogApplication dropPendingCollectionReaperHang hangDuringDropCollection
dropDatabaseHangBeforeInMemoryDrop hangBeforeLoggingCreateCollection throwWCEDuringTxnCollCreate outWaitAfterTempCollectionCreation
hangBeforeListDatabases hangBeforeFilteringMetadataRefresh hangAfterApplyingCollectionDropOplogEntry hangBeforeUnregisteringAfterCommit
hangBeforeGettingIndexBuildEntry hangBeforeCompletingAbort hangAfterIndexBuildSecondDrain failfirstOplogEntryFetcherCallback
hangBeforeFetcherFindCommandOnOplog hangDuringStepUpPrepareRestoreLocks hangDuringStepUpAbortInProgressTransactions hangAtSetFCVStart
hangBeforeUpdatingFcvDoc hangWhileUpgrading hangWhileDowngrading hangBeforeDatabaseUpgrade
`),
  ],
  [
    'a rollback undoes everything at one moment here',
    namesOf(`
bgSyncHangAfterRunRollback rollbackToTimestampHangCommonPointBeforeReplCommitPoint rollbackHangBeforeFinish
rollbackHangThenFailAfterWritingMinValid rollbackExitEarlyAfterCollectionDrop rollbackViaRefetchHangCommonPointBeforeReplCommitPoint
`),
  ],
  [
    'an initial sync here has fewer stages, at other places',
    namesOf(`
failAndHangInitialSync initialSyncHangCollectionClonerAfterInitialFind hangBeforeCollectionCount failInitSyncWithBufferedEntriesLeft
initialSyncHangBeforeCompletingOplogFetching initialSyncHangBeforeGettingMissingDocument hangBeforeCheckingRollBackIdClonerStage
hangBeforeRetryingClonerStage initialSyncFuzzerSynchronizationPoint1 initialSyncFuzzerSynchronizationPoint2
initialSyncHangBeforeCollectionClone initialSyncHangCollectionClonerBeforeEstablishingCursor
`),
  ],
  [
    'an index build here has fewer stages: stop it by hangAfterStartingIndexBuild or hangIndexBuildBeforeCommit',
    namesOf(`
hangAfterStartingIndexBuildUnlocked hangBeforeIndexBuildOf slowBackgroundIndexBuild failIndexBuildOnCommit
hangIndexBuildAfterReceivingCommitIndexBuildOplogEntry pauseAfterFillingOutIndexEntries hangIndexBuildDuringBulkLoadPhase
hangIndexBuildOnSetupBeforeTakingLocks hangIndexBuildBeforeSignalPrimaryForCommitReadiness
hangIndexBuildAfterSignalPrimaryForCommitReadiness hangIndexBuildBeforeTransitioningReplStateTokAwaitPrimaryAbort
hangIndexBuildDuringCollectionScanPhaseBeforeInsertion hangIndexBuildDuringDrainWritesPhase
`),
  ],
  [
    'a process ends and starts at one moment here',
    namesOf(`
hangInShutdownAfterStepdown pauseWhileKillingOperationsAtShutdown shutdownAtStartup
hangWaitingForHelloResponseOnStandalone
`),
  ],
  [
    'use failCommand',
    namesOf(`
planExecutorAlwaysFails rsStopGetMoreCmd setCustomErrorInHelloResponseMongoD skipCheckingForNotPrimaryInCommandDispatch
appendHelloOkToHelloResponse
`),
  ],
  [
    'replsim has no part of this kind, or none that fails',
    namesOf(`
failDowngrading failUpgrading failAfterReachingTransitioningState failPreimagesCollectionCreation disableChangeStreamPreImagesRemover
preImagesRemovalFailsWithNotWritablePrimary hangBeforeRemovingExpiredChanges changeStreamPreImageRemoverCurrentTime
hangBeforeProcessingDbCheckRun hangBeforeAddingDBCheckBatchToOplog skipCreateTimeseriesVersionMismatchCheck skipClusterParameterRefresh
alwaysLogSlowSessionWorkflow hangInRateLimiter injectFTDCServerStatusCollectionDelay reshardingPauseCoordinatorBeforeDecisionPersisted
pauseBeforeRunTenantMigrationRecipientInstance tenantMigrationDonorAllowsNonTimestampedReads hangAfterCreatingRSM
fpAfterRetrievingStartOpTimesMigrationRecipientInstance fpBeforeFulfillingDataConsistentPromise
fpAfterPersistingTenantMigrationRecipientInstanceStateDoc hangBeforeDoingDeletion hangDuringMultiUpdateCoordinatorPendingUpdates
reshardCollectionJoinedExistingOperation hangBeforeWritingDecision hangBeforeSendingCommitDecision backupCursorHangAfterOpen
waitAfterNewStatementBlocksBehindPrepare hangBeforeTxnCoordinatorOnStepUpWork failTimeseriesViewCreation
`),
  ],
];

const WHY: ReadonlyMap<string, string> = new Map(
  ELSEWHERE.flatMap(([why, names]) => names.map((name) => [name, why] as const)),
);

/** All of them; none twice. */
export const FAIL_POINTS_ELSEWHERE: readonly string[] = ELSEWHERE.flatMap(([, names]) => names);

/** Why replsim does not have a fail point of mongod; undefined for a name that mongod has not either, as far as is known. */
export function whyElsewhere(name: string): string | undefined {
  return WHY.get(name);
}
