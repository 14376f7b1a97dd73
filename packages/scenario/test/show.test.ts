import { encodeDocument } from '@replsim/protocol';
import { Binary, BSONRegExp, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { expect, test } from 'vitest';
import { shorten, showDocument } from '../src/file/show.ts';

test.for<[unknown, string]>([
  [1, '1'],
  [new Double(1), '1.0'],
  [new Double(1.5), '1.5'],
  [new Double(Number.NaN), 'NaN'],
  [Long.MAX_VALUE, 'Long(9223372036854775807)'],
  ['a "b"', '"a \\"b\\""'],
  [true, 'true'],
  [null, 'null'],
  [new Date(0), 'ISODate("1970-01-01T00:00:00.000Z")'],
  [new ObjectId('0123456789abcdef01234567'), 'ObjectId("0123456789abcdef01234567")'],
  [new Timestamp({ t: 4294967295, i: 2 }), 'Timestamp(4294967295, 2)'],
  [Decimal128.fromString('1.50'), 'Decimal128("1.50")'],
  [Binary.createFromHexString('c8edabc3f7384ca3b68dab92a91478a3', 4), 'UUID("c8edabc3-f738-4ca3-b68d-ab92a91478a3")'],
  [new Binary(new Uint8Array([1, 255]), 0), 'BinData(0, 01ff)'],
  [new BSONRegExp('^a', 'i'), '/^a/i'],
  [new MinKey(), 'MinKey()'],
  [new MaxKey(), 'MaxKey()'],
  [[1, [2]], '[1, [2]]'],
  [{ 'a.b': 1, $x: 2, 'c d': 3 }, '{a.b: 1, $x: 2, "c d": 3}'],
  [{}, '{}'],
])('%s', ([value, text]) => {
  expect(showDocument(encodeDocument({ v: value }))).toBe(`{v: ${text}}`);
});

test('long documents are cut in the middle, and not written out before', () => {
  const text = showDocument(encodeDocument({ list: Array(100_000).fill({ a: 1 }) }), 80);
  expect(text).toHaveLength(80);
  expect(text).toMatch(/^\{list: \[\{a: 1\}, .*…/);
  expect(shorten('abcdefghij', 8)).toBe('abcde…ij');
  expect(shorten('abcdefgh', 8)).toBe('abcdefgh');
});
