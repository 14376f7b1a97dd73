/** How far ahead of the wall clock commands may carry virtual time, unless somebody says otherwise. Unit: ms. */
export const DEFAULT_MAX_LEAD_MS = 250;
/** How far behind the wall clock something may come in from outside. Unit: ms of real time. */
const MOST_BEHIND_MS = 50;
/**
 * How long what comes from outside is kept waiting at most while the set catches up, at speed 1; the faster time goes, the shorter:
 * a machine that cannot keep up with that speed would otherwise answer each time as late. A burst of writes is caught up with in less.
 * One long command keeps the set behind until it ends, and others would wait for all of it: they come in behind the wall clock instead.
 * Unit: ms.
 */
const LONGEST_HOLD_MS = 100;
const SHORTEST_HOLD_MS = 10;
/**
 * How long it is kept waiting at most for the set to be where time was said to be when the speed changed. At a high speed that may be many
 * virtual seconds ahead, and clients would be told of an earlier time than whoever asked before. Unit: ms of real time.
 */
const LONGEST_HOLD_AFTER_CHANGE_MS = 5000;

/** What a pace begins with. */
export interface PaceStart {
  /** Virtual seconds a second. */
  readonly speed: number;
  readonly maxLeadMs: number;
  /** Where virtual time is to be at `wallMs`. */
  readonly micros: number;
  readonly wallMs: number;
}

/**
 * Where virtual time is to be, by a clock outside: it keeps step with that clock times `speed`. Commands may carry it ahead, and it
 * waits for the clock while nobody asks for anything; jumps that were asked for are kept on top. A rule: who reads the clock tells
 * it what it shows (`wallMs`, of a clock that only goes forward).
 *
 * Below speed 1 the clock outside is no measure of what a command may take. There, as at speed 0, virtual time goes as far as
 * commands need it, and flows on from where it is.
 */
export class Pace {
  #speed: number;
  readonly #maxLeadMicros: number;
  #anchorMicros: number;
  #anchorMs: number;
  /** Where time was said to be when the speed changed. */
  #changedAtMicros = 0;

  constructor({ speed, maxLeadMs, micros, wallMs }: PaceStart) {
    this.#speed = speed;
    this.#maxLeadMicros = maxLeadMs * 1000;
    this.#anchorMicros = micros;
    this.#anchorMs = wallMs;
  }

  get speed(): number {
    return this.#speed;
  }

  /** Whether it goes by the clock outside, and not by what commands need. */
  get keepsStep(): boolean {
    return this.#speed >= 1;
  }

  /** Where the clock outside would have virtual time. Unit: µs. */
  dueMicros(wallMs: number): number {
    return this.#anchorMicros + Math.floor((wallMs - this.#anchorMs) * 1000 * this.#speed);
  }

  /**
   * Up to where virtual time is said to be. Faster than the clock outside it goes as fast as the machine can: where that is too slow, hours
   * that nobody has seen are neither told of nor made up for at the next speed. Unit: µs.
   */
  farthestShownMicros(nowMicros: number): number {
    return this.#speed > 1 ? nowMicros + this.#mostBehindMicros : Number.POSITIVE_INFINITY;
  }

  /** How far commands under way may carry virtual time now. Unit: µs. */
  farthestMicros(wallMs: number): number {
    return this.keepsStep ? this.dueMicros(wallMs) + this.#maxLeadMicros : Number.POSITIVE_INFINITY;
  }

  /** How far virtual time is ahead of where it is to be; less than 0 if it is behind. Unit: µs. */
  leadMicros(nowMicros: number, wallMs: number): number {
    return nowMicros - this.dueMicros(wallMs);
  }

  /**
   * Whether what comes from outside has to wait until the set has caught up.
   * @param heldMs for how long something has waited for that
   */
  holds(nowMicros: number, wallMs: number, heldMs: number): boolean {
    if (nowMicros < this.#changedAtMicros) return heldMs < LONGEST_HOLD_AFTER_CHANGE_MS;
    const behindMicros = -this.leadMicros(nowMicros, wallMs);
    if (behindMicros <= this.#mostBehindMicros) return false;
    return heldMs < Math.max(SHORTEST_HOLD_MS, LONGEST_HOLD_MS / Math.max(1, this.#speed));
  }

  /** After how long, from now, virtual time gets to `micros`; with a lead, if a command is under way. Unit: ms; infinite at speed 0. */
  msUntil(micros: number, wallMs: number, commandUnderWay: boolean): number {
    const from = commandUnderWay ? this.farthestMicros(wallMs) : this.dueMicros(wallMs);
    return micros <= from ? 0 : (micros - from) / 1000 / this.#speed;
  }

  /** Virtual time has gone by to `nowMicros` because a command needed it. */
  passed(nowMicros: number, wallMs: number): void {
    if (!this.keepsStep) this.#flowOnFrom(nowMicros, wallMs);
  }

  /** Virtual time has jumped by so much, which is kept on top of the clock outside. */
  jumpedBy(micros: number): void {
    this.#anchorMicros += micros;
  }

  /**
   * Virtual time was let go on to `nowMicros`, until something had come about; it flows on from there.
   * @param leadMicros how far it was ahead before: that it still has to wait for
   */
  reached(nowMicros: number, leadMicros: number, wallMs: number): void {
    const owed = this.keepsStep ? Math.min(Math.max(leadMicros, 0), this.#maxLeadMicros) : 0;
    this.#flowOnFrom(nowMicros - owed, wallMs);
  }

  /** From now on it goes by another speed. */
  changeSpeed(speed: number, nowMicros: number, wallMs: number): void {
    if (!this.keepsStep) this.#flowOnFrom(nowMicros, wallMs);
    this.#anchorMicros = Math.min(this.dueMicros(wallMs), this.farthestShownMicros(nowMicros));
    this.#anchorMs = wallMs;
    this.#changedAtMicros = this.#anchorMicros;
    this.#speed = speed;
  }

  get #mostBehindMicros(): number {
    return MOST_BEHIND_MS * 1000 * this.#speed;
  }

  /** It never goes back: where it is behind, it stays so. */
  #flowOnFrom(micros: number, wallMs: number): void {
    if (micros <= this.dueMicros(wallMs)) return;
    this.#anchorMicros = micros;
    this.#anchorMs = wallMs;
  }
}

/** The lead itself. Unit: ms. @throws RangeError for what cannot be a lead */
export function checkedMaxLead(maxLeadMs: unknown, name = 'maxLeadMs'): number {
  if (typeof maxLeadMs === 'number' && maxLeadMs >= 0) return maxLeadMs;
  const given = typeof maxLeadMs === 'number' ? maxLeadMs : JSON.stringify(maxLeadMs);
  throw new RangeError(`${name} must be a number of milliseconds, 0 or more, not ${given}`);
}

/** What to tell whoever asks for a greatest lead that bounds nothing; undefined where it does, or where nobody asks. */
export function idleMaxLead(maxLeadMs: number | undefined, speed = 1): string | undefined {
  if (maxLeadMs === undefined || speed >= 1) return undefined;
  return `it does nothing at speed ${speed}, but from speed 1 on: below, a command takes what virtual time it needs at once`;
}
