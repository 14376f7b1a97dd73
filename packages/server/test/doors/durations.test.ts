import { expect, test } from 'vitest';
import { durationMicros } from '../../src/index.ts';

test.for<[given: unknown, micros: number]>([
  ['61s', 61_000_000],
  ['1h30m', 5_400_000_000],
  [1500, 1_500_000],
  [0.25, 250],
])('%j', ([given, micros]) => {
  expect(durationMicros('advance', given)).toBe(micros);
});

test.for<[given: unknown, shown: string]>([
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [61_000n, '61000n'],
  [undefined, 'undefined'],
  [null, 'null'],
  [{ ms: 5n }, '{ ms: 5n }'],
  ['-1s', '"-1s"'],
  ['soon', '"soon"'],
  ['10 s', '"10 s"; did you mean "10s"?'],
  ['60000', '"60000"; did you mean "60000ms" or "60000s"?'],
  ['1.50', '"1.50"; did you mean "1.50ms" or "1.50s"?'],
])('%s is none', ([given, shown]) => {
  const message = 'advance must be a duration such as "61s" or "1h30m", or a number of milliseconds, not';
  expect(() => durationMicros('advance', given)).toThrow(
    expect.objectContaining({ codeName: 'BadValue', message: `${message} ${shown}` }),
  );
});
