import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { FakeClock } from '@replsim/server';
import { setsTimer, type TurnedClock } from './setsTimer.ts';

/** What an application tells time by. The rest stays real, as drivers need it to be heard at all. */
const FAKED = ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
/** All else that jest would fake. */
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

/** What a library is asked to fake: vitest and sinon read `toFake`, jest the rest. */
export interface FakedTimers {
  /** Unit: ms since 1970. */
  readonly now: number;
  readonly toFake: (typeof FAKED)[number][];
  readonly doNotFake: (typeof NOT_FAKED)[number][];
  /** What jest's config says otherwise: its legacy timers have no clock that a set could go by. */
  readonly legacyFakeTimers: false;
}

/** `vi`, `jest` or `sinon`. */
export interface FakeTimersLibrary {
  /** Puts faked timers in the place of the global ones. */
  useFakeTimers(config: FakedTimers): unknown;
  /** Puts the real ones back; `sinon` has none, and its clock is uninstalled. */
  useRealTimers?(): unknown;
}

/** Faked timers that are one clock with a set's; `using` restores them at the end of the block. */
export interface UsedFakeTimers extends Disposable {
  /** The timers are real again, and the set keeps step with the wall clock. A second call does nothing more. */
  restore(): void;
}

/** Timers cannot be faked now, or not so. */
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

/** A clock as it is installed. */
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

/** What a set is told of the timers that are its clock. */
export interface FakedTimersHeard {
  /** Once, whoever restores them. */
  restored(): void;
  /** All timers are gone, the set's too; the time is what it was. */
  cleared(): void;
}

/** Whose timers are faked: a `globalThis`. That of a file which jest runs is not the one of the set that its worker has. */
export type FakedWorld = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval'>;

/** What to do under Node's own runner. Its timers tell nobody when the next is due, either. */
const NOT_NODES =
  "; under node --test take sinon, as mock.timers of node:test fakes node:timers, too, by which a driver's patience is counted: " +
  'it would wait for ever';

/** Those that sets go by, or went by. */
const clocksOfSets = new WeakSet<object>();

/**
 * Fakes the application's `Date` and timers by a library.
 * @param now what they begin with, ms since 1970
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
  // Whoever restores them, by whichever library, comes by here.
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
    // Sinon has no such call, and jest's ends those alone that it has faked last, which may be others.
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

/** Uninstalls a clock, whose libraries would delete what has taken the place of its timers meanwhile. */
function uninstallBehind(clock: InstalledClock, world: FakedWorld): void {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = world;
  const others = Object.entries({ setTimeout, clearTimeout, setInterval, clearInterval });
  const staying = others.filter(([, timer]) => clockOf(timer) !== clock);
  clock.uninstall();
  Object.assign(world, Object.fromEntries(staying));
}

/** Neither of the library's calls that set a clock may turn the application's alone: that of the set never goes back. */
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

/** Node makes a millisecond of an interval that is none. The clock would fire it for ever at one instant. */
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

/** Without them a driver does nothing, real as its timers may be. Jest fakes them unless told otherwise, and all that a test sees is its own timeout. */
export function warnOfFakedTicks(): void {
  if (isToldOfTicks || (clockOf(process.nextTick) ?? clockOf(queueMicrotask)) === undefined) return;
  isToldOfTicks = true;
  process.emitWarning(
    'process.nextTick or queueMicrotask is faked, without which a driver waits for ever: call set.useFakeTimers(jest), or ' +
      "jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] })",
    { code: 'REPLSIM_TICKS_FAKED' },
  );
}

/** `vi` and `jest` put another clock in the place of one that is installed, which the set does not go by. */
function warnIfFakedAgain(world: FakedWorld): void {
  // Both happen within the library's one call.
  void Promise.resolve().then(() => {
    const clock = clockOf(world.setTimeout);
    if (clock === undefined || clocksOfSets.has(clock)) return;
    warnOfParting("the library's own useFakeTimers() has ended set.useFakeTimers()");
  });
}

/** Whoever puts others in the place of timers that stay installed, as jest's legacy ones, goes by nothing that would tell of it. */
function warnOfOthers(followed: FakeClock, clock: InstalledClock, world: FakedWorld): void {
  const { next } = followed;
  followed.next = () => {
    // One of them alone may be spied on.
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
 * Of the modules `node:timers` a driver takes what its patience is counted by, which stays that of real time. Sinon fakes them, too;
 * vitest and jest do not.
 */
function leaveModules({ timersModuleMethods = [], timersPromisesModuleMethods = [] }: InstalledClock): void {
  for (const { methodName, original } of timersModuleMethods) Object.assign(timers, { [methodName]: original });
  for (const { methodName, original } of timersPromisesModuleMethods)
    Object.assign(timersPromises, { [methodName]: original });
}
