/** Attempts of a series after the first. Upstream: topology_coordinator.h, kMaxHeartbeatRetries. */
export const MAX_HEARTBEAT_RETRIES = 2;

/**
 * One target's heartbeats: a series is up to three attempts that share one timeout, so that a connection which breaks at
 * once does not make a member look dead. Times are µs of the monotonic clock.
 * Upstream: topology_coordinator.h, PingStats.
 */
export class HeartbeatSeries {
  #state: 'start' | 'trying' | 'succeeded' | 'failed' = 'start';
  #startMicros = 0;
  #failures = 0;
  #hits = 0;
  #averageMs = 0;

  /** All attempts are used up. */
  get failed(): boolean {
    return this.#state === 'failed';
  }

  /** Answers so far, refusals for want of authentication included. */
  get roundTrips(): number {
    return this.#hits;
  }

  /** The average round trip, the last one weighing a fifth. Unit: ms. */
  get pingMs(): number {
    return this.#averageMs;
  }

  /** An attempt goes out, in this series or as the first of a new one. @returns how long it may take, µs */
  begin(nowMicros: number, timeoutMicros: number): number {
    if (this.#state !== 'trying' || nowMicros - this.#startMicros >= timeoutMicros) {
      this.#state = 'trying';
      this.#failures = 0;
      this.#startMicros = nowMicros;
    }
    return timeoutMicros - (nowMicros - this.#startMicros);
  }

  /** The target answered. */
  hit(roundTripMs: number): void {
    this.#state = 'succeeded';
    this.#averageMs = this.#hits === 0 ? roundTripMs : (4 * this.#averageMs + roundTripMs) / 5;
    this.#hits += 1;
  }

  miss(): void {
    this.#failures += 1;
    if (this.#failures > MAX_HEARTBEAT_RETRIES) this.#state = 'failed';
  }

  /** The time of the whole series is over. */
  isOver(nowMicros: number, timeoutMicros: number): boolean {
    return nowMicros - this.#startMicros >= timeoutMicros;
  }

  /** The next attempt follows at once rather than after an interval. */
  retries(nowMicros: number, timeoutMicros: number): boolean {
    return this.#state === 'trying' && !this.isOver(nowMicros, timeoutMicros);
  }
}
