import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distributionOf, medianInterval, signTest } from '../../src/index.ts';

const samples = fc
  .array(fc.record({ seed: fc.nat(1000), value: fc.integer({ min: 0, max: 50 }) }), { minLength: 1, maxLength: 60 })
  .map((all) => [...new Map(all.map((each) => [each.seed, each])).values()]);

test('each percentile is a run that there is, in order, whatever the order of the runs', () => {
  fc.assert(
    fc.property(samples, fc.integer(), (all, salt) => {
      const found = distributionOf(all)!;
      const { min, median, p95, p99, max } = found;
      for (const each of [min, median, p95, p99, max]) expect(all).toContainEqual(each);
      const values = [min, median, p95, p99, max].map(({ value }) => value);
      expect(values).toEqual([...values].sort((a, b) => a - b));
      expect(min.value).toBe(Math.min(...all.map(({ value }) => value)));
      expect(max).toEqual(all.filter(({ value }) => value === max.value).sort((a, b) => a.seed - b.seed)[0]);
      const shuffled = [...all].sort((a, b) => ((a.seed * 7919 + salt) % 97) - ((b.seed * 7919 + salt) % 97));
      expect(distributionOf(shuffled)).toEqual(found);
      const { low = median.value, high = median.value } = found.medianWithin ?? {};
      expect(low <= median.value && median.value <= high).toBe(true);
    }),
  );
  expect(distributionOf([])).toBeUndefined();
});

test('the nearest rank: at least this share is no greater', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => ({ seed: i + 1, value: i + 1 }));
  expect(distributionOf(hundred)).toMatchObject({
    ...{ runs: 100, min: { value: 1 }, median: { value: 50, seed: 50 }, p95: { value: 95 }, p99: { value: 99 } },
    ...{ max: { value: 100, seed: 100 }, total: 5050 },
  });
});

// Tables of the sign test and of order statistics have these.
test.for<[count: number, low: number, high: number, confidence: number]>([
  [6, 1, 6, 0.96875],
  [10, 2, 9, 0.978515625],
  [20, 6, 15, 0.9586105346679688],
  [100, 40, 61, 0.9647997997822952],
])('the median of %i values lies between the ranks %i and %i', ([count, low, high, confidence]) => {
  const within = medianInterval(Array.from({ length: count }, (_, i) => i + 1))!;
  expect(within).toMatchObject({ low, high });
  expect(within.confidence).toBeCloseTo(confidence, 10);
});

test('of five values nothing can be said with 95 %', () => {
  expect(medianInterval([1, 2, 3, 4, 5])).toBeUndefined();
});

test.for<[more: number, less: number, chance: number]>([
  [0, 0, 1],
  [5, 5, 1],
  [8, 0, 2 / 256],
  [9, 1, 22 / 1024],
  [1, 9, 22 / 1024],
  [1000, 0, 0],
])('%i more and %i less: chance shows as much with %d', ([more, less, chance]) => {
  expect(signTest(more, less)).toBeCloseTo(chance, 12);
});
