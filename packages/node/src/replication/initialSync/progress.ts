import type { CommandError, Now } from '@replsim/protocol';
import type { InitialSyncAttempt } from './attempt.ts';

/** One attempt that has ended, as status lists it. Upstream: initial_syncer.h, InitialSyncAttemptInfo. */
export interface EndedAttempt {
  readonly durationMillis: number;
  /** `OK`, or the error. */
  readonly status: string;
  readonly syncSource: string;
  readonly rollBackId: number;
  readonly operationsRetried: number;
  readonly totalTimeUnreachableMillis: number;
}

/** How an initial sync goes, over all its attempts: what `initialSyncStatus` shows. Upstream: InitialSyncer::Stats. */
export class InitialSyncProgress {
  maxAttempts = 0;
  failedAttempts = 0;
  readonly #ended: EndedAttempt[] = [];
  /** The newest attempt, under way or over; undefined if there never was an initial sync in this process. */
  attempt: InitialSyncAttempt | undefined;
  startWallMs = 0;
  startMicros = 0;
  /** When the sync was complete. */
  end: Now | undefined;

  begin(now: Now, maxAttempts: number): void {
    this.maxAttempts = maxAttempts;
    this.failedAttempts = 0;
    this.#ended.length = 0;
    this.startWallMs = now.wallMs;
    this.startMicros = now.monotonicMicros;
    this.end = undefined;
  }

  ended(attempt: InitialSyncAttempt, error: CommandError | undefined): void {
    const { monotonicMicros } = attempt.repl.core.now;
    attempt.endedMicros = monotonicMicros;
    if (error) this.failedAttempts += 1;
    this.#ended.push({
      durationMillis: Math.floor((monotonicMicros - attempt.startedMicros) / 1000),
      status: error ? `${error.codeName}: ${error.message}` : 'OK',
      syncSource: attempt.source ?? ':27017',
      rollBackId: attempt.rbid,
      operationsRetried: attempt.operationsRetried,
      totalTimeUnreachableMillis: Math.floor(attempt.totalUnreachableMicros / 1000),
    });
  }

  completed(now: Now): void {
    this.end = now;
  }

  get attempts(): readonly EndedAttempt[] {
    return this.#ended;
  }

  get durationSeconds(): number {
    return this.end ? Math.floor((this.end.monotonicMicros - this.startMicros) / 1_000_000) : 0;
  }
}
