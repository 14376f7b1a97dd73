import { CommandError } from '@replsim/protocol';
import type { RunningOperation } from '../operations/operation.ts';
import type { Replication } from './replication.ts';
import type { StateTransition } from './replicationMetrics.ts';

/**
 * Ends the operations that a change of state does not let live.
 * Upstream: replication_coordinator_impl.cpp, AutoGetRstlForStepUpStepDown.
 */
export class OperationKiller {
  readonly #repl: Replication;

  constructor(repl: Replication) {
    this.#repl = repl;
  }

  /** What holds locks for writing is killed; reads and those who wait for a write concern are not. */
  killWrites(): void {
    this.#kill(
      'stepDown',
      ({ killable, waitingFor }) => killable === 'whenNotPrimary' && waitingFor !== 'writeConcern',
    );
  }

  /** Everything but what brings the member to another state, and all cursors. */
  killAll(): void {
    this.#kill(
      'rollback',
      ({ desc, killable }) =>
        killable !== 'never' && desc !== 'rollback' && desc !== 'initial sync' && desc !== 'SignalHandler',
    );
    this.#repl.parts.cursors.closeAll();
  }

  /** A step-up kills nobody here: what was under way was reading. */
  steppedUp(): void {
    this.#count('stepUp', 0);
  }

  #kill(transition: StateTransition, choose: (operation: RunningOperation) => boolean): void {
    const error = () => new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted');
    this.#count(transition, this.#repl.parts.scheduler.killAll(choose, error));
  }

  #count(transition: StateTransition, killed: number): void {
    const { metrics, parts } = this.#repl;
    const running = [...parts.scheduler.operations].filter(({ desc }) => desc.startsWith('conn')).length;
    metrics.stateTransition.last = transition;
    metrics.stateTransition.operationsKilled += killed;
    metrics.stateTransition.operationsRunning += running;
  }
}
