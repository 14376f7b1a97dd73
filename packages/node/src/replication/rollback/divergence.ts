import type { CommandError } from '@replsim/protocol';
import type { Core } from '../../core/core.ts';
import { hangBefore } from '../../core/hang.ts';
import { statusAttr } from '../../core/logValues.ts';
import { Threads } from '../../core/threads.ts';
import type { Replication } from '../replication.ts';
import { rollBack } from './rollBack.ts';

/**
 * From the word that a source's oplog parted from this member's to the rollback and back to SECONDARY.
 * Upstream: bgsync.cpp, _runRollback.
 */
export class Divergence {
  readonly #core: Core;
  readonly #repl: Replication;
  /** The source whose oplog parted from mine; rollback begins once all that was fetched is applied. */
  #from: string | undefined;
  /** A rollback stands still before it begins. */
  #hanging = false;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  /** The fetcher found that the source does not hold this member's newest entry. */
  found(source: string): void {
    const { elections, replicator } = this.#repl;
    if (elections.isLeader) {
      elections.catchUp.conclude('FailedWithError');
      return;
    }
    this.#from = source;
    if (replicator.isIdle) this.#startRollback(source);
  }

  /** Everything that was fetched is applied. */
  onBufferEmpty(): void {
    const from = this.#from;
    if (from !== undefined) this.#core.as(Threads.producer, () => this.#startRollback(from));
  }

  /** A member that was elected keeps its oplog. */
  forget(): void {
    this.#from = undefined;
  }

  #startRollback(source: string): void {
    const { elections, scheduler } = this.#repl;
    if (this.#hanging) return;
    // Elected while the last entries were applied: a primary does not roll back.
    if (elections.isLeader) return this.forget();
    elections.stepDownNow('it has to roll back');
    this.#core.log('I', 'REPL', 21098, 'Starting rollback due to fetch error', {
      error: 'OplogStartMissing: the source does not have the newest entry of this member',
      lastCommittedOpTime: this.#repl.positions.commitPoint.opTime,
    });
    this.#hanging = true;
    const first = { name: 'rollbackHangBeforeStart', desc: Threads.producer } as const;
    const second = { name: 'rollbackHangBeforeTransitioningToRollback', desc: Threads.producer } as const;
    hangBefore(this.#core, scheduler, first, () => {
      this.#core.log('I', 'REPL', 21102, 'Rollback using the recover to a stable timestamp method');
      this.#core.log('I', 'REPL', 21104, 'Scheduling rollback', { syncSource: source });
      this.#core.log('I', 'ROLLBACK', 21593, 'Transition to ROLLBACK');
      hangBefore(this.#core, scheduler, second, () => this.#transition(source));
    });
  }

  #transition(source: string): void {
    const { elections, host } = this.#repl;
    const isWanted = this.#from !== undefined;
    this.#hanging = false;
    this.#from = undefined;
    // Elected while it stood still.
    if (!isWanted || elections.isLeader) return;
    if (elections.isCandidate) elections.stepDownNow('it has to roll back');
    this.#repl.follow('ROLLBACK');
    // Members that read from here have lost their connection like everybody else, and cannot begin again while the oplog is cut.
    this.#repl.server.killCursors();
    this.#core.trace({ type: 'rollbackStarted', source });
    const labels = { desc: Threads.producer, ns: 'local.oplog.rs', commandName: '', killable: 'onRollback' } as const;
    host.scheduler.run(labels, host.fsyncLock.stop(rollBack(this.#repl, source)), (result) => {
      this.#core.log('I', 'ROLLBACK', 21611, 'Transition to SECONDARY');
      this.#repl.follow('SECONDARY');
      if ('error' in result) this.#failed(source, result.error);
      else this.#core.log('I', 'REPL', 21105, 'Rollback using the recover to a stable timestamp method successful');
      this.#core.log('I', 'REPL', 21107, 'Stopping replication producer');
      this.#core.log('I', 'REPL', 21108, 'Forgetting how far was fetched');
    });
  }

  /** The data is untouched: the member fetches again, from the best source now, and may come back here. */
  #failed(source: string, error: CommandError): void {
    const { code, message } = error;
    this.#core.log('W', 'REPL', 21124, 'Rollback failed with retryable error', {
      error: statusAttr(error),
    });
    this.#core.trace({ type: 'fetchFailed', source, code, detail: `rollback: ${message}` });
  }
}
