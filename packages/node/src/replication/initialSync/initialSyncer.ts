import type { Replication } from '../replication.ts';
import { initialSync } from './initialSync.ts';

/** Starts the initial sync and ends it: with a member that replicates, or with a process that dies. */
export class InitialSyncer {
  readonly #repl: Replication;
  #running = false;

  constructor(repl: Replication) {
    this.#repl = repl;
  }

  get isRunning(): boolean {
    return this.#running;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    const { core, parts } = this.#repl;
    this.#repl.follow('STARTUP2');
    const labels = { desc: 'initial sync', ns: '', commandName: '', killable: 'onRollback' } as const;
    parts.scheduler.run(labels, initialSync(this.#repl), (result) => {
      this.#running = false;
      if ('error' in result) {
        const detail = result.error.message;
        core.push({ type: 'exit', how: 'fatal', detail: `40088 initial sync failed: ${detail}` });
        return;
      }
      this.#repl.follow('RECOVERING');
      this.#repl.tryBecomeSecondary();
    });
  }
}
