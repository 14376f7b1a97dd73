import { REAL_TIME } from '../clock/realTime.ts';

/**
 * How long after its first `hello` a driver streams at the latest, its `minHeartbeatFrequencyMS` and time to spare: in ticks, each set
 * when the one before has passed. A process that was held up for seconds counts one, so that a driver in it, whose timer is as late
 * as this one, still gets its turn.
 */
const TICKS = 20;
const TICK_MS = 50;

/** Calls back after that time. @returns what calls it off */
export function afterLongest(callback: () => void): () => void {
  let left = TICKS;
  let timer: unknown;
  const tick = () => {
    left -= 1;
    if (left < 0) callback();
    else timer = REAL_TIME.setTimeout(tick, TICK_MS);
  };
  tick();
  return () => REAL_TIME.clearTimeout(timer);
}

/**
 * Clients that have asked once and not again. A driver's monitor is one for half a second: then it asks for a stream, and hears
 * at once of the end of the process it watches. Before, it knows of nothing until it asks; and a driver that goes on to take a dead
 * process for the primary gives up a write after three refused connections, as if the process were overloaded. Where an
 * election takes seconds that never shows; here the next primary may be there within milliseconds.
 */
export class Newcomers {
  readonly #limits = new Map<object, () => void>();
  #waiting: (() => void)[] = [];

  arrived(client: object): void {
    this.#limits.get(client)?.();
    this.#limits.set(
      client,
      afterLongest(() => this.settled(client)),
    );
  }

  /** It has asked again, or gone. */
  settled(client: object): void {
    if (this.#limits.size === 0) return;
    this.#limits.get(client)?.();
    if (!this.#limits.delete(client) || this.#limits.size > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * Resolves when there is none, and at the latest when those who are there now are new no longer.
   * @returns undefined if there is none, so that what waits for it can happen at this very moment
   */
  none(): Promise<void> | undefined {
    if (this.#limits.size === 0) return undefined;
    return new Promise<void>((resolve) => {
      const callOff = afterLongest(resolve);
      this.#waiting.push(() => {
        callOff();
        resolve();
      });
    });
  }
}
