import { useEffect, useMemo, useRef, useState } from 'react';
import type { History } from '../../core/history/history.ts';
import { captionAt } from '../../tempo/captions.ts';
import { livelyTempoOf } from '../../tempo/lively.ts';
import { type Tempo, tempoOf } from '../../tempo/tempo.ts';
import type { Plot } from './plot.ts';

/** A film that goes by on its own: the set at rest, over and over, and then what is done to it. */
export interface Film {
  readonly atMicros: number;
  readonly isOver: boolean;
}

/**
 * @param isTold whether it goes on behind the moment at which something is done to the set
 * @param of another one begins anew
 */
export function useFilm(history: History, plot: Plot | undefined, isTold: boolean, of: string): Film {
  const { size } = history;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the history is the same while it grows
  const tempos = useMemo(() => plot && temposOf(history, plot), [history, size, plot]);
  const [atMicros, setAtMicros] = useState(0);
  const endMicros = history.endMicros;
  const newest = useRef({ plot, tempos, endMicros });
  newest.current = { plot, tempos, endMicros };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins anew with them
  useEffect(() => setAtMicros(0), [of]);
  useEffect(() => {
    let last: number | undefined;
    let frame = requestAnimationFrame(function next(now) {
      const passedMs = last === undefined ? 0 : now - last;
      last = now;
      setAtMicros((at) => nextOf(at, passedMs, isTold, newest.current));
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [isTold]);
  const shownMicros = wantsSteps() && isTold ? (captionAt(history, atMicros)?.atMicros ?? atMicros) : atMicros;
  return { atMicros: shownMicros, isOver: isTold && plot !== undefined && atMicros >= endMicros };
}

interface Newest {
  readonly plot: Plot | undefined;
  readonly tempos: { readonly rest: Tempo; readonly told: Tempo } | undefined;
  readonly endMicros: number;
}

function temposOf(history: History, { restMicros, faultMicros }: Plot): Newest['tempos'] {
  return { rest: livelyTempoOf(history, restMicros, faultMicros), told: tempoOf(history) };
}

/** Which instant is shown so much later. */
function nextOf(at: number, passedMs: number, isTold: boolean, { plot, tempos, endMicros }: Newest): number {
  if (!plot || !tempos) return at;
  const { restMicros, faultMicros } = plot;
  if (!isTold) {
    if (at < restMicros || at >= faultMicros - 1) return restMicros;
    // Who wants no motion sees the set at rest.
    return wantsSteps() ? at : Math.min(faultMicros - 1, along(tempos.rest, at, passedMs));
  }
  return at < faultMicros ? faultMicros : Math.min(endMicros, along(tempos.told, at, passedMs));
}

function along(tempo: Tempo, at: number, passedMs: number): number {
  return passedMs === 0 ? at : Math.max(at + 1, Math.round(tempo.atMicrosOf(tempo.filmMillisAt(at) + passedMs)));
}

function wantsSteps(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
