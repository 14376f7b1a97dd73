/** The rows of the reference's table of where query libraries go wrong on BSON, so far as they concern this package. */
import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { buildUpsertDocument, compileFilter, compileProjection, compileSort, compileUpdate } from '../src/index.ts';
import { doc, ordered, text, val } from './bson.ts';

type Case = [filter: object, document: object, expected: boolean];
const matching: Case[] = [
  ...[new Int32(5), new Double(5), Long.fromNumber(5), new Decimal128('5'), new Decimal128('5.0')].flatMap(
    (value): Case[] => [
      [{ a: 5 }, { a: value }, true],
      [{ a: value }, { a: 5 }, true],
      [{ a: { $in: [value] } }, { a: 5n }, true],
    ],
  ),
  [{ a: { $lt: Long.fromNumber(10) } }, { a: Long.fromNumber(9) }, true],
  [{ a: { $lt: new Int32(9) } }, { a: new Int32(10) }, false],
  [{ a: { $lt: new Decimal128('9') } }, { a: new Decimal128('10') }, false],
  [{ a: { $gt: new Timestamp({ t: 10, i: 0 }) } }, { a: new Timestamp({ t: 2, i: 0 }) }, false],
  [{ a: { $gt: new MinKey() } }, { a: 1 }, true],
  [{ a: { $lt: new MaxKey() } }, { a: 'x' }, true],
  [{ a: { $gte: new MinKey() } }, { a: [] }, true],
  [{ a: new Binary(new Uint8Array([1]), 0) }, { a: new Binary(new Uint8Array([1]), 5) }, false],
  [{ a: { $lt: new Binary(new Uint8Array([1, 1])) } }, { a: new Binary(new Uint8Array([9])) }, true],
  [
    { a: new UUID('00112233-4455-4677-8899-aabbccddeeff') },
    { a: new Binary(Buffer.from('00112233445546778899aabbccddeeff', 'hex'), 4) },
    true,
  ],
  [{ a: { x: 1, y: 2 } }, { a: ordered(['y', 2], ['x', 1]) }, false],
  [{ a: { x: 1, y: 2 } }, { a: { x: 1n, y: 2 } }, true],
  [{ a: [2, 1] }, { a: [1, 2] }, false],
  [{ a: { $gt: [1, 2] } }, { a: [1, 3] }, true],
  [{ a: { $gte: null } }, {}, true],
  [{ 'a.b': null }, { a: [{ c: 1 }] }, true],
  [{ a: { $type: 'long' } }, { a: 5n }, true],
  [{ a: { $type: 'int' } }, { a: 5 }, true],
  [{ a: { $type: 'double' } }, { a: new Double(5) }, true],
  [{ a: { $type: 'objectId' } }, { a: new ObjectId('00'.repeat(12)) }, true],
  [{ a: { $type: 'timestamp' } }, { a: new Timestamp({ t: 1, i: 1 }) }, true],
  [{ a: { $type: 'binData' } }, { a: new UUID('00112233-4455-4677-8899-aabbccddeeff') }, true],
  [{ a: { $type: 'minKey' } }, { a: new MinKey() }, true],
  [{ a: { $type: 'number' } }, { a: new Decimal128('1') }, true],
  [{ a: { $type: 'string' } }, { a: [1, 'x'] }, true],
  [{ a: { $all: [5] } }, { a: 5 }, true],
];

describe('matching', () => {
  for (const [filter, document, expected] of matching) {
    test(`${text(doc(filter))} on ${text(doc(document))}: ${expected}`, () => {
      expect(compileFilter(doc(filter))(doc(document))).toBe(expected);
    });
  }
});

const long = Long.fromNumber;
const updates: [
  update: object,
  before: object,
  after: object,
  options?: { filter?: object; arrayFilters?: object[] },
][] = [
  [{ $inc: { a: new Int32(1) } }, { a: long(1) }, { a: long(2) }],
  [{ $inc: { a: long(1) } }, { a: new Int32(1) }, { a: long(2) }],
  [{ $mul: { a: new Int32(3) } }, { a: new Int32(2) }, { a: new Int32(6) }],
  [{ $min: { a: new Int32(9) } }, { a: long(10) }, { a: new Int32(9) }],
  [{ $max: { a: long(10) } }, { a: new Int32(9) }, { a: long(10) }],
  [{ $pull: { a: new Int32(2) } }, { a: [long(1), long(2)] }, { a: [long(1)] }],
  [{ $bit: { a: { or: long(4) } } }, { a: long(3) }, { a: long(7) }],
  [{ $set: { 'a.$[x]': 0 } }, { a: [long(9), long(10)] }, { a: [long(9), 0] }, { arrayFilters: [{ x: { $gte: 10 } }] }],
  [{ $set: { 'a.$': 0 } }, { a: [long(9), long(10)] }, { a: [long(9), 0] }, { filter: { a: 10 } }],
  [{ $currentDate: { a: { $type: 'timestamp' } } }, {}, { a: new Timestamp({ t: 60, i: 4 }) }],
  [{ $currentDate: { a: true } }, {}, { a: new Date(60_000) }],
  [{ b: 1 }, { _id: 1, a: 1 }, { _id: 1, b: 1 }],
];

const compile = (update: object, { filter, arrayFilters }: { filter?: object; arrayFilters?: object[] } = {}) =>
  compileUpdate(doc(update), {
    nowMs: 60_000,
    nextTimestamp: { t: 60, i: 4 },
    ...(filter && { filter: doc(filter) }),
    ...(arrayFilters && { arrayFilters: arrayFilters.map(doc) }),
  });

describe('updating', () => {
  for (const [update, before, after, options] of updates) {
    test(`${text(doc(update))} on ${text(doc(before))}`, () => {
      expect(text(compile(update, options).apply(doc(before)).document)).toBe(text(doc(after)));
    });
  }

  test('$setOnInsert', () => {
    const made = buildUpsertDocument(doc({ a: 1 }), compile({ $setOnInsert: { b: 2 } }), val(7));
    expect(text(made)).toBe(text(doc({ _id: 7, a: 1, b: 2 })));
  });
});

test.for([
  [{ a: 1 }, [{ a: long(9) }, { a: new Int32(10) }, { a: new Decimal128('11') }]],
  [{ a: -1 }, [{ a: new Timestamp({ t: 10, i: 0 }) }, { a: new Timestamp({ t: 2, i: 0 }) }]],
  [
    { a: 1 },
    [
      { a: null },
      { a: [1] },
      { a: 2 },
      { a: 'x' },
      { a: {} },
      { a: new Binary(new Uint8Array(1)) },
      { a: true },
      { a: new Date(0) },
    ],
  ],
] as [object, object[]][])('sorting by %j', ([sort, expected]) => {
  const documents = [...expected].reverse().map(doc);
  expect(compileSort(doc(sort))(documents).map(text)).toEqual(expected.map((document) => text(doc(document))));
});

// A stored document has its _id first, so that mingo, which puts it last, differs. Upstream: projection_node.cpp, applyProjections.
test('a projection has _id where the document has it', () => {
  const project = compileProjection(doc({ a: 1, b: { $add: ['$a', 1] } }));
  expect(text(project(doc(ordered(['_id', 2], ['a', 1]))))).toBe(text(doc(ordered(['_id', 2], ['a', 1], ['b', 2]))));
  expect(text(project(doc(ordered(['a', 1], ['_id', 2]))))).toBe(text(doc(ordered(['a', 1], ['_id', 2], ['b', 2]))));
});
