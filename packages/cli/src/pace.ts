import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Holds a run back so that virtual time follows the wall clock times `speed`. It only waits between events, so what
 * happens is the same at any speed.
 */
export function pacer(speed: number): (nowMicros: number) => Promise<void> {
  const began = performance.now();
  return async (nowMicros) => {
    const due = nowMicros / 1000 / speed;
    const ahead = due - (performance.now() - began);
    if (ahead > 1) await sleep(ahead);
  };
}
