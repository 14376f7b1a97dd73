import type { TraceEvent } from '@replsim/protocol';

/** The instants of an act that the start page has to know. Unit: µs. */
export interface Plot {
  /** The set is at rest from here on. */
  readonly restMicros: number;
  /** Here something is done to it. */
  readonly faultMicros: number;
  /** Who leads in the end, and when it began to accept writes; undefined as long as nobody does. */
  readonly successor: Successor | undefined;
}

export interface Successor {
  readonly member: string;
  readonly wonMicros: number;
  /** In which the election was won; see `Question`. */
  readonly turn: number;
  readonly writableMicros: number | undefined;
}

/** Reads an act; undefined before anything is done in it. */
export function plotOf(events: readonly TraceEvent[]): Plot | undefined {
  const began = events.find((event) => event.type === 'step' && !event.folded && event.index >= 0);
  const fault = events.findIndex(({ type }) => type === 'partitioned' || type === 'processStopped');
  if (!began || fault < 0) return undefined;
  return {
    restMicros: began.atMicros,
    faultMicros: events[fault]!.atMicros,
    successor: successorIn(events.slice(fault)),
  };
}

function successorIn(events: readonly TraceEvent[]): Successor | undefined {
  let turn = 0;
  let found: Successor | undefined;
  for (const event of events) {
    if (event.type === 'turn' || event.type === 'clientTurn' || event.type === 'input') turn = event.turn;
    else if (event.type === 'electionWon')
      found = { member: event.member, wonMicros: event.atMicros, turn, writableMicros: undefined };
    else if (event.type === 'acceptsWrites' && event.value && event.member === found?.member)
      found = { ...found, writableMicros: event.atMicros };
  }
  return found;
}
