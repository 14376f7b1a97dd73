import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pace } from '../../src/clock/pace.ts';

// The rule alone, on readings of a wall clock that are given to it. Virtual time in µs, the wall clock in ms.

function paceAt(speed: number, maxLeadMs = 250): Pace {
  return new Pace({ speed, maxLeadMs, micros: 0, wallMs: 1000 });
}

test.for([
  { speed: 1, afterMs: 10, due: 10_000, farthest: 260_000 },
  { speed: 10, afterMs: 10, due: 100_000, farthest: 350_000 },
  { speed: 1.5, afterMs: 10, due: 15_000, farthest: 265_000 },
  { speed: 0.5, afterMs: 10, due: 5000, farthest: Number.POSITIVE_INFINITY },
  { speed: 0, afterMs: 10, due: 0, farthest: Number.POSITIVE_INFINITY },
])('at speed $speed it is due by the clock outside, and a command goes ahead of that', (each) => {
  const pace = paceAt(each.speed);
  expect(pace.dueMicros(1000 + each.afterMs)).toBe(each.due);
  expect(pace.farthestMicros(1000 + each.afterMs)).toBe(each.farthest);
});

describe('a lead', () => {
  test.for([
    { speed: 1, due: 10_000, lead: 90_000 },
    { speed: 0.5, due: 102_500, lead: -2500 },
    { speed: 0, due: 100_000, lead: 0 },
  ])('of a command is waited for at speed $speed, unless time is slower than the clock', ({ speed, due, lead }) => {
    const pace = paceAt(speed);
    pace.passed(100_000, 1005);
    expect(pace.dueMicros(1010)).toBe(due);
    expect(pace.leadMicros(100_000, 1010)).toBe(lead);
  });

  test('is how long what is due next has to wait, and a command waits for less', () => {
    expect(paceAt(1).msUntil(300_000, 1010, false)).toBe(290);
    expect(paceAt(1).msUntil(300_000, 1010, true)).toBe(40);
    expect(paceAt(10).msUntil(300_000, 1010, false)).toBe(20);
    expect(paceAt(1).msUntil(5000, 1010, false)).toBe(0);
    expect(paceAt(0).msUntil(5000, 1010, false)).toBe(Number.POSITIVE_INFINITY);
  });
});

test.for([
  { speed: 1, behindMs: 50, heldMs: 0, holds: false },
  { speed: 1, behindMs: 51, heldMs: 0, holds: true },
  { speed: 1, behindMs: 5000, heldMs: 99, holds: true },
  { speed: 1, behindMs: 5000, heldMs: 100, holds: false }, // the machine cannot do better
  { speed: 10, behindMs: 51, heldMs: 9, holds: true },
  { speed: 10, behindMs: 51, heldMs: 10, holds: false },
  { speed: 10_000, behindMs: 51, heldMs: 9, holds: true },
  { speed: 10_000, behindMs: 51, heldMs: 10, holds: false },
  { speed: 0, behindMs: 5000, heldMs: 0, holds: false },
])('$behindMs ms behind at speed $speed, after $heldMs ms: holds is $holds', ({ speed, behindMs, heldMs, holds }) => {
  expect(paceAt(speed).holds(0, 1000 + behindMs, heldMs)).toBe(holds);
});

test('a jump is kept on top, and the lead before it is still waited for', () => {
  const pace = paceAt(1);
  // 100 ms ahead, then a minute more, which took 30 ms.
  pace.jumpedBy(60_000_000);
  pace.reached(60_110_000, 100_000, 1040);
  expect(pace.leadMicros(60_110_000, 1040)).toBe(70_000);
  expect(pace.dueMicros(2000)).toBe(61_000_000);
});

test('what was waited for moves the clock, too, and time that was to pass anyway does not', () => {
  const pace = paceAt(1);
  pace.reached(5_000_000, 0, 1010);
  expect(pace.dueMicros(1020)).toBe(5_010_000);
  pace.reached(5_001_000, 0, 1020);
  expect(pace.dueMicros(1020)).toBe(5_010_000);
});

test.for([
  { from: 1, to: 0, due: 100_000 },
  { from: 1, to: 10, due: 200_000 },
  { from: 0, to: 1, due: 310_000 },
  { from: 0.5, to: 1, due: 310_000 },
])('another speed goes on where time is: from $from to $to', ({ from, to, due }) => {
  const pace = paceAt(from);
  // A command has carried it to 300 ms.
  pace.changeSpeed(to, 300_000, 1100);
  expect(pace.dueMicros(1110)).toBe(due);
});

test.for([
  // Half an hour is due, of which the machine has managed a minute: so much, and what it may be behind, is what the next speed goes on from.
  { from: 1800, to: 1, reached: 60_000_000, due: 150_010_000 },
  { from: 1800, to: 0, reached: 60_000_000, due: 150_000_000 },
  { from: 1800, to: 1, reached: 1_799_000_000, due: 1_800_010_000 },
  // What it is behind the wall clock it does make up for.
  { from: 1, to: 10, reached: 100_000, due: 1_100_000 },
])('a speed that the machine did not keep up with is forgotten: from $from to $to', ({ from, to, reached, due }) => {
  const pace = paceAt(from);
  pace.changeSpeed(to, reached, 2000);
  expect(pace.dueMicros(2010)).toBe(due);
});

/** What may happen to a set: real time goes by, idle or busy, and a command or a jump takes virtual time. */
const anything = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('idle' as const), ms: fc.integer({ min: 0, max: 2000 }) }),
    fc.record({
      type: fc.constant('command' as const),
      micros: fc.nat(2_000_000),
      ms: fc.integer({ min: 0, max: 20 }),
    }),
    fc.record({ type: fc.constant('jump' as const), micros: fc.nat(1e9), ms: fc.integer({ min: 0, max: 200 }) }),
  ),
  { maxLength: 60 },
);

test('whatever happens, virtual time is what the wall clock shows and the jumps, and a bounded lead', () => {
  fc.assert(
    fc.property(anything, fc.constantFrom(1, 2, 60), fc.nat(500), (all, speed, maxLeadMs) => {
      const pace = paceAt(speed, maxLeadMs);
      let wallMs = 1000;
      let now = 0;
      let jumps = 0;
      for (const each of all) {
        now = Math.max(now, pace.dueMicros(wallMs));
        const lead = pace.leadMicros(now, wallMs);
        wallMs += each.ms;
        if (each.type === 'jump') {
          now += each.micros;
          jumps += each.micros;
          pace.jumpedBy(each.micros);
          pace.reached(now, lead, wallMs);
        } else if (each.type === 'command') {
          // Its reply waits until the clock outside lets it go on.
          const until = now + each.micros;
          wallMs += pace.msUntil(until, wallMs, true);
          now = until;
          pace.passed(now, wallMs);
        }
        now = Math.max(now, pace.dueMicros(wallMs));
        const offset = now - (wallMs - 1000) * 1000 * speed - jumps;
        expect(offset).toBeGreaterThanOrEqual(-1);
        expect(offset).toBeLessThanOrEqual(maxLeadMs * 1000 + 1);
      }
    }),
    { seed: 17 },
  );
});

test.for([
  { to: 0, reachedMicros: 40_000_000, heldMs: 4999, holds: true },
  { to: 0, reachedMicros: 40_000_000, heldMs: 5000, holds: false },
  { to: 0, reachedMicros: 50_000_000, heldMs: 0, holds: false },
  { to: 0.5, reachedMicros: 49_000_000, heldMs: 0, holds: true },
  { to: 10_000, reachedMicros: 49_000_000, heldMs: 100, holds: true },
])('behind where time was said to be before speed $to, at $reachedMicros µs after $heldMs ms: $holds', (each) => {
  const pace = new Pace({ speed: 1000, maxLeadMs: 250, micros: 0, wallMs: 0 });
  // 50 ms of a wall clock that goes a thousand times as fast is what is shown before it has happened.
  pace.changeSpeed(each.to, 0, 2000);
  expect(pace.dueMicros(2000)).toBe(50_000_000);
  expect(pace.holds(each.reachedMicros, 2000, each.heldMs)).toBe(each.holds);
});
