import type { Checker } from './checker.ts';
import { historiesKeepTheirPromise } from './clients/historiesKeepTheirPromise.ts';
import { activeConfigsInOrder } from './config/activeConfigsInOrder.ts';
import { activeConfigsOverlap } from './config/activeConfigsOverlap.ts';
import { configMonotonic } from './config/configMonotonic.ts';
import { oneVotingChange } from './config/oneVotingChange.ts';
import { reconfigOnlyOnPrimary } from './config/reconfigOnlyOnPrimary.ts';
import { sameConfigSameContent } from './config/sameConfigSameContent.ts';
import { dataEqualAtSameOpTime } from './data/dataEqualAtSameOpTime.ts';
import { readyIndexesComplete } from './data/readyIndexesComplete.ts';
import { sameIndexesAtSameOpTime } from './data/sameIndexesAtSameOpTime.ts';
import { electableMemberExists } from './elections/electableMemberExists.ts';
import { monotonicTerms } from './elections/monotonicTerms.ts';
import { onePrimaryPerTerm } from './elections/onePrimaryPerTerm.ts';
import { oneVotePerTerm } from './elections/oneVotePerTerm.ts';
import { termBound } from './elections/termBound.ts';
import { topologyVersionRises } from './elections/topologyVersionRises.ts';
import { acknowledgedMajorityIsCommitted } from './log/acknowledgedMajorityIsCommitted.ts';
import { appliedMonotone } from './log/appliedMonotone.ts';
import { Branches } from './log/branches.ts';
import { clusterTimeAdvances } from './log/clusterTimeAdvances.ts';
import { commitNeedsMajority } from './log/commitNeedsMajority.ts';
import { commitPointSound } from './log/commitPointSound.ts';
import { committedNeverDiverges } from './log/committedNeverDiverges.ts';
import { committedNeverRolledBack } from './log/committedNeverRolledBack.ts';
import { durableSurvives } from './log/durableSurvives.ts';
import { firstEntryOfTerm } from './log/firstEntryOfTerm.ts';
import { Holdings } from './log/holdings.ts';
import { leaderCompleteness } from './log/leaderCompleteness.ts';
import { leaderOnlyAppends } from './log/leaderOnlyAppends.ts';
import { logMatching } from './log/logMatching.ts';
import { logOrder } from './log/logOrder.ts';
import { monotonicCommitPoint } from './log/monotonicCommitPoint.ts';
import { positionsInOrder } from './log/positionsInOrder.ts';
import { rollbackIdCounts } from './log/rollbackIdCounts.ts';
import { firstCommitterWins } from './reads/firstCommitterWins.ts';
import { linearizableReads } from './reads/linearizableReads.ts';
import { readsKeepTheirPromise } from './reads/readsKeepTheirPromise.ts';
import { snapshotReadsSeeOneState } from './reads/snapshotReadsSeeOneState.ts';
import { streamsShowEachChangeOnce } from './reads/streamsShowEachChangeOnce.ts';
import { transactionsAreWhole } from './reads/transactionsAreWhole.ts';
import { neverEarly } from './ttl/neverEarly.ts';
import { onlyPrimaryDeletes } from './ttl/onlyPrimaryDeletes.ts';
import { secondaryShrinksOnlyThroughOplog } from './ttl/secondaryShrinksOnlyThroughOplog.ts';
import { standaloneNeverDeletes } from './ttl/standaloneNeverDeletes.ts';
import { blockedUsersWriteNothing } from './writes/blockedUsersWriteNothing.ts';
import { nothingWrittenWhileLocked } from './writes/nothingWrittenWhileLocked.ts';
import { writesOnlyWhenAccepting } from './writes/writesOnlyWhenAccepting.ts';

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
    historiesKeepTheirPromise(),
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
