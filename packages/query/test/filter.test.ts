import { CommandError } from '@replsim/protocol';
import { Binary, BSONRegExp, Decimal128, Double, Long, MaxKey, MinKey, ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareValues, compileFilter, compilePositional } from '../src/index.ts';
import { anyDocument, anyValue, doc, ordered, text, val } from './bson.ts';

const matches = (filter: object, document: object) => compileFilter(doc(filter))(doc(document));
const NaN64 = new Double(Number.NaN);

type Row = [filter: object, document: object, expected: boolean];
const tables: Record<string, Row[]> = {
  equality: [
    [{}, { a: 1 }, true],
    [{ a: 5 }, { a: 5 }, true],
    [{ a: 5 }, { a: 6 }, false],
    [{ a: 5 }, {}, false],
    [{ a: 5, b: 6 }, { a: 5, b: 6 }, true],
    [{ a: 5, b: 6, c: 7 }, { a: 5, b: 6, c: 8 }, false],
    [{ a: [1, 2] }, { a: [1, 2] }, true],
    [{ a: [1, 2] }, { a: [[1, 2]] }, true],
    [{ a: [1, 2] }, { a: [1, 2, 3] }, false],
    [{ a: 2 }, { a: [1, 2] }, true],
    [{ a: 2 }, { a: [[1, 2]] }, false],
    [{ a: {} }, { a: {} }, true],
    [{ a: { b: 1 } }, { a: { b: 1, c: 1 } }, false],
    [{ a: null }, {}, true],
    [{ a: null }, { a: null }, true],
    [{ a: null }, { a: 1 }, false],
    [{ a: null }, { a: [1, null] }, true],
    [{ a: null }, { a: [] }, false],
    [{ 'a.b': null }, { a: 5 }, true],
    [{ 'a.b': null }, { a: [] }, false],
    [{ 'a.b': null }, { a: [5] }, false],
    [{ a: { $eq: NaN64 } }, { a: new Decimal128('NaN') }, true],
    [{ a: { $ne: 5 } }, { a: [4, 5] }, false],
    [{ a: { $ne: 5 } }, {}, true],
    [{ a: { $ne: null } }, {}, false],
    [{ a: { $ref: 'c', $id: 1 } }, { a: { $ref: 'c', $id: 1 } }, true],
    [{ _id: new ObjectId('ab'.repeat(12)) }, { _id: new ObjectId('ab'.repeat(12)) }, true],
    [{ _id: new ObjectId('ab'.repeat(12)) }, { _id: new ObjectId('ac'.repeat(12)) }, false],
    [{ a: { $eq: 1.5 } }, { a: new Decimal128('1.5') }, true],
  ],
  ranges: [
    [{ a: { $gt: 5 } }, { a: 6 }, true],
    [{ a: { $gt: 5 } }, { a: '6' }, false],
    [{ a: { $gt: 5, $lt: 7 } }, { a: [4, 8] }, true],
    [{ a: { $gte: 5.5 } }, { a: new Decimal128('5.5') }, true],
    [{ a: { $lt: 5.5 } }, { a: new Decimal128('5.4') }, true],
    [{ a: { $lt: new Date(5) } }, { a: new Date(4) }, true],
    [{ a: { $lt: new Date(5) } }, { a: new Date(5) }, false],
    [{ a: { $lte: new Date(5) } }, { a: new Date(5) }, true],
    [{ a: { $lt: new Date(5) } }, { a: new Date(-5) }, true],
    [{ a: { $lt: new Date(-5) } }, { a: new Date(-5e12) }, true],
    [{ a: { $lt: new Date(5) } }, { a: [new Date(9), new Date(1)] }, true],
    [{ a: { $lt: new Date(5) } }, { a: null }, false],
    [{ a: { $lt: new Date(5) } }, {}, false],
    [{ a: { $lt: NaN64 } }, { a: 5 }, false],
    [{ a: { $gte: NaN64 } }, { a: NaN64 }, true],
    [{ a: { $lt: 5 } }, { a: NaN64 }, false],
    [{ a: { $lt: new Decimal128('5') } }, { a: new Decimal128('NaN') }, false],
    [{ a: { $lt: Long.MAX_VALUE } }, { a: NaN64 }, false],
    [{ a: { $gt: Long.fromBigInt(2n ** 53n) } }, { a: Long.fromBigInt(2n ** 53n + 1n) }, true],
    [{ a: { $gt: 'a' } }, { a: 'b' }, true],
    [{ a: { $gte: { b: 1 } } }, { a: { b: 2 } }, true],
    [{ a: { $gt: false } }, { a: true }, true],
    [{ a: { $lte: null } }, { a: null }, true],
    [{ a: { $gt: null } }, { a: null }, false],
    [{ a: { $gt: new MinKey() } }, {}, true],
    [{ a: { $lte: new MinKey() } }, { a: new MinKey() }, true],
    [{ a: { $lt: new MaxKey() } }, { a: new MaxKey() }, false],
  ],
  logic: [
    [{ $and: [{ a: 1 }, { b: 2 }] }, { a: 1, b: 2 }, true],
    [{ $or: [{ a: 1 }, { b: 2 }] }, { a: 0, b: 2 }, true],
    [{ $or: [{ a: 1 }, { b: 2 }] }, { a: 0, b: 0 }, false],
    [{ $nor: [{ a: 1 }, { b: 2 }] }, { a: 0, b: 0 }, true],
    [{ a: { $not: { $gt: 5 } } }, {}, true],
    [{ a: { $not: { $gt: 5 } } }, { a: [1, 6] }, false],
    [{ a: { $not: { $gt: 5, $lt: 9 } } }, { a: 10 }, true],
    [{ a: { $not: /^x/ } }, { a: 'y' }, true],
    [{ $comment: 'why', a: { $comment: 'too', $eq: 1 } }, { a: 1 }, true],
  ],
  sets: [
    [{ a: { $in: [1, null] } }, {}, true],
    [{ a: { $in: [1, 2] } }, { a: [3, 2] }, true],
    [{ a: { $in: [[3, 2]] } }, { a: [3, 2] }, true],
    [{ a: { $in: [] } }, { a: 1 }, false],
    [{ a: { $in: [/^b/, 'a'] } }, { a: 'bc' }, true],
    [{ a: { $nin: [1, 2] } }, { a: 3 }, true],
    [{ a: { $nin: [1, null] } }, {}, false],
    [{ a: { $all: [1, 2] } }, { a: [2, 1, 0] }, true],
    [{ a: { $all: [1, 2] } }, { a: [1] }, false],
    [{ a: { $all: [] } }, { a: [] }, false],
    [{ a: { $all: [[1, 2]] } }, { a: [1, 2] }, true],
    [{ 'a.b': { $all: [1, 2] } }, { a: [{ b: 1 }, { b: 2 }] }, true],
    [{ a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } }, { a: [{ b: 1 }, { b: 2 }] }, true],
    [{ a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 3 } }] } }, { a: [{ b: 1 }, { b: 2 }] }, false],
  ],
  arrays: [
    [{ a: { $size: 2 } }, { a: [1, 2] }, true],
    [{ a: { $size: 2 } }, { a: [[1, 2]] }, false],
    [{ a: { $size: 0 } }, { a: [] }, true],
    [{ a: { $size: 0 } }, { a: 1 }, false],
    [{ a: { $elemMatch: { b: 1, c: 2 } } }, { a: [{ b: 1 }, { c: 2 }] }, false],
    [{ a: { $elemMatch: { b: 1, c: 2 } } }, { a: [{ b: 1, c: 2 }] }, true],
    [{ a: { $elemMatch: { $gt: 1, $lt: 3 } } }, { a: [0, 2] }, true],
    [{ a: { $elemMatch: { $gt: 1, $lt: 3 } } }, { a: [0, 4] }, false],
    [{ a: { $elemMatch: { $gt: 1 } } }, { a: 2 }, false],
    [{ a: { $elemMatch: { $not: { $gt: 1 } } } }, { a: [5, 0] }, true],
    [{ a: { $elemMatch: { $or: [{ b: 1 }, { b: 2 }] } } }, { a: [{ b: 2 }] }, true],
    [{ a: { $elemMatch: { $id: 1 } } }, { a: [{ $ref: 'c', $id: 1 }] }, true],
    [{ a: { $elemMatch: { $id: 2 } } }, { a: [{ $ref: 'c', $id: 1 }] }, false],
    [{ a: { $elemMatch: { $ref: 'c', $id: 1, $db: 'd' } } }, { a: [{ $ref: 'c', $id: 1, $db: 'd' }] }, true],
    [{ a: { $elemMatch: { b: 1, $id: 1 } } }, { a: [{ $id: 1, b: 1 }] }, true],
    [{ a: { $elemMatch: { $or: [{ $id: 1 }, { $id: 2 }] } } }, { a: [{ $ref: 'c', $id: 2 }] }, true],
    [{ a: { $ref: 'c', $id: 1 } }, { a: { $ref: 'c', $id: 1 } }, true],
    [{ a: { $elemMatch: { $elemMatch: { $eq: 3 } } } }, { a: [[1], [3]] }, true],
    [{ a: { $elemMatch: { 0: 7 } } }, { a: [[7]] }, true],
    [{ 'a.0': 5 }, { a: [5, 6] }, true],
    [{ 'a.1': 5 }, { a: [5, 6] }, false],
    [{ 'a.1.b': 5 }, { a: [{}, { b: 5 }] }, true],
    [{ 'a.0': 1 }, { a: { 0: 1 } }, true],
    [{ 'a.b.c': 3 }, { a: [{ b: [{ c: 3 }] }] }, true],
  ],
  'existence and types': [
    [{ a: { $exists: true } }, { a: null }, true],
    [{ a: { $exists: false } }, { a: null }, false],
    [{ a: { $exists: 0 } }, {}, true],
    [{ 'a.b': { $exists: true } }, { a: [{}, { b: 1 }] }, true],
    [{ 'a.b': { $exists: false } }, { a: [] }, true],
    [{ a: { $type: 2 } }, { a: 'x' }, true],
    [{ a: { $type: ['string', 'int'] } }, { a: 1 }, true],
    [{ a: { $type: 'array' } }, { a: [] }, true],
    [{ a: { $type: -1 } }, { a: new MinKey() }, true],
    [{ a: { $type: 'null' } }, {}, false],
    [{ a: { $type: 'number' } }, { a: 'x' }, false],
  ],
  'other operators': [
    [{ a: { $mod: [4, 1] } }, { a: 5 }, true],
    [{ a: { $mod: [4, 1] } }, { a: 5.9 }, true],
    [{ a: { $mod: [4, -1] } }, { a: -5 }, true],
    [{ a: { $mod: [4, 0] } }, { a: 'x' }, false],
    [{ a: { $mod: [4, 1] } }, { a: [3, 5n] }, true],
    [{ a: /^b.*D$/i }, { a: 'Bcd' }, true],
    [{ a: { $regex: '^b', $options: 'i' } }, { a: 'Bcd' }, true],
    [{ a: { $regex: '^ b # start\n c$', $options: 'x' } }, { a: 'bc' }, true],
    [{ a: { $regex: '(?i)BC' } }, { a: 'abcd' }, true],
    [{ a: { $regex: /b/i } }, { a: ['x', 'B'] }, true],
    [{ a: new BSONRegExp('a\\-b', '') }, { a: 'a-b' }, true],
    [{ a: /b/ }, { a: new BSONRegExp('b', '') }, true],
    [{ a: { $bitsAllSet: 6 } }, { a: 7 }, true],
    [{ a: { $bitsAllSet: [1, 2] } }, { a: 5 }, false],
    [{ a: { $bitsAnySet: [0, 60] } }, { a: -1 }, true],
    [{ a: { $bitsAllClear: 8 } }, { a: 7 }, true],
    [{ a: { $bitsAnyClear: new Binary(new Uint8Array([3])) } }, { a: new Binary(new Uint8Array([1])) }, true],
    [{ a: { $bitsAllSet: 1 } }, { a: 1.5 }, false],
    [{ $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1 }, true],
    [{ $expr: { $and: [{ $eq: ['$a.x', 1] }, { $not: ['$z'] }] } }, { a: { x: 1 } }, true],
    [{ $expr: { $eq: ['$a', { $add: ['$b', 1, { $subtract: [5, 3] }] }] } }, { a: 4, b: 1n }, true],
    [{ $expr: { $eq: ['$a', null] } }, {}, false],
    [{ $expr: { $lt: ['$at', { $add: ['$from', 1000] }] } }, { at: new Date(5), from: new Date(0) }, true],
    [{ $expr: { $eq: ['$a.b', [1, 2]] } }, { a: [{ b: 1 }, {}, { b: 2 }] }, true],
    [{ $expr: { $eq: [{ $literal: '$a' }, '$b'] } }, { b: '$a' }, true],
  ],
};

for (const [name, rows] of Object.entries(tables)) {
  describe(name, () => {
    for (const [filter, document, expected] of rows) {
      test(`${text(doc(filter))} on ${text(doc(document))}: ${expected}`, () => {
        expect(matches(filter, document)).toBe(expected);
      });
    }
  });
}

test.for([
  [{ a: { $foo: 1 } }, 2, 'unknown operator: $foo'],
  [{ a: { $near: [1, 2] } }, 5626500, 'are not allowed in this context'],
  [{ a: { $elemMatch: { $near: [1, 2] } } }, 2, 'geoNear must be top-level expr'],
  [{ a: { $maxDistance: 2 } }, 2, 'unknown operator: $maxDistance'],
  [{ a: { $gt: 1, b: 2 } }, 2, 'unknown operator: b'],
  [{ a: { $id: 1 } }, 2, 'unknown operator: $id'],
  [{ a: { $ref: 'c', id: 1 } }, 2, 'unknown operator: $ref'],
  [{ a: { $in: [{ $id: 1 }] } }, 2, 'cannot nest $ under $in'],
  [{ $foo: 1 }, 2, 'unknown top level operator: $foo.'],
  [{ a: { $in: 1 } }, 2, '$in needs an array'],
  [{ a: { $nin: 1 } }, 2, '$nin needs an array'],
  [{ a: { $in: [{ $gt: 1 }] } }, 2, 'cannot nest $ under $in'],
  [{ a: { $all: 1 } }, 2, '$all needs an array'],
  [{ $and: 1 }, 2, '$and must be an array'],
  [{ $or: [] }, 2, '$and/$or/$nor must be a nonempty array'],
  [{ $or: [1] }, 2, '$or/$and/$nor entries need to be full objects'],
  [{ a: { $not: 1 } }, 2, '$not needs a regex or a document'],
  [{ a: { $not: {} } }, 2, '$not cannot be empty'],
  [{ a: { $elemMatch: 1 } }, 2, '$elemMatch needs an Object'],
  [{ a: { $size: -1 } }, 2, 'non-negative'],
  [{ a: { $mod: [0, 1] } }, 2, 'divisor cannot be 0'],
  [{ a: { $mod: [1] } }, 2, 'not enough elements'],
  [{ a: { $type: 'integer' } }, 2, 'Unknown type name alias: integer'],
  [{ a: { $type: 0 } }, 2, 'Invalid numerical type code: 0'],
  [{ a: { $options: 'i' } }, 2, '$options needs a $regex'],
  [{ a: { $regex: '(' } }, 51091, 'Regular expression is invalid'],
  [{ $jsonSchema: 1 }, 14, "'$jsonSchema' must be an object"],
  [
    { $where: 'sleep(1000) || true' },
    2,
    '$where runs JavaScript, which replsim does not: use $expr. To make a command slow, use the fail point failCommand',
  ],
  [{ $sampleRate: '0.5' }, 2, 'argument to $sampleRate must be a numeric type'],
  [{ $sampleRate: 1.1 }, 2, 'numeric argument to $sampleRate must be in [0, 1]'],
  [{ $sampleRate: -0.1 }, 2, 'numeric argument to $sampleRate must be in [0, 1]'],
  [{ $sampleRate: Number.NaN }, 2, 'numeric argument to $sampleRate must be in [0, 1]'],
  [{ a: { $elemMatch: { b: 1, $sampleRate: 0.5 } } }, 2, '$sampleRate can only be applied to the top-level document'],
  [{ $expr: { $foo: 1 } }, 168, "Unrecognized expression '$foo'"],
  [{ $expr: '$$nobody' }, 17276, 'undefined variable: nobody'],
] as const)('%j is refused with %s: %s', ([filter, code, message]) => {
  const error = (() => {
    try {
      compileFilter(doc(filter));
    } catch (thrown) {
      return thrown as CommandError;
    }
    return undefined;
  })();
  expect(error).toBeInstanceOf(CommandError);
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
});

test('variables stand for their values', () => {
  const filter = compileFilter(doc({ $expr: { $eq: ['$a', '$$x'] } }), { variables: new Map([['x', val(5n)]]) });
  expect(filter(doc({ a: 5 }))).toBe(true);
});

test('the element that positional $ means', () => {
  const find = (filter: object, document: object, path: string) => compilePositional(doc(filter))(doc(document), path);
  expect(find({ a: 5 }, { a: [4, 5, 5] }, 'a')).toBe(1);
  expect(find({ 'a.b': { $gt: 1 } }, { a: [{ b: 1 }, { b: 2 }] }, 'a')).toBe(1);
  expect(find({ a: { $elemMatch: { b: 1, c: 2 } } }, { a: [{ b: 1 }, { b: 1, c: 2 }] }, 'a')).toBe(1);
  expect(find({ x: 1, $or: [{ a: 9 }, { a: 4 }] }, { x: [0, 0, 1], a: [3, 4] }, 'a')).toBe(1);
  expect(find({ $or: [{ a: 3 }, { a: 2 }] }, { a: [1, 2, 3] }, 'a')).toBe(1);
  expect(find({ $or: [{ a: 'x' }, { a: /^b/ }] }, { a: ['a', 'b'] }, 'a')).toBe(1);
  expect(find({ $or: [{ $and: [{ a: { $gt: 1 } }] }] }, { a: [1, 2] }, 'a')).toBe(1);
  // Which branch of another $or holds is not known.
  expect(find({ $or: [{ a: 1 }, { b: 5 }] }, { a: [1], b: [5] }, 'a')).toBeUndefined();
  expect(find({ $or: [{ a: 1 }, { a: { $gt: 5 } }] }, { a: [1] }, 'a')).toBeUndefined();
  expect(find({ $nor: [{ a: 2 }] }, { a: [1] }, 'a')).toBeUndefined();
  expect(find({ x: 1 }, { x: 1, a: [1] }, 'a')).toBeUndefined();
});

test('comparison operators agree with the order over all values', () => {
  fc.assert(
    fc.property(anyValue, anyValue, (a, b) => {
      const [x, y] = [val(a), val(b)];
      // Documents that begin with a dollar are operators, arrays offer their elements: both have rows of their own.
      fc.pre([x, y].every(({ type }) => ![3, 4, 11].includes(type)));
      expect(matches({ a: { $eq: b } }, { a })).toBe(compareValues(x, y) === 0);
      expect(matches({ a: { $gte: b } }, { a }) && matches({ a: { $lte: b } }, { a })).toBe(compareValues(x, y) === 0);
    }),
    { numRuns: 2000, seed: 1 },
  );
});

test('a document matches every one of its own fields', () => {
  fc.assert(
    fc.property(anyDocument, (document) => {
      for (const [name, value] of document as Map<string, unknown>) {
        if (name.includes('.') || name.startsWith('$')) continue;
        if (val(value).type === 11) continue;
        expect(matches(ordered([name, { $eq: value }]), document)).toBe(true);
        expect(matches(ordered([name, { $ne: value }]), document)).toBe(false);
      }
    }),
    { numRuns: 500, seed: 1 },
  );
});

// Lists long enough to be halved, about more than one path.
const branch = fc.oneof(
  fc.record({ a: anyValue }),
  fc.record({ 'a.b': anyValue }),
  anyValue.map((value) => ({ a: { $eq: value } })),
  fc.integer({ min: 0, max: 5 }).map((a) => ({ a: { $gt: a } })),
  fc.constantFrom({ a: null }, { a: NaN64 }, { a: new BSONRegExp('x') }, { a: [] }),
);
const asked = fc.oneof(anyDocument, fc.record({ a: anyValue }), fc.record({ a: fc.array(anyValue) }), fc.constant({}));

test('an $or of many branches holds where one of them holds, and their $nor where none does', () => {
  fc.assert(
    fc.property(fc.array(branch, { minLength: 9, maxLength: 30 }), asked, (branches, document) => {
      const compiled = (filter: object) => compileFilter(doc(filter))(doc(document));
      const plain = branches.filter((each) => {
        try {
          compiled(each);
          return true;
        } catch {
          return false;
        }
      });
      fc.pre(plain.length > 0);
      const one = plain.some(compiled);
      expect(compiled({ $or: plain })).toBe(one);
      expect(compiled({ $nor: plain })).toBe(!one);
    }),
  );
});
