import { Decimal128, Double, Int32, Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareValues, meanOf, sumOf } from '../src/index.ts';
import { nastyNumbers, show, val } from './bson.ts';

const int = (value: number) => new Int32(value);
const long = (value: bigint | number) => Long.fromBigInt(BigInt(value));
const double = (value: number) => new Double(value);
const dec = (text: string) => Decimal128.fromString(text);
const sum = (values: readonly unknown[]) => show(sumOf(values.map(val)));
const mean = (values: readonly unknown[]) => show(meanOf(values.map(val)));
const same = (value: unknown) => show(val(value));

const INT_MAX = 2 ** 31 - 1;
const MAX = 2n ** 63n - 1n;
const INFINITY = Number.POSITIVE_INFINITY;

describe('a sum', () => {
  test.for<[values: unknown[], expected: unknown]>([
    [[], int(0)],
    [[null, 'x', true], int(0)],
    [[int(4), null, int(5)], int(9)],
    [[int(4), long(5)], long(9)],
    [[int(4), double(5.5)], double(9.5)],
    [[int(5), long(99), double(0.2)], double(104.2)],
    [[int(INT_MAX), int(10)], long(INT_MAX + 10)],
    [[int(INT_MAX), int(10), int(-10)], int(INT_MAX)],
    [[int(INT_MAX), double(1)], double(2 ** 31)],
    [[long(MAX), long(-1), int(1)], long(MAX)],
    [[long(MAX), int(1), long(-1)], long(MAX)],
    [[long(-MAX - 1n)], long(-MAX - 1n)],
    [[int(1), long(MAX)], double(2 ** 63)],
    [[long(MAX), long(MAX), double(1)], double(2 ** 64)],
    [[long(2n ** 53n), long(1)], long(2n ** 53n + 1n)],
    // What doubles lose by rounding is not lost.
    [Array(10).fill(double(0.1)), double(1)],
    // What is lost is added with the next number, and not at the end.
    [[double(1e100), double(1), double(-1e100)], double(0)],
    [[double(1e100), double(1), double(-1e100), int(0)], double(1)],
    [[double(0.1), double(0.2), double(0.3)], double(0.6)],
    [[double(2 ** 53), int(1), int(1)], double(2 ** 53 + 2)],
    [[double(Number.MAX_VALUE), double(Number.MAX_VALUE)], double(INFINITY)],
    [[double(INFINITY), double(1), double(2)], double(INFINITY)],
    [[double(INFINITY), double(-INFINITY), double(2)], double(Number.NaN)],
    [[double(Number.NaN), int(4)], double(Number.NaN)],
    [[double(-0)], double(0)],
    [[dec('-10.100'), dec('20.200')], dec('10.100')],
    [[long(10), long(10), dec('10.000')], dec('30.000')],
    [[double(2.5), dec('2.5')], dec('5.0')],
    [[int(10), long(10), double(10.5), dec('9.6')], dec('40.1')],
    [[dec('1E+3')], dec('1000')],
    // A double comes with all the digits that a decimal has.
    [[double(0.1), dec('0')], dec('0.1000000000000000055511151231257827')],
    [[double(1e100), dec('7'), double(-1e100)], dec('7')],
    [[double(INFINITY), dec('1')], dec('Infinity')],
    [[double(INFINITY), dec('-Infinity')], dec('NaN')],
  ])('of %j is %o', ([values, expected]) => {
    expect(sum(values)).toBe(same(expected));
  });

  test('of whole numbers is exact, whatever their order', () => {
    const longs = fc.array(fc.bigInt({ min: -MAX, max: MAX }), { maxLength: 40 });
    fc.assert(
      fc.property(longs, (values) => {
        const total = values.reduce((a, b) => a + b, 0n);
        const fits = BigInt.asIntN(64, total) === total;
        fc.pre(fits && values.length > 0);
        expect(sum(values.map(long))).toBe(same(long(total)));
        expect(sum(values.toReversed().map(long))).toBe(same(long(total)));
      }),
    );
  });

  test.for(nastyNumbers.map((number) => [same(number), number] as const))('of %s alone is it', ([, number]) => {
    const alone = sumOf([val(number)]);
    expect(alone.type).toBe(val(number).type);
    expect(compareValues(alone, val(number))).toBe(0);
  });
});

describe('a mean', () => {
  test.for<[values: unknown[], expected: unknown]>([
    [[], null],
    [['x', null], null],
    [[int(4), int(5)], double(4.5)],
    [[long(MAX), long(MAX)], double(2 ** 63)],
    [[long(2n ** 53n), long(2n ** 53n), long(1), long(1)], double((2 ** 54 + 2) / 4)],
    [Array(10).fill(double(0.1)), double(0.1)],
    [[int(1), dec('2.0')], dec('1.5')],
    [[double(0.5), dec('1')], dec('0.75')],
    [[double(Number.MAX_VALUE), double(Number.MAX_VALUE)], double(INFINITY)],
  ])('of %j is %o', ([values, expected]) => {
    expect(mean(values)).toBe(same(expected));
  });
});
