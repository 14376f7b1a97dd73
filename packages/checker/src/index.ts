export { allCheckers } from './allCheckers.ts';
export type { Checker, Records } from './checker.ts';
export { Checkers, type Violation } from './checkers.ts';
export { ClientHistories } from './clients/histories.ts';
export { historiesKeepTheirPromise } from './clients/historiesKeepTheirPromise.ts';
export {
  type CallOutcome,
  type ClientCall,
  ClientHistory,
  type RegisterCall,
  type TransactionCall,
} from './clients/history.ts';
export { linearizable } from './clients/linearizable.ts';
export { listAnomalies } from './clients/listAppend.ts';
export { type HistoryModel, judgeHistory, REGISTER_MODELS, TRANSACTION_MODELS } from './clients/models.ts';
export { promisedTo } from './clients/promises.ts';
export { monotonicReads, readYourWrites } from './clients/sessions.ts';
export type { Anomaly, Verdict } from './clients/verdict.ts';
export { activeConfigsInOrder } from './config/activeConfigsInOrder.ts';
export { activeConfigsOverlap } from './config/activeConfigsOverlap.ts';
export { configMonotonic } from './config/configMonotonic.ts';
export { oneVotingChange } from './config/oneVotingChange.ts';
export { reconfigOnlyOnPrimary } from './config/reconfigOnlyOnPrimary.ts';
export { sameConfigSameContent } from './config/sameConfigSameContent.ts';
export { dataEqualAtSameOpTime } from './data/dataEqualAtSameOpTime.ts';
export { readyIndexesComplete } from './data/readyIndexesComplete.ts';
export { sameIndexesAtSameOpTime } from './data/sameIndexesAtSameOpTime.ts';
export { electableMemberExists } from './elections/electableMemberExists.ts';
export { Liveness } from './elections/liveness.ts';
export { monotonicTerms } from './elections/monotonicTerms.ts';
export { onePrimaryPerTerm } from './elections/onePrimaryPerTerm.ts';
export { oneVotePerTerm } from './elections/oneVotePerTerm.ts';
export { termBound } from './elections/termBound.ts';
export { topologyVersionRises } from './elections/topologyVersionRises.ts';
export { acknowledgedMajorityIsCommitted } from './log/acknowledgedMajorityIsCommitted.ts';
export { appliedMonotone } from './log/appliedMonotone.ts';
export { clusterTimeAdvances } from './log/clusterTimeAdvances.ts';
export { commitNeedsMajority } from './log/commitNeedsMajority.ts';
export { commitPointSound } from './log/commitPointSound.ts';
export { committedNeverDiverges } from './log/committedNeverDiverges.ts';
export { committedNeverRolledBack } from './log/committedNeverRolledBack.ts';
export { durableSurvives } from './log/durableSurvives.ts';
export { firstEntryOfTerm } from './log/firstEntryOfTerm.ts';
export { leaderCompleteness } from './log/leaderCompleteness.ts';
export { leaderOnlyAppends } from './log/leaderOnlyAppends.ts';
export { logMatching } from './log/logMatching.ts';
export { logOrder } from './log/logOrder.ts';
export { monotonicCommitPoint } from './log/monotonicCommitPoint.ts';
export { positionsInOrder } from './log/positionsInOrder.ts';
export { rollbackIdCounts } from './log/rollbackIdCounts.ts';
export { firstCommitterWins } from './reads/firstCommitterWins.ts';
export { linearizableReads } from './reads/linearizableReads.ts';
export { readsKeepTheirPromise } from './reads/readsKeepTheirPromise.ts';
export { snapshotReadsSeeOneState } from './reads/snapshotReadsSeeOneState.ts';
export { streamsShowEachChangeOnce } from './reads/streamsShowEachChangeOnce.ts';
export { transactionsAreWhole } from './reads/transactionsAreWhole.ts';
export { neverEarly } from './ttl/neverEarly.ts';
export { onlyPrimaryDeletes } from './ttl/onlyPrimaryDeletes.ts';
export { secondaryShrinksOnlyThroughOplog } from './ttl/secondaryShrinksOnlyThroughOplog.ts';
export { standaloneNeverDeletes } from './ttl/standaloneNeverDeletes.ts';
export { type Void, Voids } from './voids.ts';
export { blockedUsersWriteNothing } from './writes/blockedUsersWriteNothing.ts';
export { nothingWrittenWhileLocked } from './writes/nothingWrittenWhileLocked.ts';
export { writesOnlyWhenAccepting } from './writes/writesOnlyWhenAccepting.ts';
