/** Called instead of what was asked for, when the set ends before. */
export type Dropped = (reason: Error) => void;

/** How a goal has ended. */
export interface Reached {
  /** Whether `done` held; false if the limit came first. */
  readonly held: boolean;
  /** Where time was then: before whoever asked hears of it, a command under way may carry it on. */
  readonly atMicros: number;
}

/** Something that wants time to pass faster than it does by itself. */
export interface Goal {
  /** All of its time is kept on top of the wall clock. */
  readonly isJump: boolean;
  /** How far it may go. */
  readonly limitMicros: number;
  readonly done: () => boolean;
  readonly reached: (how: Reached) => void;
  readonly dropped: Dropped;
}

/** What there is to be reached, by whoever asks for a jump. */
export class Goals {
  /** Where each has begun. Unit: µs. */
  readonly #began = new Map<Goal, number>();

  get size(): number {
    return this.#began.size;
  }

  add(goal: Goal, nowMicros: number): void {
    this.#began.set(goal, nowMicros);
  }

  /** Time is elsewhere now, without a jump: they count from there. */
  beginAgain(nowMicros: number): void {
    for (const goal of this.#began.keys()) this.#began.set(goal, Math.min(nowMicros, goal.limitMicros));
  }

  /** How far each may go. */
  *limits(): Generator<number> {
    for (const { limitMicros } of this.#began.keys()) yield limitMicros;
  }

  /** The nearest place where one of them ends: a command under way carries time no farther before that has been told. */
  nearestMicros(nowMicros: number): number {
    let nearest = Number.POSITIVE_INFINITY;
    for (const { limitMicros } of this.#began.keys()) nearest = Math.min(nearest, Math.max(limitMicros, nowMicros));
    return nearest;
  }

  /** Whether one of them is reached before its limit. */
  isOneDone(): boolean {
    for (const { done } of this.#began.keys()) if (done()) return true;
    return false;
  }

  /**
   * Those that are reached are told so.
   * @param jumped is told of the time of each of them that is a jump
   */
  settle(nowMicros: number, jumped: (micros: number) => void): void {
    for (const [goal, beganMicros] of this.#began) {
      const held = goal.done();
      if (!held && goal.limitMicros > nowMicros) continue;
      this.#began.delete(goal);
      if (goal.isJump) jumped(nowMicros - beganMicros);
      goal.reached({ held, atMicros: nowMicros });
    }
  }

  /** None of them will be reached. */
  drop(): Goal[] {
    const dropped = [...this.#began.keys()];
    this.#began.clear();
    return dropped;
  }
}
