import { BsonType, type BsonValue, readDecimal } from '@replsim/protocol';
import { Decimal128 } from 'bson';
import { expect, test } from 'vitest';
import { combineNumbers, compareValues } from '../src/index.ts';
import { fromJs } from '../src/values.ts';

// Decimals at the edges of what 34 digits and the exponents from -6176 to 6111 can say.

const ofText = (text: string) => fromJs(Decimal128.fromString(text));
const ofBytes = (hex: string): BsonValue => ({ type: BsonType.decimal, bytes: Buffer.from(hex, 'hex'), offset: 0, size: 16 }); // biome-ignore format: one line
const textOf = ({ bytes, offset }: BsonValue) => new Decimal128(bytes.slice(offset, offset + 16)).toString();
const times = (a: BsonValue, b: BsonValue) => combineNumbers('multiply', a, b)!;
const NINES = '9'.repeat(34);

test.for([
  ...['0', '-0', '0.0', '-0E+3', '0E-6176', '0E+6111', '-0E+6111'],
  ...['1', '-1', '0.1', '1.0', '1.00', '12345678901234567', '1234567890.123456', `${NINES}`, `-${NINES}`],
  ...['1E-6176', '-1E-6176', '1.0E-6175', '1E-6143', '9.999E-6140', `9.${'9'.repeat(33)}E-6143`],
  ...['1E+3', '1E+6111', `9.${'9'.repeat(33)}E+6144`, `1.${'0'.repeat(33)}E+6144`],
  ...['Infinity', '-Infinity', 'NaN'],
])('%s times 1 is itself, exponent and sign and all', (text) => {
  const value = ofText(text);
  const product = times(value, fromJs(1));
  expect(textOf(product)).toBe(textOf(value));
  expect(compareValues(product, value)).toBe(0);
});

test.for<[a: string, b: string, product: string]>([
  // An exponent above the greatest is brought down by zeros behind the digits, as long as there is room for them.
  ['1E+6111', '1E+33', `1.${'0'.repeat(33)}E+6144`],
  ['1E+6111', '1E+34', 'Infinity'],
  ['-1E+6111', '1E+34', '-Infinity'],
  ['0E+6111', '0E+6111', '0E+6111'],
  // One below the least is rounded away, half to even.
  ['5E-6176', '0.1', '0E-6176'],
  ['15E-6176', '0.1', '2E-6176'],
  ['25E-6176', '0.1', '2E-6176'],
  ['-5E-6176', '0.1', '-0E-6176'],
  // So are digits beyond the 34th, and what is rounded up to 35 of them loses one.
  [NINES, '1.000000000000000000000000000000001', '1.000000000000000000000000000000001E+34'],
  ['0', 'Infinity', 'NaN'],
  ['-2', 'Infinity', '-Infinity'],
])('%s times %s is %s', ([a, b, product]) => {
  expect(textOf(times(ofText(a), ofText(b)))).toBe(product);
});

test.for([
  ['negative', '000000000000000000000000000000fc'],
  ['signalling', '0000000000000000000000000000007e'],
  ['with a payload', '2a00000000000000000000000000007c'],
])('a NaN that is %s is NaN', ([, hex = '']) => {
  expect(compareValues(ofBytes(hex), ofText('NaN'))).toBe(0);
  expect(textOf(times(ofBytes(hex), fromJs(1)))).toBe('NaN');
});

test.for([
  ['35 digits', '00000000648e8d37c087adbe09ed4130'],
  ['the long form', '0100000000000000000000000000106c'],
  ['the long form, negative', 'ffffffffffffffffffffffffff0f10ec'],
])('a coefficient of %s is no coefficient: the value is a zero', ([, hex = '']) => {
  expect(readDecimal(Buffer.from(hex, 'hex'), 0)).toMatchObject({ special: undefined, coefficient: 0n });
  expect(compareValues(ofBytes(hex), fromJs(0))).toBe(0);
});
