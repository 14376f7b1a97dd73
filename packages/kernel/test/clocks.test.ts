import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WallClock } from '../src/clocks.ts';

const EPOCH_MS = Date.UTC(2025, 0, 1);
const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
const YEAR = 365 * DAY;

test.for([
  { name: 'right', options: {}, now: 1_999, shows: 1 },
  { name: 'ahead', options: { offsetMs: 250 }, now: 0, shows: 250 },
  { name: 'behind', options: { offsetMs: -250 }, now: 10 * SECOND, shows: 9_750 },
  { name: 'fast, before it has gained a millisecond', options: { driftPpm: 200 }, now: 4_998_999, shows: 4_999 },
  { name: 'fast', options: { driftPpm: 200 }, now: DAY, shows: 86_400_000 + 17_280 },
  { name: 'slow', options: { driftPpm: -200 }, now: DAY, shows: 86_400_000 - 17_280 },
  { name: 'stopped', options: { driftPpm: -1_000_000 }, now: DAY, shows: 0 },
  { name: 'at twice its pace', options: { driftPpm: 1_000_000 }, now: DAY, shows: 2 * 86_400_000 },
  { name: 'fast for fifty years', options: { driftPpm: 1 }, now: 50 * YEAR, shows: 50 * YEAR * 1e-3 + 50 * 31_536 },
])('a clock that is $name', ({ options, now, shows }) => {
  expect(new WallClock({ epochMs: EPOCH_MS, ...options }).wallMs(now)).toBe(EPOCH_MS + shows);
});

test.for([
  { name: 'right', options: {}, wallMs: 5_000, at: 5 * SECOND },
  { name: 'right, and there already', options: { offsetMs: 9_000 }, wallMs: 5_000, at: 0 },
  { name: 'behind', options: { offsetMs: -250 }, wallMs: 5_000, at: 5_250_000 },
  { name: 'fast', options: { driftPpm: 200 }, wallMs: 5_001, at: 5_000_000 },
  { name: 'slow, and there between two microseconds', options: { driftPpm: -400_000 }, wallMs: 1, at: 1_667 },
  { name: 'stopped', options: { driftPpm: -1_000_000 }, wallMs: 1, at: undefined },
  { name: 'slow for fifty years', options: { driftPpm: -500_000 }, wallMs: 25 * YEAR * 1e-3, at: 50 * YEAR },
])('a clock that is $name gets there', ({ options, wallMs, at }) => {
  const clock = new WallClock({ epochMs: EPOCH_MS, ...options });
  expect(clock.microsAt(0, EPOCH_MS + wallMs)).toBe(at);
});

test('the first instant at which it shows a time is the first: a microsecond before, it does not', () => {
  const options = fc.record({ epochMs: fc.nat(1e12), driftPpm: fc.integer({ min: -999_999, max: 1_000_000 }) });
  fc.assert(
    fc.property(
      options,
      fc.nat(1e9),
      fc.nat(1e7),
      fc.integer({ min: -5_000, max: 5_000 }),
      (options, now, ms, jump) => {
        const clock = new WallClock(options);
        clock.jump(now, jump);
        const wallMs = clock.wallMs(now) + 1 + ms;
        const at = clock.microsAt(now, wallMs)!;
        expect(clock.wallMs(at)).toBeGreaterThanOrEqual(wallMs);
        expect(clock.wallMs(at - 1)).toBeLessThan(wallMs);
      },
    ),
    { seed: 1 },
  );
});

test('a jump moves it at once, and its drift goes on', () => {
  const clock = new WallClock({ epochMs: 0, driftPpm: 1_000 });
  clock.jump(10 * SECOND, -5_000);
  expect(clock.wallMs(10 * SECOND)).toBe(10_010 - 5_000);
  clock.jump(20 * SECOND, 5_000);
  expect(clock.wallMs(30 * SECOND)).toBe(30_030);
});

test('a new drift changes the pace, not the time shown', () => {
  const clock = new WallClock({ epochMs: 0, driftPpm: 500_000 });
  clock.setDrift(10 * SECOND, 0);
  expect([10, 11].map((second) => clock.wallMs(second * SECOND))).toEqual([15_000, 16_000]);
});

test('a year of changes every second, each leaving a fraction of a microsecond, loses nothing', () => {
  const clock = new WallClock({ epochMs: 0, driftPpm: 1 });
  for (let now = 333_333; now < 100_000 * SECOND; now += SECOND) clock.setDrift(now, 1);
  expect(clock.wallMs(YEAR - 1)).toBe(31_536_000_000 + 31_535);
  expect(clock.wallMs(YEAR)).toBe(31_536_000_000 + 31_536);
});

test('the ends of what a Date can hold are as exact as the rest', () => {
  for (const epochMs of [-8.64e15, 8.64e15]) {
    const clock = new WallClock({ epochMs, driftPpm: 200 });
    clock.setDrift(5 * SECOND - 1, 0); // 0.9998 µs short of 5.001 s
    expect([0, 1].map((more) => clock.wallMs(5 * SECOND - 1 + more))).toEqual([epochMs + 5_000, epochMs + 5_000]);
    expect(clock.wallMs(5 * SECOND + 1)).toBe(epochMs + 5_001);
  }
});

test.for([0.5, Number.NaN, 1_000_001, -1_000_001])('%s is not a drift', (ppm) => {
  const clock = new WallClock({ epochMs: 0 });
  expect(() => clock.setDrift(0, ppm)).toThrow(RangeError);
  expect(() => new WallClock({ epochMs: 0, driftPpm: ppm })).toThrow(RangeError);
});

test('milliseconds are whole', () => {
  const clock = new WallClock({ epochMs: 0 });
  expect(() => clock.jump(0, 1.5)).toThrow(RangeError);
  expect(() => new WallClock({ epochMs: 0.5 })).toThrow(RangeError);
  expect(() => new WallClock({ epochMs: 0, offsetMs: 0.5 })).toThrow(RangeError);
});

test('whatever happens to it, it shows what exact arithmetic says', () => {
  const anyChange = fc.record({
    afterMicros: fc.oneof(
      fc.nat(5 * SECOND),
      fc.nat(2 ** 31 - 1).map((n) => n * 1_000 + 7),
    ),
    change: fc.oneof(
      fc.record({ driftPpm: fc.integer({ min: -1_000_000, max: 1_000_000 }) }),
      fc.record({ jumpMs: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }) }),
    ),
  });
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 100 }), fc.nat(10 * SECOND), (changes, afterMicros) => {
      const clock = new WallClock({ epochMs: EPOCH_MS });
      let now = 0;
      let picos = BigInt(EPOCH_MS) * 1_000_000_000n;
      let rate = 1_000_000n;
      const pass = (micros: number): void => {
        now += micros;
        picos += BigInt(micros) * rate;
        expect(clock.wallMs(now)).toBe(Number((picos - (picos % 1_000_000_000n)) / 1_000_000_000n));
      };
      for (const { afterMicros, change } of changes) {
        pass(afterMicros);
        if ('jumpMs' in change) {
          clock.jump(now, change.jumpMs);
          picos += BigInt(change.jumpMs) * 1_000_000_000n;
        } else {
          clock.setDrift(now, change.driftPpm);
          rate = 1_000_000n + BigInt(change.driftPpm);
        }
        pass(0);
      }
      pass(afterMicros);
    }),
    { seed: 3 },
  );
});
