import type { Core } from '../core/core.ts';
import { STATUS_OK } from '../core/logValues.ts';
import type { ElectionHost } from './electionHost.ts';

/**
 * Notices that no primary was heard of for `electionTimeoutMillis`, and then waits a little longer by chance, so that
 * not everybody stands at the same moment. Upstream: replication_coordinator_impl.cpp,
 * _cancelAndRescheduleElectionTimeout.
 *
 * Signs of a primary come by the thousand, elections do not. So the timer is not moved by each sign: it wakes when the
 * timeout after the first one is over, and goes on for what is left after the last. The jitter is drawn by the host, and
 * only once the timeout has passed in silence: uniform in [0, 15 % of the timeout), which is how long mongod waits too,
 * though it draws before and keeps a draw for a while. A sign that comes during the jitter takes it back.
 */
export class ElectionTimer {
  readonly #core: Core;
  readonly #host: ElectionHost;
  #phase: 'off' | 'timeout' | 'jitter' = 'off';
  /** No election by timeout before this moment, µs. */
  #notBefore = 0;
  /** When the timer fires in the phase `timeout`. */
  #firesAt = 0;
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, host: ElectionHost) {
    this.#core = core;
    this.#host = host;
  }

  /** Restarts the timeout on members that may stand for election; stops it on others. */
  postpone(): void {
    const { self, state, electionTimeoutMicros } = this.#host.topology;
    if (state !== 'SECONDARY' || !self || self.priority <= 0 || this.#host.shutdown.isLeaving) return this.stop();
    this.#notBefore = this.#core.now.monotonicMicros + electionTimeoutMicros;
    this.#core.deadline('electionTimeout', this.#notBefore);
    if (this.#core.verbosity('ELECTION') >= 4) this.#logWhen();
    if (this.#phase !== 'timeout' || this.#notBefore < this.#firesAt) this.#sleep();
  }

  stop(): void {
    if (this.#phase === 'off') return;
    this.#phase = 'off';
    this.#core.cancelTimer('election');
    this.#core.deadline('electionTimeout', undefined);
    if (this.#core.verbosity('ELECTION') < 4) return;
    const when = this.#core.dateOf(this.#firesAt);
    this.#core.debug(4, 'ELECTION', 4615649, 'Canceling the election timeout callback', { when });
  }

  #onTimer(): void {
    const { electionTimeoutMicros } = this.#host.topology;
    if (this.#phase === 'timeout' && this.#core.now.monotonicMicros < this.#notBefore) return this.#sleep();
    const jitterMicros = this.#phase === 'timeout' ? this.jitterMicros(electionTimeoutMicros) : 0;
    if (jitterMicros > 0) {
      this.#phase = 'jitter';
      this.#core.setJitteredTimer('election', this.#fire, 0, jitterMicros, 'electionTimeout');
    } else {
      this.#phase = 'off';
      this.#host.elections.stand('electionTimeout');
    }
  }

  /** The range of the host's draw: whole milliseconds of the parameter's share of a timeout. Unit: µs. */
  jitterMicros(electionTimeoutMicros: number): number {
    const fraction = this.#host.parameters.number('replElectionTimeoutOffsetLimitFraction');
    return Math.floor((electionTimeoutMicros / 1000) * fraction) * 1000;
  }

  #sleep(): void {
    this.#phase = 'timeout';
    this.#firesAt = this.#notBefore;
    this.#core.setTimer('election', this.#fire, Math.max(this.#notBefore - this.#core.now.monotonicMicros, 0));
  }

  /** The jitter is drawn when the timeout has passed, so both dates are without it. */
  #logWhen(): void {
    const when = this.#core.dateOf(this.#notBefore);
    const attr = { when, requestedWhen: when, error: STATUS_OK };
    if (this.#phase === 'off')
      this.#core.debug(4, 'ELECTION', 4615651, 'Scheduled the election timeout callback', attr);
    else this.#core.debug(4, 'ELECTION', 4615650, 'Rescheduled the election timeout callback', attr);
  }
}
