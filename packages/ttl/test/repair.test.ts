import { Decimal128, Double, Long } from 'bson';
import { expect, test } from 'vitest';
import { isNaNOption, repairedExpireAfterSeconds } from '../src/index.ts';
import { bsonValue } from './drive.ts';

const NAN = new Double(Number.NaN);

test.for<[stored: unknown, repaired: number | undefined]>([
  [0, undefined],
  [3600, undefined],
  [2147483647, undefined],
  [Long.fromNumber(3600), 3600],
  [new Double(3600), 3600],
  [new Double(10000.7), 10000],
  [Decimal128.fromString('4.5'), 4],
  [new Double(-0.5), 0],
  [NAN, 2147483647],
  [Decimal128.fromString('NaN'), 2147483647],
  [-1, 2147483647],
  [new Double(1e12), 2147483647],
  [Long.MAX_VALUE, 2147483647],
  ['60', 2147483647],
])('%s is repaired to %s', ([stored, repaired]) => {
  expect(repairedExpireAfterSeconds(bsonValue(stored))).toBe(repaired);
});

test('NaN, and nothing else, is worth a warning at startup', () => {
  expect(isNaNOption(bsonValue(NAN))).toBe(true);
  expect(isNaNOption(bsonValue(Decimal128.fromString('NaN')))).toBe(true);
  for (const other of [0, -1, '60', null, Long.MAX_VALUE]) expect(isNaNOption(bsonValue(other))).toBe(false);
});
