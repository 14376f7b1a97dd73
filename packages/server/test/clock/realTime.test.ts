import { afterEach, expect, test, vi } from 'vitest';
import { wallClockOf } from '../../src/clock/realTime.ts';

/** Of a process that began long before the computer slept: what it counts stood still meanwhile. */
const countedMs = () => 1005.5;

afterEach(() => void vi.useRealTimers());

test('after a sleep the wall clock is what Date says, and goes on to be when a test fakes it', () => {
  const before = Date.now();
  const wallClockMs = wallClockOf(Date, countedMs);
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  expect(wallClockMs()).toBeGreaterThanOrEqual(before);
  vi.useRealTimers();
  expect(wallClockMs()).toBeLessThanOrEqual(Date.now());
});

test.for<[name: string, fake: () => unknown]>([
  ['faked timers', () => vi.useFakeTimers({ now: 7, toFake: ['Date'] })],
  ['a system time', () => vi.setSystemTime(7)],
])('a Date that is faked already is no wall clock: %s', ([, fake]) => {
  fake();
  expect(wallClockOf(Date, countedMs)()).toBe(1005);
});
