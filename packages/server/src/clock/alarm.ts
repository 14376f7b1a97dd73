/** Of which an alarm takes its timer. */
interface Timers {
  setTimeout(wake: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** One timer, for whatever is due first. Under load it is asked for every few µs: it is set anew only for what is due earlier. */
export class Alarm {
  readonly #timers: Timers;
  #timer: unknown;
  /** When it goes off. */
  #atMs = Number.POSITIVE_INFINITY;
  #isUnref = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Goes off in `inMs` at the latest: it may do so too early, for what was due before. */
  set(nowMs: number, inMs: number, wake: () => void): void {
    if (this.#atMs <= nowMs + inMs) return;
    this.clear();
    this.#atMs = nowMs + inMs;
    this.#timer = this.#timers.setTimeout(() => {
      this.#atMs = Number.POSITIVE_INFINITY;
      wake();
    }, inMs);
    if (this.#isUnref) this.#letGo();
  }

  /** From now on it keeps no process alive. */
  unref(): void {
    this.#isUnref = true;
    this.#letGo();
  }

  clear(): void {
    this.#timers.clearTimeout(this.#timer as never);
    this.#atMs = Number.POSITIVE_INFINITY;
  }

  /** Those of Node can be let go of; others hold nothing. */
  #letGo(): void {
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }
}
