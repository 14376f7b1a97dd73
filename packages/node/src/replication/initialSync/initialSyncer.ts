import { type Operation, type RunningOperation, sleep } from '@replsim/operations';
import { CommandError } from '@replsim/protocol';
import { showStatus } from '../../core/logValues.ts';
import { Threads } from '../../core/threads.ts';
import type { Replication } from '../replication.ts';
import { InitialSyncAttempt } from './attempt.ts';
import { fetchWhileCloning } from './fetchWhileCloning.ts';
import { InitialSyncProgress } from './progress.ts';
import { runAttempt } from './runAttempt.ts';

/** Upstream: initial_syncer.cpp, initialSyncRetryWait. */
const RETRY_PAUSE_MICROS = 1_000_000;
const LABELS = { desc: Threads.external, ns: '', commandName: '', killable: 'onRollback' } as const;

/**
 * Copies a source's data and the entries that are written meanwhile, in as many attempts as are allowed; ends with a
 * member that replicates, or with a process that dies. Upstream: initial_syncer.cpp.
 */
export class InitialSyncer {
  readonly #repl: Replication;
  readonly progress = new InitialSyncProgress();
  /** `skipClearInitialSyncState`: how it went is told of when it is over, too. */
  keepsProgress = false;
  #attempt: InitialSyncAttempt | undefined;
  /** The two sides of an attempt: what copies, and what fetches the oplog. */
  #copying: RunningOperation | undefined;
  #fetching: RunningOperation | undefined;

  constructor(repl: Replication) {
    this.#repl = repl;
  }

  get isRunning(): boolean {
    return this.#repl.positions.initialSyncing;
  }

  /** The source of the attempt under way, once it has one. */
  get syncSource(): string | undefined {
    return this.#attempt?.source;
  }

  start(): void {
    const { positions, core, host } = this.#repl;
    if (positions.initialSyncing) return;
    positions.initialSyncing = true;
    this.progress.begin(core.now, host.parameters.number('numInitialSyncAttempts'));
    this.#repl.follow('STARTUP2');
    core.as(Threads.external, () => this.#beginAttempt());
  }

  /** `replSetSyncFrom`: the attempt under way is given up, and the next one takes the source that was asked for. */
  restart(): void {
    this.#giveUp(new CommandError('InitialSyncFailure', 'another sync source was requested'));
  }

  #beginAttempt(): void {
    const { core, host, positions } = this.#repl;
    positions.initialSyncing = true;
    const attempt = new InitialSyncAttempt(this.#repl);
    this.#attempt = attempt;
    this.progress.attempt = attempt;
    const number = this.progress.failedAttempts + 1;
    core.log('I', 'INITSYNC', 21164, 'Starting initial sync attempt', {
      initialSyncAttempt: number,
      initialSyncMaxAttempts: this.progress.maxAttempts,
    });
    core.trace({ type: 'initialSync', phase: 'started', detail: `attempt ${number}` });
    const onFetchStart = () => this.#startFetching(attempt);
    const copy = host.fsyncLock.stop(runAttempt(attempt, onFetchStart));
    const copying = host.scheduler.run(LABELS, copy, (result) => {
      this.#end(attempt, 'error' in result ? result.error : undefined);
    });
    // It may be over already.
    if (this.#attempt === attempt) this.#copying = copying;
  }

  #startFetching(attempt: InitialSyncAttempt): void {
    const { scheduler } = this.#repl.host;
    const fetching = scheduler.run(LABELS, fetchWhileCloning(attempt), (result) => {
      if ('error' in result && !attempt.over) this.#giveUp(result.error);
    });
    if (!attempt.over) this.#fetching = fetching;
  }

  #giveUp(error: CommandError): void {
    if (!this.#attempt || this.#attempt.over) return;
    this.#attempt.givenUpFor = error;
    this.#copying?.kill(error);
  }

  #end(attempt: InitialSyncAttempt, error: CommandError | undefined): void {
    attempt.over = true;
    this.#fetching?.kill(new CommandError('InitialSyncFailure', 'the attempt is over'));
    this.#attempt = undefined;
    this.#copying = undefined;
    this.#fetching = undefined;
    this.progress.ended(attempt, error);
    if (error) this.#failed(attempt, error);
    else this.#succeeded(attempt);
  }

  #failed({ source }: InitialSyncAttempt, error: CommandError): void {
    const { core, host, metrics } = this.#repl;
    const { failedAttempts, maxAttempts } = this.progress;
    metrics.initialSync.failedAttempts += 1;
    this.#logStatistics(failedAttempts < maxAttempts ? 'in_progress' : 'failed');
    core.log('E', 'INITSYNC', 21200, 'Initial sync attempt failed', {
      attemptsLeft: maxAttempts - failedAttempts,
      error: showStatus(error.code, error.message),
    });
    core.trace({
      type: 'initialSync',
      phase: 'failed',
      ...(source !== undefined && { source }),
      detail: error.message,
    });
    if (failedAttempts < maxAttempts) {
      host.scheduler.run(LABELS, pause(), () => this.#beginAttempt());
      return;
    }
    metrics.initialSync.failures += 1;
    core.log('F', 'INITSYNC', 21202, 'The maximum number of initial sync attempts is exhausted');
    core.log('E', 'REPL', 21416, 'Initial sync failed, shutting down now');
    core.push({ type: 'exit', how: 'fatal', detail: `40088 initial sync failed: ${error.message}` });
  }

  /** Upstream: LogInitialSyncAttemptStats; of the statistics what `initialSyncStatus` tells of the whole. */
  #logStatistics(status: 'successful' | 'in_progress' | 'failed'): void {
    const { progress } = this;
    this.#repl.core.log('I', 'INITSYNC', 21192, 'Initial sync status and statistics', {
      status,
      statistics: {
        failedInitialSyncAttempts: progress.failedAttempts,
        maxFailedInitialSyncAttempts: progress.maxAttempts,
        initialSyncStart: new Date(progress.startWallMs),
        ...(progress.end && { initialSyncEnd: new Date(progress.end.wallMs) }),
        initialSyncAttempts: progress.attempts,
      },
    });
  }

  #succeeded({ chosenSource: source, stats }: InitialSyncAttempt): void {
    const { core, host, metrics, positions } = this.#repl;
    const { opTime } = positions.applied;
    const detail = `${stats.documentsCopied} documents from ${source}`;
    metrics.initialSync.completed += 1;
    positions.initialSyncing = false;
    host.consistencyMarkers.initialSyncFlag = false;
    this.progress.completed(core.now);
    this.keepsProgress = core.failPoints.enter('skipClearInitialSyncState') !== undefined;
    this.#logStatistics('successful');
    core.log('I', 'INITSYNC', 21163, 'Initial sync done', { durationSeconds: this.progress.durationSeconds });
    core.trace({ type: 'initialSync', phase: 'done', source, opTime, detail });
    this.#repl.follow('RECOVERING');
    this.#repl.tryBecomeSecondary();
  }
}

function* pause(): Operation<void> {
  yield* sleep(RETRY_PAUSE_MICROS);
}
