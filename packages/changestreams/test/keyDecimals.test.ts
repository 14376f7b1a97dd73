import { type BsonValue, ElementCursor, encodeDocument } from '@replsim/protocol';
import { compareValues } from '@replsim/query';
import { Decimal128, Double, Long } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventToken, parseToken } from '../src/resumeToken.ts';
import { type Fraction, readKeyNumber } from './readKeyNumber.ts';
import { identifier, place } from './tokens.ts';

/** The bytes of one key, in hexadecimal digits. */
function keyOf(_id: unknown): string {
  const token = eventToken(place({ identifier: identifier('insert', { key: { _id } }) }));
  expect(parseToken(token.document).isHighWaterMark).toBe(false);
  return token.data.split('5F696400')[1]!.slice(0, -6);
}

// By hand, from the rules: a double towards zero, two bits, the difference in units of the 34th digit.
test.for<[decimal: string, key: string]>([
  ['1.1', '2B0319999999999992'],
  ['-1.1', '27FCE666666666666D'],
  ['0.1', '2AFEE6666666666666'],
  ['-0.1', '280119999999999999'],
  ['1.10', '2B0319999999999992'],
  ['1.0000000000000001', '2B0300000000000003016345785D8A0000'],
  ['9007199254740993', '3140000000000002'],
  ['9007199254740993.5', '31400000000000030306F05B59D3B20000'],
  ['1E+400', '33B31E314DC6448D9338C15B0A00000000'],
  ['-1E+400', '1F4CE1CEB239BB726CC73EA4F5FFFFFFFF'],
  ['1E-400', '2A2CDE314DC6448D9338C15B0A00000000'],
  ['Infinity', '33FFFFFFFFFFFFFFFF'],
  ['-Infinity', '1F0000000000000000'],
  ['NaN', '1E'],
])('the key of %s', ([decimal, key]) => {
  expect(keyOf(Decimal128.fromString(decimal))).toBe(key);
});

function bsonOf(value: unknown): BsonValue {
  const cursor = new ElementCursor(encodeDocument({ value } as never));
  cursor.next();
  return cursor.value();
}

const coefficients = fc.oneof(
  fc.bigInt({ min: 1n, max: 999n }),
  fc.bigInt({ min: 1n, max: 10n ** 15n + 5n }),
  fc.bigInt({ min: 1n, max: 10n ** 34n - 1n }),
);
const exponents = fc.oneof(
  fc.integer({ min: -40, max: 20 }),
  // Where the rules change: the smallest doubles, 2^-255, 2^53, 2^63, the largest doubles.
  ...[-350, -330, -310, -95, -80, 0, 275, 295].map((min) => fc.integer({ min, max: min + 20 })),
  fc.integer({ min: -6176, max: 6111 }),
);
interface Drawn {
  readonly coefficient: bigint;
  readonly exponent: number;
  readonly isNegative: boolean;
}

const anyDecimal: fc.Arbitrary<Drawn> = fc
  .tuple(coefficients, exponents, fc.boolean())
  .map(([coefficient, exponent, isNegative]) => ({ coefficient, exponent, isNegative }));

function decimalOf({ coefficient, exponent, isNegative }: Drawn): Decimal128 {
  return Decimal128.fromString(`${isNegative ? '-' : ''}${coefficient}E${exponent}`);
}

test('the bytes of a decimal say which number it is', () => {
  fc.assert(
    fc.property(anyDecimal, (decimal) => {
      const { coefficient, exponent, isNegative } = decimal;
      const read = readKeyNumber(keyOf(decimalOf(decimal)));
      const power = 10n ** BigInt(Math.abs(exponent));
      const meant: Fraction = exponent < 0 ? [coefficient, power] : [coefficient * power, 1n];
      expect(read.isNegative).toBe(isNegative);
      expect(read.magnitude[0] * meant[1] === meant[0] * read.magnitude[1]).toBe(true);
    }),
    { seed: 1, numRuns: 1500 },
  );
});

test('a decimal of up to 15 digits is no longer than a double', () => {
  const digits = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }), fc.integer({ min: -70, max: -1 }));
  fc.assert(
    fc.property(digits, ([coefficient, exponent]) => {
      expect(keyOf(decimalOf({ coefficient, exponent, isNegative: false })).length).toBeLessThanOrEqual(18);
    }),
    { seed: 1, numRuns: 1000 },
  );
});

const anyNumber = fc.oneof(
  anyDecimal.map(decimalOf),
  fc.double({ noNaN: true }).map((value) => new Double(value)),
  fc.double({ min: -1e20, max: 1e20, noNaN: true }).map((value) => new Double(value)),
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }).map((value) => Long.fromBigInt(value)),
);
/** Numbers close to each other, whatever their types. */
const neighbours = fc
  .tuple(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: 1, max: 34 }),
    fc.integer({ min: -2, max: 2 }),
  )
  .map(([double, digits, more]) => {
    const [mantissa, exponent] = double.toExponential(20).split('e') as [string, string];
    const coefficient =
      BigInt(
        mantissa
          .replace('.', '')
          .padEnd(35, '0')
          .slice(0, digits + 1),
      ) + BigInt(more);
    const near = `${coefficient}E${Number(exponent) - digits + (mantissa.startsWith('-') ? 1 : 0)}`;
    return [new Double(double), Decimal128.fromStringWithRounding(near)] as const;
  });

test('keys are in the order of the numbers, of whatever types', () => {
  const inOrder = ([one, other]: readonly [unknown, unknown]) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    const order = a < b ? -1 : Number(a > b);
    expect(order).toBe(Math.sign(compareValues(bsonOf(one), bsonOf(other))));
  };
  fc.assert(fc.property(fc.tuple(anyNumber, anyNumber), inOrder), { seed: 1, numRuns: 1500 });
  fc.assert(fc.property(neighbours, inOrder), { seed: 2, numRuns: 1500 });
});
