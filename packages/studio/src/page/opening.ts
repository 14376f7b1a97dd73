import type { TraceEvent } from '@replsim/protocol';

/** So far a run has been looked through for where to open it. */
export interface Opening {
  readonly events: number;
  /** The first act, fault or check that failed; undefined so far. */
  readonly atMicros: number | undefined;
  /** When a member accepted writes first: where to open a run in which nothing is done to the set. */
  readonly writableMicros: number | undefined;
}

export const NOT_YET: Opening = { events: 0, atMicros: undefined, writableMicros: undefined };

/** Looks on, where the last look ended. @param events all of the trace so far */
export function openingOf(events: readonly TraceEvent[], last: Opening): Opening {
  if (last.atMicros !== undefined) return last;
  let { writableMicros } = last;
  for (let i = last.events; i < events.length; i++) {
    const event = events[i]!;
    if (isOpening(event)) return { events: i, atMicros: event.atMicros, writableMicros };
    if (event.type === 'acceptsWrites' && event.value) writableMicros ??= event.atMicros;
  }
  return { events: events.length, atMicros: undefined, writableMicros };
}

/** Nobody wants to see how a set starts, but what its scenario is about. */
function isOpening(event: TraceEvent): boolean {
  switch (event.type) {
    case 'input':
      return event.kind === 'fault';
    case 'checked':
      return !event.held;
    case 'act':
    case 'invariantBroken':
      return true;
    default:
      return false;
  }
}
