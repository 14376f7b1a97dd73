import type { RunningOperation } from '@replsim/operations';
import type { StateTransition } from '@replsim/oplog';
import { CommandError } from '@replsim/protocol';
import { Threads } from '../core/threads.ts';
import type { Replication } from './replication.ts';

/** Who brings a member to another state is not killed by that. */
const SPARED: ReadonlySet<string> = new Set([Threads.producer, Threads.external, Threads.signalHandler]);

/**
 * Ends the operations that a change of state does not let live, and counts for `metrics.repl.stateTransition`.
 * Upstream: replication_coordinator_impl.cpp, AutoGetRstlForStepUpStepDown.
 */
export class OperationKiller {
  readonly #repl: Replication;

  constructor(repl: Replication) {
    this.#repl = repl;
  }

  /** What holds locks for writing is killed; reads, those who wait for a write concern and those who have no lock yet are not. */
  killConflicting(transition: 'stepUp' | 'stepDown'): void {
    this.#kill(
      transition,
      ({ killable, waitingFor }) =>
        killable === 'whenNotPrimary' && waitingFor !== 'writeConcern' && waitingFor !== 'failCommand',
    );
    // What waits for its next statement is given up as well. Upstream: MongoDSessionCatalog, killSessionsAbortUnpreparedTransactions.
    this.#repl.host.sessions.abortAll();
  }

  /** Everything but what brings the member to another state, and all cursors. */
  killAll(): void {
    this.#kill('rollback', ({ desc, killable }) => killable !== 'never' && !SPARED.has(desc));
    this.#repl.host.cursors.closeAll();
  }

  #kill(transition: StateTransition, choose: (operation: RunningOperation) => boolean): void {
    const { core, host } = this.#repl;
    const error = () => new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted');
    // A rollback does it itself.
    if (transition === 'rollback') return this.#count(transition, host.scheduler.killAll(choose, error));
    core.as(Threads.killer, () => {
      core.log('I', 'REPL', 21343, 'Starting to kill user operations');
      const killed = host.scheduler.killAll(choose, error);
      core.log('I', 'REPL', 21344, 'Stopped killing user operations');
      this.#count(transition, killed);
    });
  }

  #count(transition: StateTransition, killed: number): void {
    const { core, metrics, host } = this.#repl;
    const running = [...host.scheduler.operations].filter(({ desc }) => desc.startsWith('conn')).length;
    metrics.stateTransition.last = transition;
    metrics.stateTransition.operationsKilled += killed;
    metrics.stateTransition.operationsRunning += running;
    core.log('I', 'REPL', 21340, 'State transition ops metrics', {
      metrics: { lastStateTransition: transition, userOpsKilled: killed, userOpsRunning: running },
    });
  }
}
