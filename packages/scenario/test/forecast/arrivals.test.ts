import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arrivals } from '../../src/forecast/arrivals.ts';
import { DAY_MICROS, documentsIn, rateAt } from '../../src/forecast/forecast.ts';
import { ReplicationLag } from '../../src/forecast/replicationLag.ts';
import { scaledSet } from '../../src/forecast/scale.ts';
import { parseForecast } from '../../src/index.ts';

const HOUR = 3_600_000_000;
const S = 1_000_000;
const steady = (perSecond: number) => ({ rate: [{ atMicros: 0, perSecond }], startMicros: 0 });
const curve = {
  rate: [
    { atMicros: 6 * HOUR, perSecond: 0 },
    { atMicros: 12 * HOUR, perSecond: 600 },
    { atMicros: 18 * HOUR, perSecond: 0 },
  ],
  startMicros: 6 * HOUR,
};

test.for([
  [0, 0],
  [HOUR, 100],
  [6 * HOUR, 600],
  [9 * HOUR, 300],
  [15 * HOUR, 0],
  [24 * HOUR + HOUR, 100],
  [-HOUR, 0],
  [-17 * HOUR, 500],
] as const)('a curve from six to six, %i µs after six: %i a second', ([after, perSecond]) => {
  expect(rateAt(curve, after)).toBeCloseTo(perSecond, 6);
});

test('a curve goes on over midnight', () => {
  const night = {
    rate: [
      { atMicros: 2 * HOUR, perSecond: 0 },
      { atMicros: 22 * HOUR, perSecond: 40 },
    ],
    startMicros: 0,
  };
  expect([0, HOUR, 2 * HOUR, 23 * HOUR].map((at) => rateAt(night, at))).toEqual([20, 10, 0, 30]);
});

test('documents come evenly', () => {
  expect(new Arrivals(steady(2), 1).between(0, 2 * S)).toEqual([250_000, 750_000, 1_250_000, 1_750_000]);
  expect(new Arrivals(steady(2), 4).between(0, 4 * S)).toEqual([1 * S, 3 * S]);
  expect(new Arrivals(steady(0), 1).between(0, HOUR)).toEqual([]);
  expect(documentsIn(curve, 0, DAY_MICROS)).toBeCloseTo(300 * 12 * 3600, -3);
});

test('however the time is cut, as many come as the rate says, in order and in their time', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: HOUR }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(cuts, fc.integer({ min: 500, max: 5000 }), (lengths, factor) => {
      const arrivals = new Arrivals(curve, factor);
      const all: number[] = [];
      let from = 0;
      for (const length of lengths) {
        const some = arrivals.between(from, from + length);
        for (const instant of some) expect(instant >= from && instant <= from + length).toBe(true);
        all.push(...some);
        from += length;
      }
      expect(all).toEqual([...all].sort((a, b) => a - b));
      expect(Math.abs(all.length - documentsIn(curve, 0, from) / factor)).toBeLessThanOrEqual(2);
    }),
    { numRuns: 30 },
  );
});

const some = (text: string) => parseForecast(`name: A\ninsert: 1\nexpireAfterSeconds: 60\n${text}`, 'a.yaml');

test('a document that stands for many costs as much as they, and so does a transaction', () => {
  const { batchMs, costs, parameters } = scaledSet(some('costs: { deleteMicros: 30 }\nparameters: { ttlMonitorSleepSecs: 5 }'), 10); // biome-ignore format: one line
  expect(costs).toMatchObject({ deleteMicros: 300, insertMicros: 200, commitMicros: 1000, commandMicros: 50, journalFlushMicros: 2000 }); // biome-ignore format: one line
  expect(parameters).toEqual({ ttlMonitorSleepSecs: 5, batchedDeletesTargetBatchDocs: 10, batchedDeletesTargetBatchTimeMS: 50, ttlIndexDeleteTargetDocs: 5000 }); // biome-ignore format: one line
  expect(batchMs).toBeCloseTo((10 * 10 * (30 + 2 * 2 + 1) + 1000) / 1000, 6);
});

test('a batch that would take too long is cut, and its transactions with it', () => {
  const { batchMs, costs, parameters } = scaledSet(some(''), 10_000);
  expect(parameters).toMatchObject({ batchedDeletesTargetBatchDocs: 2, ttlIndexDeleteTargetDocs: 5 });
  expect(costs.commitMicros).toBe((100 * 10_000 * 2) / 10);
  expect(batchMs).toBeLessThanOrEqual(1000);
});

test('limits that are none stay so; where nothing is batched, none is set', () => {
  expect(scaledSet(some('parameters: { ttlIndexDeleteTargetDocs: 0 }'), 10).parameters).toMatchObject({ ttlIndexDeleteTargetDocs: 0 }); // biome-ignore format: one line
  expect(scaledSet(some('version: "3.2"'), 10)).toMatchObject({ parameters: {}, costs: { commitMicros: 1000 } });
  expect(scaledSet(some('parameters: { ttlMonitorBatchDeletes: false }'), 10)).toMatchObject({ parameters: { ttlMonitorBatchDeletes: false }, costs: { commitMicros: 1000 } }); // biome-ignore format: one line
  expect(scaledSet(some('parameters: { ttlMonitorSleepSecs: 5 }'), 1)).toMatchObject({ parameters: { ttlMonitorSleepSecs: 5 }, costs: { commitMicros: 100 } }); // biome-ignore format: one line
});

test('lag is the age of the oldest entry that somebody lacks', () => {
  const lag = new ReplicationLag(['n1', 'n2']);
  const opTime = (i: number) => ({ ts: { t: 1, i }, t: 1 });
  const written = (atMicros: number, i: number) => {
    const entries = [{ opTime: opTime(i) }] as never;
    lag.observe({ atMicros, member: 'n1', type: 'oplogWritten', entries, origin: 'self', acceptsWrites: true });
  };
  const applied = (atMicros: number, member: string, i: number) =>
    lag.observe({ atMicros, member, type: 'applied', opTime: opTime(i), entries: 1, dataHash: [0, 0] });
  expect(lag.at(5)).toBe(0);
  for (let i = 1; i <= 3000; i++) {
    written(i, i);
    applied(i, 'n1', i);
  }
  expect(lag.at(4000)).toBe(3999);
  applied(4000, 'n2', 2500);
  expect(lag.at(4000)).toBe(4000 - 2501);
  applied(4100, 'n2', 3000);
  expect(lag.at(4200)).toBe(0);
  written(4300, 3001);
  expect(lag.at(4310)).toBe(10);
});
