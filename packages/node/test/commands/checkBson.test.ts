import { CommandError, encodeDocument } from '@replsim/protocol';
import { Binary, Code, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkBson } from '../../src/commands/checkBson.ts';

const everything = encodeDocument({
  double: 1.5,
  string: 'é',
  object: { a: [1, { b: null }] },
  binary: new Binary(new Uint8Array([1, 2])),
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
