import { expect, test } from 'vitest';
import { HeartbeatSeries } from '../../src/topology/heartbeatSeries.ts';

// Upstream: PingStats and its use in prepareHeartbeatRequestV1. Times in µs, a timeout of 10 s.

const TIMEOUT = 10_000_000;

test('attempts of one series share its time', () => {
  const series = new HeartbeatSeries();
  expect(series.begin(1_000_000, TIMEOUT)).toBe(TIMEOUT);
  series.miss();
  expect(series.retries(4_000_000, TIMEOUT)).toBe(true);
  expect(series.begin(4_000_000, TIMEOUT)).toBe(7_000_000);
});

test('two retries, then it has failed, and the next attempt begins a series', () => {
  const series = new HeartbeatSeries();
  for (const misses of [1, 2, 3]) {
    series.begin(0, TIMEOUT);
    series.miss();
    expect(series.retries(0, TIMEOUT)).toBe(misses < 3);
    expect(series.failed).toBe(misses === 3);
  }
  expect(series.begin(2_000_000, TIMEOUT)).toBe(TIMEOUT);
  expect(series.failed).toBe(false);
});

test('silence for the whole time ends it after one attempt', () => {
  const series = new HeartbeatSeries();
  series.begin(0, TIMEOUT);
  series.miss();
  expect([series.failed, series.isOver(TIMEOUT, TIMEOUT), series.retries(TIMEOUT, TIMEOUT)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(series.begin(TIMEOUT, TIMEOUT)).toBe(TIMEOUT);
});

test('a success ends it; the next attempt has all the time', () => {
  const series = new HeartbeatSeries();
  series.begin(0, TIMEOUT);
  series.hit(10);
  expect(series.retries(1, TIMEOUT)).toBe(false);
  expect(series.begin(2_000_000, TIMEOUT)).toBe(TIMEOUT);
});

test('the ping is an average in which the last round trip weighs a fifth', () => {
  const series = new HeartbeatSeries();
  const averages = [10, 20, 0].map((roundTripMs) => {
    series.hit(roundTripMs);
    return series.pingMs;
  });
  expect(averages).toEqual([10, 12, 9.6]);
});
