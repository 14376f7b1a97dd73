import type { Operation } from './operation.ts';

/**
 * The lock that `fsync` with `lock: true` takes: while it is held nothing is written, and whoever would write waits. Reads,
 * heartbeats and answers to other members go on. It nests: only as many releases as there were takes set writes free.
 * Upstream: fsync.cpp, FSyncLockThread, which holds the global lock in mode S.
 */
export class FsyncLock {
  readonly #onChange: () => void;
  #count = 0;
  #waiting: (() => void)[] = [];

  /** @param onChange called when writes stop or are free again */
  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  /** How many takes have not been released. */
  get count(): number {
    return this.#count;
  }

  get isLocked(): boolean {
    return this.#count > 0;
  }

  take(): void {
    this.#count += 1;
    if (this.#count === 1) this.#onChange();
  }

  release(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#onChange();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }

  /** For work that is no operation: runs it at once, or when the lock goes, in the order of asking. */
  whenUnlocked(work: () => void): void {
    if (this.isLocked) this.#waiting.push(work);
    else work();
  }

  /** For an operation that is about to write; it can be killed meanwhile. */
  *wait(): Operation<void> {
    while (this.isLocked) yield { type: 'wait', what: 'lock', ready: () => !this.isLocked };
  }

  /** An operation that writes, stopped by the lock wherever its work has taken time: it holds nothing in between. */
  *stop<T>(operation: Operation<T>): Operation<T> {
    let step = operation.next(true);
    while (!step.done) {
      const pause = step.value;
      let resumed: boolean;
      try {
        resumed = yield pause;
        // Who waits, for a majority or for time to come, has written already, or asks again before it writes.
        if (pause.type === 'spend' && this.isLocked) yield* this.wait();
      } catch (killed) {
        step = operation.throw(killed);
        continue;
      }
      step = operation.next(resumed);
    }
    return step.value;
  }
}
