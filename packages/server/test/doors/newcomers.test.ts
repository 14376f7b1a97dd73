import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Newcomers } from '../../src/doors/newcomers.ts';
import { useGlobalTime } from '../clock/globalTime.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  useGlobalTime();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const LONGEST_MS = 1000;
const [one, other] = [{}, {}];

test('who has asked once is waited for until it asks again', async () => {
  const newcomers = new Newcomers();
  expect(newcomers.none()).toBeUndefined();
  newcomers.arrived(one);
  newcomers.arrived(other);
  const waited = newcomers.none();
  newcomers.settled(one);
  newcomers.settled(one);
  expect(newcomers.none()).toBeDefined();
  newcomers.settled(other);
  await waited;
  expect(newcomers.none()).toBeUndefined();
});

test('or for a second', async () => {
  const newcomers = new Newcomers();
  newcomers.arrived(one);
  vi.advanceTimersByTime(LONGEST_MS / 2);
  newcomers.arrived(other);
  const waited = newcomers.none();
  vi.advanceTimersByTime(LONGEST_MS - 1);
  expect(newcomers.none()).toBeDefined();
  vi.advanceTimersByTime(1);
  await waited;
});

test('whoever else connects meanwhile makes nobody wait for longer', async () => {
  const newcomers = new Newcomers();
  newcomers.arrived(one);
  let over = false;
  void newcomers.none()!.then(() => {
    over = true;
  });
  vi.advanceTimersByTime(LONGEST_MS - 1);
  newcomers.arrived(other);
  vi.advanceTimersByTime(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(true);
  expect(newcomers.none()).toBeDefined();
});

test('a process that was held up gives its own driver a turn first', async () => {
  vi.useRealTimers();
  const newcomers = new Newcomers();
  const happened: string[] = [];
  const ask = () => {
    happened.push('asks again');
    newcomers.settled(one);
  };
  newcomers.arrived(one);
  // As a driver's monitor does after half a second; its request is read a turn or two later.
  setTimeout(() => setImmediate(() => setImmediate(ask)), LONGEST_MS / 2);
  const none = newcomers.none()?.then(() => happened.push('is waited for no longer'));
  for (const end = Date.now() + 1.5 * LONGEST_MS; Date.now() < end; );
  await none;
  expect(happened).toEqual(['asks again', 'is waited for no longer']);
});
