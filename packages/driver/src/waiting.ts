/** Begins to wait, and calls `resume` with what came of it: once, at any time. */
type Begin = (resume: (value: unknown) => void) => void;

/**
 * Work that takes virtual time, written from top to bottom: each `yield*` of `waitFor` stands for the time until a callback.
 * Promises would do the same, but when they go on is not for the run's own order to say.
 */
export type Waiting<T> = Generator<Begin, T, unknown>;

/** Waits for a callback. */
export function* waitFor<T>(begin: (resume: (value: T) => void) => void): Waiting<T> {
  return (yield begin as Begin) as T;
}

/** Does the work; `done` gets what it returns. */
export function runWaiting<T>(work: Waiting<T>, done: (value: T) => void): void {
  const goOn = (value: unknown) => {
    const next = work.next(value);
    if (next.done) done(next.value);
    else next.value(goOn);
  };
  goOn(undefined);
}
