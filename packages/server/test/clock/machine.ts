import type { RealTime } from '../../src/clock/realTime.ts';

// A wall clock that is simulated, and a set whose events take as much of it as a test says.

/** A machine: its clock stands still but for what is done on it, and for sleep. */
export class Machine implements RealTime {
  nowMs = 0;
  /** What a step takes besides what happens in it: next to nothing, but on a slow machine, or without a compiler. */
  stepMs = 0;
  readonly #timers = new Map<number, { readonly atMs: number; readonly wake: () => void }>();
  #ids = 0;

  readonly monotonicMs = () => this.nowMs;
  readonly setTimeout = (wake: () => void, ms: number) => {
    this.#timers.set(++this.#ids, { atMs: this.nowMs + ms, wake });
    return this.#ids;
  };
  readonly clearTimeout = (timer: unknown) => void this.#timers.delete(timer as number);
  readonly setImmediate = (wake: () => void) => this.setTimeout(wake, 0);
  readonly clearImmediate = this.clearTimeout;

  /** Until then, or until `done`. */
  runUntil(ms: number, done = () => false): void {
    while (!done()) {
      const [first] = [...this.#timers].toSorted(([a, one], [b, other]) => one.atMs - other.atMs || a - b);
      if (first === undefined || first[1].atMs > ms) break;
      this.#timers.delete(first[0]);
      this.nowMs = Math.max(this.nowMs, first[1].atMs);
      first[1].wake();
    }
    if (!done()) this.nowMs = Math.max(this.nowMs, ms);
  }
}

interface Due {
  readonly atMicros: number;
  /** What it takes of real time. */
  readonly ms: number;
  readonly happen: () => void;
}

export class Events {
  nowMicros = 0;
  /** How often time was let go on. */
  pumps = 0;
  readonly #machine: Machine;
  #due: Due[] = [];

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  add(afterMicros: number, ms: number, happen = () => {}): void {
    this.#due.push({ atMicros: this.nowMicros + afterMicros, ms, happen });
    this.#due.sort((a, b) => a.atMicros - b.atMicros);
  }

  get nextEventMicros(): number | undefined {
    return this.#due[0]?.atMicros;
  }

  pump(untilMicros: number, enough: () => boolean): boolean {
    this.pumps++;
    this.#machine.nowMs += this.#machine.stepMs;
    while (!enough()) {
      const [next] = this.#due;
      if (next === undefined || next.atMicros > untilMicros) {
        this.nowMicros = Math.max(this.nowMicros, untilMicros);
        return true;
      }
      this.#due.shift();
      this.nowMicros = next.atMicros;
      this.#machine.nowMs += next.ms;
      next.happen();
    }
    return false;
  }
}
