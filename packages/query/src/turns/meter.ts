import { CommandError } from '@replsim/protocol';
import type { Parts } from './parts.ts';

/** How many steps take a microsecond of virtual time. */
const STEPS_A_MICROSECOND = 4;
/**
 * After how many steps others get their turn: first, and from then on. A client needs several turns until it is answered, so that slices
 * are short; only the first one is not, as an operation that ends within it takes no time.
 */
const [FIRST_SLICE_STEPS, SLICE_STEPS] = [10_000, 2000];

/** What it costs to put one document through one stage. */
export const ROW_STEPS = 4;

/** A computation that may be broken off in its loops. */
export interface Interruptible {
  /** Goes on with a loop, or begins it. @param steps what its result costs beside its parts */
  loop<T>(begin: () => Parts<T>, steps: (result: T) => number): T;
  /** What is not the same twice, such as chance: once drawn, it stays. */
  once<T>(draw: () => T): T;
}

/** The meter of whoever reads what a client wrote in turns with others; nothing of who reads it at once, as most is short. */
export function interruptible(meter: Meter | undefined): Meter | undefined {
  return meter?.evaluation && meter;
}

/**
 * Counts the steps of one operation: documents that stages take, elements that expressions go through. They are counted, not timed, so that
 * a run is the same on every machine; what is shorter than a slice takes no time at all.
 */
export class Meter {
  #steps = 0;
  #slice = FIRST_SLICE_STEPS;
  #most = Infinity;
  #leftMicros: (() => number) | undefined;
  /** What is computed just now and may be broken off. */
  evaluation: Interruptible | undefined;

  /** How much virtual time the operation has left, in µs, at any moment. */
  until(leftMicros: () => number): void {
    this.#leftMicros = leftMicros;
  }

  /** Errors: MaxTimeMSExpired 50 as soon as these steps cannot be paid for. */
  add(steps: number): void {
    if (this.#steps === 0 && this.#leftMicros) this.#most = this.#leftMicros() * STEPS_A_MICROSECOND;
    this.#steps += steps;
    if (this.#steps > this.#most) throw new CommandError('MaxTimeMSExpired', 'operation exceeded time limit');
  }

  /** Whether it is the others' turn. */
  get isDue(): boolean {
    return this.#steps >= this.#slice;
  }

  /** What the steps so far cost, in µs; they are counted anew from here on. */
  take(): number {
    const micros = Math.ceil(this.#steps / STEPS_A_MICROSECOND);
    this.#steps = 0;
    this.#slice = SLICE_STEPS;
    return micros;
  }
}
