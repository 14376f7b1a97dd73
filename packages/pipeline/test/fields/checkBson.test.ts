import { CommandError, encodeDocument } from '@replsim/protocol';
import { Binary, Code, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkBson } from '../../src/fields/checkBson.ts';

const everything = encodeDocument({
  double: 1.5,
  string: 'é',
  object: { a: [1, { b: null }] },
  binary: new Binary(new Uint8Array([1, 2])),
  oldBinary: new Binary(new Uint8Array([1, 2]), Binary.SUBTYPE_BYTE_ARRAY),
  id: new ObjectId('0123456789abcdef01234567'),
  bool: true,
  date: new Date(0),
  regex: /a+/i,
  code: new Code('f()', { x: 1 }),
  int: 1,
  ts: new Timestamp({ t: 1, i: 2 }),
  long: Long.fromNumber(5),
  decimal: Decimal128.fromString('1.5'),
  min: new MinKey(),
  max: new MaxKey(),
});

test('every type passes', () => {
  expect(() => checkBson(everything)).not.toThrow();
});

test('a document cut anywhere is refused, and so is one with bytes behind it', () => {
  for (let length = 0; length < everything.length; length++) {
    expect(() => checkBson(everything.subarray(0, length))).toThrow(CommandError);
  }
  expect(() => checkBson(new Uint8Array([...everything, 0]))).toThrow('bytes follow');
});

test.for([
  ['a size below the header', [4, 0, 0, 0, 0]],
  ['no zero at the end', [5, 0, 0, 0, 1]],
  ['an unknown type', [8, 0, 0, 0, 0x33, 97, 0, 0]],
  ['a boolean of 2', [9, 0, 0, 0, 8, 97, 0, 2, 0]],
  ['a string that claims too much', [14, 0, 0, 0, 2, 97, 0, 9, 0, 0, 0, 98, 0, 0]],
  ['a string without its zero', [14, 0, 0, 0, 2, 97, 0, 2, 0, 0, 0, 98, 98, 0]],
  ['binary of negative size', [13, 0, 0, 0, 5, 97, 0, 255, 255, 255, 255, 0, 0]],
  ['a string of size 0', [13, 0, 0, 0, 2, 97, 0, 0, 0, 0, 0, 0, 0]],
  ['a string of negative size', [14, 0, 0, 0, 2, 97, 0, 255, 255, 255, 255, 98, 0, 0]],
  ['a string whose size is cut off', [10, 0, 0, 0, 2, 97, 0, 1, 0, 0]],
  ['a field name without its end', [8, 0, 0, 0, 10, 97, 97, 0]],
  ['a boolean without its byte', [8, 0, 0, 0, 8, 97, 0, 0]],
  ['a boolean of 255', [9, 0, 0, 0, 8, 97, 0, 255, 0]],
  ['half of an int32', [10, 0, 0, 0, 16, 97, 0, 1, 0, 0]],
  ['half of a double', [12, 0, 0, 0, 1, 97, 0, 1, 0, 0, 0, 0]],
  ['half of an ObjectId', [14, 0, 0, 0, 7, 97, 0, 1, 2, 3, 4, 5, 6, 0]],
  ['binary whose size is cut off', [11, 0, 0, 0, 5, 97, 0, 0, 0, 0, 0]],
  ['old binary without its inner length', [13, 0, 0, 0, 5, 97, 0, 0, 0, 0, 0, 2, 0]],
  ['old binary whose inner length is wrong', [17, 0, 0, 0, 5, 97, 0, 4, 0, 0, 0, 2, 1, 0, 0, 0, 0]],
  ['old binary whose inner length is negative', [17, 0, 0, 0, 5, 97, 0, 4, 0, 0, 0, 2, 255, 255, 255, 255, 0]],
  ['binary that claims too much', [14, 0, 0, 0, 5, 97, 0, 2, 0, 0, 0, 0, 9, 0]],
  ['a regular expression without its end', [10, 0, 0, 0, 11, 97, 0, 98, 0, 0]],
  ['a DBPointer without its id', [14, 0, 0, 0, 12, 97, 0, 2, 0, 0, 0, 98, 0, 0]],
  ['an array that is too small', [13, 0, 0, 0, 4, 97, 0, 4, 0, 0, 0, 0, 0]],
  ['a sub-document of negative size', [13, 0, 0, 0, 3, 97, 0, 251, 255, 255, 255, 0, 0]],
  ['a sub-document without its zero', [13, 0, 0, 0, 3, 97, 0, 5, 0, 0, 0, 1, 0]],
  ['code with scope that claims too much', [22, 0, 0, 0, 15, 97, 0, 99, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0]],
  ['code with scope of negative size', [22, 0, 0, 0, 15, 97, 0, 255, 255, 255, 255, 1, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0]],
  ['code whose scope ends early', [23, 0, 0, 0, 15, 97, 0, 15, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0]],
  ['a document of negative size', [251, 255, 255, 255, 0]],
  ['a sub-document that is too large', [13, 0, 0, 0, 3, 97, 0, 99, 0, 0, 0, 0, 0]],
] as const)('%s: InvalidBSON', ([, bytes]) => {
  expect(() => checkBson(new Uint8Array(bytes))).toThrow(expect.objectContaining({ code: 22 }));
});

test('nesting has a limit: 200 documents in one another pass, 201 do not', () => {
  const nested = (depth: number) => {
    let value: object = {};
    for (let i = 1; i < depth; i++) value = { a: value };
    return encodeDocument(value);
  };
  expect(() => checkBson(nested(200))).not.toThrow();
  expect(() => checkBson(nested(201))).toThrow(expect.objectContaining({ code: 15 }));
});

test('a bomb of nested documents is refused without a look at its core', () => {
  const depth = 100_000;
  const bomb = new Uint8Array(depth * 8 - 3);
  const view = new DataView(bomb.buffer);
  for (let level = 0; level < depth; level++) {
    view.setInt32(level * 7, bomb.length - level * 8, true);
    bomb.set([3, 97, 0], level * 7 + 4);
  }
  expect(() => checkBson(bomb)).toThrow(expect.objectContaining({ code: 15 }));
});

test('whatever a byte becomes, it is a CommandError or a document, never a crash', () => {
  fc.assert(
    fc.property(fc.nat(everything.length - 1), fc.nat(255), (at, byte) => {
      const bytes = everything.slice();
      bytes[at] = byte;
      try {
        checkBson(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(CommandError);
      }
    }),
    { seed: 1, numRuns: 2000 },
  );
});
