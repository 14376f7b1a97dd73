import { compareTimestamps, type Timestamp } from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxTimestamp, reservedOpTime, reserveTimestamps } from '../src/index.ts';

const ts = (t: number, i: number): Timestamp => ({ t, i });

test.for<[what: string, clusterTime: Timestamp, wallMs: number, count: number, first: Timestamp, last: Timestamp]>([
  ['nothing seen yet', ts(0, 0), 100_000, 1, ts(100, 1), ts(100, 1)],
  ['a new second starts at 1', ts(99, 7), 100_000, 1, ts(100, 1), ts(100, 1)],
  ['milliseconds are cut off', ts(99, 7), 100_999, 1, ts(100, 1), ts(100, 1)],
  ['the same second goes on', ts(100, 7), 100_999, 1, ts(100, 8), ts(100, 8)],
  ['a clock behind does not move ts back', ts(200, 7), 100_000, 1, ts(200, 8), ts(200, 8)],
  ['cluster time at the very second, without increment', ts(100, 0), 100_000, 1, ts(100, 1), ts(100, 1)],
  ['several, in a new second', ts(99, 7), 100_000, 10, ts(100, 1), ts(100, 10)],
  ['several, in the same second', ts(100, 7), 100_000, 3, ts(100, 8), ts(100, 10)],
])('%s', ([, clusterTime, wallMs, count, first, last]) => {
  expect(reserveTimestamps(clusterTime, wallMs, count)).toEqual({ first, clusterTime: last });
});

test('the n-th of a reservation', () => {
  expect(reservedOpTime(ts(100, 8), 0, 3)).toEqual({ ts: ts(100, 8), t: 3 });
  expect(reservedOpTime(ts(100, 8), 2, 3)).toEqual({ ts: ts(100, 10), t: 3 });
});

test('the later of two cluster times', () => {
  expect(maxTimestamp(ts(1, 9), ts(2, 1))).toEqual(ts(2, 1));
  expect(maxTimestamp(ts(2, 2), ts(2, 1))).toEqual(ts(2, 2));
});

test('whatever the clocks do and whatever is gossiped, timestamps increase strictly and stay below the cluster time', () => {
  const anyStep = fc.record({
    wallMs: fc.integer({ min: 0, max: 20_000 }),
    count: fc.integer({ min: 1, max: 5 }),
    gossip: fc.record({ t: fc.nat(20), i: fc.nat(5) }),
  });
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
      let clusterTime = ts(0, 0);
      let last = ts(0, 0);
      for (const { wallMs, count, gossip } of steps) {
        clusterTime = maxTimestamp(clusterTime, gossip);
        const reserved = reserveTimestamps(clusterTime, wallMs, count);
        // After everything ever seen, not only after its own.
        expect(compareTimestamps(reserved.first, clusterTime)).toBeGreaterThan(0);
        for (let n = 0; n < count; n++) {
          const next = reservedOpTime(reserved.first, n, 1).ts;
          expect(compareTimestamps(next, last)).toBeGreaterThan(0);
          expect(next.i).toBeGreaterThan(0);
          last = next;
        }
        expect(reserved.clusterTime).toEqual(last);
        clusterTime = reserved.clusterTime;
      }
    }),
    { seed: 1 },
  );
});
