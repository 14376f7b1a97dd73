import { REAL_TIME } from '../clock/realTime.ts';
import { afterLongest } from './newcomers.ts';

/** In which a client of this process hears what has been written to it, with a turn or two to spare. */
const TURNS_TO_HEAR = 4;

/**
 * Clients that a member streams `hello` to, and whether they have been told all there is: one that has is asked for news again, and
 * waits for some. In between it may take the primary of before for the one of now, and a write of the same client
 * would go to a member that never answers.
 */
export class Watchers {
  readonly #behind = new Set<object>();
  /** How many turns of the event loop those who were told last have still to hear of it. */
  #turnsLeft = 0;
  #waiting: (() => void)[] = [];

  /** It has asked for the first time, or been told something, and may not know the newest. */
  behind(client: object): void {
    this.#behind.add(client);
  }

  /** It waits for news; or it does not read, or has gone: nobody waits for it then. */
  upToDate(client: object): void {
    if (!this.#behind.delete(client) || this.#behind.size > 0) return;
    const counts = this.#turnsLeft > 0;
    this.#turnsLeft = TURNS_TO_HEAR;
    if (!counts) this.#letHear();
  }

  get areUpToDate(): boolean {
    return this.#behind.size + this.#turnsLeft === 0;
  }

  /**
   * Resolves when they all know, and at the latest when the one who does not has had its time.
   * @returns undefined if they do already
   */
  told(): Promise<void> | undefined {
    if (this.areUpToDate) return undefined;
    return new Promise<void>((resolve) => {
      const callOff = afterLongest(resolve);
      this.#waiting.push(() => {
        callOff();
        resolve();
      });
    });
  }

  #letHear(): void {
    REAL_TIME.setImmediate(() => {
      if (--this.#turnsLeft > 0) return this.#letHear();
      if (this.areUpToDate) for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }
}
