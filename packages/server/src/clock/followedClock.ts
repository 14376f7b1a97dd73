import { Alarm } from './alarm.ts';
import type { RealTime } from './realTime.ts';

/** Turns of the event loop in which nothing comes from a socket nor goes to one, before all that were to be heard have been. */
const QUIET_TURNS = 5;

/** The clock of faked timers, as `@sinonjs/fake-timers` has it. */
export interface FakeClock {
  /** Unit: ms since 1970. */
  readonly now: number;
  setTimeout(wake: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
  /** Goes on to the timer that is due first, and fires it. */
  next(): unknown;
  /** Goes on by so many ms. */
  tick(ms: number): unknown;
}

/** What a step of the clock depends on. */
export interface Stepped {
  /** Somebody waits for time to pass. */
  readonly wants: () => boolean;
  /** What is due at this time is not done yet. */
  readonly busy: () => boolean;
  /** How much has come from sockets and gone to them; any number that grows. */
  readonly traffic: () => number;
}

/**
 * A clock of faked timers that virtual time goes by. It stands still by itself; while somebody waits for time to pass, it goes on
 * from timer to timer, the application's and the set's as they are due. After one of the application's, and whenever the set has
 * said something, clients have their turns first: what they then ask for comes before what is due later.
 */
export class FollowedClock {
  readonly clock: FakeClock;
  readonly #time: RealTime;
  readonly #stepped: Stepped;
  readonly #alarm: Alarm;
  #turn: unknown;
  #quietTurns = 0;
  #seenTraffic = -1;
  /** The set's own timer is the one that has fired. */
  #ownFired = false;
  /** Jumps that are over but for what clients make of their last instant. */
  #finishing = 0;

  constructor(clock: FakeClock, stepped: Stepped, time: RealTime) {
    this.clock = clock;
    this.#alarm = new Alarm(clock);
    this.#stepped = stepped;
    this.#time = time;
  }

  /** Wakes the set in so many ms of the clock. */
  wakeIn(ms: number, wake: () => void): void {
    this.#alarm.set(this.clock.now, ms, () => {
      this.#ownFired = true;
      wake();
    });
  }

  /** Goes on for as long as somebody waits for it. */
  drive(): void {
    this.#turn ??= this.#time.setImmediate(() => this.#step());
  }

  /** Fires what is due at this very time, too; resolves when clients have had their turns, before the clock goes on. */
  async finish(): Promise<void> {
    this.#finishing++;
    this.#fireDue();
    this.#quietTurns = 0;
    do await new Promise<void>((resolve) => this.#time.setImmediate(resolve));
    while (this.#stepped.busy() || !this.#isQuiet());
    this.#finishing--;
  }

  /** Somebody has cleared all timers of the clock, ours too: it is to be set anew. */
  lostTimers(): void {
    this.#alarm.clear();
  }

  /** Nothing of ours is left in the clock. */
  leave(): void {
    this.#alarm.clear();
    this.#time.clearImmediate(this.#turn);
  }

  #step(): void {
    this.#turn = undefined;
    const { wants, busy } = this.#stepped;
    if (!wants()) return;
    // Whatever the application's timer throws is nobody's here, as from a real one.
    if (this.#finishing === 0 && !busy() && this.#isQuiet()) this.#fire();
    this.drive();
  }

  #fireDue(): void {
    try {
      this.clock.tick(0);
    } catch (error) {
      // The application's own, as what a timer throws that fires on the way.
      this.#time.setImmediate(() => {
        throw error;
      });
    }
  }

  #isQuiet(): boolean {
    const traffic = this.#stepped.traffic();
    if (traffic === this.#seenTraffic) return ++this.#quietTurns >= QUIET_TURNS;
    this.#seenTraffic = traffic;
    this.#quietTurns = 0;
    return false;
  }

  #fire(): void {
    this.#ownFired = false;
    try {
      this.clock.next();
    } finally {
      if (!this.#ownFired) this.#quietTurns = 0;
      this.drive();
    }
  }
}
