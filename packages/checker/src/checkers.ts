import { type TraceEvent, type TraceEventType, TraceNames } from '@replsim/protocol';
import { allCheckers } from './allCheckers.ts';
import type { Checker, Records } from './checker.ts';
import { Voids } from './voids.ts';

/** A broken invariant: the checker's name, what is broken, and the event that showed it. */
export interface Violation {
  readonly name: string;
  readonly detail: string;
  readonly event: TraceEvent;
}

/** A run that breaks something at every event must not grow without bound, and no reader needs more. */
const MAX_KEPT = 1000;

/** Who is shown events of one type: first those who judge, then the records that they look at. */
interface Listeners {
  checkers: readonly Checker[];
  records: readonly Records[];
}

/** All verdicts on one run: feed it the trace, event by event. */
export class Checkers {
  /** Everything that this run broke, first things first; the first 1000. */
  readonly violations: readonly Violation[] = [];
  /** The event types that matter; a host need not build others for us. */
  readonly events: ReadonlySet<TraceEventType>;
  readonly #listeners = new Map<TraceEventType, Listeners>();
  readonly #names = new TraceNames();
  readonly #voids = new Voids();
  #epochSecs = 0;

  constructor(checkers: readonly Checker[] = allCheckers()) {
    const records = new Set(checkers.flatMap((checker) => checker.records ?? []));
    for (const type of new Set([...checkers, ...records].flatMap(({ events }) => events)))
      this.#listeners.set(type, {
        checkers: checkers.filter(({ events }) => events.includes(type)),
        records: [...records].filter(({ events }) => events.includes(type)),
      });
    const voids = checkers.some(({ voidedBy }) => voidedBy !== undefined) ? Voids.events : [];
    this.events = new Set<TraceEventType>(['runStarted', ...voids, ...this.#listeners.keys()]);
  }

  /** @returns the first violation that this event shows, if any; `violations` holds the others too */
  observe(given: TraceEvent): Violation | undefined {
    const event = this.#names.named(given);
    if (event.type === 'runStarted') this.#epochSecs = Math.floor(event.epochMs / 1000);
    if (Voids.events.includes(event.type)) this.#silence(event);
    const listeners = this.#listeners.get(event.type);
    if (listeners === undefined) return undefined;
    let first: Violation | undefined;
    for (const checker of listeners.checkers) {
      const detail = checker.observe(event, this.#epochSecs);
      if (detail === undefined) continue;
      const violation = { name: checker.name, detail, event };
      first ??= violation;
      if (this.violations.length < MAX_KEPT) (this.violations as Violation[]).push(violation);
    }
    for (const records of listeners.records) records.observe(event);
    return first;
  }

  /** Nobody is shown any more what only those wanted who may not judge. */
  #silence(event: TraceEvent): void {
    for (const taken of this.#voids.observe(event))
      for (const listeners of this.#listeners.values())
        if (listeners.checkers.some(({ voidedBy }) => voidedBy?.includes(taken)))
          listeners.checkers = listeners.checkers.filter(({ voidedBy }) => !voidedBy?.includes(taken));
  }
}
