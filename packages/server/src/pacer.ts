import { required } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import { checkedSpeed } from './speed.ts';

/** How long one stretch may keep sockets waiting. Unit: ms. */
const STRETCH_MS = 10;
/**
 * How much virtual time one stretch may let pass. A client needs several turns of the event loop from one batch of a cursor to
 * the next, and however fast a jump goes, its session must not end meanwhile for having been idle for half an hour. Unit: µs.
 */
const STRETCH_MICROS = 60_000_000;
/** How many events go by between two looks at the real clock, as long as they are quick. */
const LOOK_EVERY_EVENTS = 8;
/** Events that took as long together are slow: a batch of documents inserted, a batch of entries applied. Unit: ms. */
const SLOW_MS = 1;
/**
 * How much virtual time a command may take at once; from then on it waits like everybody else. Enough for a write that waits
 * for a majority while secondaries look for a new source: at speed 0 nobody else would let that time pass. Unit: µs.
 */
const COMMAND_PULL_MICROS = 5_000_000;
/** Who sleeps longer looks at the clock in between: Node fires a timer of more than 2^31 ms at once. Unit: ms. */
const LONGEST_TIMER_MS = 60_000;

/** Something that wants time to pass faster than it does by itself. */
interface Goal {
  /** How far it may go. */
  readonly limitMicros: number;
  readonly done: () => boolean;
  /** @param held whether `done` held; false if the limit came first */
  readonly reached: (held: boolean) => void;
  readonly dropped: Dropped;
}

/** Where a stretch ends at the latest, in real and in virtual time. */
interface StretchEnd {
  readonly ms: number;
  readonly micros: number;
}

/** Something that comes from outside. */
interface Input {
  readonly happen: () => void;
  readonly dropped: Dropped | undefined;
}

/** Called instead of what was asked for, when the set ends before. */
type Dropped = (reason: Error) => void;

/** The set was stopped, by `stop()` or by a failure, which is then the cause. */
export class SetStoppedError extends Error {
  constructor(options?: ErrorOptions) {
    super('the set is stopped: start another', options);
    this.name = 'SetStoppedError';
  }
}

/**
 * Turns the clock of a set that real clients talk to. Virtual time follows the wall clock times `speed`; while a command is
 * under way, or somebody has asked for a jump, it goes as fast as the machine can. It never goes back: after a stretch ahead
 * it flows on from where it is.
 *
 * What comes from outside comes in by `input`, one after the other: first everything due until now happens, for a stretch of real
 * time at most, then the input. So a recording of the inputs and their times is enough to repeat the run.
 */
export class Pacer {
  readonly #set: ReplSet;
  readonly #inputs: Input[] = [];
  readonly #goals = new Set<Goal>();
  /** Commands under way, and how far each of them may pull. */
  readonly #pulling = new Map<number, number>();
  #speed: number;
  /** Where virtual time was at the instant `#anchorMs` of the real clock. */
  #anchorMicros: number;
  #anchorMs = performance.now();
  #turning = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer goes off, of the real clock. */
  #wakesAtMs = Number.POSITIVE_INFINITY;
  #soon: NodeJS.Immediate | undefined;
  #stopped = false;
  /** Where virtual time was when it stopped. */
  #stoppedMicros = 0;
  #ended: (() => void) | undefined;
  readonly #failed: ((error: unknown) => void)[] = [];
  /** What ended the run, if it did not end by itself. */
  #failure: unknown;
  #ahead: ((limitMicros: number) => void) | undefined;

  /** @param speed virtual seconds a second; 0 holds time still. @throws RangeError for one that cannot be */
  constructor(set: ReplSet, speed: number) {
    this.#set = set;
    this.#speed = checkedSpeed(speed);
    this.#anchorMicros = set.nowMicros;
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    checkedSpeed(speed);
    this.#anchorMicros = this.#pacedMicros();
    this.#anchorMs = performance.now();
    this.#speed = speed;
    this.#turn();
  }

  /** Where virtual time is at this instant, µs: what has happened may lag behind until somebody asks. It never goes back. */
  get nowMicros(): number {
    return this.#stopped ? Math.max(this.#stoppedMicros, this.#set.nowMicros) : this.#pacedMicros();
  }

  /** Calls `failed` once with what has ended the run, if something does: a bug of ours, or a disk that failed. */
  onFailure(failed: (error: unknown) => void): void {
    this.#failed.push(failed);
  }

  /** Called before time passes, with how far it may go until the next call. */
  onAhead(ahead: (limitMicros: number) => void): void {
    this.#ahead = ahead;
  }

  /**
   * Something happens from outside, at the present of the set.
   * @param dropped told if it does not come to that
   */
  input(happen: () => void, dropped?: Dropped): void {
    if (this.#stopped) {
      dropped?.(this.#stoppedError());
      return;
    }
    this.#inputs.push({ happen, dropped });
    // Not at once: what other sockets have received meanwhile comes in with it, and shares its journal flush and its fetches.
    if (!this.#turning) this.#soon ??= setImmediate(() => this.#again());
  }

  /** A command is under way: time does not wait until it is answered, or says that it waits for news. */
  pull(requestId: number): void {
    this.#pulling.set(requestId, this.#set.nowMicros + COMMAND_PULL_MICROS);
  }

  release(requestId: number): void {
    this.#pulling.delete(requestId);
  }

  /**
   * Lets so much time pass as fast as it goes.
   * @returns where time is then
   */
  async advance(micros: number): Promise<number> {
    await this.reach(() => false, micros);
    return this.#set.nowMicros;
  }

  /**
   * Lets time pass as fast as it goes until `done()` holds, for `withinMicros` at most; asked after every event.
   * @returns whether it held
   * @throws SetStoppedError if the set is stopped before
   */
  reach(done: () => boolean, withinMicros: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.input(() => {
        const limitMicros = this.#set.nowMicros + Math.max(0, Math.round(withinMicros));
        this.#goals.add({ limitMicros, done, reached: resolve, dropped: reject });
      }, reject);
    });
  }

  /** Nothing happens any more, whatever comes. Resolves when the stretch under way has ended. */
  stop(): Promise<void> {
    // What clients of the clock were shown stays true, though nothing has happened up to there.
    this.#stoppedMicros = this.nowMicros;
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    this.#dropAll();
    return new Promise((resolve) => {
      if (this.#turning) this.#ended = resolve;
      else resolve();
    });
  }

  #dropAll(): void {
    const waiting = [...this.#inputs.splice(0), ...this.#goals];
    this.#goals.clear();
    for (const { dropped } of waiting) dropped?.(this.#stoppedError());
  }

  #stoppedError(): SetStoppedError {
    return new SetStoppedError(this.#failure === undefined ? {} : { cause: this.#failure });
  }

  /** One stretch: all inputs, and what is due. Within the call, unless a disk has to be waited for. */
  #turn(): void {
    if (this.#turning || this.#stopped) return;
    this.#turning = true;
    const { nowMicros } = this.#set;
    // Between two stretches the sockets are served: what comes from them begins no stretch of its own.
    if (this.#soon !== undefined) this.#stretch({ ms: 0, micros: nowMicros });
    else this.#stretch({ ms: performance.now() + STRETCH_MS, micros: nowMicros + STRETCH_MICROS });
  }

  #stretch(end: StretchEnd): void {
    try {
      for (;;) {
        const passed = this.#step(end);
        if (passed === 'idle') break;
        if (typeof passed === 'object') {
          // A slow disk must not starve the sockets; its time counts as the stretch's.
          passed.then(
            () => this.#stretch(end),
            (error) => this.#fail(error),
          );
          return;
        }
        if (performance.now() >= end.ms || this.#set.nowMicros >= end.micros) {
          this.#soon ??= setImmediate(() => this.#again());
          break;
        }
      }
      this.#turning = false;
      if (this.#stopped) this.#ended?.();
      else if (this.#soon === undefined) this.#sleep();
    } catch (error) {
      this.#fail(error);
    }
  }

  #again(): void {
    this.#soon = undefined;
    this.#turn();
  }

  /** Takes in one input, or lets time go as far as it may now. */
  #step(end: StretchEnd): 'idle' | 'passed' | Promise<unknown> {
    if (this.#stopped) return 'idle';
    const set = this.#set;
    const paced = this.#pacedMicros();
    if (this.#inputs.length > 0) return this.#takeIn(paced, end.ms);
    const limit = this.#limit(paced);
    const next = set.nextEventMicros;
    if (limit <= set.nowMicros && (next === undefined || next > limit)) return 'idle';
    const until = Math.min(limit, Math.max(end.micros, set.nowMicros));
    this.#ahead?.(limit);
    const passed = set.pump(until, this.#enough(end.ms, until > paced));
    if (typeof passed === 'object') return passed.then(() => this.#passed(paced));
    this.#passed(paced);
    return 'passed';
  }

  /**
   * One input, once what is due has happened. Where that takes longer than sockets may wait, as a batch of many documents does,
   * the input comes in before the rest, at the virtual time that has been reached: an answer is late by a stretch, not by a batch.
   */
  #takeIn(pacedMicros: number, endMs: number): 'passed' | Promise<unknown> {
    const set = this.#set;
    this.#ahead?.(pacedMicros);
    const isLate = lookingAtTheClock(endMs);
    const done = set.pump(pacedMicros, isLate);
    if (typeof done === 'object') return done;
    if (!done) {
      // All that happens at one instant does so before an input, or its recording could not say when it came.
      const instant = set.pump(set.nowMicros, () => false);
      if (typeof instant === 'object') return instant;
    }
    required(this.#inputs.shift(), 'input that was waiting').happen();
    this.#settleGoals();
    return 'passed';
  }

  /** Time has passed: it does not go back to where the wall clock would have it. */
  #passed(pacedMicros: number): void {
    if (this.#set.nowMicros > pacedMicros) {
      this.#anchorMicros = this.#set.nowMicros;
      this.#anchorMs = performance.now();
    }
    this.#settleGoals();
    for (const [requestId, limitMicros] of this.#pulling)
      if (limitMicros <= this.#set.nowMicros) this.#pulling.delete(requestId);
  }

  /** Asked before the first event and after each: something came in, what was waited for is there, or the sockets have waited long enough. */
  #enough(endMs: number, ahead: boolean): () => boolean {
    const pulledFor = this.#pulling.size;
    const isLate = lookingAtTheClock(endMs);
    return () => {
      if (this.#inputs.length > 0 || this.#stopped) return true;
      if (this.#goals.size === 0) {
        if (ahead && pulledFor > 0 && this.#pulling.size === 0) return true;
      } else {
        for (const { done } of this.#goals) if (done()) return true;
      }
      return isLate();
    };
  }

  #settleGoals(): void {
    if (this.#goals.size === 0) return;
    for (const goal of this.#goals) {
      const held = goal.done();
      if (!held && goal.limitMicros > this.#set.nowMicros) continue;
      this.#goals.delete(goal);
      goal.reached(held);
    }
  }

  /** How far time may go now. */
  #limit(pacedMicros: number): number {
    let limit = Math.max(pacedMicros, this.#set.nowMicros);
    for (const { limitMicros } of this.#goals) limit = Math.max(limit, limitMicros);
    for (const limitMicros of this.#pulling.values()) limit = Math.max(limit, limitMicros);
    return limit;
  }

  /** Where the wall clock would have virtual time; never before the present. */
  #pacedMicros(): number {
    const paced = this.#anchorMicros + Math.floor((performance.now() - this.#anchorMs) * 1000 * this.#speed);
    return Math.max(paced, this.#set.nowMicros);
  }

  /** Until the next event is due. */
  #sleep(): void {
    const next = this.#set.nextEventMicros;
    if (next === undefined || this.#speed === 0 || this.#stopped) return;
    const waitMs = (next - this.#pacedMicros()) / 1000 / this.#speed;
    const inMs = Math.min(Math.max(Math.ceil(waitMs), 1), LONGEST_TIMER_MS);
    const wakesAtMs = performance.now() + inMs;
    // Under load there is a turn every few µs. One that goes off too early finds nothing to do, and sleeps on.
    if (this.#wakesAtMs <= wakesAtMs) return;
    clearTimeout(this.#timer);
    this.#wakesAtMs = wakesAtMs;
    this.#timer = setTimeout(() => {
      this.#wakesAtMs = Number.POSITIVE_INFINITY;
      this.#turn();
    }, inMs);
  }

  #fail(error: unknown): void {
    this.#turning = false;
    this.#failure = error;
    const ended = this.#ended;
    void this.stop();
    ended?.();
    if (this.#failed.length === 0) throw error;
    for (const failed of this.#failed) failed(error);
  }
}

/**
 * Asked before the first event, which always happens, and after each: whether the sockets have waited long enough. It ends a
 * stretch between two events and never changes their order, so that a run can be repeated whatever the machine.
 */
function lookingAtTheClock(endMs: number): () => boolean {
  let quick = 1;
  let lookedMs = performance.now();
  return () => {
    if (quick-- > 0) return false;
    const nowMs = performance.now();
    quick = nowMs - lookedMs >= SLOW_MS ? 0 : LOOK_EVERY_EVENTS - 1;
    lookedMs = nowMs;
    return nowMs >= endMs;
  };
}
