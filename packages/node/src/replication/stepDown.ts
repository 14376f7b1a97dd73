import { numNodesReached } from '@replsim/oplog';
import { CommandError, compareOpTimes, writeMajority } from '@replsim/protocol';
import type { Operation } from '../operations/operation.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { Replication } from './replication.ts';

export interface StepDownRequest {
  /** How long this member will not stand again. */
  readonly stepDownSecs: number;
  /** How long to wait for a secondary that has everything. */
  readonly catchUpMillis: number;
  /** Step down when that time is over, whoever has what. */
  readonly force: boolean;
}

/**
 * The step-down that is asked for: writes stop, a majority and one electable secondary catch up, then the role goes.
 * Upstream: ReplicationCoordinatorImpl::stepDown. Throws 10107, 117, 189 or 262.
 */
export function* stepDownGracefully(repl: Replication, request: StepDownRequest): Operation<void> {
  const { elections, topology, core } = repl;
  if (!elections.isLeader) throw new CommandError('NotWritablePrimary', "not primary so can't step down");
  if (elections.mode === 'attemptingStepDown') {
    throw new CommandError('ConflictingOperationInProgress', 'there is already an attempt to step down in progress');
  }
  const { term } = topology;
  const start = core.now.monotonicMicros;
  const waitUntil = start + request.catchUpMillis * 1000;
  const stepDownUntil = start + request.stepDownSecs * 1_000_000;
  elections.beginStepDownAttempt();
  const deposed = () => !elections.isLeader || topology.term !== term;
  let handOff: MemberView | undefined;
  try {
    yield {
      type: 'wait',
      what: 'stepDown',
      ready: () => deposed() || isSafe(repl),
      deadlineMicros: waitUntil,
    };
  } catch (error) {
    // Killed, or out of time: writes go on.
    elections.abandonStepDownAttempt();
    throw error;
  }
  if (deposed()) throw new CommandError('PrimarySteppedDown', 'stepped down for another reason while waiting');
  if (isSafe(repl)) {
    handOff = request.force ? undefined : heir(repl);
  } else if (!request.force) {
    elections.abandonStepDownAttempt();
    throw new CommandError(
      'ExceededTimeLimit',
      'No electable secondaries caught up as of now. Please use the replSetStepDown command with the argument {force: true} to force node to step down.',
    );
  }
  elections.stepDownUntilMicros = stepDownUntil;
  elections.stepDownNow('it was asked to');
  if (topology.others.length === 0) core.setTimer('stepDownUntil', request.stepDownSecs * 1_000_000);
  if (handOff) {
    core.log('I', 'REPL', 21347, 'Handing off election', { target: handOff.config.host });
    core.request(handOff.config.host, 'vote', { replSetStepUp: 1, skipDryRun: true }, () => {});
  }
}

/** A majority has all that was applied here, and one of them could take over. */
function isSafe(repl: Replication): boolean {
  const { positions, topology, progress } = repl;
  const last = positions.applied.opTime;
  if (last.t !== topology.term) return true;
  const applied = progress.knownPositions().map((position) => ({ ...position, written: position.applied }));
  return numNodesReached(applied, last, writeMajority(topology.config!), false) && heir(repl) !== undefined;
}

/** The electable, caught-up member of the highest priority; the first in the config among equals. */
function heir(repl: Replication): MemberView | undefined {
  const last = repl.positions.applied.opTime;
  let best: MemberView | undefined;
  for (const view of repl.topology.others) {
    if (!view.up || view.state !== 'SECONDARY' || view.config.priority <= 0 || !view.electable) continue;
    if (compareOpTimes(view.applied.opTime, last) < 0) continue;
    if (!best || view.config.priority > best.config.priority) best = view;
  }
  return best;
}
