import { expect, test } from 'vitest';
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  decodeDocument,
  ElementCursor,
  encodeDocument,
  encodeName,
  InvariantError,
  readDouble,
  readInt64,
  readInt64AsNumber,
  readString,
  readTimestamp,
  requiredField,
} from '../../src/index.ts';

// Values at the edges of their types: how they are written, and that they are read as what they were.

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const double = ({ bytes, offset }: BsonValue) => readDouble(bytes, offset);
const long = ({ bytes, offset }: BsonValue) => readInt64(bytes, offset);
const date = ({ bytes, offset }: BsonValue) => readInt64AsNumber(bytes, offset);
const data = ({ bytes, offset, size }: BsonValue) => hexOf(bytes.subarray(offset, offset + size));

test.for<
  [what: string, write: (writer: BsonWriter) => void, hex: string, read: (value: BsonValue) => unknown, is: unknown]
>([
  ['-0', (w) => w.double('', -0), '0000000000000080', double, -0],
  ['the smallest double', (w) => w.double('', 5e-324), '0100000000000000', double, 5e-324],
  ['the greatest double', (w) => w.double('', Number.MAX_VALUE), 'ffffffffffffef7f', double, Number.MAX_VALUE],
  ['-Infinity', (w) => w.double('', -Infinity), '000000000000f0ff', double, -Infinity],
  ['NaN', (w) => w.double('', Number.NaN), '000000000000f87f', double, Number.NaN],
  ['the least int64', (w) => w.int64('', -(2n ** 63n)), '0000000000000080', long, -(2n ** 63n)],
  ['the greatest int64', (w) => w.int64('', 2n ** 63n - 1n), 'ffffffffffffff7f', long, 2n ** 63n - 1n],
  ['-1 as a number', (w) => w.int64('', -1), 'ffffffffffffffff', long, -1n],
  ['a date before 1970', (w) => w.date('', -62135593139000), 'c8040bee7cc7ffff', date, -62135593139000],
  ['a date after 9999', (w) => w.date('', 253402300800000n), '00dc1fd277e60000', date, 253402300800000],
  [
    'a timestamp above 2^31',
    (w) => w.timestamp('', { t: 4_000_000_000, i: 0xffffffff }),
    'ffffffff00286bee',
    readTimestamp,
    { t: 4_000_000_000, i: 0xffffffff },
  ],
  ['no text', (w) => w.string('', ''), '0100000000', readString, ''],
  ['a text with NULs', (w) => w.string('', '\0b\0'), '0400000000620000', readString, '\0b\0'],
  ['two bytes a char', (w) => w.string('', 'ßß'), '05000000c39fc39f00', readString, 'ßß'],
  ['three', (w) => w.string('', '☃'), '04000000e2988300', readString, '☃'],
  ['four', (w) => w.string('', '𝄞'), '05000000f09d849e00', readString, '𝄞'],
  ['a byte order mark', (w) => w.string('', '\ufeffa'), '05000000efbbbf6100', readString, '\ufeffa'],
  ['no data', (w) => w.binary('', 0, Uint8Array.of()), '0000000000', data, '0000000000'],
  ['data of the old kind', (w) => w.binary('', 2, Uint8Array.of(9)), '05000000020100000009', data, '05000000020100000009'], // biome-ignore format: one line
  ['data of a user’s kind', (w) => w.binary('', 0x80, Uint8Array.of(9)), '010000008009', data, '010000008009'],
  ['options out of order', (w) => w.regex('', 'a', 'xmi'), '6100696d7800', data, '6100696d7800'],
  ['no pattern', (w) => w.regex('', '', ''), '0000', data, '0000'],
  ['a pattern beyond ASCII', (w) => w.regex('', '☃', 'i'), 'e29883006900', data, 'e29883006900'],
])('%s', ([, write, hex, read, is]) => {
  const writer = new BsonWriter();
  write(writer);
  const bytes = writer.finish();
  expect(hexOf(bytes.subarray(6, -1))).toBe(hex);
  const cursor = new ElementCursor(bytes);
  expect(cursor.next()).toBe(true);
  expect(read(cursor)).toEqual(is);
  expect(cursor.next()).toBe(false);
});

test('code with a scope has three lengths in it', () => {
  const writer = new BsonWriter();
  writer.javascriptWithScope('f', '☃', encodeDocument({ x: 1 }));
  writer.int32('after', 1);
  const cursor = new ElementCursor(writer.finish());
  cursor.next();
  expect([cursor.type, cursor.size]).toEqual([BsonType.javascriptWithScope, 4 + 8 + 12]);
  expect(data(cursor)).toBe(`1800000004000000e29883000c0000001078000100000000`);
  cursor.next();
  expect(cursor.name).toBe('after');
});

test.for(['', '.', 'a.b', '$', '$a', '☃', '0'])('a field may be called %o', (name) => {
  const bytes = encodeDocument(new Map([[name, 1]]));
  const cursor = new ElementCursor(bytes);
  cursor.next();
  expect([cursor.name, cursor.type]).toEqual([name, BsonType.int]);
  expect(encodeDocument(decodeDocument(bytes))).toEqual(bytes);
});

test.for(['', 'a', '1'])('an array whose first element is called %o is an array like any other', (name) => {
  const writer = new BsonWriter();
  writer.beginArray('a');
  writer.int32(name, 7);
  writer.endArray();
  expect(encodeDocument(decodeDocument(writer.finish()))).toEqual(encodeDocument({ a: [7] }));
});

test('a field that has to be there, and is not, is named', () => {
  const bytes = encodeDocument({ a: 1, b: 2 });
  expect(requiredField(bytes, encodeName('b'))).toMatchObject({ type: BsonType.int, size: 4 });
  expect(() => requiredField(bytes, encodeName('c'))).toThrow(new InvariantError('there is no field "c"'));
});
