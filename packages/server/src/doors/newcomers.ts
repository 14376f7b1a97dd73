import { REAL_TIME } from '../clock/realTime.ts';

/** How long after its first `hello` a driver streams at the latest: its `minHeartbeatFrequencyMS`, and time to spare. Unit: ms. */
const LONGEST_MS = 1000;

/**
 * Clients that have asked once and not again. A driver's monitor is one for half a second: then it asks for a stream, and hears
 * at once of the end of the process it watches. Before, it knows of nothing until it asks; and a driver that goes on to take a dead
 * process for the primary gives up a write after three refused connections, as if the process were overloaded. Where an
 * election takes seconds that never shows; here the next primary may be there within milliseconds.
 */
export class Newcomers {
  readonly #limits = new Map<object, unknown>();
  #waiting: (() => void)[] = [];

  arrived(client: object): void {
    this.#limits.set(
      client,
      REAL_TIME.setTimeout(() => this.settled(client), LONGEST_MS),
    );
  }

  /** It has asked again, or gone. */
  settled(client: object): void {
    if (this.#limits.size === 0) return;
    REAL_TIME.clearTimeout(this.#limits.get(client));
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
      const limit = REAL_TIME.setTimeout(resolve, LONGEST_MS);
      this.#waiting.push(() => {
        REAL_TIME.clearTimeout(limit);
        resolve();
      });
    });
  }
}
