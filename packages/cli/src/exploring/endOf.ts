import type { Io } from '../io.ts';

/** Whether a long command is to end: its time is up, or somebody has asked for it. @param time µs */
export function endOf(time: number | undefined, io: Pick<Io, 'onInterrupt'>): () => boolean {
  const began = performance.now();
  let isAsked = false;
  io.onInterrupt?.(() => {
    isAsked = true;
  });
  return () => isAsked || (time !== undefined && (performance.now() - began) * 1000 >= time);
}
