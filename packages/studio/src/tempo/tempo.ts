import type { TraceEvent } from '@replsim/protocol';
import { Film } from './film.ts';
import { type Pieces, piecesOf } from './pieces.ts';

/**
 * Automatic tempo: what the eye sees of a run, and how long. Film time grows with virtual time, slowly where something is to be seen and fast
 * where nothing is. Units: ms of film, µs of virtual time.
 */
export interface Tempo {
  /** When in the film an instant is shown. */
  filmMillisAt(atMicros: number): number;
  /** Which instant is shown when; it need not be a whole number. */
  atMicrosOf(filmMillis: number): number;
  readonly endFilmMillis: number;
}

/** What of a `History` a tempo is made of. */
export interface Traced {
  readonly events: readonly TraceEvent[];
}

interface Kept {
  readonly film: Film;
  size: number;
  tempo: Tempo;
}

/** By history, which is the same object while it grows: what was observed once is not observed again. */
const kept = new WeakMap<Traced, Kept>();

/** The tempo of a run, as far as it was played. It is a function of the events, and the same at any zoom. */
export function tempoOf(history: Traced): Tempo {
  return upToDate(history).tempo;
}

/** The tempo of two runs side by side: slow wherever something is to be seen in either. */
export function tempoOfBoth(first: Traced, second: Traced): Tempo {
  const endMicros = Math.max(...[first, second].map(({ events }) => events.at(-1)?.atMicros ?? 0));
  return tempoFrom(piecesOf([...filmOf(first).spans, ...filmOf(second).spans], endMicros));
}

/** What is to be seen in a run, as far as it was played. */
export function filmOf(history: Traced): Film {
  return upToDate(history).film;
}

function upToDate(history: Traced): Kept {
  const { events } = history;
  let found = kept.get(history);
  if (found?.size === events.length) return found;
  const film = found?.film ?? new Film();
  for (let i = found?.size ?? 0; i < events.length; i++) film.observe(events[i]!);
  found = { film, size: events.length, tempo: tempoFrom(piecesOf(film.spans, events.at(-1)?.atMicros ?? 0)) };
  kept.set(history, found);
  return found;
}

/** @param pieces corners of the line from virtual time to film */
export function tempoFrom({ micros, millis }: Pieces): Tempo {
  return {
    filmMillisAt: (atMicros) => along(micros, millis, atMicros),
    atMicrosOf: (filmMillis) => along(millis, micros, filmMillis),
    endFilmMillis: millis.at(-1) ?? 0,
  };
}

/** The point of a line through corners; before the first and after the last one it stands still. */
function along(xs: readonly number[], ys: readonly number[], x: number): number {
  let [low, high] = [0, xs.length - 1];
  if (high < 0 || x <= xs[0]!) return ys[0] ?? 0;
  if (x >= xs[high]!) return ys[high]!;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (xs[middle]! <= x) low = middle;
    else high = middle;
  }
  const share = (x - xs[low]!) / (xs[high]! - xs[low]!);
  return ys[low]! + share * (ys[high]! - ys[low]!);
}
