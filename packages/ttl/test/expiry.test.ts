import { BsonType, type BsonValue } from '@replsim/protocol';
import { Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CLUSTERED_MIN_DATE_MS,
  earliestDue,
  expiryLimitMs,
  isExpired,
  MIN_DATE_MS,
  truncateSeconds,
} from '../src/index.ts';
import { bsonValue } from './drive.ts';

const LIMIT = Date.UTC(2025, 0, 1);
const due = new Date(LIMIT);
const older = new Date(LIMIT - 5000);
const fresh = new Date(LIMIT + 1);
const undefinedValue: BsonValue = { type: BsonType.undefined, bytes: new Uint8Array(0), offset: 0, size: 0 };

test.for<[what: string, keys: readonly unknown[], expired: Date | undefined]>([
  ['a date at the limit', [due], due],
  ['a date before the limit', [older], older],
  ['a date before 1970', [new Date(-1)], new Date(-1)],
  ['a date after the limit', [fresh], undefined],
  ['a date that is due among others', [fresh, due, 7], due],
  ['the earliest date decides', [due, older, due], older],
  ['dates that are all fresh', [fresh, fresh], undefined],
  ['no date', [1, 'x', null], undefined],
  ['no key at all', [], undefined],
  ['a date in an array in an array', [[due]], undefined],
  ['null', [null], undefined],
  ['epoch milliseconds', [new Double(0)], undefined],
  ['an int', [new Int32(0)], undefined],
  ['a long', [Long.fromNumber(0)], undefined],
  ['a string', ['1970-01-01'], undefined],
  ['a bool', [true], undefined],
  ['a regex', [/1970/], undefined],
  ['an ObjectId', [ObjectId.createFromTime(0)], undefined],
  ['a BSON Timestamp', [new Timestamp({ t: 1, i: 1 })], undefined],
  ['a document with a date', [{ at: due }], undefined],
])('%s', ([, keys, expired]) => {
  expect(earliestDue(keys.map(bsonValue), LIMIT)).toBe(expired?.getTime());
});

test('undefined does not expire', () => expect(earliestDue([undefinedValue], LIMIT)).toBeUndefined());

test('a range that begins in 1970 leaves out what was before', () => {
  const keys = [bsonValue(new Date(-1)), bsonValue(due)];
  expect(earliestDue(keys, LIMIT, CLUSTERED_MIN_DATE_MS)).toBe(LIMIT);
});

test.for([
  [0, 0],
  [3600, 3_600_000],
  [2147483647, 2147483647000],
] as const)('%d seconds', ([seconds, ms]) => {
  expect(expiryLimitMs(LIMIT, seconds)).toBe(LIMIT - ms);
});

test('a bucket waits for the span of its measurements besides', () => {
  expect(expiryLimitMs(LIMIT, 60, 3600)).toBe(LIMIT - 3_660_000);
});

test.for([
  [LIMIT, MIN_DATE_MS, true],
  [LIMIT + 1, MIN_DATE_MS, false],
  [MIN_DATE_MS, MIN_DATE_MS, true],
  [-1, MIN_DATE_MS, true],
  [-1, CLUSTERED_MIN_DATE_MS, false],
  [0, CLUSTERED_MIN_DATE_MS, true],
] as const)('date %d in a range from %d: %s', ([dateMs, minDateMs, expected]) => {
  expect(isExpired(dateMs, LIMIT, minDateMs)).toBe(expected);
});

test('expired means: the date plus the seconds is not after now', () => {
  const ms = fc.integer({ min: -4e12, max: 4e12 });
  fc.assert(
    fc.property(ms, ms, fc.integer({ min: 0, max: 2147483647 }), (date, wallMs, seconds) => {
      expect(isExpired(date, expiryLimitMs(wallMs, seconds))).toBe(date + seconds * 1000 <= wallMs);
    }),
  );
});

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);
test.for<[value: unknown, seconds: bigint]>([
  [new Int32(-5), -5n],
  [new Double(10000.7), 10000n],
  [new Double(4.5), 4n],
  [new Double(-0.5), 0n],
  [new Double(-1.5), -1n],
  [new Double(Number.NaN), 0n],
  [new Double(Number.POSITIVE_INFINITY), MAX],
  [new Double(Number.NEGATIVE_INFINITY), MIN],
  [new Double(1e300), MAX],
  [new Double(-1e300), MIN],
  [Long.MAX_VALUE, MAX],
  [Long.MIN_VALUE, MIN],
  [Decimal128.fromString('10000.7'), 10000n],
  [Decimal128.fromString('-0.5'), 0n],
  [Decimal128.fromString('-12.9'), -12n],
  [Decimal128.fromString('36E2'), 3600n],
  [Decimal128.fromString('0E6000'), 0n],
  [Decimal128.fromString('1E-6000'), 0n],
  [Decimal128.fromString('NaN'), 0n],
  [Decimal128.fromString('Infinity'), MAX],
  [Decimal128.fromString('-Infinity'), MIN],
  [Decimal128.fromString('9223372036854775808'), MAX],
  [Decimal128.fromString('-9999999999999999999999999999999999E100'), MIN],
  ['60', 0n],
  [null, 0n],
])('%s truncates to %s', ([value, seconds]) => {
  expect(truncateSeconds(bsonValue(value))).toBe(seconds);
});

test('JS numbers and bigints truncate alike', () => {
  expect([truncateSeconds(10.9), truncateSeconds(Number.NaN), truncateSeconds(2n ** 70n)]).toEqual([10n, 0n, MAX]);
});

test('a decimal truncates as its digits say', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.nat(999), (whole, fraction) => {
      const digits = `${whole}.${String(fraction).padStart(3, '0')}`;
      expect(truncateSeconds(bsonValue(Decimal128.fromString(digits)))).toBe(whole);
    }),
  );
});
