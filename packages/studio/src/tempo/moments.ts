import { countUpTo } from '../core/history/search.ts';
import { filmOf, type Traced } from './tempo.ts';

/** The instants at which something is to be seen or read, in order: what somebody steps through who wants no motion. Unit: µs. */
export function momentsOf(histories: readonly Traced[]): readonly number[] {
  const all = histories
    .map(filmOf)
    .flatMap(({ spans, captions }) => [
      ...spans.map(({ fromMicros }) => fromMicros),
      ...captions.map(({ atMicros }) => atMicros),
    ]);
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Where somebody is who goes in steps. Unit: µs. */
export interface Stepping {
  readonly shownMicros: number;
  /** How far the film has gone meanwhile. */
  readonly filmMicros: number;
}

/**
 * One frame later than an instant was shown. Where the film has passed several moments they follow each other frame by frame, so that none is left out.
 * @param toMicros how far the film has gone now
 */
export function stepped(
  shownMicros: number,
  toMicros: number,
  moments: readonly number[],
  endMicros: number,
): Stepping {
  const next = Math.min(moments[countUpTo(moments, (each) => each, shownMicros)] ?? endMicros, endMicros);
  return { shownMicros: toMicros >= next ? next : shownMicros, filmMicros: Math.min(toMicros, endMicros) };
}
