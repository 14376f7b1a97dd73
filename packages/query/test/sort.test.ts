import { BSONRegExp, Decimal128, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileSort, compileSortOrder } from '../src/index.ts';
import { anyDocument, doc, text } from './bson.ts';

const sorted = (sort: object, documents: object[]) => compileSort(doc(sort))(documents.map(doc)).map(text);

test.for([
  [
    'mixed types',
    { a: 1 },
    [
      { a: new MinKey() },
      { a: [] },
      {},
      { a: 1 },
      { a: 'x' },
      { a: {} },
      { a: new ObjectId('00'.repeat(12)) },
      { a: false },
      { a: new Date(0) },
      { a: new Timestamp({ t: 1, i: 1 }) },
      { a: new BSONRegExp('x') },
      { a: new MaxKey() },
    ],
  ],
  [
    'numbers of all types',
    { a: 1 },
    [{ a: new Int32(2) }, { a: Long.fromNumber(9) }, { a: new Decimal128('10') }, { a: 11.5 }],
  ],
  ['timestamps', { a: 1 }, [{ a: new Timestamp({ t: 2, i: 0 }) }, { a: new Timestamp({ t: 10, i: 0 }) }]],
  ['an array by its smallest element', { a: 1 }, [{ a: [7, 1] }, { a: 2 }, { a: [3] }]],
  ['an array by its largest element', { a: -1 }, [{ a: [7, 1] }, { a: [3] }, { a: 2 }]],
  ['[1] like 1, before a string', { a: 1 }, [{ a: [1] }, { a: 'x' }]],
  [
    'several fields',
    { a: 1, b: -1 },
    [
      { a: 1, b: 2 },
      { a: 1, b: 1 },
      { a: 2, b: 9 },
    ],
  ],
  ['an array within an array as it is, by its place', { 'a.0': -1 }, [{ a: [[1]] }, { a: [9, 2] }, {}, { a: [[]] }]],
  ['what an element holds, by its place', { 'a.0.b': -1 }, [{ a: [{ b: [1, 7] }] }, { a: [{ b: 5 }] }]],
  ['dotted through arrays', { 'a.b': 1 }, [{ a: 5 }, { a: [{ b: 3 }, { b: 1 }] }, { a: { b: 2 } }]],
] as [string, object, object[]][])('%s', ([, sort, ascending]) => {
  const expected = ascending.map((document) => text(doc(document)));
  expect(sorted(sort, [...ascending].reverse())).toEqual(expected);
});

test('equal documents stay in order, null and missing among them', () => {
  expect(sorted({ a: 1 }, [{ _id: 1 }, { _id: 2, a: null }, { _id: 3 }])).toEqual(
    sorted({ _id: 1 }, [{ _id: 1 }, { _id: 2, a: null }, { _id: 3 }]),
  );
});

test('paths through one array take one element of it; two arrays cannot be sorted by', () => {
  const one = {
    a: [
      { b: 1, c: 9 },
      { b: 2, c: 0 },
    ],
  };
  const other = { a: { b: 1, c: 5 } };
  expect(sorted({ 'a.b': 1, 'a.c': 1 }, [one, other])).toEqual([other, one].map((document) => text(doc(document))));
  expect(() => sorted({ a: 1, b: 1 }, [{ a: [1], b: [1] }])).toThrow(/parallel arrays/);
});

test.for<[sort: object, code: number]>([
  [{ a: 0 }, 15975],
  [{ a: 2 }, 15975],
  [{ a: -2.5 }, 15975],
  [{ a: Number.NaN }, 15975],
  [{ a: new Decimal128('2') }, 15975],
  [{ a: 'x' }, 15974],
  [{ a: true }, 15974],
  [{ a: null }, 15974],
  [{ a: [1] }, 15974],
  [{ a: {} }, 17312],
  [{ a: { $sum: 1 } }, 17312],
  [{ '': 1 }, 40352],
  [{ 'a.': 1 }, 40353],
  [{ 'a..b': 1 }, 15998],
  [{ '.a': 1 }, 15998],
  [{ $natural: 1 }, 16410],
  [{ 'a.$x': 1 }, 16410],
  [{ [Array(201).fill('a').join('.')]: 1 }, 15],
])('%j is refused: %d', ([sort, code]) => {
  expect(() => compileSort(doc(sort))).toThrow(expect.objectContaining({ code }));
});

test('one path twice is refused', () => {
  const bytes = doc({ a: 1, b: 1 });
  bytes[bytes.lastIndexOf('b'.charCodeAt(0))] = 'a'.charCodeAt(0);
  expect(() => compileSort(bytes)).toThrow(expect.objectContaining({ code: 7472500 }));
});

test.for([[1.9], [new Decimal128('1.2')], [Long.fromNumber(1)]])(
  'what is behind the point does not count: %s',
  ([up]) => {
    expect(sorted({ a: up }, [{ a: 2 }, { a: 1 }])).toEqual(
      [{ a: 1 }, { a: 2 }].map((document) => text(doc(document))),
    );
  },
);

test('the fields of a DBRef can be sorted by', () => {
  const ref = (id: number) => ({ r: { $ref: 'c', $id: id } });
  expect(sorted({ 'r.$id': 1 }, [ref(2), ref(1)])).toEqual([ref(1), ref(2)].map((document) => text(doc(document))));
});

test('how well documents fit a search is an order, the best first', () => {
  const [worst, none, best] = [{ n: 1 }, { n: 2 }, { n: 3 }].map((document) => doc(document));
  const scores = { of: (document: Uint8Array) => new Map([[worst, 0.5], [best, 2]]).get(document) }; // biome-ignore format: one line
  const sorter = compileSort(doc({ a: { $meta: 'textScore' } }), undefined, scores);
  expect(sorter([worst!, none!, best!])).toEqual([best, worst, none]);
});

test.for<[meta: object, isSearched: boolean, code: number]>([
  [{ $meta: 'textScore' }, false, 40218],
  [{ $meta: 'randVal' }, true, 31138],
  [{ $meta: 1 }, true, 31138],
  [{ $meta: 'textScore', more: 1 }, true, 9],
])('by %j where a search is %s: %d', ([meta, isSearched, code]) => {
  const scores = isSearched ? { of: () => 1 } : undefined;
  expect(() => compileSort(doc({ a: meta }), undefined, scores)).toThrow(expect.objectContaining({ code }));
});

test('the comparison and the sorting agree', () => {
  fc.assert(
    fc.property(fc.array(anyDocument, { maxLength: 6 }), (documents) => {
      for (const sort of [{ a: 1 }, { 'a.b': -1 }]) {
        const bytes = documents.map((document) => doc(document));
        expect(compileSort(doc(sort))(bytes).map(text)).toEqual(bytes.sort(compileSortOrder(doc(sort))).map(text));
      }
    }),
    { numRuns: 200, seed: 1 },
  );
});
