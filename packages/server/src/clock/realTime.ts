import { performance } from 'node:perf_hooks';
import timers from 'node:timers';

// A test that fakes timers fakes those of its own process, where a set may live too: it would neither answer nor move. So all of
// this package takes them from here, as they were when it was loaded, and from Node's own modules: jest's `enableGlobally` has
// put others in the place of the global ones by then.

const now = performance.now.bind(performance);
const { timeOrigin } = performance;

/** Real time, and what waits for it. */
export interface RealTime {
  /** Of a clock that only goes forward, from any beginning; with a fraction. */
  readonly monotonicMs: () => number;
  readonly setTimeout: (wake: () => void, ms: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly setImmediate: (wake: () => void) => unknown;
  readonly clearImmediate: (turn: unknown) => void;
}

export const REAL_TIME: RealTime = {
  monotonicMs: now,
  setTimeout: real(timers.setTimeout),
  clearTimeout: (timer) => timers.clearTimeout(timer as NodeJS.Timeout),
  setImmediate: real(timers.setImmediate),
  clearImmediate: (turn) => timers.clearImmediate(turn as NodeJS.Immediate),
};

/** What a clock outside shows. Unit: ms since 1970. */
export const wallClockMs = wallClockOf(Date, () => timeOrigin + now());

/**
 * What `Date` says, also when it is faked later.
 * @param countedMs stands in for a `Date` that is another's already: what the process has counted since it began, which knows nothing of a
 *   computer's sleep, nor of a clock that has been set since
 */
export function wallClockOf({ now }: Pick<DateConstructor, 'now'>, countedMs: () => number): () => number {
  return isNative(now) ? now : () => Math.floor(countedMs());
}

/** Other than what sinon, vitest and their like put in its place. */
function isNative(method: () => number): boolean {
  return /\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(method));
}

/** What @sinonjs/fake-timers has put in a function's place carries its clock. */
function real<Timer extends object>(timer: Timer): Timer {
  if (!('clock' in timer)) return timer;
  throw new Error('fake timers are already installed: import replsim before them, or a set cannot answer');
}
