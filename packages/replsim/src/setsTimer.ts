import type { FakeClock } from '@replsim/server';

/** A clock of `@sinonjs/fake-timers`, with the functions by which libraries advance and inspect it. */
export interface TurnedClock extends FakeClock {
  countTimers(): number;
  runAll(): number;
  runToLast(): number;
  nextAsync(): Promise<number>;
  runAllAsync(): Promise<number>;
  runToLastAsync(): Promise<number>;
  tickAsync(ms: number): Promise<number>;
  /** How many timers one call may fire before it is considered endless. */
  readonly loopLimit: number;
  /** All timers by id: a record up to version 14, a map since. Absent until the first timer. */
  readonly timers?: Readonly<Record<string, Timer>> | ReadonlyMap<unknown, Timer>;
}

interface Timer {
  readonly id: number;
  readonly callAt: number;
}

/**
 * Keeps the set's own timer apart from the application's. The set always has one, because members send each other heartbeats. If it
 * counted, `runAllTimers` would never end, `advanceTimersToNextTimer` would stop at a heartbeat, and `getTimerCount` would be off by
 * one. So functions that count timers, or run to one, consider only the application's; the set's timer fires among them when due.
 * @param endless makes the error of a call that has fired this many timers without coming to an end
 * @returns the clock for the set, which has one timer at a time
 */
export function setsTimer(clock: TurnedClock, endless: (fired: number) => Error): FakeClock {
  const { setTimeout, clearTimeout, next, nextAsync, countTimers } = clock;
  let own: unknown;
  let ownFired = false;

  clock.countTimers = () => countTimers.call(clock) - (own === undefined ? 0 : 1);
  clock.next = () => {
    do {
      ownFired = false;
      if (clock.countTimers() > 0) next.call(clock);
    } while (ownFired);
    return clock.now;
  };
  clock.nextAsync = async () => {
    do {
      ownFired = false;
      if (clock.countTimers() > 0) await nextAsync.call(clock);
    } while (ownFired);
    return clock.now;
  };
  boundRuns(clock, endless);
  const msToLast = () => {
    const timers = timersOf(clock).filter(({ id }) => own === undefined || id !== Number(own));
    return timers.reduce((last, { callAt }) => Math.max(last, callAt - clock.now), 0);
  };
  clock.runToLast = () => Number(clock.tick(msToLast()));
  clock.runToLastAsync = () => clock.tickAsync(msToLast());

  return {
    get now() {
      return clock.now;
    },
    setTimeout(wake, ms) {
      own = setTimeout.call(
        clock,
        () => {
          own = undefined;
          ownFired = true;
          wake();
        },
        ms,
      );
      return own;
    },
    clearTimeout(timer) {
      own = undefined;
      clearTimeout.call(clock, timer);
    },
    next: () => next.call(clock),
    tick: (ms) => clock.tick(ms),
  };
}

/** Bounds the functions that run all timers, which would otherwise never return. */
function boundRuns(clock: TurnedClock, endless: (fired: number) => Error): void {
  const { loopLimit } = clock;
  clock.runAll = () => {
    for (let fired = 0; fired < loopLimit; fired++) {
      if (clock.countTimers() === 0) return clock.now;
      clock.next();
    }
    throw endless(loopLimit);
  };
  clock.runAllAsync = async () => {
    for (let fired = 0; fired < loopLimit; fired++) {
      if (clock.countTimers() === 0) return clock.now;
      await clock.nextAsync();
    }
    throw endless(loopLimit);
  };
}

function timersOf({ timers = {} }: TurnedClock): Timer[] {
  return 'values' in timers && typeof timers.values === 'function' ? [...timers.values()] : Object.values(timers);
}
