import { CommandError, decodePromoted } from '@replsim/protocol';
import type { PendingReply } from './api.ts';
import { ClockOutOfRange } from './clockRange.ts';
import { runNext } from './loop.ts';
import type { World } from './world.ts';

/** How often `runUntil` looks although nothing has changed. */
const LOOK_EVERY_MICROS = 1_000_000;
/** What the initiation may be answered besides success: the script killed the member. */
const HOST_UNREACHABLE = 6;

/** Time would have passed beyond the end that the set was made with (`endMicros`); it stands there now. */
export class TimeIsUp extends Error {
  constructor(endMicros: number) {
    super(`time ends at ${endMicros} µs, where the set is looked at`);
    this.name = 'TimeIsUp';
  }
}

/** Makes time pass in a world: for one caller at a time, and never while a process is being started. */
export class Passage {
  readonly #world: World;
  #running = false;
  /** The last of the starts under way. */
  #starting: Promise<void> | undefined;
  /** The initiation, until it is answered. */
  #initiation: PendingReply | undefined;
  /** What is to be looked at when it is time, the earliest first. */
  readonly #looks: { readonly atMicros: number; readonly look: () => void }[] = [];

  constructor(world: World, initiation: PendingReply | undefined) {
    this.#world = world;
    this.#initiation = initiation;
  }

  /** Lets time pass until `untilMicros`. */
  async advanceTo(untilMicros: number): Promise<void> {
    const { lastMicros, endMicros } = this.#world;
    // It is known at once, and what comes before would take hours.
    if (untilMicros > lastMicros && endMicros > lastMicros) throw clocksEnd();
    await this.#alone(untilMicros, () => this.#runThrough(untilMicros, false));
  }

  /** Lets time pass until `done()` holds, at most until `limitMicros`; see `ReplicaSetApi`. */
  runUntil(done: () => boolean, limitMicros: number): Promise<boolean> {
    return this.#alone(limitMicros, () => this.#lookUntil(done, limitMicros));
  }

  /** See `ReplicaSetApi`. It is no event of the loop, for a turn of its own would move all after it. */
  lookAt(atMicros: number, look: () => void): void {
    if (!Number.isSafeInteger(atMicros) || atMicros < this.#world.nowMicros)
      throw new RangeError(`what is looked at is now or later: not ${atMicros}, at ${this.#world.nowMicros} µs`);
    const later = this.#looks.findIndex((other) => other.atMicros > atMicros);
    this.#looks.splice(later < 0 ? this.#looks.length : later, 0, { atMicros, look });
  }

  /** See `ReplSet.pump`. All of it happens within the call, unless a disk or a start has to be waited for. */
  pump(untilMicros: number, enough: () => boolean): Promise<boolean> | boolean {
    this.#mayRun(untilMicros);
    const world = this.#world;
    const stopMicros = this.#stopBy(untilMicros);
    let waits = false;
    this.#running = true;
    try {
      while (!enough()) {
        this.#lookBefore(stopMicros);
        const next = world.queue.peekTime();
        const disk = this.#starting ?? (next !== undefined && next <= stopMicros ? runNext(world) : undefined);
        waits = disk !== undefined;
        if (disk !== undefined) return this.#pumpOn(disk, untilMicros, enough);
        if (this.#initiation?.reply !== undefined) this.#checkInitiation(this.#initiation.reply);
        if (next !== undefined && next <= stopMicros) continue;
        this.#arrive(stopMicros, untilMicros);
        return true;
      }
      return false;
    } finally {
      this.#running = waits;
    }
  }

  /** Goes on when what had to be waited for is done; nobody else makes time pass meanwhile. */
  async #pumpOn(disk: Promise<void>, untilMicros: number, enough: () => boolean): Promise<boolean> {
    try {
      await disk;
    } finally {
      this.#running = false;
    }
    return this.pump(untilMicros, enough);
  }

  /** Runs `start`, which waits for disks, once the starts before it have ended; time stands still until then. */
  start(start: () => Promise<void>): Promise<void> {
    const started = (this.#starting ?? Promise.resolve()).then(start);
    // Whoever asked for it hears of a failure; those who merely wait for its end do not.
    const ended = started.catch(() => {});
    this.#starting = ended;
    ended.then(() => {
      if (this.#starting === ended) this.#starting = undefined;
    });
    return started;
  }

  /** Resolves when no start is under way. */
  async settled(): Promise<void> {
    while (this.#starting !== undefined) await this.#starting;
  }

  async #alone<Result>(untilMicros: number, pass: () => Promise<Result>): Promise<Result> {
    this.#mayRun(untilMicros);
    this.#running = true;
    try {
      return await pass();
    } finally {
      this.#running = false;
    }
  }

  #mayRun(untilMicros: number): void {
    const { nowMicros } = this.#world;
    if (this.#running) throw new Error('time is passing already: await the call that makes it pass');
    if (!Number.isSafeInteger(untilMicros) || untilMicros < nowMicros)
      throw new RangeError(`time goes to an integer of µs, ${nowMicros} or later, not to ${untilMicros}`);
  }

  async #lookUntil(done: () => boolean, limitMicros: number): Promise<boolean> {
    let lookAt = this.#world.nowMicros + LOOK_EVERY_MICROS;
    for (;;) {
      if (done()) return true;
      const stop = Math.min(lookAt, limitMicros);
      if (!(await this.#runThrough(stop, true))) continue;
      if (stop === limitMicros) return done();
      lookAt += LOOK_EVERY_MICROS;
    }
  }

  /**
   * Runs what is due up to `untilMicros` and goes there, but for `untilChange` only to the first change.
   * @returns whether it got there
   */
  async #runThrough(untilMicros: number, untilChange: boolean): Promise<boolean> {
    const world = this.#world;
    const seen = world.changes;
    for (;;) {
      const stopMicros = this.#stopBy(untilMicros);
      if (this.#starting !== undefined) await this.settled();
      this.#lookBefore(stopMicros);
      const next = world.queue.peekTime();
      if (next === undefined || next > stopMicros) {
        this.#arrive(stopMicros, untilMicros);
        return true;
      }
      const disk = runNext(world);
      if (disk !== undefined) await disk;
      if (this.#initiation?.reply !== undefined) this.#checkInitiation(this.#initiation.reply);
      if (untilChange && world.changes !== seen) return false;
    }
  }

  /** How far time may go: a clock that is set while it passes can bring the end nearer. */
  #stopBy(untilMicros: number): number {
    return Math.min(untilMicros, this.#world.endMicros, this.#world.lastMicros);
  }

  /** Looks at what comes before the next event, and by `untilMicros`. */
  #lookBefore(untilMicros: number): void {
    const world = this.#world;
    for (;;) {
      const [first] = this.#looks;
      if (first === undefined || first.atMicros > untilMicros) return;
      if (first.atMicros >= (world.queue.peekTime() ?? Number.POSITIVE_INFINITY)) return;
      this.#looks.shift();
      world.nowMicros = first.atMicros;
      first.look();
    }
  }

  /** Time stands at an instant; and if it was to go on from there, whoever wanted that has to know. */
  #arrive(atMicros: number, untilMicros: number): void {
    this.#world.nowMicros = atMicros;
    if (atMicros < untilMicros) throw atMicros === this.#world.endMicros ? new TimeIsUp(atMicros) : clocksEnd();
  }

  /** A config that was refused must not pass for a set that elects nobody. */
  #checkInitiation(reply: Uint8Array): void {
    this.#initiation = undefined;
    const { ok, code, errmsg } = decodePromoted(reply);
    if (ok === 1 || code === HOST_UNREACHABLE) return;
    throw new CommandError(code, `replSetInitiate failed: ${errmsg}`);
  }
}

function clocksEnd(): ClockOutOfRange {
  return new ClockOutOfRange('a wall clock would pass 2106, which no BSON timestamp can hold');
}
