import { expect, test } from 'vitest';
import { FollowedClock } from '../../src/clock/followedClock.ts';
import { REAL_TIME } from '../../src/clock/realTime.ts';

// The clock of faked timers alone, with turns of the event loop that are taken by hand.

class Bench {
  readonly stepped = { wants: true, busy: false, traffic: 0 };
  readonly thrown: unknown[] = [];
  /** How often the clock has gone on. */
  steps = 0;
  readonly followed: FollowedClock;
  readonly #turns: (() => void)[] = [];

  constructor(tick = () => {}) {
    const clock = {
      now: 0,
      setTimeout: () => 1,
      clearTimeout: () => {},
      next: () => void this.steps++,
      tick,
    };
    const stepped = {
      wants: () => this.stepped.wants,
      busy: () => this.stepped.busy,
      traffic: () => this.stepped.traffic,
    };
    const setImmediate = (turn: () => void) => this.#turns.push(turn);
    this.followed = new FollowedClock(clock, stepped, { ...REAL_TIME, setImmediate });
  }

  /** So many turns of the event loop, and what promises make of each. */
  async turn(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      for (const turn of this.#turns.splice(0))
        try {
          turn();
        } catch (error) {
          this.thrown.push(error);
        }
      for (let j = 0; j < 5; j++) await Promise.resolve();
    }
  }
}

test('it goes on while somebody waits for it, and not before clients have had their turns', async () => {
  const bench = new Bench();
  bench.followed.drive();
  await bench.turn(3);
  expect(bench.steps).toBe(0);
  await bench.turn(10);
  expect(bench.steps).toBeGreaterThan(0);
  const { steps } = bench;
  bench.stepped.busy = true;
  await bench.turn(20);
  expect(bench.steps).toBe(steps);
});

test('a jump ends at its last instant, though clients wait for more', async () => {
  const bench = new Bench();
  bench.followed.drive();
  await bench.turn(1);
  let steps: number | undefined;
  const over = bench.followed.finish().then(() => {
    steps = bench.steps;
  });
  // A client hears of it late, and asks.
  for (let i = 0; i < 6; i++) {
    bench.stepped.traffic++;
    await bench.turn(3);
    bench.stepped.busy = i % 2 === 0;
    await bench.turn(3);
  }
  bench.stepped.busy = false;
  expect(steps).toBeUndefined();
  await bench.turn(20);
  await over;
  expect(steps).toBe(0);
  expect(bench.steps).toBeGreaterThan(0);
});

test("what a timer throws at a jump's last instant is the application's, and the jump is over", async () => {
  const bench = new Bench(() => {
    throw new Error('of the application');
  });
  const over = bench.followed.finish();
  await bench.turn(20);
  await over;
  expect(bench.thrown).toEqual([new Error('of the application')]);
});
