import { acknowledgedMajorityIsCommitted } from './acknowledgedMajorityIsCommitted.ts';
import { appliedMonotone } from './appliedMonotone.ts';
import type { Checker } from './checker.ts';
import { committedNeverRolledBack } from './committedNeverRolledBack.ts';
import { configMonotonic } from './configMonotonic.ts';
import { dataEqualAtSameOpTime } from './dataEqualAtSameOpTime.ts';
import { firstEntryOfTerm } from './firstEntryOfTerm.ts';
import { leaderCompleteness } from './leaderCompleteness.ts';
import { logMatching } from './logMatching.ts';
import { logOrder } from './logOrder.ts';
import { monotonicCommitPoint } from './monotonicCommitPoint.ts';
import { monotonicTerms } from './monotonicTerms.ts';
import { neverEarly } from './neverEarly.ts';
import { onePrimaryPerTerm } from './onePrimaryPerTerm.ts';
import { oneVotePerTerm } from './oneVotePerTerm.ts';
import { onlyPrimaryDeletes } from './onlyPrimaryDeletes.ts';
import { sameConfigSameContent } from './sameConfigSameContent.ts';
import { secondaryShrinksOnlyThroughOplog } from './secondaryShrinksOnlyThroughOplog.ts';
import { standaloneNeverDeletes } from './standaloneNeverDeletes.ts';
import { writesOnlyWhenAccepting } from './writesOnlyWhenAccepting.ts';

/** One of each, fresh: a checker remembers its run. */
export function allCheckers(): Checker[] {
  return [
    onePrimaryPerTerm(),
    monotonicTerms(),
    oneVotePerTerm(),
    monotonicCommitPoint(),
    logOrder(),
    logMatching(),
    leaderCompleteness(),
    committedNeverRolledBack(),
    writesOnlyWhenAccepting(),
    firstEntryOfTerm(),
    appliedMonotone(),
    dataEqualAtSameOpTime(),
    acknowledgedMajorityIsCommitted(),
    configMonotonic(),
    sameConfigSameContent(),
    secondaryShrinksOnlyThroughOplog(),
    onlyPrimaryDeletes(),
    neverEarly(),
    standaloneNeverDeletes(),
  ];
}
