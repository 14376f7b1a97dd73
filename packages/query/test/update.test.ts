import type { CommandError } from '@replsim/protocol';
import { Decimal128, Double, Int32, Long, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDiff, buildUpsertDocument, compileUpdate, computedUpdate, type UpdateOptions } from '../src/index.ts';
import { anyDocument, anyValue, doc, ordered, text, val } from './bson.ts';

type Options = Omit<UpdateOptions, 'nowMs' | 'filter' | 'arrayFilters'> & { filter?: object; arrayFilters?: object[] };
const compile = (update: object, { filter, arrayFilters, ...rest }: Options = {}) =>
  compileUpdate(doc(update), {
    nowMs: 5000,
    ...rest,
    ...(filter && { filter: doc(filter) }),
    ...(arrayFilters && { arrayFilters: arrayFilters.map(doc) }),
  });

const long = Long.fromNumber;
type Row = [update: object, before: object, after: object, options?: Options];
const tables: Record<string, Row[]> = {
  $set: [
    [{ $set: { a: 2 } }, { _id: 1, a: 1, b: 1 }, { _id: 1, a: 2, b: 1 }],
    [{ $set: { c: 1, a: 2, b: 3 } }, { _id: 1 }, ordered(['_id', 1], ['a', 2], ['b', 3], ['c', 1])],
    [{ $set: { f10: 1, f9: 1 } }, {}, ordered(['f10', 1], ['f9', 1])],
    [ordered(['$set', ordered(['b.10', 1], ['b.9', 1])]), { b: {} }, { b: ordered(['9', 1], ['10', 1]) }],
    [ordered(['$set', { z: 1 }], ['$inc', { y: 1 }]), {}, ordered(['y', 1], ['z', 1])],
    [{ $set: { 'a.b.c': 1 } }, {}, { a: { b: { c: 1 } } }],
    [{ $set: { 'a.0': 1 } }, {}, { a: { 0: 1 } }],
    [{ $set: { 'a.2': 9 } }, { a: [1] }, { a: [1, null, 9] }],
    [{ $set: { 'a.1.b': 9 } }, { a: [1, { b: 1, c: 2 }] }, { a: [1, { b: 9, c: 2 }] }],
    [{ $set: { a: { $x: 1 } } }, {}, { a: { $x: 1 } }],
    [{ $set: {} }, { a: 1 }, { a: 1 }],
    [{ $set: { a: 5n } }, { a: 5 }, { a: 5n }],
    [{ $set: { _id: 1 } }, { _id: 1 }, { _id: 1 }],
    [{ $set: { b: 1 } }, ordered(['2', 1], ['1', 1]), ordered(['2', 1], ['1', 1], ['b', 1])],
  ],
  '$unset and $rename': [
    [{ $unset: { a: '', z: '' } }, { a: 1, b: 1 }, { b: 1 }],
    [{ $unset: { 'a.1': 1 } }, { a: [1, 2, 3] }, { a: [1, null, 3] }],
    [{ $unset: { 'a.b': 1 } }, { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
    [{ $unset: { 'a.b.c': 1 } }, { a: 5 }, { a: 5 }],
    [{ $rename: { a: 'b' } }, { a: 1, c: 2 }, { c: 2, b: 1 }],
    [{ $rename: { a: 'c' } }, { a: 1, c: 2 }, { c: 1 }],
    [{ $rename: { 'a.x': 'b.y' } }, { a: { x: 1 } }, { a: {}, b: { y: 1 } }],
    [{ $rename: { z: 'y' } }, { a: 1 }, { a: 1 }],
    [{ $rename: { 'v.5.x': 'y' } }, { v: [{ x: 1 }] }, { v: [{ x: 1 }] }],
    [{ $rename: { 'v.0.z': 'y' } }, { v: [{ x: 1 }] }, { v: [{ x: 1 }] }],
  ],
  numbers: [
    [{ $inc: { a: 1 } }, { a: 1 }, { a: 2 }],
    [{ $inc: { a: 1 } }, {}, { a: 1 }],
    [{ $inc: { a: 1 } }, { a: 2 ** 31 - 1 }, { a: long(2 ** 31) }],
    [{ $inc: { a: long(1) } }, { a: 1 }, { a: long(2) }],
    [{ $inc: { a: 0.5 } }, { a: long(1) }, { a: 1.5 }],
    [{ $inc: { a: new Double(1) } }, { a: 1 }, { a: new Double(2) }],
    [{ $inc: { a: new Decimal128('0.1') } }, { a: 1 }, { a: new Decimal128('1.1') }],
    [{ $inc: { a: 0.1 } }, { a: new Decimal128('1') }, { a: new Decimal128('1.100000000000000') }],
    [{ $inc: { a: new Decimal128('Infinity') } }, { a: new Decimal128('-Infinity') }, { a: new Decimal128('NaN') }],
    [{ $mul: { a: 3 } }, { a: 2 }, { a: 6 }],
    [{ $mul: { a: long(3) } }, {}, { a: long(0) }],
    [{ $mul: { a: 1.5 } }, {}, { a: new Double(0) }],
    [{ $mul: { a: 2 ** 30 } }, { a: 4 }, { a: long(2 ** 32) }],
    [{ $min: { a: 3, b: 3 } }, { a: 5, b: 1 }, { a: 3, b: 1 }],
    [{ $max: { a: 3, c: 1 } }, { a: new Double(2.5) }, { a: 3, c: 1 }],
    [{ $max: { a: new Date(5) } }, { a: 100 }, { a: new Date(5) }],
    [{ $min: { a: long(5) } }, { a: 5 }, { a: 5 }],
    [{ $bit: { a: { and: 6 } } }, { a: 3 }, { a: 2 }],
    [{ $bit: { a: { or: long(4) } } }, { a: 3 }, { a: long(7) }],
    [{ $bit: { a: { xor: 5 } } }, {}, { a: 5 }],
    [{ $bit: { a: ordered(['or', 4], ['and', 6]) } }, { a: 3 }, { a: 6 }],
  ],
  $currentDate: [
    [{ $currentDate: { a: true } }, {}, { a: new Date(5000) }],
    [{ $currentDate: { a: { $type: 'date' } } }, {}, { a: new Date(5000) }],
    [
      { $currentDate: { a: { $type: 'timestamp' } } },
      {},
      { a: new Timestamp({ t: 7, i: 3 }) },
      { nextTimestamp: { t: 7, i: 3 } },
    ],
  ],
  $push: [
    [{ $push: { a: 1 } }, {}, { a: [1] }],
    [{ $push: { a: [2, 3] } }, { a: [1] }, { a: [1, [2, 3]] }],
    [{ $push: { a: { $each: [2, 3] } } }, { a: [1] }, { a: [1, 2, 3] }],
    [{ $push: { a: { $each: [0], $position: 0 } } }, { a: [1] }, { a: [0, 1] }],
    [{ $push: { a: { $each: [9], $position: -1 } } }, { a: [1, 2] }, { a: [1, 9, 2] }],
    [{ $push: { a: { $each: [9], $position: 99 } } }, { a: [1, 2] }, { a: [1, 2, 9] }],
    [{ $push: { a: { $each: [3], $slice: 2 } } }, { a: [1, 2] }, { a: [1, 2] }],
    [{ $push: { a: { $each: [3], $slice: -2 } } }, { a: [1, 2] }, { a: [2, 3] }],
    [{ $push: { a: { $each: [], $slice: 0 } } }, { a: [1, 2] }, { a: [] }],
    [{ $push: { a: { $each: [2, 'x'], $sort: -1 } } }, { a: [3, 1] }, { a: ['x', 3, 2, 1] }],
    [
      { $push: { a: { $each: [{ s: 1, n: 'new' }], $sort: { s: 1 } } } },
      { a: [{ s: 2 }, { s: 1 }] },
      { a: [{ s: 1 }, { s: 1, n: 'new' }, { s: 2 }] },
    ],
    [{ $push: { 'a.b': 1 } }, { a: { b: [] } }, { a: { b: [1] } }],
  ],
  sets: [
    [{ $addToSet: { a: 2 } }, { a: [1] }, { a: [1, 2] }],
    [{ $addToSet: { a: long(1) } }, { a: [1] }, { a: [1] }],
    [{ $addToSet: { a: { $each: [1, 2, 2, 3] } } }, { a: [1] }, { a: [1, 2, 3] }],
    [{ $addToSet: { a: { $each: [] } } }, {}, { a: [] }],
    [{ $addToSet: { a: [2] } }, {}, { a: [[2]] }],
    [
      { $addToSet: { a: { x: 1, y: 2 } } },
      { a: [ordered(['y', 2], ['x', 1])] },
      { a: [ordered(['y', 2], ['x', 1]), { x: 1, y: 2 }] },
    ],
    [{ $pull: { a: 2 } }, { a: [1, 2, 2.5, 2n] }, { a: [1, 2.5] }],
    [{ $pull: { a: { $gte: 2 } } }, { a: [1, 2, 3, 'x'] }, { a: [1, 'x'] }],
    [{ $pull: { a: { b: 1 } } }, { a: [{ b: 1, c: 1 }, { b: 2 }, 1] }, { a: [{ b: 2 }, 1] }],
    [
      { $pull: { a: { b: { $elemMatch: { c: { $gt: 1 } } } } } },
      { a: [{ b: [{ c: 2 }] }, { b: [{ c: 1 }] }] },
      { a: [{ b: [{ c: 1 }] }] },
    ],
    [{ $pull: { a: { $in: [1, null] } } }, { a: [1, null, 2] }, { a: [2] }],
    [{ $pull: { a: /^x/ } }, { a: ['xy', 'y'] }, { a: ['y'] }],
    [{ $pull: { a: { $or: [{ b: 1 }, { c: 3 }] } } }, { a: [{ b: 1 }, { b: 2 }, { c: 3 }, 5] }, { a: [{ b: 2 }, 5] }],
    [{ $pull: { a: { $and: [{ b: 1 }, { c: 3 }] } } }, { a: [{ b: 1 }, { b: 1, c: 3 }] }, { a: [{ b: 1 }] }],
    [{ $pull: { a: { $nor: [{ b: 1 }] } } }, { a: [{ b: 1 }, { b: 2 }, 5] }, { a: [{ b: 1 }, 5] }],
    [{ $pull: { a: { r: { $elemMatch: { $id: 1 } } } } }, { a: [{ r: [{ $id: 1 }] }, { r: [] }] }, { a: [{ r: [] }] }],
    [{ $set: { 'a.$b': 1, c: { $d: 2 } } }, { a: { $b: 0 } }, { a: { $b: 1 }, c: { $d: 2 } }],
    [{ $unset: { 'a.$b': 1 }, $inc: { 'c.$d.e': 2 } }, { a: { $b: 0 } }, { a: {}, c: { $d: { e: 2 } } }],
    [{ $pull: { a: 2 } }, {}, {}],
    [
      { $pull: { 'a.2.b': 2 }, $pop: { 'b.c.d': 1 } },
      { a: [1], b: {} },
      { a: [1], b: {} },
    ],
    [{ $pullAll: { a: [1, 3] } }, { a: [1, 2, 3, 1] }, { a: [2] }],
    [{ $pop: { a: 1 } }, { a: [1, 2] }, { a: [1] }],
    [{ $pop: { a: -1 } }, { a: [1, 2] }, { a: [2] }],
    [{ $pop: { a: 1, b: 1 } }, { a: [] }, { a: [] }],
  ],
  positional: [
    [{ $set: { 'a.$': 9 } }, { a: [1, 2, 3] }, { a: [1, 9, 3] }, { filter: { a: 2 } }],
    [
      { $inc: { 'a.$.n': 1 } },
      {
        a: [
          { k: 1, n: 1 },
          { k: 2, n: 1 },
        ],
      },
      {
        a: [
          { k: 1, n: 1 },
          { k: 2, n: 2 },
        ],
      },
      { filter: { 'a.k': 2 } },
    ],
    [{ $unset: { 'a.$': 1 } }, { a: [1, 2] }, { a: [null, 2] }, { filter: { a: { $elemMatch: { $lt: 2 } } } }],
    [{ $inc: { 'a.$[]': 1 } }, { a: [1, 2n, 2.5] }, { a: [2, 3n, 3.5] }],
    [{ $inc: { 'a.$[].b.$[]': 1 } }, { a: [{ b: [1] }, { b: [2, 3] }] }, { a: [{ b: [2] }, { b: [3, 4] }] }],
    [{ $set: { 'a.$[x]': 0 } }, { a: [1, 2n, 3] }, { a: [1, 0, 0] }, { arrayFilters: [{ x: { $gte: 2 } }] }],
    [
      { $set: { 'a.$[x].b': 0 } },
      { a: [{ b: 1 }, { b: 2 }] },
      { a: [{ b: 1 }, { b: 0 }] },
      { arrayFilters: [{ 'x.b': 2n }] },
    ],
    [{ $set: { 'a.$[x]': 0 } }, { a: [1, 2, 3] }, { a: [0, 2, 0] }, { arrayFilters: [{ $or: [{ x: 1 }, { x: 3 }] }] }],
    [{ $set: { 'a.$[].b': 1 } }, { a: [] }, { a: [] }],
  ],
  replacement: [
    [{ b: 1 }, { _id: 1, a: 1 }, { _id: 1, b: 1 }],
    [
      { b: 1, _id: 1 },
      { _id: 1, a: 1 },
      { _id: 1, b: 1 },
    ],
    [{}, { _id: 1, a: 1 }, { _id: 1 }],
    [{ b: 1 }, { _id: 1, a: 1 }, { _id: 1, b: 1 }, { arrayFilters: [{ 'x.a': 1 }] }],
    [ordered(['2', 1], ['1', 1]), { _id: 1 }, ordered(['_id', 1], ['2', 1], ['1', 1])],
  ],
};

for (const [name, rows] of Object.entries(tables)) {
  describe(name, () => {
    for (const [update, before, after, options] of rows) {
      test(`${text(doc(update))} on ${text(doc(before))}`, () => {
        const from = doc(before);
        const result = compile(update, options).apply(from);
        expect(text(result.document)).toBe(text(doc(after)));
        if (text(from) !== text(doc(after))) expect(result.changed).toBe(true);
        if (result.diff !== undefined) expect(text(applyDiff(from, result.diff))).toBe(text(result.document));
      });
    }
  });
}

test('a replacement logs no delta, an update that does nothing logs nothing', () => {
  expect(compile({ a: 2 }).apply(doc({ _id: 1, a: 1 }))).toMatchObject({
    replacement: true,
    changed: true,
    diff: undefined,
  });
  expect(compile({ $set: { a: 1 } }).apply(doc({ a: 1 }))).toMatchObject({ changed: false, diff: undefined });
});

test.for([
  [{ $foo: { a: 1 } }, {}, 9, 'Unknown modifier: $foo'],
  [{ $set: { a: 1 }, b: 1 }, {}, 9, 'Unknown modifier: b'],
  [{ $set: 'x' }, {}, 9, 'Modifiers operate on fields but we found type string'],
  [{ a: 1, $set: { b: 1 } }, {}, 52, "The dollar ($) prefixed field '$set'"],
  [{ $set: { a: 1 }, $inc: { a: 1 } }, {}, 40, "Updating the path 'a' would create a conflict at 'a'"],
  [{ $set: { a: 1, 'a.b': 1 } }, {}, 40, "Updating the path 'a.b' would create a conflict at 'a'"],
  [{ $set: { 'a.b': 1, a: 1 } }, {}, 40, "would create a conflict at 'a'"],
  [{ $rename: { a: 'b' }, $set: { a: 1 } }, {}, 40, "conflict at 'a'"],
  [{ $set: { 'a.$[]': 1, 'a.0': 1 } }, { a: [1] }, 40, "conflict at 'a'"],
  [{ $set: { 'a.$[]': 1, 'a.$': 1 } }, { a: [1] }, 40, "conflict at 'a'"],
  [{ $set: { _id: 2 } }, { _id: 1 }, 66, "the immutable field '_id'"],
  [{ $unset: { _id: 1 } }, { _id: 1 }, 66, "the immutable field '_id'"],
  [{ _id: 2 }, { _id: 1 }, 66, 'was found to have been altered to _id: 2'],
  [{ $set: { 'a.b': 1 } }, { a: 5 }, 28, "Cannot create field 'b' in element {a: 5}"],
  [{ $set: { 'a.b': 1 } }, { a: [1] }, 28, "Cannot create field 'b' in element {a: [ 1 ]}"],
  [{ $inc: { a: 'x' } }, {}, 14, 'Cannot increment with non-numeric argument: {a: "x"}'],
  [{ $inc: { a: 1 } }, { _id: 7, a: 'x' }, 14, "{_id: 7} has the field 'a' of non-numeric type string"],
  [
    { $inc: { a: 1 } },
    { a: Long.MAX_VALUE },
    2,
    'Failed to apply $inc operations to current value ((NumberLong)9223372036854775807)',
  ],
  [{ $mul: { a: 2n } }, { a: Long.MAX_VALUE }, 2, 'Failed to apply $mul'],
  [{ $push: { a: 1 } }, { a: 1 }, 2, "The field 'a' must be an array but is of type int"],
  [{ $push: { a: { $each: 1 } } }, {}, 2, 'The argument to $each in $push must be an array'],
  [{ $push: { a: { $each: [], $foo: 1 } } }, {}, 2, 'Unrecognized clause in $push: $foo'],
  [{ $addToSet: { a: 1 } }, { a: 1 }, 2, 'Cannot apply $addToSet to non-array field'],
  [{ $pull: { a: 1 } }, { a: 1 }, 2, 'Cannot apply $pull to a non-array value'],
  [{ $pullAll: { a: 1 } }, {}, 2, '$pullAll requires an array argument'],
  [{ $pop: { a: 2 } }, {}, 9, '$pop expects 1 or -1, found: 2'],
  [{ $pop: { a: 1 } }, { a: 1 }, 14, "contains an element of non-array type 'int'"],
  [{ $bit: { a: { nand: 1 } } }, {}, 2, "not 'nand'"],
  [{ $bit: { a: { or: 1 } } }, { a: 1.5 }, 2, 'Cannot apply $bit to a value of non-integral type'],
  [{ $currentDate: { a: { $type: 'time' } } }, {}, 2, "required to be 'date' or 'timestamp'"],
  [{ $rename: { a: 1 } }, {}, 2, "The 'to' field for $rename must be a string"],
  [{ $rename: { a: 'a' } }, {}, 2, 'must differ'],
  [{ $rename: { a: 'a.b' } }, {}, 2, 'must not be on the same path'],
  [{ $rename: { 'a.0': 'b' } }, { a: [1] }, 2, 'cannot be an array element'],
  [{ $rename: { 'v.0.x': 'y' } }, { v: [{ x: 1 }] }, 2, 'cannot be an array element'],
  [
    { $rename: { 'v.x': 'y' } },
    { v: [{ x: 1 }] },
    28,
    'cannot use the part (v of v.x) to traverse the element ({v: [ { x: 1 } ]})',
  ],
  [{ $rename: { 'v.z': 'y' } }, { v: 5 }, 28, 'cannot use the part (v of v.z) to traverse the element ({v: 5})'],
  [
    { $pop: { 'a.b.c': 1 } },
    { a: { b: 1 } },
    28,
    'Cannot use the part (c) of (a.b.c) to traverse the element ({b: 1})',
  ],
  [{ $pull: { 'a.b': 1 } }, { a: [1] }, 28, 'Cannot use the part (b) of (a.b) to traverse the element ({a: [ 1 ]})'],
  [
    { $pullAll: { 'a.0.b': [1] } },
    { a: [1] },
    28,
    'Cannot use the part (b) of (a.0.b) to traverse the element ({0: 1})',
  ],
  [{ $set: { 'a.$': 1 } }, { a: [1] }, 2, 'The positional operator did not find the match needed'],
  [{ $set: { 'a.$[x]': 1 } }, { a: [1] }, 2, "No array filter found for identifier 'x' in path 'a.$[x]'"],
  [{ $set: { 'a.$[]': 1 } }, {}, 2, "The path 'a' must exist"],
  [{ $set: { 'a.$[]': 1 } }, { a: 1 }, 2, 'Cannot apply array updates to non-array element a: 1'],
  [{ $set: { '$.a': 1 } }, {}, 2, 'in the first position'],
  [{ $set: { '': 1 } }, {}, 56, 'An empty update path'],
  [{ $set: { 'a..b': 1 } }, {}, 56, 'contains an empty field name'],
  [{ $set: { $b: 1 } }, {}, 52, "The dollar ($) prefixed field '$b' in '$b' is not allowed"],
  [{ $rename: { a: '$b' } }, { a: 1 }, 52, "The dollar ($) prefixed field '$b'"],
  [{ $set: { 'a.$[X]': 1 } }, { a: [1] }, 2, "No array filter found for identifier 'X' in path 'a.$[X]'"],
  [{ $pull: { a: { $id: 1 } } }, { a: [] }, 2, 'unknown top level operator: $id'],
  [{ $pull: { a: { $expr: { $eq: [1, 1] } } } }, { a: [] }, 224, '$expr is not allowed in this context'],
  [{ $pull: { a: { $jsonSchema: {} } } }, { a: [] }, 224, '$jsonSchema is not allowed in this context'],
] as [object, object, number, string][])('%#: refused with %s', ([update, document, code, message]) => {
  const run = () => compile(update).apply(doc(document));
  expect(run).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }) as unknown as CommandError,
  );
});

test.for([
  [[{ x: 1 }, { x: 2 }], 'multiple array filters'],
  [[{ x: 1, y: 2 }], "found 'x' and 'y'"],
  [[{ x: 1 }, { y: 1 }], "identifier 'y' was not used"],
  [[{}], 'without a top-level field name'],
] as [object[], string][])('array filters %j: %s', ([arrayFilters, message]) => {
  expect(() => compile({ $set: { 'a.$[x]': 1 } }, { arrayFilters })).toThrow(
    expect.objectContaining({ code: 9, message: expect.stringContaining(message) }),
  );
});

test('a pipeline is for others to carry out', () => {
  expect(() => compileUpdate(val([{ $set: { a: 1 } }]), { nowMs: 0 })).toThrow(expect.objectContaining({ code: 9 }));
});

describe('an update whose result others compute', () => {
  const before = { _id: 1, long: 'x'.repeat(100), a: 1 };
  const apply = (after: object) => computedUpdate(() => doc(after)).apply(doc(before));
  test('gives the delta of what it changed', () => {
    const { document, changed, diff } = apply({ ...before, a: 2 });
    expect(changed).toBe(true);
    expect(text(document)).toEqual(text(doc({ ...before, a: 2 })));
    expect(text(diff!)).toEqual(text(doc({ $v: new Int32(2), diff: { u: { a: 2 } } })));
  });
  test('changes nothing where the result is the same', () => {
    expect(apply(before)).toMatchObject({ changed: false, diff: undefined });
  });
  test('keeps the _id, which comes first, and lets nobody change it', () => {
    expect(text(apply({ a: 2 }).document)).toEqual(text(doc({ _id: 1, a: 2 })));
    expect(text(apply({ a: 2, _id: 1 }).document)).toEqual(text(doc({ _id: 1, a: 2 })));
    expect(() => apply({ _id: 2 })).toThrow(expect.objectContaining({ code: 66 }));
  });
});

describe('upsert', () => {
  const upsert = (filter: object, update: object) =>
    text(buildUpsertDocument(doc(filter), compile(update), val(new Int32(99))));
  test.for([
    [{ a: 1, b: { $gt: 5 } }, { $set: { c: 1 } }, { _id: 99, a: 1, c: 1 }],
    [{ _id: 7 }, { $setOnInsert: { b: 1 }, $set: { a: 1 } }, { _id: 7, a: 1, b: 1 }],
    [
      { a: { $eq: 1 }, 'b.c': { $in: [2] }, $and: [{ d: 3 }], $or: [{ e: 4 }] },
      { $inc: { a: 1 } },
      { _id: 99, a: 2, b: { c: 2 }, d: 3, e: 4 },
    ],
    [{ a: /x/, $or: [{ b: 1 }, { b: 2 }] }, { $set: { c: 1 } }, { _id: 99, c: 1 }],
    [{ a: 1 }, { $set: { _id: 5 } }, { _id: 5, a: 1 }],
    [{ _id: 7, a: 1 }, { b: 2 }, { _id: 7, b: 2 }],
    [{ a: 1 }, { b: 2 }, { _id: 99, b: 2 }],
  ] as [object, object, object][])('%j, %j', ([filter, update, expected]) => {
    expect(upsert(filter, update)).toBe(text(doc(expected)));
  });

  test('a path that the filter fixes twice, and an _id that the replacement changes', () => {
    expect(() => upsert({ a: 1, $and: [{ a: 2 }] }, { $set: { b: 1 } })).toThrow(expect.objectContaining({ code: 54 }));
    expect(() => upsert({ _id: 1 }, { _id: 2 })).toThrow(expect.objectContaining({ code: 66 }));
    for (const update of [
      { $set: { _id: 2 } },
      { $inc: { _id: 5 } },
      { $setOnInsert: { _id: 5 } },
      { $unset: { _id: 1 } },
    ])
      expect(() => upsert({ _id: 1 }, update)).toThrow(expect.objectContaining({ code: 66 }));
    expect(() => upsert({ _id: 7, a: 9 }, { $rename: { a: '_id' } })).toThrow(expect.objectContaining({ code: 66 }));
    expect(upsert({ _id: 1 }, { $setOnInsert: { _id: 1, b: 2 } })).toBe(text(doc({ _id: 1, b: 2 })));
    expect(upsert({ a: 1 }, { $setOnInsert: { _id: 5 } })).toBe(text(doc({ _id: 5, a: 1 })));
  });
});

test('$setOnInsert does nothing to a document that is there', () => {
  expect(compile({ $setOnInsert: { a: 1 } }).apply(doc({})).changed).toBe(false);
});

test('every $set: the value is there, the rest is untouched, and the diff says the same', () => {
  fc.assert(
    fc.property(anyDocument, fc.constantFrom('a', 'b', 'zz'), anyValue, (document, name, value) => {
      const before = doc(document);
      const { document: after, diff, changed } = compile(ordered(['$set', ordered([name, value])])).apply(before);
      const expected = new Map<string, unknown>(document).set(name, value);
      expect(text(after)).toBe(text(doc(expected)));
      if (diff !== undefined) expect(text(applyDiff(before, diff))).toBe(text(after));
      expect(changed).toBe(!Buffer.from(before).equals(Buffer.from(after)));
    }),
    { numRuns: 500, seed: 1 },
  );
});

test.for([
  [{ $expr: true }, 224, '$expr is not allowed in this context'],
  [{ $and: [{ x: 1 }, { $expr: true }] }, 224, '$expr is not allowed in this context'],
  [{ x: 1, $jsonSchema: {} }, 224, '$jsonSchema is not allowed in this context'],
  [{ $text: { $search: 'a' } }, 2, '$text is not allowed in this context'],
  [{ $where: 'true' }, 2, '$where'],
  [{ x: { $near: [0, 0] } }, 5626500, 'not allowed in this context'],
  [{ x: { $foo: 1 } }, 2, '$foo'],
  [{}, 9, 'without a top-level field name'],
] as [object, number, string][])('an array filter %j: refused with %i', ([filter, code, message]) => {
  expect(() => compile({ $set: { 'a.$[x]': 1 } }, { arrayFilters: [filter] })).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }) as unknown as CommandError,
  );
});
