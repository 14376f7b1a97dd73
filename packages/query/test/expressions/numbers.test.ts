import { Decimal128, Double, Int32, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { computed, shown } from './computed.ts';

const int = (value: number) => new Int32(value);
const long = (value: bigint | number) => Long.fromBigInt(BigInt(value));
const double = (value: number) => new Double(value);
const dec = (text: string) => Decimal128.fromString(text);
const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

type Row = readonly [args: unknown, expected: unknown];

/** A number instead of a value is an error's. */
function tableOf(operator: string, rows: readonly Row[]): void {
  describe(operator, () => {
    test.for(rows.map(([args, expected]) => [args, expected, shown(args)] as const))('of $2', ([args, expected]) => {
      const made = computed({ [operator]: args });
      expect(made).toBe(typeof expected === 'number' ? expected : shown(expected));
    });
  });
}

const one = (refusal: number): readonly Row[] => [
  [null, null],
  ['$nothing', null],
  ['x', refusal],
  [true, refusal],
];

const two = (a: number, b: number): readonly Row[] => [
  [[null, 1], null],
  [[1, '$nothing'], null],
  [[null, 'x'], null],
  [['x', 1], a],
  [[1, 'x'], b],
  [[1], 16020],
];

tableOf('$abs', [
  ...one(28765),
  [int(-5), int(5)],
  [[int(-5)], int(5)],
  [int(-(2 ** 31)), long(2 ** 31)],
  [long(-5), long(5)],
  [long(MIN), 28680],
  [double(-1.5), double(1.5)],
  [dec('-1.50'), dec('1.50')],
  [dec('-Infinity'), dec('Infinity')],
]);

tableOf('$ceil', [
  ...one(28765),
  [int(5), int(5)],
  [long(MAX), long(MAX)],
  [double(1.2), double(2)],
  [double(-0.5), double(-0)],
  [dec('1.20'), dec('2')],
  [dec('-1.2'), dec('-1')],
  [dec('1E+3'), dec('1000')],
]);

tableOf('$floor', [
  ...one(28765),
  [int(5), int(5)],
  [double(1.8), double(1)],
  [double(-1.2), double(-2)],
  [dec('1.8'), dec('1')],
  [dec('-1.2'), dec('-2')],
]);

tableOf('$round', [
  ...one(51081),
  [int(5), int(5)],
  [long(MAX), long(MAX)],
  [[double(2.5)], double(2)],
  [double(2.5), double(2)],
  [double(3.5), double(4)],
  [double(-2.5), double(-2)],
  [double(-0.2), double(-0)],
  [[double(1.298), 1], double(1.3)],
  [[double(23.298), -1], double(20)],
  [[double(1.298), 100], double(1.298)],
  // It is less than the half that it shows.
  [[double(1.005), 2], double(1)],
  [double(Number.NaN), double(Number.NaN)],
  [[double(Number.NEGATIVE_INFINITY), 0], double(Number.NEGATIVE_INFINITY)],
  [[dec('1.298'), int(1)], dec('1.3')],
  [[dec('1.25'), 1], dec('1.2')],
  [[dec('23.298'), -1], dec('2E+1')],
  [[dec('1.2'), 3], dec('1.200')],
  [[dec('1.298912343250054252245154325'), long(20)], dec('1.29891234325005425225')],
  [[dec('1.298'), dec('100')], dec('1.298000000000000000000000000000000')],
  [[dec('Infinity'), 0], dec('Infinity')],
  [[int(15), -1], int(20)],
  [[int(25), -1], int(20)],
  [[int(-26), -1], int(-30)],
  [[int(5), 3], int(5)],
  [[int(2147483647), -1], long(2147483650)],
  [[long(12345), -2], long(12300)],
  [[long(1), -20], long(0)],
  [[long(MAX - 1n), -1], 51080],
  [[1, null], null],
  [[1, '$nothing'], null],
  [[1, 'x'], 16004],
  [[1, 1.5], 51082],
  [[1, dec('1.4')], 51082],
  [[1, 101], 51083],
  [[1, long(-21)], 51083],
  [[1, 2, 3], 28667],
]);

tableOf('$trunc', [
  ...one(51081),
  [double(-1.9), double(-1)],
  [[double(1.298), 1], double(1.2)],
  [[double(23.298), -1], double(20)],
  [dec('-1.6'), dec('-1')],
  [[dec('1.298912343250054252245154325'), 20], dec('1.29891234325005425224')],
  [[int(19), -1], int(10)],
  [[long(-19), -1], long(-10)],
]);

tableOf('$divide', [
  ...two(14, 14),
  [[int(4), int(2)], double(2)],
  [[int(1), int(3)], double(1 / 3)],
  [[long(MAX), long(1)], double(2 ** 63)],
  [[dec('4.0'), int(2)], dec('2.0')],
  [[int(1), dec('3')], dec('0.3333333333333333333333333333333333')],
  [[dec('-2'), dec('3')], dec('-0.6666666666666666666666666666666667')],
  [[dec('1'), dec('0.25')], dec('4')],
  [[dec('Infinity'), dec('-2')], dec('-Infinity')],
  [[dec('1'), dec('-Infinity')], dec('-0E-6176')],
  [[dec('Infinity'), dec('Infinity')], dec('NaN')],
  [[double(Number.NaN), 1], double(Number.NaN)],
  [[int(1), int(0)], 2],
  [[double(1), double(-0)], 2],
  [[dec('1'), dec('0.0')], 2],
]);

tableOf('$mod', [
  ...two(16611, 16611),
  [[int(7), int(3)], int(1)],
  [[int(-7), int(3)], int(-1)],
  [[int(7), long(3)], long(1)],
  [[long(MAX), int(10)], long(7)],
  [[long(MIN), int(-1)], long(0)],
  [[double(7.5), int(2)], double(1.5)],
  [[int(-7), double(2)], int(-1)],
  [[long(7), double(4)], long(3)],
  [[double(7), int(4)], double(3)],
  [[int(7), double(2.5)], double(2)],
  [[int(7), double(2 ** 31)], double(7)],
  [[dec('7.5'), int(2)], dec('1.5')],
  [[dec('-7'), dec('2.0')], dec('-1.0')],
  [[dec('5'), dec('Infinity')], dec('5')],
  [[dec('Infinity'), dec('5')], dec('NaN')],
  [[int(1), int(0)], 16610],
  [[double(1), double(0)], 16610],
  [[dec('1'), int(0)], 5733415],
]);

tableOf('$pow', [
  ...two(28762, 28763),
  [[int(2), int(10)], int(1024)],
  [[int(2), int(31)], long(2 ** 31)],
  [[int(2), int(62)], long(2n ** 62n)],
  [[int(-2), int(63)], long(MIN)],
  [[int(2), int(63)], double(2 ** 63)],
  [[int(3), long(2)], long(9)],
  [[int(2), int(-1)], double(0.5)],
  [[int(-1), int(-3)], int(-1)],
  [[int(1), long(MAX)], long(1)],
  [[int(0), int(0)], int(1)],
  [[double(2), int(3)], double(8)],
  [[double(1), double(Number.POSITIVE_INFINITY)], double(1)],
  [[double(-8), double(0.5)], double(Number.NaN)],
  [[int(0), int(-1)], 28764],
  [[double(-0), double(-1)], 28764],
  [[dec('0'), dec('-1')], 28764],
  [[dec('2'), int(3)], dec('8.000000000000000000000000000000000')],
  [[dec('2'), int(-2)], dec('0.2500000000000000000000000000000000')],
  [[dec('2'), dec('0.5')], dec('1.414213562373095048801688724209698')],
  [[dec('-8'), dec('0.5')], dec('NaN')],
  [[dec('10'), int(7000)], dec('Infinity')],
  [[dec('-10'), int(7001)], dec('-Infinity')],
  [[dec('1.1'), int(1000)], dec('2.469932918005826334124088385085221E+41')],
]);

tableOf('$sqrt', [
  ...one(28765),
  [int(9), double(3)],
  [long(2), double(Math.SQRT2)],
  [double(-0), double(-0)],
  [double(Number.NaN), double(Number.NaN)],
  [dec('9'), dec('3')],
  [dec('0.09'), dec('0.3')],
  [dec('1E+5'), dec('316.2277660168379331998893544432719')],
  [dec('2'), dec('1.414213562373095048801688724209698')],
  [dec('-0.0'), dec('-0.0')],
  [dec('Infinity'), dec('Infinity')],
  [dec('NaN'), dec('NaN')],
  [int(-1), 28714],
  [dec('-1E-6176'), 28714],
]);

tableOf('$exp', [
  ...one(28765),
  [int(0), double(1)],
  [double(1), double(Math.E)],
  [dec('0'), dec('1')],
  [dec('1'), dec('2.718281828459045235360287471352662')],
  [dec('-1'), dec('0.3678794411714423215955237701614609')],
  [dec('100'), dec('2.688117141816135448412625551580014E+43')],
  [dec('-Infinity'), dec('0E-6176')],
  [dec('1E+10'), dec('Infinity')],
]);

tableOf('$ln', [
  ...one(28765),
  [int(1), double(0)],
  [double(Math.E), double(1)],
  [dec('1'), dec('0')],
  [dec('10'), dec('2.302585092994045684017991454684364')],
  [dec('0.5'), dec('-0.6931471805599453094172321214581766')],
  [int(0), 28766],
  [double(-1), 28766],
  [dec('-1'), 28766],
  [dec('0'), 28766],
]);

tableOf('$log10', [
  ...one(28765),
  [int(1000), double(3)],
  [dec('1E+3000'), dec('3000')],
  [dec('0.001'), dec('-3')],
  [dec('2'), dec('0.3010299956639811952137388947244930')],
  [int(0), 28761],
  [long(-1), 28761],
]);

tableOf('$log', [
  ...two(28756, 28757),
  [[int(8), int(2)], double(Math.log(8) / Math.log(2))],
  [[dec('8'), int(2)], dec('3')],
  [[int(100), dec('10')], dec('2')],
  [[int(0), int(2)], 28758],
  [[int(2), int(0)], 28759],
  [[int(2), int(1)], 28759],
  [[dec('2'), dec('1.0')], 28759],
  [[dec('-2'), dec('2')], 28758],
]);

tableOf('$sum', [
  [[int(1), long(2)], long(3)],
  [[int(1), int(2), 'x', null], int(3)],
  [[[int(1), double(2)]], double(3)],
  [[[int(1)], int(2)], int(2)],
  [[long(MAX), int(1)], double(2 ** 63)],
  [int(2147483647), int(2147483647)],
  ['x', int(0)],
  [[], int(0)],
  [[dec('1.0'), int(1)], dec('2.0')],
]);

tableOf('$avg', [
  [[int(1), int(2)], double(1.5)],
  [[int(2), int(2)], double(2)],
  [[[dec('1'), dec('2')]], dec('1.5')],
  [['x', null], null],
  [long(4), double(4)],
]);

tableOf('$min', [
  [[int(2), long(1), 'x', null], long(1)],
  [[['b', 'a']], 'a'],
  [null, null],
  [['$nothing', double(1)], double(1)],
]);

tableOf('$max', [
  [[int(2), long(3)], long(3)],
  [[int(2), 'x'], 'x'],
  [[[]], null],
]);

tableOf('$stdDevPop', [
  [[int(1), int(3)], double(1)],
  ['x', null],
]);

tableOf('$stdDevSamp', [
  [[[int(1), int(3)]], double(Math.SQRT2)],
  [int(1), null],
]);

tableOf('$bitAnd', [
  [[int(12), int(10)], int(8)],
  [[int(-1), long(2n ** 40n)], long(2n ** 40n)],
  [[], int(-1)],
  [[int(1), null], null],
  [[int(1), double(1)], 14],
  [[int(1), '$nothing'], null],
]);

tableOf('$bitOr', [
  [[int(12), int(10)], int(14)],
  [[], int(0)],
  ['x', 14],
]);

tableOf('$bitXor', [
  [[int(12), int(10)], int(6)],
  [[int(-1), int(1)], int(-2)],
]);

tableOf('$bitNot', [
  [int(0), int(-1)],
  [long(MAX), long(MIN)],
  [null, null],
  [double(12.5), 14],
  ['x', 28765],
  [[1, 2], 16020],
]);
