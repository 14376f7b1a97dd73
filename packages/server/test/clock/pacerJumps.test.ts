import type { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { Pacer } from '../../src/clock/pacer.ts';
import { SetStoppedError } from '../../src/clock/setStoppedError.ts';
import { Events, Machine } from './machine.ts';

// What the clock shows after jumps, after answers, and once it has stopped.

function paced(speed = 1) {
  const machine = new Machine();
  const events = new Events(machine);
  const pacer = new Pacer(events as unknown as ReplSet, { speed, maxLeadMs: 250 }, machine);
  return { machine, events, pacer };
}

test('whoever waits for time hears that the set has stopped', async () => {
  const { machine, events, pacer } = paced();
  const again = () => events.add(1_000_000, 5, again);
  pacer.input(again);
  const told: unknown[] = [];
  pacer.reach(() => false, 60_000_000_000).catch((reason) => told.push(reason));
  machine.runUntil(0);
  await pacer.stop();
  await Promise.resolve();
  expect(told).toEqual([expect.any(SetStoppedError)]);
});

test('what the clock has shown stays true when it stops, and nothing is added', async () => {
  const { machine, pacer } = paced();
  machine.runUntil(40);
  const shown = pacer.nowMicros;
  expect(shown).toBeGreaterThan(0);
  await pacer.stop();
  expect(pacer.nowMicros).toBe(shown);
  machine.runUntil(5000);
  expect(pacer.nowMicros).toBe(shown);
});

test('what is due behind an answer happens when the wall clock is there', () => {
  const { machine, events, pacer } = paced();
  const happened: number[] = [];
  pacer.input(() => {
    events.add(1000, 0, () => pacer.release(1));
    events.add(100_000, 0, () => happened.push(machine.nowMs));
    pacer.pull(1);
  });
  machine.runUntil(1000);
  expect(happened).toEqual([100]);
});

test('a jump is kept on top of the real time that it took', async () => {
  const { machine, events, pacer } = paced();
  const over = pacer.advance(10_000_000);
  events.add(5_000_000, 3000);
  machine.runUntil(4000);
  await over;
  machine.runUntil(6000);
  expect(pacer.nowMicros).toBe(16_000_000);
});

test.for([
  { speed: 0, answeredMs: 40 },
  { speed: 0, answeredMs: 4000 },
  { speed: 0.5, answeredMs: 4000 },
  { speed: 1, answeredMs: 40 },
  { speed: 1, answeredMs: 4000 },
  { speed: 100, answeredMs: 4000 },
])(
  'a jump at speed $speed ends where it is to end, whatever a command needs that is answered after $answeredMs ms',
  async (each) => {
    const { machine, events, pacer } = paced(each.speed);
    const answered: number[] = [];
    pacer.input(() => {
      events.add(each.answeredMs * 1000, 0, () => {
        answered.push(events.nowMicros);
        pacer.release(1);
      });
      pacer.pull(1);
    });
    const jumps = [pacer.advance(150_000), pacer.reach(() => false, 120_000)];
    machine.runUntil(0);
    expect(await Promise.all(jumps)).toEqual([150_000, false]);
    machine.runUntil(10_000);
    expect(answered).toEqual([each.answeredMs * 1000]);
    // Time stands still from the answer on, and the jump is not made up for.
    if (each.speed === 0) expect(pacer.nowMicros).toBe(Math.max(each.answeredMs * 1000, 150_000));
  },
);

test('a jump that began while timers were faked counts from where the wall clock is', async () => {
  const { machine, pacer } = paced();
  const clock = { now: 0, setTimeout: () => 1, clearTimeout: () => {}, next: () => {}, tick: () => {} };
  pacer.follow(clock, 0);
  const over = pacer.advance(10_000_000);
  // A clock that is driven takes turn after turn.
  let turns = 0;
  machine.runUntil(0, () => ++turns > 10);
  machine.nowMs = 5000;
  pacer.unfollow();
  machine.runUntil(5000);
  await over;
  expect(pacer.nowMicros).toBe(10_000_000);
});

test('a clock that is followed no longer has no timer of ours', () => {
  const { machine, pacer } = paced();
  const timers = new Set<number>();
  let next = 1;
  const clock = {
    now: 0,
    setTimeout: () => {
      timers.add(next);
      return next++;
    },
    clearTimeout: (timer: number) => void timers.delete(timer),
    next: () => {},
    tick: () => {},
  };
  pacer.follow(clock, 0);
  pacer.advance(10_000_000);
  let turns = 0;
  machine.runUntil(0, () => ++turns > 10);
  expect(timers.size).toBe(1);
  pacer.unfollow();
  expect(timers.size).toBe(0);
});

test('a clock that is followed has jumped itself: nothing is kept on top of it', async () => {
  const { machine, pacer } = paced();
  const timers: { readonly atMs: number; readonly wake: () => void }[] = [];
  const clock = {
    now: 0,
    setTimeout: (wake: () => void, ms: number) => timers.push({ atMs: clock.now + ms, wake }),
    clearTimeout: () => void timers.splice(0),
    next: () => {
      const [first] = timers.splice(0);
      if (first === undefined) return;
      clock.now = first.atMs;
      first.wake();
    },
    tick: () => {},
  };
  pacer.follow(clock, 0);
  let isOver = false;
  const over = pacer.advance(10_000_000).then(() => {
    isOver = true;
  });
  for (let turns = 0; turns < 200 && !isOver; turns++) {
    let steps = 0;
    machine.runUntil(0, () => ++steps > 2);
    for (let i = 0; i < 5; i++) await Promise.resolve();
  }
  await over;
  expect(pacer.nowMicros).toBe(10_000_000);
});
