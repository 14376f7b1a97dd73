import { CommandError } from '@replsim/protocol';
import type { RunningOperation } from '../operations/operation.ts';
import type { Replication } from './replication.ts';

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
    this.#kill(({ killable, waitingFor }) => killable === 'whenNotPrimary' && waitingFor !== 'writeConcern');
  }

  /** Everything but what brings the member to another state, and all cursors. */
  killAll(): void {
    this.#kill(({ desc }) => desc !== 'rollback' && desc !== 'initial sync' && desc !== 'SignalHandler');
    this.#repl.parts.cursors.closeAll();
  }

  #kill(choose: (operation: RunningOperation) => boolean): void {
    const error = () => new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted');
    this.#repl.parts.scheduler.killAll(choose, error);
  }
}
