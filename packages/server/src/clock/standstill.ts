import { REAL_TIME } from './realTime.ts';

/** How long somebody waits for what cannot come, in real time, before it is told; less than tests wait. Unit: ms. */
export const STANDSTILL_MS = 2000;

/** What there is to be known of a set. */
export interface Stood {
  /** Virtual time. */
  readonly nowMicros: () => number;
  /** Who waits in vain for it to pass, and how to let it; undefined if nobody does. */
  readonly inVain: () => string | undefined;
}

/**
 * Tells of clients that wait for virtual time while it stands still, as at speed 0: a driver that looks for a primary, a `wtimeout` that
 * does not come. A set may well be left so for a moment, until somebody turns its clock. But if nobody does, all that a test sees is
 * that it takes too long.
 */
export class Standstill {
  readonly #stood: Stood;
  readonly #listeners: ((told: string) => void)[] = [];
  #timer: unknown;
  #hasTold = false;

  constructor(stood: Stood) {
    this.#stood = stood;
  }

  /** Calls `listener` with the first of them from now on, in words for whoever turns the clock. */
  onInVain(listener: (told: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Nothing happens any more by itself. */
  look(): void {
    if (this.#listeners.length === 0 || this.#hasTold || this.#timer !== undefined) return;
    if (this.#stood.inVain() === undefined) return;
    const sinceMicros = this.#stood.nowMicros();
    this.#timer = REAL_TIME.setTimeout(() => this.#lookAgain(sinceMicros), STANDSTILL_MS);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  end(): void {
    this.#hasTold = true;
    REAL_TIME.clearTimeout(this.#timer);
  }

  #lookAgain(sinceMicros: number): void {
    this.#timer = undefined;
    if (this.#stood.nowMicros() !== sinceMicros) return this.look();
    const told = this.#stood.inVain();
    if (told === undefined) return;
    this.#hasTold = true;
    for (const listener of this.#listeners) listener(told);
  }
}
