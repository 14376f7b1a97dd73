import { Decimal128, Double, Int32, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

type Row = Record<string, unknown>;

function windowed(rows: readonly Row[], output: object, sortBy: object = { at: 1 }) {
  member.insert('c', ...rows.map((row, _id) => ({ _id, ...row })));
  const stages = [{ $setWindowFields: { sortBy, output: { v: output } } }, { $set: { t: { $type: '$v' } } }];
  const reply = member.run({ aggregate: 'c', pipeline: stages, cursor: {} });
  return reply.ok === 1
    ? { values: reply.cursor.firstBatch.map(({ v }: Row) => v), types: reply.cursor.firstBatch.map(({ t }: Row) => t) }
    : { code: reply.code as number };
}

const column = (name: string, ...values: unknown[]): Row[] => values.map((value, at) => ({ at, [name]: value }));
const toHere = { documents: ['unbounded', 'current'] };
const lastTwo = { documents: [-1, 0] };
const dec = (text: string) => Decimal128.fromString(text);
const second = (n: number) => new Date(Date.UTC(2020, 4, 18, 10, 30, 30 * n));
const close = (values: readonly (number | null)[]) =>
  values.map((value) => (value === null ? null : expect.closeTo(value, 10)));

describe("the manual's examples", () => {
  const miles = [1295.1, 1295.63, 1296.25, 1296.76].map((y, i) => ({ at: second(i), y }));
  const power = [2.95, 2.7, 2.6, 2.98].map((y, i) => ({ at: second(i), y }));
  const cakes = [[2019, 162], [2020, 120], [2021, 145]].map(([at, y]) => ({ at, y })); // biome-ignore format: one line
  const stock = column('y', 13, 15.4, 12, 11.7, 82);

  test.for<[name: string, rows: readonly Row[], output: object, expected: (number | null)[]]>([
    ['$derivative', miles, { $derivative: { input: '$y', unit: 'hour' }, window: { range: [-30, 0], unit: 'second' } }, [null, 63.6, 74.4, 61.2]],
    ['$integral', power, { $integral: { input: '$y', unit: 'hour' }, window: { range: ['unbounded', 'current'], unit: 'hour' } }, [0, 0.02354166666667, 0.045625, 0.068875]],
    ['$covariancePop', cakes, { $covariancePop: ['$at', '$y'], window: toHere }, [0, -10.5, -5.666666666667]],
    ['$covarianceSamp', cakes, { $covarianceSamp: ['$at', '$y'], window: toHere }, [null, -21, -8.5]],
    ['$expMovingAvg by N', stock, { $expMovingAvg: { input: '$y', N: 2 } }, [13, 14.6, 12.866666666667, 12.088888888889, 58.696296296296]],
    ['$expMovingAvg by alpha', stock, { $expMovingAvg: { input: '$y', alpha: 0.75 } }, [13, 14.8, 12.7, 11.95, 64.4875]],
  ])('$0', ([, rows, output, expected]) => {
    expect(windowed(rows, output).values).toEqual(close(expected));
  }); // biome-ignore format: tables
});

test.for<[name: string, output: object, values: readonly unknown[], types: readonly string[]]>([
  ['a slope of decimals', { $derivative: { input: '$y' }, window: lastTwo }, [dec('1.5'), dec('4.5')], ['null', 'decimal']],
  ['an area of decimals', { $integral: { input: '$y' }, window: toHere }, [dec('1.5'), dec('4.5')], ['int', 'decimal']],
  ['an area of whole numbers', { $integral: { input: '$y' }, window: toHere }, [new Int32(1), Long.fromNumber(2)], ['int', 'double']],
  ['an average of decimals', { $expMovingAvg: { input: '$y', N: 1 } }, [new Int32(1), dec('2')], ['double', 'decimal']],
  ['a covariance of decimals', { $covariancePop: ['$at', '$y'], window: toHere }, [dec('1.5'), dec('4.5')], ['double', 'decimal']],
  ['a covariance of whole numbers', { $covarianceSamp: ['$at', '$y'], window: toHere }, [new Int32(1), new Double(2)], ['null', 'double']],
  ['no numbers', { $covariancePop: ['$at', '$y'], window: toHere }, ['x', null], ['null', 'null']],
  ['an infinity', { $covariancePop: ['$at', '$y'], window: toHere }, [1, Number.POSITIVE_INFINITY, 2], ['double', 'double', 'double']],
  ['nothing yet', { $expMovingAvg: { input: '$y', N: 3 } }, ['x', 2, null], ['null', 'double', 'double']],
])('types: $0', ([, output, values, types]) => {
  expect(windowed(column('y', ...values), output).types).toEqual(types);
}); // biome-ignore format: a table

test('a slope is between the ends of a window alone, and null where that has no length', () => {
  const output = { $derivative: { input: '$y' }, window: lastTwo };
  expect(windowed(column('y', 1, 2, 1, 4), output).values).toEqual([null, 1, -1, 3]);
});

test('an area with a NaN in it is NaN, as long as that is in the window', () => {
  const output = { $integral: { input: '$y' }, window: lastTwo };
  expect(windowed(column('y', 1, Number.NaN, 1, 3), output).values).toEqual([0, Number.NaN, Number.NaN, 2]);
});

test.for<[output: object, values: readonly unknown[], code: number, sortBy?: object]>([
  [{ $derivative: { input: '$y' } }, [1], 9],
  [{ $derivative: { input: '$y' }, window: lastTwo }, [1], 9, { at: 1, y: 1 }],
  [{ $derivative: { input: '$y', unit: 'month' }, window: lastTwo }, [1], 5490710],
  [{ $integral: { input: '$y', unit: 'year' }, window: lastTwo }, [1], 5490710],
  [{ $integral: { input: '$y', unit: 'quarter' }, window: lastTwo }, [1], 5490710],
  [{ $integral: { input: '$y', unit: 'century' }, window: lastTwo }, [1], 9],
  [{ $derivative: { input: '$y', unit: 'day' }, window: lastTwo }, [1], 5624900],
  [{ $derivative: { input: 1 }, window: lastTwo }, [new Date(0)], 5624901, { y: 1 }],
  [{ $derivative: { input: 1 }, window: lastTwo }, ['x'], 5624902, { y: 1 }],
  [{ $derivative: { input: '$y' }, window: lastTwo }, [null], 5624903],
  [{ $derivative: { input: '$y' }, window: lastTwo }, ['x'], 14],
  [{ $integral: { input: '$y' } }, ['x'], 5423900],
  [{ $integral: { input: '$y', unit: 'day' } }, [1], 5423901],
  [{ $integral: { input: 1 } }, [new Date(0)], 5423902, { y: 1 }],
  [{ $expMovingAvg: { input: '$y', N: 1, alpha: 0.5 } }, [1], 9],
  [{ $expMovingAvg: { input: '$y', N: 1 }, window: lastTwo }, [1], 9],
])('%j of %j: %i', ([output, values, code, sortBy]) => {
  expect(windowed(column('y', ...values), output, sortBy)).toEqual({ code });
});

describe('$bucketAuto with a granularity', () => {
  const buckets = (values: readonly unknown[], granularity: string, count = 5) => {
    member.insert('c', ...values.map((n, _id) => ({ _id, n })));
    const stage = { $bucketAuto: { groupBy: '$n', buckets: count, granularity } };
    const reply = member.run({ aggregate: 'c', pipeline: [stage], cursor: {} });
    return reply.cursor.firstBatch.map(({ _id, count: size }: { _id: Row; count: number }) => [_id.min, _id.max, size]);
  };
  const hundred = Array.from({ length: 100 }, (_, i) => i);

  // The first three are the manual's.
  test.for<[granularity: string, values: readonly unknown[], expected: unknown[][]]>([
    ['R20', hundred, [[0, 20, 20], [20, 40, 20], [40, 63, 23], [63, 90, 27], [90, 100, 10]]],
    ['E24', hundred, [[0, 20, 20], [20, 43, 23], [43, 68, 25], [68, 91, 23], [91, 100, 9]]],
    ['1-2-5', hundred, [[0, 20, 20], [20, 50, 30], [50, 100, 50]]],
    ['R5', [7, 8, 30], [[6.3, 10, 2], [25, 40, 1]].map(([min, max, n], i) => [i === 0 ? min : 10, max, n])],
    ['R10', [7, 8, 30], [[6.3, 8, 1], [8, 10, 1], [10, 31.5, 1]]],
    ['R40', [7, 30], [[6.7, 7.1, 1], [7.1, 31.5, 1]]],
    ['R80', [7, 30], [[6.9, 7.3, 1], [7.3, 30.7, 1]]],
    ['E6', [0.8, 30], [[0.68, 1, 1], [1, 33, 1]]],
    ['E12', [7, 30], [[6.8, 8.2, 1], [8.2, 33, 1]]],
    ['E48', [7, 30], [[6.81, 7.15, 1], [7.15, 30.1, 1]]],
    ['E96', [7, 30], [[6.98, 7.15, 1], [7.15, 30.1, 1]]],
    ['E192', [7, 30], [[6.98, 7.06, 1], [7.06, 30.1, 1]]],
    ['POWERSOF2', [3, 8, 9], [[2, 4, 1], [4, 16, 2]]],
    ['POWERSOF2', [0.75, 8], [[0.5, 1, 1], [1, 16, 1]]],
    ['POWERSOF2', [8], [[4, 16, 1]]],
    // Zero is the least boundary that there is; what follows it begins where that is rounded down.
    ['POWERSOF2', [0, 0, 5], [[0, 4, 2], [4, 8, 1]]],
    ['R5', [0], [[0, 0, 1]]],
    ['R5', [1, Number.POSITIVE_INFINITY], [[0.63, 1.6, 1], [1.6, Number.POSITIVE_INFINITY, 1]]],
  ])('%s of %j', ([granularity, values, expected]) => {
    const near = expected.map((row) => row.map((n) => (Number.isFinite(n) ? expect.closeTo(n as number, 9) : n)));
    expect(buckets(values, granularity)).toEqual(near);
  }); // biome-ignore format: a table

  test('boundaries are of the type of what they round', () => {
    const types = (value: unknown, granularity: string) => {
      member.insert('t', { _id: 1, n: value });
      const stages = [
        { $bucketAuto: { groupBy: '$n', buckets: 1, granularity } },
        { $project: { min: { $type: '$_id.min' }, max: { $type: '$_id.max' } } },
      ];
      return member.run({ aggregate: 't', pipeline: stages, cursor: {} }).cursor.firstBatch[0];
    };
    expect(types(dec('7.5'), 'E6')).toMatchObject({ min: 'decimal', max: 'decimal' });
    member = new FakeMember();
    expect(types(Long.fromString('4611686018427387905'), 'POWERSOF2')).toMatchObject({ min: 'long', max: 'double' });
    member = new FakeMember();
    expect(types(new Int32(5), 'POWERSOF2')).toMatchObject({ min: 'int', max: 'int' });
    member = new FakeMember();
    expect(types(new Int32(5), 'R5')).toMatchObject({ min: 'double', max: 'double' });
  });
});
