import { Flights } from './flights.ts';
import { piecesOf } from './pieces.ts';
import type { Span } from './span.ts';
import { type Tempo, type Traced, tempoFrom } from './tempo.ts';

/** How long a heartbeat is seen to fly, where heartbeats are all there is. Unit: ms of film. */
const PULSE_MS = 700;

/** The tempo of a set that is at rest: its heartbeats are seen, which automatic tempo goes by. */
export function livelyTempoOf({ events }: Traced, fromMicros: number, toMicros: number): Tempo {
  const flights = new Flights();
  const spans: Span[] = [];
  for (const event of events) {
    if (event.atMicros > toMicros) break;
    const { what, sentMicros, endedMicros } = flights.landed(event) ?? {};
    if (sentMicros === undefined || sentMicros < fromMicros || !what?.includes('eartbeat')) continue;
    if (endedMicros !== undefined && endedMicros > sentMicros)
      spans.push({ kind: 'heartbeat', fromMicros: sentMicros, toMicros: endedMicros, filmMs: PULSE_MS });
  }
  return tempoFrom(piecesOf(spans, toMicros));
}
