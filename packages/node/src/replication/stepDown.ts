import type { Operation } from '@replsim/operations';
import { CommandError, compareOpTimes, writeMajority } from '@replsim/protocol';
import { hangAt } from '../core/hang.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { Replication } from './replication.ts';

export interface StepDownRequest {
  /** How long this member will not stand again. */
  readonly stepDownSecs: number;
  /** How long to wait for a secondary that has everything. */
  readonly catchUpMillis: number;
  /** Step down when that time is over, no matter how far the others are. */
  readonly force: boolean;
}

/**
 * The step-down that is asked for: writes stop, a majority and one electable secondary catch up, then the role goes. What
 * writes is killed at once, and stays killed if the attempt fails: a failed step-down is not harmless.
 * Upstream: ReplicationCoordinatorImpl::stepDown. Throws 10107, 24, 117, 189 or 262.
 */
export function* stepDownGracefully(repl: Replication, request: StepDownRequest): Operation<void> {
  const { elections, topology, core } = repl;
  checkMayStepDown(elections);
  yield* hangAt(core, 'stepdownHangBeforeRSTLEnqueue');
  const start = core.now.monotonicMicros;
  const stepDownUntil = start + request.stepDownSecs * 1_000_000;
  const catchUpUntil = start + request.catchUpMillis * 1000;
  yield* waitForLock(repl, request.force ? stepDownUntil : catchUpUntil);
  yield* hangAt(core, 'stepdownHangAfterGrabbingRSTL', { uninterrupted: true });
  checkMayStepDown(elections);
  elections.beginStepDownAttempt();
  try {
    yield* waitUntilSafe(repl, request, catchUpUntil, stepDownUntil);
  } catch (error) {
    // Out of time, or killed: writes go on.
    elections.abandonStepDownAttempt();
    throw error;
  }
  elections.stepDownUntilMicros = stepDownUntil;
  elections.stepDownNow('it was asked to');
  yield* hangAt(core, 'stepdownHangBeforePerformingPostMemberStateUpdateActions', { uninterrupted: true });
  if (topology.others.length === 0) elections.standAloneLater();
  if (!request.force && repl.host.parameters.bool('enableElectionHandoff')) handOver(repl);
}

/** Throws NotWritablePrimary 10107, ConflictingOperationInProgress 117. */
function checkMayStepDown({ isLeader, mode }: Replication['elections']): void {
  if (!isLeader) throw new CommandError('NotWritablePrimary', 'not primary: nothing to step down from');
  if (mode === 'AttemptingStepDown') {
    throw new CommandError('ConflictingOperationInProgress', 'This node is already in the process of stepping down');
  }
}

/**
 * The role changes under a lock that nobody may share. Those who hold it to write are killed; `fsync` is not.
 * Simplification: a step-down that nobody asked for does not wait. Upstream: AutoGetRstlForStepUpStepDown.
 */
function* waitForLock({ elections, killer, host }: Replication, deadlineMicros: number): Operation<void> {
  const { fsyncLock } = host;
  if (!fsyncLock.isLocked) return;
  killer.killConflicting('stepDown');
  yield { type: 'wait', what: 'lock', ready: () => !fsyncLock.isLocked, deadlineMicros };
  if (fsyncLock.isLocked) throw new CommandError('LockTimeout', 'the fsync lock has not been released in time');
  if (!elections.isLeader) throw new CommandError('NotWritablePrimary', 'not primary: nothing to step down from');
}

function* waitUntilSafe(
  repl: Replication,
  { force }: StepDownRequest,
  waitUntil: number,
  stepDownUntil: number,
): Operation<void> {
  const { elections, topology, core } = repl;
  const { term } = topology;
  const deposed = () => !elections.isLeader || topology.term !== term;
  const ready = () => deposed() || isSafe(repl);
  yield { type: 'wait', what: 'stepDown', ready, deadlineMicros: Math.max(waitUntil, core.now.monotonicMicros) };
  const now = core.now.monotonicMicros;
  if (deposed()) {
    throw new CommandError(
      'PrimarySteppedDown',
      'While waiting for secondaries to catch up before stepping down, this node decided to step down for other reasons',
    );
  }
  if (now >= stepDownUntil) {
    throw new CommandError(
      'ExceededTimeLimit',
      'By the time we were ready to step down, we were already past the time we were supposed to step down until',
    );
  }
  // Forced means "even if nobody has caught up", not "at once": until the time is over somebody may, and then nothing is rolled back.
  // Upstream: TopologyCoordinator::tryToStartStepDown.
  if (isSafe(repl) || (force && now >= waitUntil)) return;
  throw new CommandError(
    'ExceededTimeLimit',
    `No electable secondaries caught up as of ${new Date(core.now.wallMs).toISOString()}. Please use the replSetStepDown command with the argument {force: true} to force node to step down.`,
  );
}

/** Nothing was written in this term, or a majority has all that was applied here and one of them could take over. */
function isSafe(repl: Replication): boolean {
  const { positions, topology } = repl;
  const last = positions.applied.opTime;
  if (last.t !== topology.term) return true;
  let reached = 0;
  for (const view of topology.views) {
    const { applied } = view.index === topology.selfIndex ? positions : view;
    const counts = view.config.votes === 1 && !view.config.arbiterOnly;
    if (counts && applied.opTime.t === last.t && compareOpTimes(applied.opTime, last) >= 0) reached += 1;
  }
  return reached >= writeMajority(topology.configInForce) && heirOf(repl) !== undefined;
}

function isCaughtUpAndElectable(repl: Replication, view: MemberView): boolean {
  const { config, state, electable, applied } = view;
  if (config.arbiterOnly || config.priority <= 0 || state !== 'SECONDARY' || !electable) return false;
  return compareOpTimes(applied.opTime, repl.positions.applied.opTime) >= 0;
}

/**
 * The caught-up, electable member of the highest priority, the first in the config among equals. Upstream keeps the best
 * priority so far in an int, so that among fractions a later, lower one may win; so does this.
 * Upstream: TopologyCoordinator::chooseElectionHandoffCandidate.
 */
function heirOf(repl: Replication): MemberView | undefined {
  let best: MemberView | undefined;
  let highest = -1;
  for (const view of repl.topology.others) {
    if (!isCaughtUpAndElectable(repl, view) || view.config.priority <= highest) continue;
    best = view;
    highest = Math.trunc(view.config.priority);
  }
  return best;
}

/** Nobody waits for the answer. Upstream: ReplicationCoordinatorImpl::_performElectionHandoff. */
function handOver(repl: Replication): void {
  const { core } = repl;
  const target = heirOf(repl)?.config.host;
  if (target === undefined) return core.log('I', 'REPL', 21346, 'Not performing election handoff');
  core.log('I', 'REPL', 21347, 'Handing off election', { target });
  core.request(target, 'vote', { replSetStepUp: 1, skipDryRun: true }, () => {});
}
