import { CommandError } from '@replsim/protocol';

/** How many steps take a microsecond of virtual time, and after how many others get their turn. */
const [STEPS_A_MICROSECOND, SLICE_STEPS] = [4, 20_000];

/** What it costs to put one document through one stage. */
export const ROW_STEPS = 4;

/**
 * Counts the steps of one operation: documents that stages take, elements that expressions go through. They are counted, not timed, so that
 * a run is the same on every machine; what is shorter than a slice takes no time at all.
 */
export class Meter {
  #steps = 0;
  #most = Infinity;
  #leftMicros: (() => number) | undefined;

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
    return this.#steps >= SLICE_STEPS;
  }

  /** What the steps so far cost, in µs; they are counted anew from here on. */
  take(): number {
    const micros = Math.ceil(this.#steps / STEPS_A_MICROSECOND);
    this.#steps = 0;
    return micros;
  }
}
