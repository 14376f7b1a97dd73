/** The first time that no wall clock shows: BSON timestamps count seconds in 32 bits, until 2106. Unit: ms since 1970. */
export const END_OF_CLOCKS_MS = 2 ** 32 * 1000;
/** The drift of a stopped clock, and of one that runs twice as fast. Unit: µs gained in each second. */
export const SLOWEST_PPM = -1_000_000;
export const FASTEST_PPM = 1_000_000;

/** How a member's wall clock starts, at virtual time zero: it shows `epochMs + offsetMs`. */
export interface WallClockOptions {
  /** What a right clock shows at virtual time zero. Unit: ms since 1970, an integer. */
  readonly epochMs: number;
  /** How far this clock is ahead (or, if negative, behind). Unit: ms, an integer. Default: 0. */
  readonly offsetMs?: number;
  /** See `WallClock.setDrift`. Default: 0. */
  readonly driftPpm?: number;
}

/**
 * One member's time of day: virtual time seen through an offset, a drift and jumps.
 * Integer arithmetic throughout, so that a century of virtual time is exact to the millisecond, however often the clock
 * was changed on the way. Readings before the latest change are not kept: for such a time, the clock answers as if it had
 * always been as it is now.
 */
export class WallClock {
  // At virtual time #sinceMicros it showed #baseMs and #basePicos (below 1 ms); since then it moves #rate ps a µs.
  #sinceMicros = 0;
  #baseMs: number;
  #basePicos = 0;
  #rate: number;

  constructor({ epochMs, offsetMs = 0, driftPpm = 0 }: WallClockOptions) {
    this.#baseMs = wholeMs('epochMs', epochMs) + wholeMs('offsetMs', offsetMs);
    this.#rate = rateOf(driftPpm);
  }

  /** What the clock shows, in whole ms since 1970 (rounded down), at virtual time `nowMicros` (an integer). */
  wallMs(nowMicros: number): number {
    return this.#baseMs + Math.floor(this.#moved(nowMicros).micros / MICROS_PER_MS);
  }

  /** The first instant from `nowMicros` on at which it will show `wallMs` or more, as it goes now; undefined for never. */
  microsAt(nowMicros: number, wallMs: number): number | undefined {
    if (this.wallMs(nowMicros) >= wallMs) return nowMicros;
    if (this.#rate === 0) return undefined;
    // In picoseconds a century does not fit into a double.
    const picos = BigInt(wholeMs('wallMs', wallMs) - this.#baseMs) * PICOS_PER_MS - BigInt(this.#basePicos);
    const rate = BigInt(this.#rate);
    const micros = this.#sinceMicros + Number((picos + rate - 1n) / rate);
    return Number.isSafeInteger(micros) ? micros : undefined;
  }

  /** Puts the clock forward, or back if `byMs` (an integer) is negative. */
  jump(nowMicros: number, byMs: number): void {
    this.#rebase(nowMicros);
    this.#baseMs += wholeMs('byMs', byMs);
  }

  /**
   * Makes the clock run fast or slow from now on; what it shows at this instant stays the same.
   * @param driftPpm µs gained per second, an integer: 200 is 17 s a day, -1,000,000 stops the clock, 1,000,000 doubles its pace
   */
  setDrift(nowMicros: number, driftPpm: number): void {
    const rate = rateOf(driftPpm);
    this.#rebase(nowMicros);
    this.#rate = rate;
  }

  /** Restarts the count at `nowMicros`, losing nothing: the rest below a millisecond is carried over to the picosecond. */
  #rebase(nowMicros: number): void {
    const { micros, picos } = this.#moved(nowMicros);
    const ms = Math.floor(micros / MICROS_PER_MS);
    this.#baseMs += ms;
    this.#basePicos = (micros - ms * MICROS_PER_MS) * PICOS_PER_MICRO + picos;
    this.#sinceMicros = nowMicros;
  }

  /**
   * How far the clock is past #baseMs. Elapsed time is taken in seconds and a rest: multiplied by the rate in one piece,
   * it would leave the 53 bits of exact integers after two and a half virtual hours.
   */
  #moved(nowMicros: number): { micros: number; picos: number } {
    const elapsed = nowMicros - this.#sinceMicros;
    const seconds = Math.floor(elapsed / MICROS_PER_SECOND);
    const restPicos = this.#basePicos + (elapsed - seconds * MICROS_PER_SECOND) * this.#rate;
    const restMicros = Math.floor(restPicos / PICOS_PER_MICRO);
    // ps a µs is also µs a second.
    return { micros: seconds * this.#rate + restMicros, picos: restPicos - restMicros * PICOS_PER_MICRO };
  }
}

const MICROS_PER_MS = 1_000;
const MICROS_PER_SECOND = 1_000_000;
const PICOS_PER_MICRO = 1_000_000;
const PICOS_PER_MS = 1_000_000_000n;

function rateOf(driftPpm: number): number {
  if (!Number.isInteger(driftPpm) || driftPpm < SLOWEST_PPM || driftPpm > FASTEST_PPM)
    throw new RangeError(`a clock's drift must be an integer from -1000000 to 1000000 ppm, not ${driftPpm}`);
  return PICOS_PER_MICRO + driftPpm;
}

function wholeMs(name: string, value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} must be an integer, not ${value}`);
  return value;
}
