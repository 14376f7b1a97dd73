import type { ReplSet } from '@replsim/replset';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pacer } from '../../src/clock/pacer.ts';
import { Events, Machine } from './machine.ts';

// The pacer with a wall clock that is simulated.

class Bench {
  readonly machine = new Machine();
  readonly events = new Events(this.machine);
  readonly pacer: Pacer;
  /** How far virtual time was from the wall clock when something came in or was answered, µs. */
  readonly offsets: number[] = [];
  readonly #speed: number;
  #requests = 0;

  constructor({ speed = 1, maxLeadMs = 250 } = {}) {
    this.#speed = speed;
    this.pacer = new Pacer(this.events as unknown as ReplSet, { speed, maxLeadMs }, this.machine);
  }

  /** A command of so much virtual and so much real time. @returns how long it took, ms */
  command(micros: number, ms: number): number {
    const begunMs = this.machine.nowMs;
    const id = ++this.#requests;
    let answered = false;
    this.pacer.input(() => {
      this.#note();
      this.events.add(micros, ms, () => {
        answered = true;
        this.pacer.release(id);
        this.#note();
      });
      this.pacer.pull(id);
    });
    this.machine.runUntil(begunMs + 60_000, () => answered);
    expect(answered).toBe(true);
    return this.machine.nowMs - begunMs;
  }

  idle(ms: number): void {
    this.machine.runUntil(this.machine.nowMs + ms);
  }

  #note(): void {
    this.offsets.push(this.events.nowMicros - this.machine.nowMs * 1000 * this.#speed);
  }
}

test('commands that cost as much as they take lead nowhere, however many there are', () => {
  const bench = new Bench();
  for (let i = 0; i < 5000; i++) bench.command(300, 0.4);
  expect(Math.max(...bench.offsets)).toBeLessThanOrEqual(300);
  expect(Math.min(...bench.offsets)).toBeGreaterThan(-1000);
});

test('commands that cost more lead by a quarter of a second, and from then on their replies wait', () => {
  const bench = new Bench();
  const took = Array.from({ length: 200 }, () => bench.command(10_000, 1));
  expect(Math.max(...bench.offsets)).toBeLessThanOrEqual(250_000);
  expect(Math.max(...took.slice(0, 20))).toBeLessThanOrEqual(1);
  const late = took.slice(100);
  expect(late.reduce((sum, each) => sum + each) / late.length).toBeCloseTo(10, 0);
});

test('a lead is waited for while nobody asks for anything: what is due happens when the wall clock is there', () => {
  const bench = new Bench();
  bench.command(200_000, 0);
  const happened: number[] = [];
  bench.pacer.input(() => bench.events.add(50_000, 0, () => happened.push(bench.machine.nowMs)));
  bench.idle(1000);
  expect(happened).toEqual([250]);
});

test('a greater lead may be allowed, and none', () => {
  const ahead = new Bench({ maxLeadMs: 5000 });
  for (let i = 0; i < 100; i++) ahead.command(10_000, 0);
  expect(ahead.machine.nowMs).toBe(0);
  const none = new Bench({ maxLeadMs: 0 });
  for (let i = 0; i < 100; i++) none.command(10_000, 0);
  expect(none.machine.nowMs).toBe(1000);
});

test('what comes in waits while the set is more than 50 ms behind, and not for ever', () => {
  const bench = new Bench();
  // 80 ms of work for 1 ms, after the process had no processor for 100.
  bench.pacer.input(() => {
    for (let i = 0; i < 16; i++) bench.events.add(2000 + 10 * i, 5);
  });
  bench.idle(1);
  bench.machine.nowMs += 100;
  bench.command(10, 0);
  expect(bench.machine.nowMs).toBeGreaterThan(170);
  expect(Math.min(...bench.offsets)).toBeGreaterThanOrEqual(-56_000);
  // Work that never ends: 10 ms for each.
  const again = () => bench.events.add(1000, 10, again);
  bench.pacer.input(again);
  bench.idle(100);
  const tookMs = bench.command(10, 0);
  expect(tookMs).toBeGreaterThan(90);
  expect(tookMs).toBeLessThan(150);
});

test.for([
  { advanceMs: 0, realMs: 3000, aheadMs: 0 },
  { advanceMs: 1000, realMs: 3000, aheadMs: 0 },
  { advanceMs: 60_000, realMs: 3000, aheadMs: 57_000 },
])('a clock that was followed for $realMs ms, and went on by $advanceMs, leaves the set behind by nothing', (each) => {
  const bench = new Bench();
  const clock = { now: 7, setTimeout: () => 1, clearTimeout: () => {}, next: () => {}, tick: () => {} };
  for (let i = 0; i < 2; i++) {
    bench.pacer.follow(clock, bench.pacer.nowMicros);
    bench.machine.nowMs += each.realMs;
    clock.now += each.advanceMs;
    bench.pacer.unfollow();
    expect(bench.events.nowMicros - bench.machine.nowMs * 1000).toBe((i + 1) * each.aheadMs * 1000);
    bench.idle(100);
  }
});

test('a lead from before a goal is waited for no more once a clock has been followed meanwhile', async () => {
  const bench = new Bench();
  const { events, machine, pacer } = bench;
  bench.command(200_000, 0);
  for (let i = 1; i <= 10; i++) events.add(i * 1_000_000, 20);
  const over = pacer.reach(() => false, 10_000_000);
  bench.idle(1);
  expect(pacer.leadMicros).toBeGreaterThan(200_000);
  const clock = { now: 7, setTimeout: () => 1, clearTimeout: () => {}, next: () => {}, tick: () => {} };
  pacer.follow(clock, pacer.nowMicros);
  pacer.unfollow();
  machine.runUntil(60_000, () => events.nowMicros === 10_200_000);
  await over;
  const { nowMicros } = pacer;
  bench.idle(100);
  expect(pacer.nowMicros - nowMicros).toBe(100_000);
});

test('a speed that the machine cannot keep up with puts nobody hours ahead, neither meanwhile nor afterwards', () => {
  const bench = new Bench({ speed: 1000 });
  const { machine, events, pacer } = bench;
  // Each second takes 10 ms.
  const again = () => events.add(1_000_000, 10, again);
  pacer.input(again);
  let shown = 0;
  for (let i = 0; i < 100; i++) {
    bench.idle(100);
    expect(pacer.nowMicros).toBeGreaterThanOrEqual(shown);
    shown = pacer.nowMicros;
    expect(shown - events.nowMicros).toBeLessThanOrEqual(50_000_000);
  }
  pacer.speed = 1;
  expect(pacer.nowMicros).toBe(shown);
  const changedMs = machine.nowMs;
  bench.idle(10_000);
  expect(pacer.nowMicros).toBe(shown + (machine.nowMs - changedMs) * 1000);
  expect(pacer.nowMicros - events.nowMicros).toBeLessThanOrEqual(10_000);
});

const anyAct = fc.oneof(
  fc.record({ type: fc.constant('idle' as const), ms: fc.integer({ min: 1, max: 3000 }) }),
  fc.record({ type: fc.constant('command' as const), micros: fc.nat(400_000), ms: fc.nat(5) }),
  fc.record({ type: fc.constant('jump' as const), micros: fc.nat(1e8), ms: fc.constant(0) }),
);

test('whatever clients do, it is never more than 50 ms behind, nor ahead by more than the lead and what was jumped', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyAct, { maxLength: 40 }), fc.constantFrom(1, 5), async (acts, speed) => {
      const bench = new Bench({ speed });
      let jumped = 0;
      for (const act of acts) {
        if (act.type === 'idle') bench.idle(act.ms);
        else if (act.type === 'jump') {
          const over = bench.pacer.advance(act.micros);
          bench.idle(100);
          await over;
          jumped += act.micros;
        } else {
          bench.offsets.splice(0);
          bench.command(act.micros, act.ms);
          for (const offset of bench.offsets) {
            // 5 ms are those of the event itself.
            expect(offset - jumped).toBeGreaterThanOrEqual(-55_000 * speed);
            expect(offset - jumped).toBeLessThanOrEqual(250_001);
          }
        }
      }
    }),
    { seed: 17 },
  );
});

test.for([0, 0.5])('at speed %d a command takes what time it needs, and no reply waits', (speed) => {
  const bench = new Bench({ speed });
  for (let i = 0; i < 100; i++) bench.command(100_000, 0);
  expect(bench.machine.nowMs).toBe(0);
  expect(bench.events.nowMicros).toBe(10_000_000);
});

test.for([
  { what: 'idle', speed: 1, stepMs: 0.01, busy: false },
  { what: 'idle', speed: 1, stepMs: 3, busy: false },
  { what: 'idle', speed: 20, stepMs: 0.01, busy: false },
  { what: 'idle', speed: 0.5, stepMs: 3, busy: false },
  { what: 'with a command that waits', speed: 1, stepMs: 0.01, busy: true },
  { what: 'with a command that waits', speed: 20, stepMs: 3, busy: true },
  { what: 'with a command that waits', speed: 0, stepMs: 3, busy: true },
])('$what, the pacer steps as often as something is due, at speed $speed, however long a step takes', (each) => {
  const bench = new Bench({ speed: each.speed });
  const { machine, events, pacer } = bench;
  machine.stepMs = each.stepMs;
  const again = () => events.add(2_000_000, 0, again);
  pacer.input(again);
  if (each.busy) pacer.input(() => pacer.pull(1));
  machine.runUntil(60_000);
  const happened = events.nowMicros / 2_000_000;
  // One for the event, one until nothing more is due; and those of the inputs.
  expect(events.pumps).toBeLessThanOrEqual(2 * happened + 6);
  expect(pacer.isStarved).toBe(each.busy);
});
