import { type Dispatch, type SetStateAction, useCallback, useEffect, useLayoutEffect, useState } from 'react';

/** Time that goes by, or stands. */
export interface Playback {
  readonly isPlaying: boolean;
  /** Virtual seconds a second. */
  readonly speed: number;
  readonly setSpeed: (speed: number) => void;
  readonly toggle: () => void;
}

/** Lets time go by, frame by frame, up to the end of the run. */
export function usePlayback(
  atMicros: number,
  endMicros: number,
  setAtMicros: Dispatch<SetStateAction<number>>,
): Playback {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  useEffect(() => {
    if (!isPlaying) return;
    let last: number | undefined;
    let frame = requestAnimationFrame(function next(now) {
      const passed = last === undefined ? 0 : (now - last) * 1000 * speed;
      last = now;
      setAtMicros((at) => Math.min(Math.round(at + passed), endMicros));
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
