import { compareOpTimes, type OpTime, type TraceEvent } from '@replsim/protocol';
import type { Known } from './sight.ts';

/** Unit: ms. Upstream: repl_set_config.cpp, kDefaultElectionTimeoutPeriod. */
const DEFAULT_ELECTION_TIMEOUT_MILLIS = 10_000;

/** What is known of a run so far, as much as the sights ask for. */
export class KnownSoFar implements Known {
  members: readonly string[] = [];
  readonly silent = new Set<string>();
  electionTimeoutMillis = DEFAULT_ELECTION_TIMEOUT_MILLIS;
  committedTerm = 0;
  readonly wonMicros = new Map<string, number>();
  readonly expiredFrom = new Set<string>();
  /** The newest entry of a client that no majority has yet. */
  #awaited: OpTime | undefined;

  get isAwaited(): boolean {
    return this.#awaited !== undefined;
  }

  /** To be called after whatever asks about the event: it changes what is known. */
  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'runStarted':
        this.members = event.members;
        break;
      case 'configInstalled':
        this.electionTimeoutMillis = event.config.settings.electionTimeoutMillis;
        break;
      case 'processStopped':
      case 'processPaused':
        this.silent.add(event.member);
        this.wonMicros.delete(event.member);
        break;
      case 'processStarted':
      case 'processResumed':
        this.silent.delete(event.member);
        break;
      case 'electionWon':
        this.wonMicros.set(event.member, event.atMicros);
        break;
      default:
        this.#observeData(event);
    }
  }

  #observeData(event: TraceEvent): void {
    switch (event.type) {
      case 'oplogWritten':
        if (event.origin === 'self') this.#awaited = event.entries.at(-1)?.opTime ?? this.#awaited;
        break;
      case 'commitPoint':
        if (event.learned) break;
        this.committedTerm = Math.max(this.committedTerm, event.opTime.t);
        if (this.#awaited && compareOpTimes(this.#awaited, event.opTime) <= 0) this.#awaited = undefined;
        break;
      // Entries of a primary that was deposed are nobody's business any more: the next one writes its own.
      case 'steppedDown':
        this.#awaited = undefined;
        break;
      case 'ttlDeleted':
        this.expiredFrom.add(event.ns);
        break;
      default:
    }
  }
}
