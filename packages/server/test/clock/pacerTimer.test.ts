import type { ReplSet } from '@replsim/replset';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pacer } from '../../src/clock/pacer.ts';
import { REAL_TIME } from '../../src/clock/realTime.ts';
import { useGlobalTime } from './globalTime.ts';

// Node's clocks are held still here, so that what the pacer asks of its timer can be seen; the set is nothing but due times.

let due: number[];
let happened: number[];
let pacer: Pacer;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
  useGlobalTime();
  due = [];
  happened = [];
  const set = {
    nowMicros: 0,
    get nextEventMicros() {
      return due[0];
    },
    pump(untilMicros: number) {
      while (due[0] !== undefined && due[0] <= untilMicros) happened.push(due.shift()!);
      set.nowMicros = untilMicros;
      return true;
    },
  };
  pacer = new Pacer(set as unknown as ReplSet, { speed: 1 });
});

afterEach(async () => {
  await pacer.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** From outside: what is due from now on, in order. Unit: s. */
function schedule(...seconds: number[]): void {
  pacer.input(() => {
    due = seconds.map((each) => each * 1e6);
  });
  vi.advanceTimersByTime(1);
}

test('what is due happens by itself', () => {
  schedule(2, 3);
  vi.advanceTimersByTime(1900);
  expect(happened).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(happened).toEqual([2e6]);
  vi.advanceTimersByTime(1000);
  expect(happened).toEqual([2e6, 3e6]);
});

test('what turns out to be due earlier happens earlier', () => {
  schedule(10);
  schedule(2, 10);
  vi.advanceTimersByTime(2100);
  expect(happened).toEqual([2e6]);
});

test('what turns out to be due later happens later, and the timer that goes off in vain is set again', () => {
  schedule(2);
  schedule(10);
  vi.advanceTimersByTime(9900);
  expect(happened).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(happened).toEqual([10e6]);
});

test('many inputs set the timer once, as long as nothing is due before it goes off', () => {
  schedule(10);
  // A spy on the global one would put the fake back when the file has ended.
  const { calls } = vi.mocked(REAL_TIME.setTimeout).mock;
  const before = calls.length;
  expect(before).toBeGreaterThan(0);
  for (let i = 0; i < 100; i++) schedule(10);
  expect(calls).toHaveLength(before);
});

test('at speed 0 nothing happens, and at another speed it goes on', () => {
  schedule(10);
  pacer.speed = 0;
  vi.advanceTimersByTime(60_000);
  expect(happened).toEqual([]);
  pacer.speed = 100;
  vi.advanceTimersByTime(200);
  expect(happened).toEqual([10e6]);
});
