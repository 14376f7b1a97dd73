import { noopOperation } from '@replsim/oplog';
import { compareOpTimes, NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { Threads } from '../core/threads.ts';
import type { Replication } from './replication.ts';

/**
 * Keeps the oplog of an idle primary moving, so that members without a source find one and readers of a cluster time get
 * there. Upstream: noop_writer.cpp.
 */
export class NoopWriter {
  readonly #core: Core;
  readonly #repl: Replication;
  #lastLook: OpTime = NULL_OP_TIME;
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  /** At step-up, once writes are accepted. */
  start(): void {
    this.#lastLook = this.#repl.positions.applied.opTime;
    this.#arm();
  }

  stop(): void {
    this.#core.cancelTimer('noop');
  }

  #onTimer(): void {
    this.#core.thread = Threads.noopWriter;
    const { elections, positions, localOplog, host } = this.#repl;
    if (!elections.isLeader) return;
    // While a step-down is attempted nothing is looked at: the interval counts from before it.
    if (elections.acceptsWrites) {
      // It does not wait for a lock, but leaves the no-op out.
      const idle = compareOpTimes(positions.applied.opTime, this.#lastLook) === 0 && !host.fsyncLock.isLocked;
      if (idle && host.parameters.bool('writePeriodicNoops')) {
        this.#core.debug(1, 'REPL', 21222, 'Writing a no-op, as nothing was written for an interval', {
          writeIntervalSeconds: host.parameters.number('periodicNoopIntervalSecs'),
        });
        localOplog.writeEntry(noopOperation('periodic noop'));
      }
      this.#lastLook = positions.applied.opTime;
    }
    this.#arm();
  }

  #arm(): void {
    this.#core.setTimer('noop', this.#fire, this.#repl.host.parameters.number('periodicNoopIntervalSecs') * 1_000_000);
  }
}
