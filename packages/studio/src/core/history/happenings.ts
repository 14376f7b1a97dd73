import type { TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** What is rare enough to be seen for itself in a picture of the set. */
const SEEN = [
  'processStarted',
  'processStopped',
  'processPaused',
  'processResumed',
  'memberSeen',
  'electionStarted',
  'votesRequested',
  'voteAnswered',
  'electionWon',
  'electionLost',
  'acceptsWrites',
  'steppedDown',
  'rollbackStarted',
  'rolledBack',
  'ttlDeleted',
  'initialSync',
  'writeAcknowledged',
] as const satisfies readonly TraceEvent['type'][];

export type Happening = Extract<TraceEvent, { type: (typeof SEEN)[number] }>;

export type VoteRequest = Extract<Happening, { type: 'votesRequested' }>;

const TYPES: ReadonlySet<string> = new Set(SEEN);

/** What has happened that the eye is to notice, by time. */
export class Happenings {
  readonly #all: Happening[] = [];
  readonly #requests: VoteRequest[] = [];

  observe(event: TraceEvent): void {
    if (TYPES.has(event.type)) this.#all.push(event as Happening);
    if (event.type === 'votesRequested') this.#requests.push(event);
  }

  /** Those after an instant and up to another, oldest first. */
  between(afterMicros: number, upToMicros: number): readonly Happening[] {
    return this.#all.slice(this.#countUpTo(afterMicros), this.#countUpTo(upToMicros));
  }

  /** The newest up to an instant for which something holds. @param most so many are looked at */
  last(upToMicros: number, holds: (event: Happening) => boolean, most = 500): Happening | undefined {
    const from = this.#countUpTo(upToMicros);
    for (let i = from - 1; i >= 0 && i >= from - most; i--) if (holds(this.#all[i]!)) return this.#all[i];
    return undefined;
  }

  /** When candidates asked for votes, newest first. @param most so many of them */
  voteRequests(upToMicros: number, most: number): readonly VoteRequest[] {
    const count = countUpTo(this.#requests, (event) => event.atMicros, upToMicros);
    return this.#requests.slice(Math.max(0, count - most), count).toReversed();
  }

  #countUpTo(atMicros: number): number {
    return countUpTo(this.#all, (event) => event.atMicros, atMicros);
  }
}
