import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { FakeClock } from '@replsim/server';
import { setsTimer, type TurnedClock } from './setsTimer.ts';

/** What an application uses to tell the time. Everything else stays real, because drivers depend on it for their I/O. */
const FAKED = ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
/** Everything else that jest would fake. */
const NOT_FAKED = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'requestAnimationFrame',
  'cancelAnimationFrame',
  'requestIdleCallback',
  'cancelIdleCallback',
  'setImmediate',
  'clearImmediate',
] as const;

/** What replsim passes to the library's `useFakeTimers`. */
export interface FakedTimers {
  /** The time at which the clock starts. Unit: ms since 1970. */
  readonly now: number;
  /** What to fake, for vitest and sinon. */
  readonly toFake: (typeof FAKED)[number][];
  /** What not to fake, for jest. */
  readonly doNotFake: (typeof NOT_FAKED)[number][];
  /** Overrides jest's config: jest's legacy timers have no clock that a set could follow. */
  readonly legacyFakeTimers: false;
}

/** A library that fakes timers: `vi`, `jest` or `sinon`. */
export interface FakeTimersLibrary {
  /** Replaces the global timers with fake ones. */
  useFakeTimers(config: FakedTimers): unknown;
  /** Restores the real timers. `sinon` lacks this function; replsim uninstalls its clock instead. */
  useRealTimers?(): unknown;
}

/** Fake timers that share one clock with a set. Declared with `using`, they are restored at the end of the block. */
export interface UsedFakeTimers extends Disposable {
  /** Restores the real timers; the set follows the wall clock again. Calling it again has no further effect. */
  restore(): void;
}

/** Thrown if timers cannot be faked, or if a call to the library would part the two clocks. */
export class FakeTimersError extends Error {
  constructor(message: string) {
    super(`useFakeTimers: ${message}`);
    this.name = 'FakeTimersError';
  }
}

interface SavedMethod {
  readonly methodName: string;
  readonly original: unknown;
}

/** The installed clock of `@sinonjs/fake-timers`, on which all three libraries are built. */
interface InstalledClock extends TurnedClock {
  setInterval(run: () => void, ms?: number, ...given: unknown[]): unknown;
  uninstall(): unknown;
  /** What sinon calls it. */
  restore?(): unknown;
  setSystemTime(now?: number | Date): void;
  /** The library's `clearAllTimers`. */
  reset(): void;
  readonly timersModuleMethods?: readonly SavedMethod[];
  readonly timersPromisesModuleMethods?: readonly SavedMethod[];
}

/** How a set learns what happens to the timers that it follows. */
export interface FakedTimersHeard {
  /** Called once when the real timers are restored, by the set or by the library. */
  restored(): void;
  /** All timers were cleared, including the set's own. The time has not changed. */
  cleared(): void;
}

/** The global object whose timers are faked. Under jest, a test file has a different one from its worker, in which the set runs. */
export type FakedWorld = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval'>;

/** Advice for Node's own test runner. Its mock timers cannot be asked when the next one is due, either. */
const NOT_NODES =
  "; under node --test take sinon, as mock.timers of node:test fakes node:timers, too, by which a driver's patience is counted: " +
  'it would wait for ever';

/** All clocks that a set follows or has followed. */
const clocksOfSets = new WeakSet<object>();

/**
 * Fakes the application's `Date` and timers with a library.
 * @param now the time at which the clock starts, in ms since 1970
 * @throws FakeTimersError
 */
export function fakeTimers(
  library: FakeTimersLibrary,
  world: FakedWorld,
  now: number,
  heard: FakedTimersHeard,
): [FakeClock, UsedFakeTimers] {
  if (typeof library?.useFakeTimers !== 'function')
    throw new FakeTimersError(
      `it takes vi, jest or sinon, which has a method of that name${isOfNode(library) ? NOT_NODES : ''}`,
    );
  if (typeof world?.setTimeout !== 'function')
    throw new FakeTimersError(
      "it takes none of the library's options: Date and the timers go together, from the set's own now, which " +
        'ReplicaSet.start({ epoch }) chooses. A second argument is the globalThis whose timers they are; leave it out',
    );
  if (clockOf(world.setTimeout) !== undefined)
    throw new FakeTimersError(
      "timers are faked already: restore them first, and leave the library's own call out; one set at a time has them",
    );
  library.useFakeTimers({ now, toFake: [...FAKED], doNotFake: [...NOT_FAKED], legacyFakeTimers: false });
  const clock = clockOf(world.setTimeout);
  if (clock === undefined) {
    library.useRealTimers?.();
    throw new FakeTimersError('the library has faked no setTimeout of this process that replsim could find');
  }
  clocksOfSets.add(clock);
  leaveModules(clock);
  keepTime(clock, heard);
  keepIntervals(clock);
  const followed = setsTimer(clock, endless);
  warnOfOthers(followed, clock, world);
  let isFaked = true;
  let isInstalled = true;
  const over = () => {
    if (!isFaked) return;
    isFaked = false;
    heard.restored();
  };
  // Every way to restore the timers, of every library, calls one of these.
  for (const name of ['uninstall', 'restore'] as const) {
    const original = clock[name];
    if (original === undefined) continue;
    clock[name] = () => {
      if (isFaked) warnIfFakedAgain(world);
      isInstalled = false;
      over();
      return original.call(clock);
    };
  }
  const restore = () => {
    if (!isFaked) return;
    over();
    library.useRealTimers?.();
    // Sinon has no such function, and jest's restores only the timers that it faked last, which may be different ones.
    if (isInstalled) uninstallBehind(clock, world);
  };
  return [followed, { restore, [Symbol.dispose]: restore }];
}

/** `mock`, or `mock.timers`, of `node:test`. */
function isOfNode(library: unknown): boolean {
  const { timers = library } = (library ?? {}) as { readonly timers?: unknown };
  const { enable, tick } = (timers ?? {}) as { readonly enable?: unknown; readonly tick?: unknown };
  return typeof enable === 'function' && typeof tick === 'function';
}

/** Uninstalls a clock but keeps timers that have replaced its own meanwhile; the libraries would delete them. */
function uninstallBehind(clock: InstalledClock, world: FakedWorld): void {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = world;
  const others = Object.entries({ setTimeout, clearTimeout, setInterval, clearInterval });
  const staying = others.filter(([, timer]) => clockOf(timer) !== clock);
  clock.uninstall();
  Object.assign(world, Object.fromEntries(staying));
}

/** The library's functions that set the clock must not move the application's alone, because the set's time never goes back. */
function keepTime(clock: InstalledClock, { cleared }: FakedTimersHeard): void {
  const { setSystemTime, reset } = clock;
  clock.setSystemTime = (now = 0) => {
    if (Number(now) === clock.now) return;
    throw new FakeTimersError(
      "setSystemTime: the clock is the set's too, and cannot be put elsewhere; let time pass by set.advance('1h'), " +
        "put the members' clocks ahead by set.clock({ on: 'all', jump: '30d' }), or begin there: ReplicaSet.start({ epoch })",
    );
  };
  clock.reset = () => {
    const { now } = clock;
    reset.call(clock);
    setSystemTime.call(clock, now);
    cleared();
  };
}

/** Node treats an invalid interval as 1 ms. The library's clock would fire it forever at the same instant. */
function keepIntervals(clock: InstalledClock): void {
  const { setInterval } = clock;
  clock.setInterval = (run, ms, ...given) => setInterval.call(clock, run, Number(ms) >= 1 ? ms : 1, ...given);
}

function endless(fired: number): FakeTimersError {
  return new FakeTimersError(
    `runAllTimers: ${fired} timers have fired, and there are some still, as an interval is never over; ` +
      "let time pass by set.advance('1h')",
  );
}

let isToldOfTicks = false;

/**
 * Warns if `nextTick` or `queueMicrotask` is faked: a driver does nothing without them, even if its timers are real. Jest fakes them
 * by default, and the test would only see its own timeout.
 */
export function warnOfFakedTicks(): void {
  if (isToldOfTicks || (clockOf(process.nextTick) ?? clockOf(queueMicrotask)) === undefined) return;
  isToldOfTicks = true;
  process.emitWarning(
    'process.nextTick or queueMicrotask is faked, without which a driver waits for ever: call set.useFakeTimers(jest), or ' +
      "jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] })",
    { code: 'REPLSIM_TICKS_FAKED' },
  );
}

/** If called again, `vi` and `jest` replace the installed clock with another, which the set does not follow. */
function warnIfFakedAgain(world: FakedWorld): void {
  // The library uninstalls one clock and installs the other in a single call.
  void Promise.resolve().then(() => {
    const clock = clockOf(world.setTimeout);
    if (clock === undefined || clocksOfSets.has(clock)) return;
    warnOfParting("the library's own useFakeTimers() has ended set.useFakeTimers()");
  });
}

/** Some replacements leave the clock installed, for example jest's legacy timers, so they are found only by looking. */
function warnOfOthers(followed: FakeClock, clock: InstalledClock, world: FakedWorld): void {
  const { next } = followed;
  followed.next = () => {
    // A single one may merely be spied on.
    const { setTimeout, clearTimeout, setInterval, clearInterval } = world;
    if ([setTimeout, clearTimeout, setInterval, clearInterval].every((timer) => clockOf(timer) !== clock)) {
      followed.next = next;
      warnOfParting(
        'others have taken the place of the timers of set.useFakeTimers(), as after jest.useFakeTimers({ legacyFakeTimers: true })',
      );
    }
    return next();
  };
}

function warnOfParting(how: string): void {
  process.emitWarning(
    `${how}: the application's clock and the set's are two now; ` +
      'leave that call out, or call set.useFakeTimers() in its place after restore()',
    { code: 'REPLSIM_CLOCKS_PARTED' },
  );
}

/** The clock behind a function, if it is faked. */
function clockOf(timer: object | undefined): InstalledClock | undefined {
  return (timer as { readonly clock?: InstalledClock } | undefined)?.clock;
}

/**
 * Drivers take the timers behind their timeouts from the `node:timers` modules, which must stay real. Sinon fakes these modules too;
 * vitest and jest do not.
 */
function leaveModules({ timersModuleMethods = [], timersPromisesModuleMethods = [] }: InstalledClock): void {
  for (const { methodName, original } of timersModuleMethods) Object.assign(timers, { [methodName]: original });
  for (const { methodName, original } of timersPromisesModuleMethods)
    Object.assign(timersPromises, { [methodName]: original });
}
