import type { comparisonsOf, Difference } from '@replsim/explore';
import { expect, test } from 'vitest';
import { comparisonLines } from '../../src/measuring/measuredText.ts';

// How a difference between two arms is told.

type Comparison = ReturnType<typeof comparisonsOf>[number];

function told(was: readonly [median: number, total: number], now: readonly [median: number, total: number]): string {
  const distribution = ([value, total]: readonly [number, number]) => ({
    ...{ runs: 8, median: { value, seed: 1 }, max: { value, seed: 1 }, total },
  });
  const figure = { label: 'fault to new primary', unit: 'ms' };
  const difference = { figure, one: distribution(was), other: distribution(now), more: 0, less: 8, same: 0 };
  const differences = [{ ...difference, verdict: 'less' } as unknown as Difference];
  return comparisonLines({ one: 'as written', other: '2 s', differences } as Comparison)[1]!;
}

test.for<[string, readonly [number, number], readonly [number, number], string]>([
  ['by its median', [9850, 1], [1620, 1], 'median 1.62s instead of 9.85s (less in 8 of 8 runs)'],
  ['by its average where the medians are equal', [0, 8000], [0, 800], 'average 100ms instead of 1.00s'],
])('a difference %s', ([, was, now, text]) => {
  expect(told(was, now)).toContain(`fault to new primary: ${text}`);
});

test('what is smaller than what is shown is no difference that anybody could see', () => {
  expect(told([9690.1, 1], [9690, 1])).toBe('  nothing differs by as much as is shown');
  expect(told([9690, 9690.1], [9690, 9690])).toBe('  nothing differs by as much as is shown');
});
