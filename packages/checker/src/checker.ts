import type { TraceEvent, TraceEventType } from '@replsim/protocol';
import type { Void } from './voids.ts';

/** One invariant. It receives the events that it asked for, in order. It holds state, and checks one run only. */
export interface Checker {
  readonly name: string;
  /** What it listens to; other events never reach it. */
  readonly events: readonly TraceEventType[];
  /** Where it looks things up; the code that passes the events keeps this up to date. */
  readonly records?: readonly Records[];
  /** It is silent from the moment at which one of these takes away what it checks. */
  readonly voidedBy?: readonly Void[];
  /**
   * @param epochSecs seconds since 1970 of time zero, so that opTimes are written as transcripts write them
   * @returns what is broken, in words with numbers, or undefined
   */
  observe(event: TraceEvent, epochSecs: number): string | undefined;
}

/** The history that several checkers need. They share one, which receives each event once. */
export interface Records {
  readonly events: readonly TraceEventType[];
  /** Called when all checkers have judged the event: they see what was before it. */
  observe(event: TraceEvent): void;
}

/** The events of some types, with their fields. */
export type EventOf<T extends TraceEventType> = Extract<TraceEvent, { readonly type: T }>;
