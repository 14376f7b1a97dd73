import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  // A process that began long before the computer slept: what it counts stood still meanwhile.
  vi.doMock('node:perf_hooks', () => ({ performance: { timeOrigin: 1000, now: () => 5.5 } }));
});

afterEach(() => {
  vi.doUnmock('node:perf_hooks');
  vi.useRealTimers();
});

test('after a sleep the wall clock is what Date says, and goes on to be when a test fakes it', async () => {
  const before = Date.now();
  const { wallClockMs } = await import('../src/realTime.ts');
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  expect(wallClockMs()).toBeGreaterThanOrEqual(before);
  vi.useRealTimers();
  expect(wallClockMs()).toBeLessThanOrEqual(Date.now());
});

test.for<[name: string, fake: () => unknown]>([
  ['faked timers', () => vi.useFakeTimers({ now: 7, toFake: ['Date'] })],
  ['a system time', () => vi.setSystemTime(7)],
])('a Date that is faked already is no wall clock: %s', async ([, fake]) => {
  fake();
  const { wallClockMs } = await import('../src/realTime.ts');
  expect(wallClockMs()).toBe(1005);
});
