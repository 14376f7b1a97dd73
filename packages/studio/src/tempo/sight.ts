import type { TraceEvent } from '@replsim/protocol';
import type { Flight } from '../core/history/traffic.ts';

export type EventOf<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

/** What was known when something happened: as much of the run as a sentence about it needs. */
export interface Known {
  readonly members: readonly string[];
  /** Members whose process has ended or stands still. */
  readonly silent: ReadonlySet<string>;
  /** After how long without a primary a member stands for election. Unit: ms. */
  readonly electionTimeoutMillis: number;
  /** A client's write is in the primary's log, and no majority has it yet. */
  readonly isAwaited: boolean;
  /** The newest term of which a commit point was computed. */
  readonly committedTerm: number;
  /** Members that won an election and have not told the others yet: when they won. Unit: µs. */
  readonly wonMicros: ReadonlyMap<string, number>;
  /** What the last TTL deletions took, by namespace, as long as others copy it. */
  readonly expiredFrom: ReadonlySet<string>;
}

/** Something that the eye should have time for. */
interface Sight {
  /** What it is called in tests, and what counts as more of the same. */
  readonly kind: string;
  /** How long it lasts at automatic tempo. Unit: ms of film. */
  readonly filmMs: number;
  /** Why it deserves that. */
  readonly why: string;
  /** Each further one before the next turning point lasts half as long as the one before. */
  readonly fades?: true;
  /** After it, everything is news again. */
  readonly turns?: true;
}

/** A sight that is an event of the trace. */
export interface EventSight extends Sight {
  readonly of: TraceEvent['type'];
  /** Whether this event is one; undefined: all of its type. */
  readonly is?: (event: never, known: Known) => boolean;
  /** What happens, in a short sentence; undefined where the picture says it all. */
  readonly says?: (event: never, known: Known) => string | undefined;
}

/** A sight that is a message's flight; it lasts `filmMs` if it takes one millisecond, and up to twice as long if it takes more. */
export interface FlightSight extends Sight {
  readonly is: (flight: Flight, known: Known) => boolean;
}

/** A row of the table, whose functions know their event's type. */
export function eventSight<T extends TraceEvent['type']>(
  of: T,
  sight: Sight & {
    readonly is?: (event: EventOf<T>, known: Known) => boolean;
    readonly says?: (event: EventOf<T>, known: Known) => string | undefined;
  },
): EventSight {
  return { of, ...sight };
}
