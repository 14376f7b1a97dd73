import { acknowledgedMajorityIsCommitted } from './acknowledgedMajorityIsCommitted.ts';
import { activeConfigsInOrder } from './activeConfigsInOrder.ts';
import { activeConfigsOverlap } from './activeConfigsOverlap.ts';
import { appliedMonotone } from './appliedMonotone.ts';
import { blockedUsersWriteNothing } from './blockedUsersWriteNothing.ts';
import { Branches } from './branches.ts';
import type { Checker } from './checker.ts';
import { clusterTimeAdvances } from './clusterTimeAdvances.ts';
import { commitNeedsMajority } from './commitNeedsMajority.ts';
import { commitPointSound } from './commitPointSound.ts';
import { committedNeverDiverges } from './committedNeverDiverges.ts';
import { committedNeverRolledBack } from './committedNeverRolledBack.ts';
import { configMonotonic } from './configMonotonic.ts';
import { dataEqualAtSameOpTime } from './dataEqualAtSameOpTime.ts';
import { durableSurvives } from './durableSurvives.ts';
import { electableMemberExists } from './electableMemberExists.ts';
import { firstCommitterWins } from './firstCommitterWins.ts';
import { firstEntryOfTerm } from './firstEntryOfTerm.ts';
import { Holdings } from './holdings.ts';
import { leaderCompleteness } from './leaderCompleteness.ts';
import { leaderOnlyAppends } from './leaderOnlyAppends.ts';
import { linearizableReads } from './linearizableReads.ts';
import { logMatching } from './logMatching.ts';
import { logOrder } from './logOrder.ts';
import { monotonicCommitPoint } from './monotonicCommitPoint.ts';
import { monotonicTerms } from './monotonicTerms.ts';
import { neverEarly } from './neverEarly.ts';
import { nothingWrittenWhileLocked } from './nothingWrittenWhileLocked.ts';
import { onePrimaryPerTerm } from './onePrimaryPerTerm.ts';
import { oneVotePerTerm } from './oneVotePerTerm.ts';
import { oneVotingChange } from './oneVotingChange.ts';
import { onlyPrimaryDeletes } from './onlyPrimaryDeletes.ts';
import { positionsInOrder } from './positionsInOrder.ts';
import { readsKeepTheirPromise } from './readsKeepTheirPromise.ts';
import { readyIndexesComplete } from './readyIndexesComplete.ts';
import { reconfigOnlyOnPrimary } from './reconfigOnlyOnPrimary.ts';
import { rollbackIdCounts } from './rollbackIdCounts.ts';
import { sameConfigSameContent } from './sameConfigSameContent.ts';
import { sameIndexesAtSameOpTime } from './sameIndexesAtSameOpTime.ts';
import { secondaryShrinksOnlyThroughOplog } from './secondaryShrinksOnlyThroughOplog.ts';
import { snapshotReadsSeeOneState } from './snapshotReadsSeeOneState.ts';
import { standaloneNeverDeletes } from './standaloneNeverDeletes.ts';
import { streamsShowEachChangeOnce } from './streamsShowEachChangeOnce.ts';
import { termBound } from './termBound.ts';
import { topologyVersionRises } from './topologyVersionRises.ts';
import { transactionsAreWhole } from './transactionsAreWhole.ts';
import { writesOnlyWhenAccepting } from './writesOnlyWhenAccepting.ts';

/** One of each, fresh: a checker remembers its run. Those that look up the same things share where they look. */
export function allCheckers(): Checker[] {
  const branches = new Branches();
  const holdings = new Holdings(branches);
  return [
    onePrimaryPerTerm(),
    monotonicTerms(),
    termBound(),
    oneVotePerTerm(),
    monotonicCommitPoint(),
    commitPointSound(branches),
    commitNeedsMajority(holdings),
    committedNeverDiverges(branches),
    logOrder(branches),
    logMatching(),
    leaderCompleteness(branches),
    leaderOnlyAppends(),
    committedNeverRolledBack(),
    rollbackIdCounts(),
    writesOnlyWhenAccepting(branches),
    firstEntryOfTerm(branches),
    clusterTimeAdvances(),
    appliedMonotone(),
    positionsInOrder(),
    durableSurvives(),
    dataEqualAtSameOpTime(),
    transactionsAreWhole(branches),
    firstCommitterWins(branches),
    snapshotReadsSeeOneState(),
    sameIndexesAtSameOpTime(),
    readyIndexesComplete(),
    acknowledgedMajorityIsCommitted(branches),
    readsKeepTheirPromise(branches),
    linearizableReads(branches),
    streamsShowEachChangeOnce(branches),
    configMonotonic(),
    sameConfigSameContent(),
    activeConfigsInOrder(),
    activeConfigsOverlap(),
    electableMemberExists(),
    reconfigOnlyOnPrimary(),
    oneVotingChange(holdings),
    topologyVersionRises(),
    secondaryShrinksOnlyThroughOplog(),
    onlyPrimaryDeletes(),
    neverEarly(),
    standaloneNeverDeletes(),
    nothingWrittenWhileLocked(),
    blockedUsersWriteNothing(),
  ];
}
