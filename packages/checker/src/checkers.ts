import { type TraceEvent, type TraceEventType, TraceNames } from '@replsim/protocol';
import { allCheckers } from './allCheckers.ts';
import type { Checker } from './checker.ts';

/** A broken invariant: the checker's name, what is broken, and the event that showed it. */
export interface Violation {
  readonly name: string;
  readonly detail: string;
  readonly event: TraceEvent;
}

/** A run that is broken at every event must not grow without bound; nobody reads further than this. */
const MAX_KEPT = 1000;

/** All verdicts on one run: feed it the trace, event by event. */
export class Checkers {
  /** Everything that this run broke, first things first; the first 1000. */
  readonly violations: readonly Violation[] = [];
  /** The event types that matter; a host need not build others for us. */
  readonly events: ReadonlySet<TraceEventType>;
  readonly #listeners = new Map<TraceEventType, Checker[]>();
  readonly #names = new TraceNames();
  #epochSecs = 0;

  constructor(checkers: readonly Checker[] = allCheckers()) {
    for (const checker of checkers)
      for (const type of checker.events) {
        const listeners = this.#listeners.get(type);
        if (listeners === undefined) this.#listeners.set(type, [checker]);
        else if (!listeners.includes(checker)) listeners.push(checker);
      }
    this.events = new Set<TraceEventType>(['runStarted', ...this.#listeners.keys()]);
  }

  /** @returns the first violation that this event shows, if any; `violations` holds the others too */
  observe(given: TraceEvent): Violation | undefined {
    const event = this.#names.named(given);
    if (event.type === 'runStarted') this.#epochSecs = Math.floor(event.epochMs / 1000);
    const listeners = this.#listeners.get(event.type);
    if (listeners === undefined) return undefined;
    let first: Violation | undefined;
    for (const checker of listeners) {
      const detail = checker.observe(event, this.#epochSecs);
      if (detail === undefined) continue;
      const violation = { name: checker.name, detail, event };
      first ??= violation;
      if (this.violations.length < MAX_KEPT) (this.violations as Violation[]).push(violation);
    }
    return first;
  }
}
