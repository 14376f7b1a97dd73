import { type Operation, spend } from '@replsim/operations';
import { CommandError, type FailPointName } from '@replsim/protocol';
import { logBuild } from './buildLog.ts';
import type { IndexBuild } from './indexBuild.ts';
import type { MemberBuilds } from './memberBuilds.ts';
import { askForAbort, voteForCommit } from './votes.ts';

/** Documents that are scanned before others get their turn, unless time is over first. Upstream: internalQueryExecYieldIterations. */
const SLICE_DOCUMENTS = 1000;
/** Upstream: internalQueryExecYieldPeriodMS. */
const SLICE_MICROS = 10_000;
/**
 * Where a build stands still with no document scanned. Upstream has them at several places between its entry in the oplog and the scan,
 * and the last one after the scan, where nothing else is seen from outside.
 */
const BEFORE_SCAN: readonly FailPointName[] = [
  'hangAfterInitializingIndexBuild',
  'hangBeforeBuildingIndex',
  'hangAfterSettingUpIndexBuild',
  'hangAfterStartingIndexBuild',
];
/** Where it stands still with all documents scanned, before it says so. */
const AFTER_SCAN: readonly FailPointName[] = [
  'hangAfterIndexBuildDumpsInsertsFromBulk',
  'hangAfterIndexBuildFirstDrain',
];

/**
 * One build on this member, after it was entered in the catalog: scans the documents, says that it is ready, waits for
 * what the set decides, and commits it if this member is the primary by then.
 * Upstream: MemberBuildsCoordinator::_runIndexBuildInner.
 */
export function* runBuild(builds: MemberBuilds, build: IndexBuild): Operation<void> {
  try {
    yield* scan(builds, build);
    for (const name of AFTER_SCAN) yield* hang(builds, build, name);
    if (build.outcome) return;
    builds.scanned(build);
    if (build.protocol === 'twoPhase') yield* commitTogether(builds, build);
    else if (build.protocol === 'alone' || !build.locksDatabase) yield* commitAlone(builds, build);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (build.outcome === undefined) yield* fail(builds, build, error);
  }
}

/** Slice by slice; documents × indexes × what one costs. */
function* scan(builds: MemberBuilds, build: IndexBuild): Operation<void> {
  const { core } = builds;
  const microsADocument = build.specs.length * core.costs.indexBuildMicrosPerDocument;
  const slice = Math.max(1, Math.min(SLICE_DOCUMENTS, Math.floor(SLICE_MICROS / Math.max(microsADocument, 1))));
  for (const name of BEFORE_SCAN) yield* hang(builds, build, name);
  let left = build.documentsToScan;
  while (!build.outcome && !build.isScanned) {
    yield* spend(Math.min(slice, left) * microsADocument);
    if (build.outcome) return;
    left -= Math.min(slice, left);
    builds.scanNext(build, left > 0 ? slice : Number.POSITIVE_INFINITY);
  }
}

function* hang({ core }: MemberBuilds, build: IndexBuild, name: FailPointName): Operation<void> {
  const { failPoints } = core;
  if (!failPoints.enter(name)) return;
  const ready = () => build.outcome !== undefined || !failPoints.isArmed(name);
  yield { type: 'wait', what: 'failPoint', ready };
}

/** Waits until the primary of that time commits. Upstream: _waitForNextIndexBuildActionAndCommit. */
function* commitTogether(builds: MemberBuilds, build: IndexBuild): Operation<void> {
  const mayCommit = () => build.quorumSatisfied && builds.isPrimary;
  const mustVoteAgain = () => !build.hasVoted && !builds.isPrimary;
  while (!build.outcome) {
    if (!build.hasVoted) yield* hang(builds, build, 'hangBeforeVoteCommitIndexBuild');
    if (!build.hasVoted && !build.outcome) yield* voteForCommit(builds, build);
    const ready = () => build.outcome !== undefined || mayCommit() || mustVoteAgain();
    yield { type: 'wait', what: 'indexBuild', ready };
    if (build.outcome) return;
    if (!mayCommit()) continue;
    yield* hang(builds, build, 'hangIndexBuildBeforeCommit');
    yield* spend(builds.core.costs.commitMicros);
    if (build.outcome) return;
    if (mayCommit()) return builds.commitAsPrimary(build);
    logBuild(builds.core, build, 3856207, 'The step-down came before the commit, which is up to the next primary');
  }
}

function* commitAlone(builds: MemberBuilds, build: IndexBuild): Operation<void> {
  yield* spend(build.specs.length * builds.core.costs.commitMicros);
  if (!build.outcome) builds.commitAlone(build);
}

/** A primary ends it for all; others ask the primary to, and wait. Upstream: _cleanUpAfterFailure. */
function* fail(builds: MemberBuilds, build: IndexBuild, error: CommandError): Operation<void> {
  if (error.codeName === 'InterruptedAtShutdown') return builds.leave(build);
  logBuild(builds.core, build, 20649, 'Index build: failed', { error: `${error.codeName}: ${error.message}` });
  if (build.protocol !== 'twoPhase' || builds.isPrimary) return builds.abort(build, error);
  build.failed = true;
  yield* askForAbort(builds, build, error);
}
