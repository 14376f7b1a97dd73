import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationText, formatDuration, formatInstant, likelyDuration, parseDuration } from '../src/duration.ts';

test.for([
  ['250ms', 250_000],
  ['61s', 61_000_000],
  ['60.001s', 60_001_000],
  ['2m', 120_000_000],
  ['1h30m', 5_400_000_000],
  ['-90s', -90_000_000],
  ['0s', 0],
  ['-0s', 0],
  ['1d', 86_400_000_000],
  ['0.5ms', 500],
  ['3us', 3],
  ['1.1s', 1_100_000],
  ['16777216.000001s', 16_777_216_000_001],
] as const)('%s is %d µs', ([text, micros]) => {
  expect(parseDuration(text)).toBe(micros);
});

test.for([
  '',
  '60',
  's',
  '1 s',
  '1.s',
  '.5s',
  '1S',
  '--1s',
  '1s-2s',
  '1min',
  'soon',
  '0.0001ms',
  '1e3s',
  '9007199254740993us',
])('"%s" is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('what is formatted reads back as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 46), max: 2 ** 46 }), (micros) => {
      expect(parseDuration(formatDuration(micros))).toBe(micros === 0 ? 0 : micros);
    }),
  );
});

test('durations are said in the largest units', () => {
  expect(
    [0, 1, 1000, 250_000, 1_000_000, 60_001_000, 90_000_000, 3_600_000_000, 5_400_000_000, -90_000_000].map(
      formatDuration,
    ),
  ).toEqual(['0s', '1us', '1ms', '250ms', '1s', '1m0.001s', '1m30s', '1h', '1h30m', '-1m30s']);
});

test('people read hours with their parts apart', () => {
  expect([3_643_700_000, 7_500_000_000, 3_600_000_000, -5_400_000_000, 90_500_000].map(durationText)).toEqual([
    '1h 43.7s',
    '2h 5m',
    '1h',
    '-1h 30m',
    '1m30.5s',
  ]);
});

test('instants have milliseconds and are cut, not rounded', () => {
  expect([0, 1_999, 60_001_999, 12_345_678_901].map(formatInstant)).toEqual([
    '0.000s',
    '0.001s',
    '60.001s',
    '12345.678s',
  ]);
});

test.for([
  [10, '10s'],
  ['10', '10s'],
  ['10 s', '10s'],
  ['5 Minutes', '5m'],
  ['1 hour 30 min', '1h30m'],
  ['1,5 sec', '1.5s'],
  ['250 milliseconds', '250ms'],
  ['-90', '-90s'],
  ['soon', undefined],
  ['10 parsecs', undefined],
  [true, undefined],
] as const)('%s means %s', ([given, meant]) => {
  expect(likelyDuration(given)).toBe(meant);
});
