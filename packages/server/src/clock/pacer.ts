import { required } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import { Alarm } from './alarm.ts';
import { type FakeClock, FollowedClock } from './followedClock.ts';
import { type Dropped, Goals, type Reached } from './goals.ts';
import { checkedMaxLead, DEFAULT_MAX_LEAD_MS, Pace } from './pace.ts';
import { Pulls } from './pulls.ts';
import { REAL_TIME, type RealTime } from './realTime.ts';
import { SetStoppedError } from './setStoppedError.ts';
import { checkedSpeed } from './speed.ts';
import { lookingAtTheClock, type StretchEnd, stretchFrom } from './stretch.ts';

/** What of a clock's millisecond is left when it has begun: a clock of faked timers has whole ones alone. Unit: ms. */
const LEAD_OF_A_MILLISECOND = 0.999;
/** Who sleeps longer looks at the clock in between: Node fires a timer of more than 2^31 ms at once. Unit: ms. */
const LONGEST_TIMER_MS = 60_000;

/** Something that comes from outside. */
interface Input {
  readonly happen: () => void;
  readonly dropped: Dropped | undefined;
}

/** How virtual time goes. */
export interface PacerOptions {
  /** Virtual seconds a second; 0 holds time still. */
  readonly speed: number;
  /** From speed 1 on: how far commands may carry virtual time ahead of the wall clock, before replies wait. Unit: ms. */
  readonly maxLeadMs?: number;
  /** Where virtual time is to be now: the set catches up with the first input. Default: where the set is. Unit: µs. */
  readonly dueMicros?: number;
}

/**
 * Turns the clock of a set that real clients talk to. Virtual time keeps step with the wall clock times `speed`, by the rule of
 * `Pace`; while a command is under way, or somebody has asked for a jump, it goes as fast as the machine can, a command by the
 * greatest lead at most. It never goes back.
 *
 * What comes from outside comes in by `input`, one after the other: first everything due until now happens, for a stretch of real
 * time at most, then the input. So a recording of the inputs and their times is enough to repeat the run.
 */
export class Pacer {
  readonly #set: ReplSet;
  readonly #inputs: Input[] = [];
  readonly #goals = new Goals();
  readonly #pulls = new Pulls();
  readonly #time: RealTime;
  #pace: Pace;
  /** The clock of faked timers, if virtual time goes by one. */
  #followed: FollowedClock | undefined;
  /** How many things are waited for in real time. */
  #held = 0;
  /** By which virtual time went before that. */
  #wallPace: Pace | undefined;
  readonly #maxLeadMs: number;
  /** How much has come from sockets and gone to them. */
  #traffic = 0;
  /** How far ahead virtual time was when the first of the goals was set. */
  #leadBeforeGoals = 0;
  /** Since when what comes from outside waits for the set to catch up. */
  #heldSinceMs: number | undefined;
  #turning = false;
  /** In this turn the set has been brought to the present, and nothing was due. */
  #isUpToDate = false;
  readonly #alarm: Alarm;
  #soon: unknown;
  #stopped = false;
  /** Where virtual time was when it stopped. */
  #stoppedMicros = 0;
  #ended: (() => void) | undefined;
  readonly #failed: ((error: unknown) => void)[] = [];
  /** What ended the run, if it did not end by itself. */
  #failure: unknown;
  #ahead: ((limitMicros: number) => void) | undefined;
  #still: (() => void) | undefined;

  /** @throws RangeError for a speed or a lead that cannot be */
  constructor(set: ReplSet, { speed, maxLeadMs, dueMicros }: PacerOptions, time: RealTime = REAL_TIME) {
    this.#set = set;
    this.#time = time;
    this.#alarm = new Alarm(time);
    this.#maxLeadMs = checkedMaxLead(maxLeadMs ?? DEFAULT_MAX_LEAD_MS);
    this.#pace = new Pace({
      speed: checkedSpeed(speed),
      maxLeadMs: this.#maxLeadMs,
      micros: dueMicros ?? set.nowMicros,
      wallMs: time.monotonicMs(),
    });
  }

  get speed(): number {
    return this.#pace.speed;
  }

  set speed(speed: number) {
    checkedSpeed(speed);
    if (this.#followed !== undefined && speed !== 1)
      throw new RangeError(
        'while timers are faked, time follows their clock: restore them before you change the speed',
      );
    this.#pace.changeSpeed(speed, this.#set.nowMicros, this.#clockMs());
    this.#turn();
  }

  /** Virtual time goes by a clock of faked timers from now on. @param atMicros where it is to be now; not before the present */
  follow(clock: FakeClock, atMicros: number): void {
    this.#alarm.clear();
    const stepped = {
      wants: () => !this.#stopped && this.#isWanted,
      busy: () => !this.#stopped && (this.#turning || this.#soon !== undefined || this.#held > 0),
      traffic: () => this.#traffic,
    };
    this.#followed = new FollowedClock(clock, stepped, this.#time);
    this.#wallPace = this.#pace;
    this.#pace = new Pace({ speed: 1, maxLeadMs: LEAD_OF_A_MILLISECOND, micros: atMicros, wallMs: clock.now });
    this.#turn();
  }

  /** Virtual time goes by the wall clock again, from where it is, or from the wall clock's now. */
  unfollow(): void {
    // What the clock has shown stays true, and that it stood still leaves nothing behind: the set catches up, and goals count from there.
    const micros = Math.max(this.nowMicros, this.#wallPace?.dueMicros(this.#time.monotonicMs()) ?? 0);
    this.#followed?.leave();
    this.#followed = undefined;
    this.#wallPace = undefined;
    this.#leadBeforeGoals = 0;
    this.#goals.beginAgain(micros);
    this.#pace = new Pace({ speed: 1, maxLeadMs: this.#maxLeadMs, micros, wallMs: this.#clockMs() });
    if (!this.#stopped) this.#turn();
  }

  /** The clock that is followed has lost its timers. */
  lostTimers(): void {
    this.#followed?.lostTimers();
    this.#turn();
  }

  /** How far virtual time is ahead of where the wall clock would have it; less than 0 if the set is behind. Unit: µs. */
  get leadMicros(): number {
    return this.#pace.leadMicros(this.#set.nowMicros, this.#clockMs());
  }

  /** Where virtual time is at this instant, µs: what has happened may lag behind until somebody asks. It never goes back. */
  get nowMicros(): number {
    const { nowMicros } = this.#set;
    if (this.#stopped) return Math.max(this.#stoppedMicros, nowMicros);
    return Math.min(this.#pacedMicros(), this.#pace.farthestShownMicros(nowMicros));
  }

  /** Calls `failed` once with what has ended the run, if something does: a bug of ours, or a disk that failed. */
  onFailure(failed: (error: unknown) => void): void {
    this.#failed.push(failed);
  }

  /** Called before time passes, with how far it may go until the next call. */
  onAhead(ahead: (limitMicros: number) => void): void {
    this.#ahead = ahead;
  }

  /** Called when virtual time stands still from then on, until somebody asks for something. */
  onStill(still: () => void): void {
    this.#still = still;
  }

  /** Virtual time does not pass by itself, nor does anybody let it. */
  get standsStill(): boolean {
    if (this.#followed === undefined && this.speed > 0) return false;
    return !this.#turning && !this.#isWanted;
  }

  /** Somebody waits for what it makes happen. */
  get #isWanted(): boolean {
    return this.#goals.size + this.#pulls.size + this.#inputs.length > 0;
  }

  /** A command waits for more virtual time than it may take by itself. */
  get isStarved(): boolean {
    return this.#pulls.isOneStarved;
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
    this.#traffic++;
    this.#inputs.push({ happen, dropped });
    // Not at once: what other sockets have received meanwhile comes in with it, and shares its journal flush and its fetches.
    if (!this.#turning) this.#soon ??= this.#time.setImmediate(() => this.#again());
  }

  /** A command is under way: time does not wait until it is answered, or says that it waits for news. */
  pull(requestId: number): void {
    this.#pulls.begin(requestId, this.#set.nowMicros);
  }

  release(requestId: number): void {
    this.#traffic++;
    this.#pulls.end(requestId);
  }

  /**
   * Lets so much time pass as fast as it goes.
   * @returns where time is then
   */
  async advance(micros: number): Promise<number> {
    const { atMicros } = await this.#go(
      () => false,
      (nowMicros) => nowMicros + Math.max(0, Math.round(micros)),
      true,
    );
    await this.#followed?.finish();
    return atMicros;
  }

  /**
   * Lets time pass as fast as it goes until `done()` holds, for `withinMicros` at most; asked after every event.
   * @returns whether it held
   * @throws SetStoppedError if the set is stopped before
   */
  async reach(done: () => boolean, withinMicros: number): Promise<boolean> {
    const { held } = await this.#go(done, (nowMicros) => nowMicros + Math.max(0, Math.round(withinMicros)), false);
    return held;
  }

  /** All that is due has happened, however long that takes. @throws SetStoppedError if the set is stopped before */
  async catchUp(): Promise<void> {
    await this.#go(
      () => false,
      (nowMicros) => Math.max(nowMicros, this.#pacedMicros()),
      false,
    );
  }

  #go(done: () => boolean, limitFrom: (nowMicros: number) => number, isJump: boolean): Promise<Reached> {
    return new Promise((resolve, reject) => {
      this.input(() => {
        const { nowMicros } = this.#set;
        const limitMicros = limitFrom(nowMicros);
        if (this.#goals.size === 0) this.#leadBeforeGoals = this.leadMicros;
        this.#goals.add({ limitMicros, isJump, done, reached: resolve, dropped: reject }, nowMicros);
      }, reject);
    });
  }

  /** Something is waited for in real time; a clock that is followed stands still meanwhile. */
  async hold<Result>(waited: Promise<Result>): Promise<Result> {
    this.#held++;
    try {
      return await waited;
    } finally {
      this.#held--;
    }
  }

  /** Time that flows by itself does not keep the process alive. */
  unref(): void {
    this.#alarm.unref();
  }

  /** Nothing happens any more, whatever comes. Resolves when the stretch under way has ended. */
  stop(): Promise<void> {
    // What clients of the clock were shown stays true, though nothing has happened up to there.
    this.#stoppedMicros = this.nowMicros;
    this.#stopped = true;
    this.#alarm.clear();
    this.#followed?.leave();
    this.#time.clearImmediate(this.#soon);
    this.#dropAll();
    return new Promise((resolve) => {
      if (this.#turning) this.#ended = resolve;
      else resolve();
    });
  }

  #dropAll(): void {
    const waiting = [...this.#inputs.splice(0), ...this.#goals.drop()];
    for (const { dropped } of waiting) dropped?.(this.#stoppedError());
  }

  #stoppedError(): SetStoppedError {
    return new SetStoppedError(this.#failure === undefined ? {} : { cause: this.#failure });
  }

  /** One stretch: all inputs, and what is due. Within the call, unless a disk has to be waited for. */
  #turn(): void {
    if (this.#turning || this.#stopped) return;
    this.#turning = true;
    this.#isUpToDate = false;
    const { nowMicros } = this.#set;
    // Between two stretches the sockets are served: what comes from them begins no stretch of its own.
    if (this.#soon !== undefined) this.#stretch({ ms: 0, micros: nowMicros });
    else this.#stretch(stretchFrom(this.#time.monotonicMs(), nowMicros));
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
        if (this.#time.monotonicMs() >= end.ms || this.#set.nowMicros >= end.micros) {
          this.#soon ??= this.#time.setImmediate(() => this.#again());
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
    if (!this.#isDue(limit)) {
      // The set is told once how late it is. That this took time, too, is no reason for another step: where a step takes longer than
      // the clock's grain, as without a compiler, they would have no end.
      if (this.#isUpToDate || limit <= set.nowMicros) return 'idle';
      this.#isUpToDate = true;
    }
    const until = Math.min(limit, this.#goals.nearestMicros(set.nowMicros), Math.max(end.micros, set.nowMicros));
    this.#ahead?.(limit);
    const passed = set.pump(until, this.#enough(end.ms, until > paced));
    if (typeof passed === 'object') return passed.then(() => this.#passed());
    this.#passed();
    return 'passed';
  }

  /** Whether anything can come of letting time go to `limitMicros`. */
  #isDue(limitMicros: number): boolean {
    const next = this.#set.nextEventMicros;
    if (next !== undefined && next <= limitMicros) return true;
    if (limitMicros <= this.#set.nowMicros) return false;
    // Goals are told how far time is, and commands under way that they may take no more of it.
    if (this.#goals.size > 0) return true;
    for (const pulledTo of this.#pulls.limits()) if (pulledTo <= limitMicros) return true;
    return false;
  }

  /**
   * One input, once what is due has happened. Where that takes longer than sockets may wait, as a batch of many documents does,
   * the input comes in before the rest, at the virtual time that has been reached: an answer is late by a stretch, not by a batch.
   * But where the set has fallen behind the wall clock, it waits for the set.
   */
  #takeIn(pacedMicros: number, endMs: number): 'passed' | Promise<unknown> {
    const set = this.#set;
    this.#ahead?.(pacedMicros);
    const done = set.pump(pacedMicros, lookingAtTheClock(this.#time, endMs));
    if (typeof done === 'object') return done;
    if (done) this.#heldSinceMs = undefined;
    // A clock that is followed does not go on meanwhile.
    else if (this.#followed !== undefined || this.#holds()) return 'passed';
    else {
      // All that happens at one instant does so before an input, or its recording could not say when it came.
      const instant = set.pump(set.nowMicros, () => false);
      if (typeof instant === 'object') return instant;
    }
    required(this.#inputs.shift(), 'input that was waiting').happen();
    this.#settleGoals();
    return 'passed';
  }

  /** Whether what comes from outside waits until the set has caught up. */
  #holds(): boolean {
    const nowMs = this.#time.monotonicMs();
    const heldMs = nowMs - (this.#heldSinceMs ?? nowMs);
    if (!this.#pace.holds(this.#set.nowMicros, this.#clockMs(), heldMs)) return false;
    this.#heldSinceMs ??= nowMs;
    return true;
  }

  #passed(): void {
    if (this.#goals.size === 0) this.#pace.passed(this.#set.nowMicros, this.#clockMs());
    this.#settleGoals();
    this.#pulls.passed(this.#set.nowMicros);
  }

  /** Asked before the first event and after each: something came in, what was waited for is there, or the sockets have waited long enough. */
  #enough(endMs: number, ahead: boolean): () => boolean {
    const pulledFor = this.#pulls.size;
    const isLate = lookingAtTheClock(this.#time, endMs);
    return () => {
      if (this.#inputs.length > 0 || this.#stopped) return true;
      if (this.#goals.size > 0) return this.#goals.isOneDone() || isLate();
      const isAnswered = ahead && pulledFor > 0 && this.#pulls.size === 0;
      return isAnswered || isLate();
    };
  }

  #settleGoals(): void {
    if (this.#goals.size === 0) return;
    this.#goals.settle(this.#set.nowMicros, (micros) => {
      // A clock that is followed has jumped itself.
      if (this.#followed === undefined) this.#pace.jumpedBy(micros);
    });
    if (this.#goals.size > 0 || this.#followed !== undefined) return;
    this.#pace.reached(this.#set.nowMicros, this.#leadBeforeGoals, this.#clockMs());
  }

  /** How far time may go now. */
  #limit(pacedMicros: number): number {
    const farthest = Math.floor(this.#pace.farthestMicros(this.#clockMs()));
    // Faked timers have their turn before it goes on: a jump goes from one to the next.
    const jumpsTo = this.#followed === undefined ? Number.POSITIVE_INFINITY : farthest;
    let limit = pacedMicros;
    for (const limitMicros of this.#goals.limits()) limit = Math.max(limit, Math.min(limitMicros, jumpsTo));
    for (const limitMicros of this.#pulls.limits()) limit = Math.max(limit, Math.min(limitMicros, farthest));
    return limit;
  }

  /** Where the wall clock would have virtual time; never before the present. */
  #pacedMicros(): number {
    const { nowMicros, nextEventMicros: next } = this.#set;
    const paced = Math.max(this.#pace.dueMicros(this.#clockMs()), nowMicros);
    if (this.#followed === undefined || next === undefined || next <= paced) return paced;
    // A clock of whole milliseconds shows one until it is over.
    return next <= this.#pace.farthestMicros(this.#clockMs()) ? next : paced;
  }

  /** What virtual time goes by. */
  #clockMs(): number {
    return this.#followed?.clock.now ?? this.#time.monotonicMs();
  }

  /** Until the next event is due. */
  #sleep(): void {
    if (this.#stopped) return;
    if (this.standsStill) this.#still?.();
    if (this.#followed !== undefined) return this.#sleepBy(this.#followed);
    const next = Math.min(this.#set.nextEventMicros ?? Number.POSITIVE_INFINITY, ...this.#pulls.limits());
    if (next === Number.POSITIVE_INFINITY) return;
    const nowMs = this.#time.monotonicMs();
    const waitMs = this.#pace.msUntil(next, nowMs, this.#pulls.size > 0);
    if (waitMs === Number.POSITIVE_INFINITY) return;
    // One that goes off too early finds nothing to do, and sleeps on.
    this.#alarm.set(nowMs, Math.min(Math.max(Math.ceil(waitMs), 1), LONGEST_TIMER_MS), () => this.#turn());
  }

  #sleepBy(followed: FollowedClock): void {
    const limits = [...this.#goals.limits()];
    const next = Math.min(this.#set.nextEventMicros ?? Number.POSITIVE_INFINITY, ...limits, ...this.#pulls.limits());
    const inMs = Math.floor(this.#pace.msUntil(next, followed.clock.now, false));
    if (next !== Number.POSITIVE_INFINITY) followed.wakeIn(Math.min(inMs, LONGEST_TIMER_MS), () => this.#turn());
    if (limits.length + this.#pulls.size > 0) followed.drive();
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
