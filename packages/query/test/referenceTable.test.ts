import { encodeDocument, RawBson } from '@replsim/protocol';
import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { compileFilter, compileSort, compileUpdate } from '../src/index.ts';
import { doc, text } from './bson.ts';

// The table of where JavaScript's query libraries go wrong over BSON values, row by row; MongoDB's answer is the one here.
// Its rows on aggregation are tested in `@replsim/node`, which has the stages.

const matches = (filter: object, document: object) => compileFilter(doc(filter))(doc(document));
const ordered = (...pairs: [string, unknown][]) => new RawBson(encodeDocument(new Map(pairs)));
const binary = (bytes: number[], subtype = 0) => new Binary(Uint8Array.from(bytes), subtype);

type Row = [row: string, filter: object, document: object, expected: boolean];

const matching: Row[] = [
  ['5 equals Long 5', { a: 5 }, { a: Long.fromNumber(5) }, true],
  ['5 equals Int32 5', { a: Long.fromNumber(5) }, { a: new Int32(5) }, true],
  ['5 equals Double 5', { a: 5 }, { a: new Double(5) }, true],
  ['5 equals Decimal128 5.0', { a: 5 }, { a: Decimal128.fromString('5.0') }, true],
  ['Long ranges are numeric', { a: { $gt: Long.fromNumber(9) } }, { a: Long.fromNumber(10) }, true],
  ['Int32 ranges are numeric', { a: { $gt: new Int32(9) } }, { a: new Int32(10) }, true],
  [
    'Decimal128 ranges are numeric',
    { a: { $gt: Decimal128.fromString('9') } },
    { a: Decimal128.fromString('10') },
    true,
  ],
  [
    'Timestamp ranges are numeric',
    { a: { $gt: new Timestamp({ t: 2, i: 0 }) } },
    { a: new Timestamp({ t: 10, i: 0 }) },
    true,
  ],
  [
    'Timestamp(2,0) is not above Timestamp(10,0)',
    { a: { $gt: new Timestamp({ t: 10, i: 0 }) } },
    { a: new Timestamp({ t: 2, i: 0 }) },
    false,
  ],
  ['everything is above MinKey', { a: { $gt: new MinKey() } }, { a: 'text' }, true],
  ['everything is below MaxKey', { a: { $lt: new MaxKey() } }, { a: new Date(0) }, true],
  ['the subtype of binary counts', { a: binary([1]) }, { a: binary([1], 5) }, false],
  ['binary: length before bytes', { a: { $lt: binary([1, 1]) } }, { a: binary([9]) }, true],
  [
    'a UUID is a binary of subtype 4',
    { a: new UUID('00112233-4455-4677-8899-aabbccddeeff') },
    { a: binary([0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x46, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff], 4) },
    true,
  ],
  [
    'the order of keys counts in embedded documents',
    { a: ordered(['x', 1], ['y', 2]) },
    { a: ordered(['y', 2], ['x', 1]) },
    false,
  ],
  [
    'embedded documents are compared field by field',
    { a: { $gt: ordered(['b', 1]) } },
    { a: ordered(['a', 2]) },
    false,
  ],
  ['arrays are compared element by element', { a: { $gt: [1, 2] } }, { a: [1, 3] }, true],
  ['arrays are not sorted before they are compared', { a: [1, 3] }, { a: [3, 1] }, false],
  ['$gte null matches a missing field', { a: { $gte: null } }, { b: 1 }, true],
  ['null on a path through an array', { 'a.b': null }, { a: [{ c: 1 }] }, true],
  ['$type long', { a: { $type: 'long' } }, { a: Long.fromNumber(1) }, true],
  ['$type int', { a: { $type: 'int' } }, { a: new Int32(1) }, true],
  ['$type double', { a: { $type: 'double' } }, { a: new Double(1) }, true],
  ['$type objectId', { a: { $type: 'objectId' } }, { a: new ObjectId('0123456789abcdef01234567') }, true],
  ['$type timestamp', { a: { $type: 'timestamp' } }, { a: new Timestamp({ t: 1, i: 1 }) }, true],
  ['$type binData', { a: { $type: 'binData' } }, { a: binary([1]) }, true],
  ['$type minKey', { a: { $type: 'minKey' } }, { a: new MinKey() }, true],
  ['$type number', { a: { $type: 'number' } }, { a: Decimal128.fromString('1') }, true],
  ['$type on the elements of an array', { a: { $type: 'string' } }, { a: [1, 'x'] }, true],
  ['$all on a scalar', { a: { $all: [1] } }, { a: 1 }, true],
];

test.for(matching)('match: %s', ([, filter, document, expected]) => {
  expect(matches(filter, document)).toBe(expected);
});

test('sort of mixed types', () => {
  const id = new ObjectId('0123456789abcdef01234567');
  // MinKey, null and missing, numbers, string, object, binary, ObjectId, boolean, date, timestamp, regex, MaxKey.
  const inOrder: object[] = [
    { n: 0, a: new MinKey() },
    { n: 1, a: [] },
    { n: 2, a: null },
    { n: 3 },
    { n: 4, a: new Int32(9) },
    { n: 5, a: [10] },
    { n: 6, a: Long.fromNumber(11) },
    { n: 7, a: 'text' },
    { n: 8, a: { b: 1 } },
    { n: 9, a: binary([1]) },
    { n: 10, a: id },
    { n: 11, a: false },
    { n: 12, a: new Date(0) },
    { n: 13, a: new Timestamp({ t: 2, i: 0 }) },
    { n: 14, a: new Timestamp({ t: 10, i: 0 }) },
    { n: 15, a: /x/ },
    { n: 16, a: new MaxKey() },
  ];
  const shuffled = inOrder.map((_, i) => inOrder[(i * 7) % inOrder.length]!).map(doc);
  expect(compileSort(doc({ a: 1, n: 1 }))(shuffled).map(text)).toEqual(inOrder.map((document) => text(doc(document))));
});

describe('update', () => {
  const update = (change: object, document: object, options: object = {}) =>
    text(compileUpdate(doc(change), { nowMs: 1_735_689_600_000, ...options }).apply(doc(document)).document);
  const long = (value: number) => Long.fromNumber(value);

  const rows: [row: string, change: object, before: object, after: object, options?: object][] = [
    ['$inc on a Long', { $inc: { a: 1 } }, { a: long(5) }, { a: long(6) }],
    ['$inc on an Int32', { $inc: { a: new Int32(1) } }, { a: new Int32(5) }, { a: new Int32(6) }],
    ['$mul on a Long', { $mul: { a: 2 } }, { a: long(5) }, { a: long(10) }],
    ['$min on a Long', { $min: { a: long(9) } }, { a: long(10) }, { a: long(9) }],
    ['$max on an Int32', { $max: { a: new Int32(10) } }, { a: new Int32(9) }, { a: new Int32(10) }],
    ['$pull of a Long', { $pull: { a: 5 } }, { a: [long(5), 6] }, { a: [6] }],
    ['$bit on an Int32', { $bit: { a: { or: new Int32(3) } } }, { a: new Int32(4) }, { a: new Int32(7) }],
    [
      'arrayFilters over Longs',
      { $set: { 'a.$[x]': 0 } },
      { a: [long(5), 1] },
      { a: [0, 1] },
      { arrayFilters: [doc({ x: 5 })] },
    ],
    ['positional over Longs', { $set: { 'a.$': 0 } }, { a: [1, long(5)] }, { a: [1, 0] }, { filter: doc({ a: 5 }) }],
    ['$setOnInsert does nothing to a document that is there', { $setOnInsert: { b: 1 } }, { a: 1 }, { a: 1 }],
    ['a replacement document', { b: 2 }, { _id: 1, a: 1 }, { _id: 1, b: 2 }],
    [
      '$currentDate writes a Timestamp',
      { $currentDate: { a: { $type: 'timestamp' } } },
      {},
      { a: new Timestamp({ t: 1_735_689_600, i: 4 }) },
      { nextTimestamp: { t: 1_735_689_600, i: 4 } },
    ],
    [
      '$currentDate goes by the clock that it is given',
      { $currentDate: { a: true } },
      {},
      { a: new Date(1_735_689_600_000) },
    ],
  ];

  test.for(rows)('%s', ([, change, before, after, options]) => {
    expect(update(change, before, options)).toBe(text(doc(after)));
  });
});
