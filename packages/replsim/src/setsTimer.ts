import type { FakeClock } from '@replsim/server';

/** A clock as `@sinonjs/fake-timers` has it, with what libraries call to turn it and to look at it. */
export interface TurnedClock extends FakeClock {
  countTimers(): number;
  runAll(): number;
  runToLast(): number;
  nextAsync(): Promise<number>;
  runAllAsync(): Promise<number>;
  runToLastAsync(): Promise<number>;
  tickAsync(ms: number): Promise<number>;
  /** How many timers are fired by one call before it is taken for endless. */
  readonly loopLimit: number;
  /** By id: a record up to version 14, then a map. Absent until there has been one. */
  readonly timers?: Readonly<Record<string, Timer>> | ReadonlyMap<unknown, Timer>;
}

interface Timer {
  readonly id: number;
  readonly callAt: number;
}

/**
 * Keeps the set's own timer apart from the application's. There always is one, as members send each other heartbeats: counted with
 * them, `runAllTimers` would not end, `advanceTimersToNextTimer` would come to a heartbeat, `getTimerCount` would be off by one.
 * So whatever counts timers, or runs to one, means the application's, and the set's goes off among those when it is due.
 * @param endless what such a call fails with that has fired so many, and some are left
 * @returns the clock for the set, whose timer it has one of at a time
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

/** Running all timers ends where it would never come to an end. */
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
