import type { TraceEvent, TraceEventType } from '@replsim/protocol';

/** One invariant, told about the events it asked for, in their order. It holds state, and judges one run only. */
export interface Checker {
  readonly name: string;
  /** What it listens to; other events never reach it. */
  readonly events: readonly TraceEventType[];
  /**
   * @param epochSecs seconds since 1970 of time zero, so that opTimes are written as transcripts write them
   * @returns what is broken, in words with numbers, or undefined
   */
  observe(event: TraceEvent, epochSecs: number): string | undefined;
}

/** The events of some types, with their fields. */
export type EventOf<T extends TraceEventType> = Extract<TraceEvent, { readonly type: T }>;
