import type { TraceEvent } from '@replsim/protocol';
import type { Flight } from '../core/history/traffic.ts';
import { Flights } from './flights.ts';
import { KnownSoFar } from './known.ts';
import type { EventSight, FlightSight } from './sight.ts';
import { EVENT_SIGHTS, FLIGHT_SIGHTS } from './sights.ts';
import type { Span } from './span.ts';

/** What happens, in a sentence. */
export interface Caption {
  readonly atMicros: number;
  readonly kind: string;
  readonly text: string;
  /** Whose doing it is; undefined: of the run as a whole. */
  readonly member: string | undefined;
}

/** Behind an event the film goes slowly for so long, that its effects are seen. Unit: µs. */
const LINGER_MICROS = 1000;
/** What would last less is no sight any more. Unit: ms of film. */
const SHORTEST_MS = 100;

const byType = new Map<TraceEvent['type'], EventSight[]>();
for (const sight of EVENT_SIGHTS) byType.set(sight.of, [...(byType.get(sight.of) ?? []), sight]);

/** Collects from a trace what is worth seeing, event by event. What it has collected never changes. */
export class Film {
  readonly spans: Span[] = [];
  /** In the order of time, one for an instant. */
  readonly captions: Caption[] = [];
  readonly #known = new KnownSoFar();
  readonly #flights = new Flights();
  /** How often each kind was seen since the last turning point. */
  readonly #seen = new Map<string, number>();
  /** While the start of a set is folded away: of which step. */
  #folded: number | undefined;
  #captionMs = 0;

  observe(event: TraceEvent): void {
    const flight = this.#flights.landed(event);
    this.#observeStart(event);
    if (this.#folded === undefined) {
      if (flight) this.#observeFlight(flight);
      const sight = byType.get(event.type)?.find(({ is }) => is?.(event as never, this.#known) ?? true);
      if (sight) this.#observeSight(sight, event);
    }
    this.#known.observe(event);
  }

  /** How a set starts is not what its scenario is about. */
  #observeStart(event: TraceEvent): void {
    if (event.type === 'step' && event.folded && this.#folded === undefined) {
      this.#folded = event.index;
      this.#say(event.atMicros, 'start', 'The set starts, and elects its first primary', undefined, 0);
    } else if (event.type === 'stepEnded' && event.index === this.#folded) this.#folded = undefined;
  }

  #observeFlight({ from, to, sentMicros, endedMicros = sentMicros, ...flight }: Flight): void {
    const whole = { ...flight, from, to, sentMicros, endedMicros };
    const sight = FLIGHT_SIGHTS.find(({ is }) => is(whole, this.#known));
    if (!sight) return;
    const tookMs = (endedMicros - sentMicros) / 1000;
    const filmMs = this.#faded(sight) * Math.min(2, Math.max(1, 1 + (tookMs - 1) / 4));
    this.#show(sight, sentMicros, endedMicros, filmMs);
  }

  #observeSight(sight: EventSight, event: TraceEvent): void {
    if (sight.turns) this.#seen.clear();
    const { atMicros } = event;
    this.#show(sight, atMicros, atMicros + LINGER_MICROS, this.#faded(sight));
    const text = sight.says?.(event as never, this.#known);
    if (text !== undefined)
      this.#say(atMicros, sight.kind, text, 'member' in event ? event.member : undefined, sight.filmMs);
  }

  #show({ kind }: EventSight | FlightSight, fromMicros: number, toMicros: number, filmMs: number): void {
    if (filmMs >= SHORTEST_MS && toMicros > fromMicros) this.spans.push({ kind, fromMicros, toMicros, filmMs });
  }

  #faded({ kind, filmMs, fades }: EventSight | FlightSight): number {
    const before = this.#seen.get(kind) ?? 0;
    this.#seen.set(kind, before + 1);
    return fades ? filmMs / 2 ** before : filmMs;
  }

  /** Of what happens at one instant, that is said which has the most to show. */
  #say(atMicros: number, kind: string, text: string, member: string | undefined, filmMs: number): void {
    const isSameInstant = this.captions.at(-1)?.atMicros === atMicros;
    if (isSameInstant && this.#captionMs > filmMs) return;
    if (isSameInstant) this.captions.pop();
    this.#captionMs = filmMs;
    this.captions.push({ atMicros, kind, text, member });
  }
}
