import { BsonType } from '@replsim/protocol';
import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalType, compareValues } from '../src/index.ts';
import { anyValue, ordered, show, val } from './bson.ts';

const NaNs = [new Double(Number.NaN), new Decimal128('NaN')];

/** Groups of equal values, each group above the one before. Source: reference table of the comparison order. */
const ascending: unknown[][] = [
  [new MinKey()],
  [null],
  NaNs,
  [new Double(Number.NEGATIVE_INFINITY), new Decimal128('-Infinity')],
  [new Decimal128('-9.999999999999999999999999999999999E+6144')],
  [new Double(-(2 ** 63)), Long.MIN_VALUE, new Decimal128('-9223372036854775808')],
  [Long.fromBigInt(-(2n ** 53n) - 1n)],
  [new Double(-(2 ** 53)), Long.fromBigInt(-(2n ** 53n))],
  [new Int32(-1), new Double(-1)],
  [new Decimal128('-1E-6176')],
  [new Int32(0), new Double(-0), Long.ZERO, new Decimal128('-0'), new Decimal128('0E+6000')],
  [new Decimal128('1E-6176')],
  [new Double(Number.MIN_VALUE)],
  [new Decimal128('0.1')],
  [new Double(0.1)],
  [new Int32(5), new Double(5), Long.fromNumber(5), new Decimal128('5'), new Decimal128('5.000')],
  [new Int32(10), new Decimal128('1E1')],
  [new Double(2 ** 53), Long.fromBigInt(2n ** 53n)],
  [Long.fromBigInt(2n ** 53n + 1n), new Decimal128('9007199254740993')],
  [new Double(2 ** 53 + 2)],
  [Long.MAX_VALUE, new Decimal128('9223372036854775807')],
  [new Double(2 ** 63), new Decimal128('9223372036854775808')],
  [new Double(Number.MAX_VALUE)],
  [new Double(Number.POSITIVE_INFINITY), new Decimal128('Infinity')],
  [''],
  ['a'],
  ['a\0'],
  ['ab'],
  ['b'],
  ['\uFF5E'],
  ['\u{1F600}'],
  [{}],
  [{ a: 1 }, { a: 1n }],
  [{ a: 1, b: 1 }],
  [{ b: 0 }],
  [ordered(['b', 1], ['a', 1])],
  [{ a: 'x' }],
  [[]],
  [[1], [1n]],
  [[1, 2]],
  [[1, 3]],
  [[2]],
  [['a']],
  [[[]]],
  [new Binary(new Uint8Array([9]), 0)],
  [new Binary(new Uint8Array([1, 2]), 0)],
  [new Binary(new Uint8Array([0, 0]), 5)],
  [
    new UUID('00000000-0000-4000-8000-000000000000'),
    new Binary(Buffer.from('00000000000040008000000000000000', 'hex'), 4),
  ],
  [new ObjectId('00'.repeat(12))],
  [new ObjectId('ff'.repeat(12))],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Timestamp({ t: 2, i: 0 })],
  [new Timestamp({ t: 10, i: 0 })],
  [new Timestamp({ t: 0xffffffff, i: 0 })],
  [new BSONRegExp('a', '')],
  [new BSONRegExp('a', 'i')],
  [new BSONRegExp('b', '')],
  [new Code('a')],
  [new Code('a', {})],
  [new Code('a', { x: 1 })],
  [new MaxKey()],
];

describe('the order over all values', () => {
  const flat = ascending.flatMap((group, rank) => group.map((value) => ({ rank, value: val(value) })));
  test('every pair of the table', () => {
    for (const a of flat)
      for (const b of flat)
        expect(Math.sign(compareValues(a.value, b.value)), `${show(a.value)} ? ${show(b.value)}`).toBe(
          Math.sign(a.rank - b.rank),
        );
  });

  test('undefined, null and missing are equal', () => {
    const none = { bytes: new Uint8Array(0), offset: 0, size: 0 };
    expect(compareValues({ type: BsonType.undefined, ...none }, val(null))).toBe(0);
    expect(compareValues({ type: 0, ...none }, val(null))).toBe(0);
    expect(canonicalType(BsonType.long)).toBe(canonicalType(BsonType.decimal));
  });

  test('is total: antisymmetric, and transitive in equality and in order', () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (x, y, z) => {
        const [a, b, c] = [val(x), val(y), val(z)].sort(compareValues) as [never, never, never];
        expect(compareValues(a, a)).toBe(0);
        expect(Math.sign(compareValues(b, a))).toBe(0 - Math.sign(compareValues(a, b)));
        expect(compareValues(a, b)).toBeLessThanOrEqual(0);
        expect(compareValues(b, c)).toBeLessThanOrEqual(0);
        expect(compareValues(a, c)).toBeLessThanOrEqual(0);
        const allEqual = compareValues(a, b) === 0 && compareValues(b, c) === 0;
        expect(compareValues(a, c) === 0).toBe(allEqual);
      }),
      { numRuns: 3000, seed: 1 },
    );
  });
});
