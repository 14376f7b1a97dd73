import type { TraceEvent } from '@replsim/protocol';
import type { Flight } from '../core/history/traffic.ts';

/** Messages on their way; each is told of once, when it has landed or was lost. */
export class Flights {
  /** By their way and what they are, oldest first. */
  readonly #open = new Map<string, Flight[]>();

  /** The flight that ends with an event, if one does. */
  landed(event: TraceEvent): Flight | undefined {
    if (event.type !== 'sent' && event.type !== 'delivered' && event.type !== 'lost') return undefined;
    const { atMicros, what } = event;
    const other = event.peer.replace(/:27017$/, '');
    const [from, to] = event.type === 'delivered' ? [other, event.member] : [event.member, other];
    const way = `${from} ${to} ${what}`;
    const open = this.#open.get(way);
    if (event.type !== 'sent') {
      const flight = open?.shift();
      return flight && { ...flight, endedMicros: atMicros, lost: event.type === 'lost' };
    }
    const flight = { from, to, what, sentMicros: atMicros, endedMicros: undefined, lost: false };
    if (open) open.push(flight);
    else this.#open.set(way, [flight]);
    return undefined;
  }
}
