import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { computeDiff } from '@replsim/query';
import { Int32 } from 'bson';
import { expect, test } from 'vitest';
import { updateDescription } from '../src/updateDescription.ts';

// What an event says of an update.

type Doc = Record<string, unknown>;
const described = (diff: Doc, disambiguate = true): Doc =>
  decodePromoted(updateDescription(encodeDocument({ $v: 2, diff }), disambiguate));
const none = { updatedFields: {}, removedFields: [], truncatedArrays: [], disambiguatedPaths: {} };

test.for<[diff: Doc, description: Doc]>([
  [{ u: { a: 1 } }, { updatedFields: { a: 1 } }],
  [{ i: { a: 1 } }, { updatedFields: { a: 1 } }],
  [{ d: { a: false, b: false } }, { removedFields: ['a', 'b'] }],
  [
    { d: { x: false }, u: { a: 1 }, i: { b: 2 }, sc: { u: { d: 3 } } },
    { updatedFields: { a: 1, b: 2, 'c.d': 3 }, removedFields: ['x'] },
  ],
  [{ sa: { sb: { d: { c: false } } } }, { removedFields: ['a.b.c'] }],
  [{ sa: { a: true, l: 2 } }, { truncatedArrays: [{ field: 'a', newSize: 2 }] }],
  [{ sa: { a: true, u0: 5, s1: { u: { b: 6 } } } }, { updatedFields: { 'a.0': 5, 'a.1.b': 6 } }],
  [{ u: { 'a.b': 1 } }, { updatedFields: { 'a.b': 1 }, disambiguatedPaths: { 'a.b': ['a.b'] } }],
  [{ u: { 0: 1 } }, { updatedFields: { 0: 1 } }],
  [{ sa: { u: { 0: 1 } } }, { updatedFields: { 'a.0': 1 }, disambiguatedPaths: { 'a.0': ['a', '0'] } }],
  [
    { sa: { a: true, s0: { a: true, s0: { u: { 1: 9 } } } } },
    { updatedFields: { 'a.0.0.1': 9 }, disambiguatedPaths: { 'a.0.0.1': ['a', 0, 0, '1'] } },
  ],
  [{ sa: { d: { 'b.c': false } } }, { removedFields: ['a.b.c'], disambiguatedPaths: { 'a.b.c': ['a', 'b.c'] } }],
  [{ s0: { u: { 1: 1 } } }, { updatedFields: { '0.1': 1 }, disambiguatedPaths: { '0.1': ['0', '1'] } }],
])('%o', ([diff, description]) => {
  expect(described(diff)).toEqual({ ...none, ...description });
  expect(described(diff, false)).not.toHaveProperty('disambiguatedPaths');
});

test('an index is an int32, a name a string', () => {
  const delta = encodeDocument({ $v: 2, diff: { sa: { a: true, s3: { u: { 4: 1 } } } } });
  const { disambiguatedPaths } = decodePromoted(updateDescription(delta, true)) as {
    disambiguatedPaths: Doc;
  };
  expect(disambiguatedPaths).toEqual({ 'a.3.4': ['a', expect.anything(), '4'] });
  expect(encodeDocument(disambiguatedPaths as never)).toEqual(encodeDocument({ 'a.3.4': ['a', new Int32(3), '4'] }));
});

test('of a real delta', () => {
  const filler = 'x'.repeat(300);
  const before = { _id: 1, filler, a: { b: 1, c: 2, filler }, list: [1, 2, 3, { filler, x: 1 }, 5] };
  const after = { _id: 1, filler, a: { b: 7, filler }, list: [1, 2, 3, { filler, x: 2 }], n: 1 };
  const delta = computeDiff(encodeDocument(before), encodeDocument(after))!;
  expect(decodePromoted(updateDescription(delta, false))).toEqual({
    updatedFields: { n: 1, 'a.b': 7, 'list.3.x': 2 },
    removedFields: ['a.c'],
    truncatedArrays: [{ field: 'list', newSize: 4 }],
  });
});

test('as many fields are removed as a document has room for', () => {
  const d = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`f${i}`, false]));
  expect(described({ d }).removedFields).toHaveLength(200_000);
});
