import { encodeDocument } from '@replsim/protocol';
import { extractIndexValues, parsePath } from '@replsim/query';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyDocument } from '../../../query/test/bson.ts';
import { compoundRows } from '../../src/keys/compoundRows.ts';
import { describeValue } from '../../src/keys/describe.ts';
import { IndexKeyGenerator, NO_KEYS } from '../../src/keys/indexKeys.ts';
import type { IndexSpec } from '../../src/keys/indexSpec.ts';
import { spec } from '../fixtures.ts';

const rowsOf = (index: IndexSpec, document: object) => {
  const { rows, multikey } = new IndexKeyGenerator(index).rowsOf(encodeDocument(document));
  return { rows: rows.map((row) => row.map(describeValue).join(' ')), multikey };
};

test.for([
  { key: { a: 1 }, document: { a: 1 }, rows: ['1'], multikey: false },
  { key: { a: 1 }, document: {}, rows: ['null'], multikey: false },
  { key: { a: 1 }, document: { a: [2, 1] }, rows: ['2', '1'], multikey: true },
  { key: { a: 1 }, document: { a: [] }, rows: ['undefined'], multikey: true },
  { key: { a: 1 }, document: { a: [[1]] }, rows: ['[ 1 ]'], multikey: true },
  { key: { 'a.b': 1 }, document: { a: [{ b: 1 }, { b: 2 }] }, rows: ['1', '2'], multikey: true },
  { key: { a: 1, b: 1 }, document: { a: 1 }, rows: ['1 null'], multikey: false },
  { key: { a: 1, b: -1 }, document: { a: 1, b: [5, 6] }, rows: ['1 5', '1 6'], multikey: true },
  {
    key: { 'a.x': 1, 'a.y': 1 },
    document: { a: [{ x: 1, y: 2 }, { x: 3 }, 4] },
    rows: ['1 2', '3 null', 'null null'],
    multikey: true,
  },
  { key: { 'a.x': 1, 'a.y': 1 }, document: { a: [{ x: 1, y: [7, 8] }] }, rows: ['1 7', '1 8'], multikey: true },
  { key: { a: 1, 'a.x': 1 }, document: { a: [{ x: 1 }] }, rows: ['{ x: 1 } 1'], multikey: true },
  { key: { 'a.x': 1, b: 1 }, document: { a: [], b: 1 }, rows: ['null 1'], multikey: true },
  { key: { a: 1, b: 1 }, document: { a: [], b: 1 }, rows: ['undefined 1'], multikey: true },
  { key: { 'a.0': 1, b: 1 }, document: { a: [7, 8], b: 1 }, rows: ['7 1'], multikey: false },
])('the rows of $key in $document', ({ key, document, rows, multikey }) => {
  expect(rowsOf(spec(key), document)).toEqual({ rows, multikey });
});

test('two arrays side by side are refused', () => {
  expect(() => rowsOf(spec({ a: 1, b: 1 }), { a: [1], b: [2] })).toThrow('cannot index parallel arrays [b] [a]');
  expect(() => rowsOf(spec({ 'a.x': 1, 'a.y': 1 }), { a: [{ x: [1], y: [2] }] })).toThrow('parallel arrays');
});

test.for([
  { key: { a: 'hashed' }, document: { a: [1] }, found: 'a' },
  { key: { a: 'hashed' }, document: { a: [] }, found: 'a' },
  { key: { 'a.b': 'hashed' }, document: { a: [{ b: 1 }] }, found: 'a' },
  { key: { 'a.b.c': 'hashed' }, document: { a: { b: [{ c: 1 }] } }, found: 'a.b' },
  { key: { 'a.0': 'hashed' }, document: { a: [1] }, found: 'a' },
  { key: { a: 'hashed', b: 1 }, document: { a: 1, b: [1] }, found: 'b' },
])('a hashed index $key refuses $document', ({ key, document, found }) => {
  const generator = new IndexKeyGenerator(spec(key));
  const refused = expect.objectContaining({ code: 16766, message: expect.stringMatching(`path: ${found}$`) });
  expect(() => generator.keysOf(encodeDocument(document), 1)).toThrow(refused);
});

test.for([
  { key: { a: 'hashed' }, document: {} },
  { key: { a: 'hashed' }, document: { a: { b: [1] }, c: [1] } },
  { key: { 'a.b': 'hashed' }, document: { a: 1 } },
  { key: { '$**': 1 }, document: { a: [1] } },
])('a special index $key holds no keys of $document', ({ key, document }) => {
  expect(new IndexKeyGenerator(spec(key)).keysOf(encodeDocument(document), 1)).toBe(NO_KEYS);
});

test('with one path, the compound way finds what the single way finds', () => {
  const anyPath = fc.constantFrom('a', 'a.b', 'a.b.c', 'b.a', 'a.a');
  fc.assert(
    fc.property(anyDocument, anyPath, (document, path) => {
      const bytes = encodeDocument(document);
      const { rows, multikey } = compoundRows(bytes, [parsePath(path)]);
      const single = extractIndexValues(bytes, path);
      const distinct = (values: readonly (readonly object[])[]) =>
        [...new Set(values.map(([value]) => describeValue(value as never)))].sort();
      expect(distinct(rows)).toEqual(distinct(single.values.map((value) => [value])));
      expect(multikey).toBe(single.multikey);
    }),
    { seed: 1, numRuns: 1000 },
  );
});

test('sparse, partial and special indexes leave documents out', () => {
  const keysOf = (index: IndexSpec, document: object) =>
    new IndexKeyGenerator(index).keysOf(encodeDocument(document), 1);
  const sparse = spec({ a: 1, b: 1 }, { sparse: true });
  expect(keysOf(sparse, { c: 1 })).toBe(NO_KEYS);
  expect(keysOf(sparse, { b: 1 })).not.toBe(NO_KEYS);
  expect(keysOf(spec({ a: 1 }, { sparse: true }), {})).toBe(NO_KEYS);
  expect(keysOf(spec({ a: -1 }, { sparse: true }), {})).toBe(NO_KEYS);
  expect(keysOf(spec({ a: 1 }, { sparse: true }), { a: null })).not.toBe(NO_KEYS);
  const partial = spec({ a: 1 }, { partialFilterExpression: { b: { $gt: 5 } } });
  expect(keysOf(partial, { a: 1, b: 5 })).toBe(NO_KEYS);
  expect(keysOf(partial, { a: 1, b: 6 })).not.toBe(NO_KEYS);
  expect(keysOf(spec({ a: 'hashed' }), { a: 1 })).toBe(NO_KEYS);
});

test('equal keys of one document are one entry', () => {
  const keys = new IndexKeyGenerator(spec({ a: 1 })).keysOf(encodeDocument({ a: [1, 1n, 2] }), 1);
  expect(keys).toHaveLength(2);
});

test.for([[[]], [[2, 1, 2]], [['a', null, 3.5, 3]], [[[1], [1], []]], [[{ x: 1 }]]])(
  '%j: the elements of a field are keys as those of a path are',
  ([a]) => {
    const keysOf = (key: object, document: object) =>
      new IndexKeyGenerator(spec(key)).keysOf(encodeDocument(document), 7);
    const drawn = keysOf({ a: 1 }, { a });
    expect(drawn).toEqual(keysOf({ 'x.a': 1 }, { x: { a } }));
    expect(drawn.length).toBeGreaterThan(0);
  },
);
