import { Decimal128 } from 'bson';
import { describe, expect, test } from 'vitest';
import { decimalText, isDecimalNaN, readDecimal, readDecimalAsNumber } from '../../src/index.ts';

// Storage keys, resume tokens, TTL, geometry, filters and transcripts all read decimals here.

const NINES = '9'.repeat(34);

describe('a decimal', () => {
  test.for([
    ...[
      '0',
      '-0',
      '0.0',
      '-0E+3',
      '0E-6176',
      '0E+6111',
      '1',
      '-1',
      '0.1',
      '1.00',
      '1234567890.123456',
      NINES,
      `-${NINES}`,
    ],
    ...['1E-6176', '1E-7', '0.000001', '1E+3', `9.${'9'.repeat(33)}E+6144`, 'Infinity', '-Infinity', 'NaN'],
  ])('%s reads as bson writes it, wherever it lies', (text) => {
    const bytes = new Uint8Array(19).fill(0xff);
    bytes.set(Decimal128.fromString(text).bytes, 3);
    expect(decimalText(readDecimal(bytes, 3))).toBe(text);
    expect(readDecimalAsNumber(bytes, 3)).toBe(Number(text));
    expect(isDecimalNaN(bytes, 3)).toBe(text === 'NaN');
  });

  test.for([
    ['more than 34 digits', 'ffffffffffffffffffffffffffff4130'],
    ['the long form of the coefficient', '00000000000000000000000000001068'],
  ])('%s counts as zero', ([, hex]) => {
    const { special, coefficient } = readDecimal(Buffer.from(hex!, 'hex'), 0);
    expect([special, coefficient]).toEqual([undefined, 0n]);
  });
});
