import type { TraceEvent } from '@replsim/protocol';
import type { Question } from '../run/player.ts';

/** A question that is put before what answers it is seen; the run says what is right. */
export interface Asked {
  readonly text: string;
  /** In an order that says nothing; the answer is among them. */
  readonly choices: readonly string[];
  readonly answer: string;
  /** While it is open so many events of the trace are seen, and no more. */
  readonly seenEvents: number;
  /** Where the page waits with it: the instant of the last of these. */
  readonly atMicros: number;
  /** So many have happened when the answer is known. */
  readonly knownEvents: number;
  readonly knownMicros: number;
  /** Of which instant it is asked, where its own words say how much later that is. */
  readonly dueMicros?: number;
  /** What to ask about it when it has been answered, where something gives the reason. */
  readonly why?: Question;
}

/** What nobody is: somebody who takes writes, or wins. */
export const NOBODY = 'nobody';

/** A question between two places of a trace; counts of events, from its beginning. */
export function askedBetween(
  events: readonly TraceEvent[],
  seenEvents: number,
  knownEvents: number,
  asked: Pick<Asked, 'text' | 'choices' | 'answer' | 'dueMicros' | 'why'>,
): Asked {
  return {
    ...asked,
    seenEvents,
    knownEvents,
    atMicros: events[seenEvents - 1]?.atMicros ?? 0,
    knownMicros: events[knownEvents - 1]?.atMicros ?? 0,
  };
}

/** The turn of which the last of so many events comes. */
export function turnBefore(events: readonly TraceEvent[], count: number): number {
  for (let i = count - 1; i >= 0; i--) {
    const event = events[i]!;
    if (event.type === 'turn' || event.type === 'clientTurn' || event.type === 'input') return event.turn;
  }
  return 0;
}

/** So many wrong numbers stand beside the right one. */
const WRONG_NUMBERS = 3;

/** The number among others that are as likely, in order. @param salt decides how many of them are smaller */
export function numbersNear(answer: number, salt: number): readonly string[] {
  const apart = Math.max(1, Math.round(answer / 4));
  const smaller = Math.min(salt % (WRONG_NUMBERS + 1), Math.floor(answer / apart));
  return Array.from({ length: WRONG_NUMBERS + 1 }, (_, i) => String(answer + (i - smaller) * apart));
}
