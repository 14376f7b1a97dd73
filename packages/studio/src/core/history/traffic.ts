import type { TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** A message between two members, on its way from when to when. */
export interface Flight {
  readonly from: string;
  readonly to: string;
  readonly what: string;
  readonly sentMicros: number;
  /** When it arrived, or was seen to be lost; undefined while neither is known. */
  endedMicros: number | undefined;
  lost: boolean;
}

/** What no process says: the other side's system does, for none is there, or not the one that was asked. */
const REFUSAL = / reply: (Connection refused|Connection closed by peer|Host not found)$/;

/** Why nobody took what was asked; undefined of all else. */
export function refusalOf({ what }: Pick<Flight, 'what'>): string | undefined {
  return REFUSAL.exec(what)?.[1];
}

/** Longer than this nothing is looked for: a stream over a bad link takes seconds. Unit: µs. */
const LONGEST_MICROS = 10_000_000;

/** Which messages are on their way at each instant. */
export class Traffic {
  readonly #flights: Flight[] = [];
  /** Those that are still on their way, by their way and what they are, oldest first. */
  readonly #open = new Map<string, Flight[]>();

  observe(event: TraceEvent): void {
    if (event.type !== 'sent' && event.type !== 'delivered' && event.type !== 'lost') return;
    const other = event.peer.replace(/:27017$/, '');
    const [from, to] = event.type === 'delivered' ? [other, event.member] : [event.member, other];
    const way = `${from} ${to} ${event.what}`;
    if (event.type === 'sent') {
      const flight = { from, to, what: event.what, sentMicros: event.atMicros, endedMicros: undefined, lost: false };
      this.#flights.push(flight);
      const open = this.#open.get(way);
      if (open) open.push(flight);
      else this.#open.set(way, [flight]);
      return;
    }
    const flight = this.#open.get(way)?.shift();
    if (!flight) return; // A link that duplicates delivers what was taken off the list.
    flight.endedMicros = event.atMicros;
    flight.lost = event.type === 'lost';
  }

  /** Those sent after an instant and up to another, oldest first. @param most leaves out older ones */
  sentBetween(afterMicros: number, upToMicros: number, most: number): readonly Flight[] {
    const count = (atMicros: number) => countUpTo(this.#flights, ({ sentMicros }) => sentMicros, atMicros);
    const upTo = count(upToMicros);
    return this.#flights.slice(Math.max(count(afterMicros), upTo - most), upTo);
  }

  /** The messages under way at an instant, oldest first. */
  at(atMicros: number): readonly Flight[] {
    const found: Flight[] = [];
    const flights = this.#flights;
    for (let i = countUpTo(flights, ({ sentMicros }) => sentMicros, atMicros) - 1; i >= 0; i--) {
      const flight = flights[i]!;
      if (flight.sentMicros < atMicros - LONGEST_MICROS) break;
      if (flight.endedMicros !== undefined && flight.endedMicros > atMicros) found.push(flight);
    }
    return found.reverse();
  }
}
