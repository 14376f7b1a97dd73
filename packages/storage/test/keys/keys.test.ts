import { BsonType } from '@replsim/protocol';
import { compareValues } from '@replsim/query';
import { Decimal128, Double, Int32, Long } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyValue, nastyNumbers, val } from '../../../query/test/bson.ts';
import {
  AFTER_PREFIX,
  dateEntry,
  dateKey,
  encodeCompoundKey,
  encodeKey,
  invertKey,
  KeyWriter,
  NULL_KEY,
  objectIdKey,
  RECORD_ID_CHARS,
  typePrefix,
} from '../../src/keys/keys.ts';

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

test('keys order as their values do, and equal values have equal keys', () => {
  fc.assert(
    fc.property(anyValue, anyValue, (a, b) => {
      const [x, y] = [val(a), val(b)];
      const expected = Math.sign(compareValues(x, y));
      expect(order(encodeKey(x), encodeKey(y))).toBe(expected);
      // `+ 0` so that -0 is 0.
      expect(order(encodeKey(x, true), encodeKey(y, true))).toBe(-expected + 0);
      expect(encodeKey(x)).toMatch(/^[\0-\xff]+$/);
      expect(invertKey(encodeKey(x))).toBe(encodeKey(x, true));
    }),
    { seed: 1, numRuns: 1500 },
  );
});

test('numbers of all types order by value', () => {
  const close = [
    ...nastyNumbers,
    ...[-2n, -1n, 0n, 1n, 2n, 511n, 512n, 513n].flatMap((n) => [
      Long.fromBigInt(2n ** 62n + n),
      Long.fromBigInt(-(2n ** 62n) - n),
      new Decimal128(String(2n ** 62n + n)),
      new Decimal128(`${-(2n ** 62n) - n}.5`),
    ]),
    new Double(2 ** 62),
    new Decimal128('0.1000000000000000055511151231257827'),
    new Decimal128('-0.1'),
    new Double(-0.1),
    new Decimal128('4.94065645841246544176568792868E-324'),
    new Decimal128('1E+308'),
    new Decimal128('1E+309'),
    new Int32(1),
  ].map((value) => val(value));
  for (const a of close) {
    for (const b of close) expect(order(encodeKey(a), encodeKey(b))).toBe(Math.sign(compareValues(a, b)));
  }
});

test('compound keys order part by part, each in its direction, then by record id', () => {
  const anyEntry = fc.tuple(anyValue, anyValue, fc.constantFrom(0, 1, 255, 2 ** 32, 2 ** 53 - 1));
  fc.assert(
    fc.property(anyEntry, anyEntry, fc.tuple(fc.boolean(), fc.boolean()), (a, b, descending) => {
      const expected =
        Math.sign(compareValues(val(a[0]), val(b[0]))) * (descending[0] ? -1 : 1) ||
        Math.sign(compareValues(val(a[1]), val(b[1]))) * (descending[1] ? -1 : 1) ||
        Math.sign(a[2] - b[2]);
      const [x, y] = [a, b].map(([first, second, recordId]) => {
        const writer = new KeyWriter();
        writer.add(val(first), descending[0]);
        writer.add(val(second), descending[1]);
        writer.addRecordId(recordId);
        return writer.take();
      }) as [string, string];
      expect(order(x, y)).toBe(expected + 0);
      const prefix = encodeCompoundKey([val(a[0]), val(a[1])], descending);
      expect(x.slice(0, -RECORD_ID_CHARS)).toBe(prefix);
      expect(prefix <= x && x < prefix + AFTER_PREFIX).toBe(true);
      // What begins with the first part is between that part and the end of its prefix.
      const first = encodeKey(val(a[0]), descending[0]);
      const sameFirst = compareValues(val(a[0]), val(b[0])) === 0;
      expect(first <= y && y < first + AFTER_PREFIX).toBe(sameFirst);
    }),
    { seed: 2, numRuns: 1500 },
  );
});

test('the short cuts agree with the long way', () => {
  const dates = [0, -1, 1, 1735689600000, -62135596800000, 2 ** 53, -(2 ** 53), 8.64e15];
  for (const ms of dates) {
    const value = val(new Date(0));
    const bytes = value.bytes.slice();
    new DataView(bytes.buffer).setBigInt64(value.offset, BigInt(ms), true);
    const writer = new KeyWriter();
    writer.add({ ...value, bytes });
    expect(dateKey(ms)).toBe(writer.take());
    writer.add({ ...value, bytes });
    writer.addRecordId(2 ** 40 + 77);
    expect(dateEntry(bytes, value.offset, 2 ** 40 + 77)).toBe(writer.take());
  }
  const ends = [-Infinity, -(2 ** 63), 0, 2 ** 63, Infinity].map(dateKey);
  expect(ends).toEqual(ends.toSorted());
  expect(objectIdKey(new Uint8Array(12).fill(200))).toBe(`${typePrefix(BsonType.objectId)}${'\xc8'.repeat(12)}`);
  expect(encodeKey(val(null))).toBe(NULL_KEY);
});

test('an empty array stands below null and above MinKey', () => {
  const writer = new KeyWriter();
  writer.addEmptyArray();
  const empty = writer.take();
  expect(empty < NULL_KEY && empty > typePrefix(BsonType.minKey)).toBe(true);
  writer.addEmptyArray(true);
  expect(writer.take()).toBe(invertKey(empty));
});
