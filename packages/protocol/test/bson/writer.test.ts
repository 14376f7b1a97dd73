import { serialize } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BsonWriter,
  decodeDocument,
  decodePromoted,
  encodeDocument,
  encodeName,
  findField,
  RawBson,
  RawValue,
} from '../../src/index.ts';
import { anyDocument } from './anyBson.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('writes what bson writes, for every document', () => {
  fc.assert(
    fc.property(anyDocument, (value) => {
      expect(hex(encodeDocument(value))).toBe(hex(serialize(value)));
    }),
    {
      numRuns: 500,
      seed: 1,
    },
  );
});

test('a Map keeps integer-like keys in order', () => {
  const bytes = encodeDocument(new Map<string, unknown>([['b', 1], ['2', 2], ['1', 3]])); // biome-ignore format: one line
  expect(hex(bytes)).toBe('1a000000106200010000001032000200000010310003000000'.concat('00'));
});

test('documents and values that are bytes already are spliced in', () => {
  const inner = encodeDocument(new Map([['2', 1], ['1', 2]])); // biome-ignore format: one line
  const two = findField(inner, encodeName('1'))!;
  expect(encodeDocument(new RawBson(inner))).toBe(inner);
  expect(encodeDocument({ a: new RawBson(inner), b: [new RawValue(two), new RawBson(inner)] })).toEqual(
    new Uint8Array(serialize({ a: new Map([['2', 1], ['1', 2]]), b: [2, new Map([['2', 1], ['1', 2]])] })), // biome-ignore format: one line
  );
});

test('element by element', () => {
  const writer = new BsonWriter(1);
  writer.int64('long', 2 ** 40 + 1);
  writer.int64('negative', -(2 ** 40) - 1);
  writer.date('date', -5);
  writer.beginArray('array');
  writer.beginDocument('0');
  writer.timestamp('ts', { t: 0xffffffff, i: 7 });
  writer.endDocument();
  writer.endArray();
  const document = decodeDocument(writer.finish());
  expect(document.long.toBigInt()).toBe(2n ** 40n + 1n);
  expect(document.negative.toBigInt()).toBe(-(2n ** 40n) - 1n);
  expect(document.date).toEqual(new Date(-5));
  expect(document.array[0].ts.t).toBe(0xffffffff);
});

test('an unfinished sub-document and a NUL in a name are refused', () => {
  const writer = new BsonWriter();
  writer.beginDocument('a');
  expect(() => writer.finish()).toThrow(RangeError);
  for (const name of ['a\0b', 'é\0b']) expect(() => encodeDocument({ [name]: 1 })).toThrow(/null byte/);
});

test('decoding: exact types, or promoted ones', () => {
  const bytes = serialize({ n: 5, d: 5.5, l: 7n });
  expect(hex(encodeDocument(decodeDocument(bytes)))).toBe(hex(bytes));
  expect(decodePromoted(bytes)).toEqual({ n: 5, d: 5.5, l: 7 });
});
