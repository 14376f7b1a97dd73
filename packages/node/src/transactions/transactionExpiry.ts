import type { Scheduler, SessionCatalog } from '@replsim/operations';
import { CommandError } from '@replsim/protocol';
import { expiryPeriodMicros, nextExpiryRun } from '@replsim/transactions';
import type { Core } from '../core/core.ts';

/** What it ends, and by whose word. */
export interface TransactionExpiryHost {
  readonly core: Core;
  readonly scheduler: Scheduler;
  readonly sessions: SessionCatalog;
  readonly parameters: { number(name: string): number };
}

/**
 * Gives up transactions that have lasted longer than `transactionLifetimeLimitSeconds` allowed when they began. It looks at
 * the same moments as a job that runs all the time, and sets no timer while none is open.
 * Upstream: periodic_runner_job_abort_expired_transactions.cpp.
 */
export class TransactionExpiry {
  readonly #host: TransactionExpiryHost;
  #isSet = false;

  constructor(host: TransactionExpiryHost) {
    this.#host = host;
  }

  /** A transaction has begun, or one is over. */
  changed(): void {
    const { core, sessions, parameters } = this.#host;
    if (this.#isSet || sessions.openCount === 0) return;
    this.#isSet = true;
    const { monotonicMicros } = core.now;
    const period = expiryPeriodMicros(parameters.number('transactionLifetimeLimitSeconds'));
    const due = nextExpiryRun(core.startedMicros, monotonicMicros, period);
    core.setTimer('expireTransactions', () => this.#run(), due - monotonicMicros);
  }

  /** Another limit gives the job another period, from now on. Upstream: observeTransactionLifetimeLimitSeconds. */
  limitChanged(): void {
    this.#isSet = false;
    this.changed();
  }

  #run(): void {
    this.#isSet = false;
    const { core, sessions, scheduler } = this.#host;
    for (const session of sessions.open()) {
      if (session.expiresMicros > core.now.monotonicMicros) continue;
      const { lsid, txnNumber } = session;
      core.log('I', 'TXN', 20707, 'Aborting a transaction that has lasted too long', {
        sessionId: lsid.key,
        txnNumber: String(txnNumber),
      });
      // A statement that runs gives its transaction up itself.
      scheduler.killAll(
        (operation) => operation.session === lsid.key && operation.txnNumber === txnNumber,
        () => new CommandError('TransactionExceededLifetimeLimitSeconds', 'the transaction has lasted too long'),
      );
      if (!session.checkedOut) session.abort();
    }
    this.changed();
  }
}
