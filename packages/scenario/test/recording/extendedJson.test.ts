import { encodeDocument } from '@replsim/protocol';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
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
import { expect, test } from 'vitest';
import { bytesOf, fromBase64, textOf, toBase64 } from '../../src/file/extendedJson.ts';

const oid = ObjectId.createFromHexString('0123456789abcdef01234567');

test.for([
  ['an int32', 1, '1'],
  ['an int64', Long.fromNumber(1), '{"$numberLong":"1"}'],
  ['a double that could be an integer', new Double(5), '{"$numberDouble":"5.0"}'],
  ['a fraction', new Double(1.5), '1.5'],
  ['minus zero', new Double(-0), '{"$numberDouble":"-0.0"}'],
  ['infinity', new Double(Number.POSITIVE_INFINITY), '{"$numberDouble":"Infinity"}'],
  ['NaN', new Double(Number.NaN), '{"$numberDouble":"NaN"}'],
  ['a large double', new Double(1e300), '{"$numberDouble":"1e+300"}'],
  ['a decimal', Decimal128.fromString('1.10'), '{"$numberDecimal":"1.10"}'],
  ['text that means something in scenarios', '$now', '"$now"'],
  ['a line separator', 'a\u2028b', '"a\\u2028b"'],
  ['a date', new Date(1_735_689_600_123), '{"$date":"2025-01-01T00:00:00.123Z"}'],
  ['a date before 1970', new Date(-1), '{"$date":{"$numberLong":"-1"}}'],
  ['an ObjectId', oid, '{"$oid":"0123456789abcdef01234567"}'],
  ['a UUID', new UUID('c8edabc3-f738-4ca3-b68d-ab92a91478a3'), '{"$uuid":"c8edabc3-f738-4ca3-b68d-ab92a91478a3"}'],
  ['binary', new Binary(new Uint8Array([1, 2, 3]), 0x80), '{"$binary":{"base64":"AQID","subType":"80"}}'],
  ['a timestamp', new Timestamp({ t: 4_000_000_000, i: 2 }), '{"$timestamp":{"t":4000000000,"i":2}}'],
  ['a pattern', new BSONRegExp('^a', 'i'), '{"$regularExpression":{"pattern":"^a","options":"i"}}'],
  ['code', new Code('f()'), '{"$code":"f()"}'],
  ['a symbol', new BSONSymbol('s'), '{"$symbol":"s"}'],
  ['both ends', [new MinKey(), new MaxKey(), null, true], '[{"$minKey":1},{"$maxKey":1},null,true]'],
  ['operators', { $set: { 'a.1': 1 }, $now: 1 }, '{"$set":{"a.1":1},"$now":1}'],
] as const)('%s', ([, value, text]) => {
  const bytes = encodeDocument({ v: value });
  expect(textOf(bytes)).toBe(`{"v":${text}}`);
  expect(bytesOf(textOf(bytes)!)).toEqual(bytes);
});

test.for([
  ['keys like integers, out of order', encodeDocument(new Map([...'21'].map((key) => [key, 1])))],
  ['a key twice', new Uint8Array([19, 0, 0, 0, 0x10, 97, 0, 1, 0, 0, 0, 0x10, 97, 0, 2, 0, 0, 0, 0])],
  ['a field that is called like a type', encodeDocument({ v: { $oid: 'no' } })],
  ['another NaN', new Uint8Array([16, 0, 0, 0, 1, 97, 0, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0])],
  ['true that is 2', new Uint8Array([9, 0, 0, 0, 8, 97, 0, 2, 0])],
  ['text that is no UTF-8', new Uint8Array([14, 0, 0, 0, 2, 97, 0, 2, 0, 0, 0, 0xff, 0, 0])],
  [
    'an array with names of its own',
    new Uint8Array([20, 0, 0, 0, 4, 97, 0, 12, 0, 0, 0, 0x10, 57, 0, 1, 0, 0, 0, 0, 0]),
  ],
  ['a length that lies', new Uint8Array([5, 0, 0, 1, 0])],
  ['nothing', new Uint8Array(0)],
  ['code with a scope', encodeDocument({ v: new Code('f()', { a: 1 }) })],
  ['what is too long to be read', encodeDocument({ v: 'x'.repeat(65_536) })],
] as const)('no text for %s; the bytes stay', ([, bytes]) => {
  expect(textOf(bytes)).toBeUndefined();
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
});

test.for([
  ['5000000000', Long.fromNumber(5_000_000_000)],
  ['5.0', new Int32(5)],
  ['2.5', new Double(2.5)],
] as const)('a number that a person wrote: %s', ([text, value]) => {
  expect(bytesOf(`{"v":${text}}`)).toEqual(encodeDocument({ v: value }));
});

test.for(['{"v":', '[1]', '5', '{"v":9007199254740993}', '{"v":{"$oid":"x"}}', '{"v":{"$date":"2025-01-01","a":1}}'])(
  'no document: %s',
  (text) => {
    expect(() => bytesOf(text)).toThrow();
  },
);

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer(),
  fc.double().map((value) => new Double(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 20 }),
  fc.constantFrom(null, true, false, oid),
);
const { document } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, fc.array(tie('value'), { maxLength: 4 }), tie('document')),
  document: fc
    .array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom('$set', '1', '0', '__proto__')), tie('value')), {
      maxLength: 5,
    })
    .map((entries) => new Map(entries.map(([key, value]) => [key.replaceAll('\0', ''), value]))),
}));

test('the text of any document is the document', () => {
  let texts = 0;
  fc.assert(
    fc.property(document, (value) => {
      const bytes = encodeDocument(value as object);
      const text = textOf(bytes);
      if (text === undefined) return;
      texts++;
      expect(bytesOf(text)).toEqual(bytes);
    }),
    { seed: 5, numRuns: 400 },
  );
  expect(texts).toBeGreaterThan(200);
});

test('any bytes have their text or none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const text = textOf(bytes);
      if (text !== undefined) expect(bytesOf(text)).toEqual(bytes);
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    }),
    { seed: 6, numRuns: 500 },
  );
});
