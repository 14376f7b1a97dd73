/**
 * How much virtual time a command may take at once; from then on it waits like everybody else. Enough for a write that waits
 * for a majority while secondaries look for a new source: at speed 0 nobody else would let that time pass. Unit: µs.
 */
const COMMAND_PULL_MICROS = 5_000_000;

/** Commands under way, for each of which time passes by itself, up to a limit. */
export class Pulls {
  /** How far each may go, by its request. Unit: µs. */
  readonly #limits = new Map<number, number>();
  /** Those that have gone as far as they may. */
  readonly #starved = new Set<number>();

  get size(): number {
    return this.#limits.size;
  }

  /** One waits for more time than it may take by itself. */
  get isOneStarved(): boolean {
    return this.#starved.size > 0;
  }

  begin(requestId: number, nowMicros: number): void {
    this.#starved.delete(requestId);
    this.#limits.set(requestId, nowMicros + COMMAND_PULL_MICROS);
  }

  end(requestId: number): void {
    this.#starved.delete(requestId);
    this.#limits.delete(requestId);
  }

  /** Time is there now. */
  passed(nowMicros: number): void {
    for (const [requestId, limitMicros] of this.#limits) {
      if (limitMicros > nowMicros) continue;
      this.#limits.delete(requestId);
      this.#starved.add(requestId);
    }
  }

  /** How far each may go. */
  limits(): Iterable<number> {
    return this.#limits.values();
  }
}
