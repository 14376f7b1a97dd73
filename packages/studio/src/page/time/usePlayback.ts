import { type Dispatch, type SetStateAction, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Stepping, stepped } from '../../tempo/moments.ts';
import type { Tempo } from '../../tempo/tempo.ts';

/** As a speed: slow where something is to be seen, and fast where nothing is. */
export const AUTOMATIC = 0;

/** Virtual seconds a second, what one begins with first. */
export const SPEEDS: readonly number[] = [AUTOMATIC, 0.001, 0.01, 0.1, 0.25, 1, 4, 10, 100];

export function speedText(speed: number): string {
  return speed === AUTOMATIC ? 'automatic' : `${speed} ×`;
}

/** Time that goes by, or stands. */
export interface Playback {
  readonly isPlaying: boolean;
  /** One of `SPEEDS`. */
  readonly speed: number;
  readonly setSpeed: (speed: number) => void;
  readonly toggle: () => void;
}

/**
 * Lets time go by, frame by frame, up to the end of the run.
 * @param moments where nothing is to move between them: what is shown goes from one to the next; undefined where it may move
 */
export function usePlayback(
  atMicros: number,
  endMicros: number,
  setAtMicros: Dispatch<SetStateAction<number>>,
  tempo: Tempo,
  moments: readonly number[] | undefined,
): Playback {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(AUTOMATIC);
  // It grows with the run, and the film does not begin anew.
  const newest = useRef({ tempo, moments, atMicros });
  newest.current = { tempo, moments, atMicros };
  useEffect(() => {
    if (!isPlaying) return;
    let last: number | undefined;
    let stepping: Stepping | undefined;
    let frame = requestAnimationFrame(function next(now) {
      const passedMs = last === undefined ? 0 : now - last;
      last = now;
      const { tempo, moments, atMicros: drawnMicros } = newest.current;
      setAtMicros((at) => {
        if (!moments) return Math.min(later(at, passedMs, speed, tempo), endMicros);
        // If the user has moved to another instant meanwhile, playback continues from there.
        const { filmMicros } = stepping?.shownMicros === at ? stepping : { filmMicros: at };
        const toMicros = later(filmMicros, passedMs, speed, tempo);
        // A moment that nobody has drawn yet is not left.
        stepping =
          at === drawnMicros
            ? stepped(at, toMicros, moments, endMicros)
            : { shownMicros: at, filmMicros: Math.min(toMicros, endMicros) };
        return stepping.shownMicros;
      });
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, endMicros, setAtMicros]);
  const isOver = atMicros >= endMicros;
  // Before anything else can happen: a key that is pressed at this moment begins anew, and does not stop what has stopped.
  useLayoutEffect(() => {
    if (isOver) setPlaying(false);
  }, [isOver]);
  const toggle = useCallback(() => setPlaying((was) => !was), []);
  return { isPlaying, speed, setSpeed, toggle };
}

/**
 * Which instant is shown so much later. Where a microsecond is long in film it would never go by if a frame's share of it were rounded away.
 */
export function later(atMicros: number, passedMs: number, speed: number, tempo: Tempo): number {
  if (passedMs <= 0) return atMicros;
  if (speed !== AUTOMATIC) return Math.round(atMicros + passedMs * 1000 * speed);
  return Math.max(atMicros + 1, Math.round(tempo.atMicrosOf(tempo.filmMillisAt(atMicros) + passedMs)));
}
