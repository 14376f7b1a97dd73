import type { ReplSet } from '@replsim/replset';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pacer } from '../../src/clock/pacer.ts';
import { useGlobalTime } from './globalTime.ts';

// A set whose every event takes 5 ms of real time, as the insertion of many documents may, and that is behind the wall clock.

let nowMs: number;
let log: string[];
let pacer: Pacer;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] });
  useGlobalTime();
  nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  log = [];
  // Two events at each instant.
  const due = Array.from({ length: 100 }, (_, i) => Math.floor(i / 2) * 1000);
  const set = {
    nowMicros: 0,
    get nextEventMicros() {
      return due[0];
    },
    pump(untilMicros: number, enough: () => boolean) {
      while (!enough()) {
        if (due[0] === undefined || due[0] > untilMicros) {
          set.nowMicros = untilMicros;
          return true;
        }
        set.nowMicros = due.shift()!;
        nowMs += 5;
        log.push(`event ${set.nowMicros}`);
      }
      return false;
    },
  };
  pacer = new Pacer(set as unknown as ReplSet, { speed: 1 });
});

afterEach(async () => {
  await pacer.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The turns of the event loop until nothing is left to do: what happened in each. */
function turns(): string[][] {
  const all: string[][] = [];
  while (vi.getTimerCount() > 0 && all.length < 200) {
    const before = log.length;
    vi.advanceTimersToNextTimer();
    all.push(log.slice(before));
  }
  return all;
}

test('between two turns of the event loop no more happens than sockets may wait for', () => {
  void pacer.advance(50_000);
  const all = turns();
  expect(log).toHaveLength(100);
  expect(Math.max(...all.map(({ length }) => length))).toBeLessThanOrEqual(4);
});

test('what comes in meanwhile does not wait until the set has caught up, and comes between two instants', () => {
  nowMs = 20;
  pacer.input(() => log.push('input'));
  turns();
  const at = log.indexOf('input');
  expect(at).toBeGreaterThan(0);
  expect(at).toBeLessThanOrEqual(4);
  expect(log[at - 1]).not.toBe(log[at + 1]);
  expect(log.filter((each) => each !== 'input')).toEqual(log.filter((each) => each !== 'input').toSorted(byInstant));
  expect(log).toHaveLength(101);
});

const byInstant = (a: string, b: string): number => Number(a.slice(6)) - Number(b.slice(6));
