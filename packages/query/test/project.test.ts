import { describe, expect, test } from 'vitest';
import { compileProjection, type ProjectionOptions } from '../src/index.ts';
import { doc, ordered, text } from './bson.ts';

const project = (projection: object, document: object, options?: ProjectionOptions) =>
  text(compileProjection(doc(projection), options)(doc(document)));

const person = ordered(['_id', 1], ['name', { first: 'A', last: 'B' }], ['tags', [1, 2, 3]], ['2', 'x'], ['1', 'y']);

describe('a projection', () => {
  test.for([
    [{}, { _id: 1, a: 1 }, { _id: 1, a: 1 }],
    [{ a: 1 }, { _id: 1, a: 1, b: 2 }, { _id: 1, a: 1 }],
    [
      { b: 1, a: true },
      { _id: 1, a: 1, b: 2, c: 3 },
      { _id: 1, a: 1, b: 2 },
    ],
    [{ a: 1, _id: 0 }, { _id: 1, a: 1, b: 2 }, { a: 1 }],
    [{ _id: 1 }, { _id: 1, a: 1 }, { _id: 1 }],
    [{ _id: 0 }, { _id: 1, a: 1 }, { a: 1 }],
    [{ a: 0 }, { _id: 1, a: 1, b: 2 }, { _id: 1, b: 2 }],
    [
      { a: 0, _id: 1 },
      { _id: 1, a: 1, b: 2 },
      { _id: 1, b: 2 },
    ],
    [{ tags: 0, name: 0, _id: 0 }, person, ordered(['2', 'x'], ['1', 'y'])],
    [{ 'name.first': 1 }, person, { _id: 1, name: { first: 'A' } }],
    [{ name: { first: 1 } }, person, { _id: 1, name: { first: 'A' } }],
    [{ 'a.b': 1 }, { a: [{ b: 1, c: 2 }, 5, { c: 3 }, [{ b: 6, c: 7 }]] }, { a: [{ b: 1 }, {}, [{ b: 6 }]] }],
    [{ 'a.b': 0 }, { a: [{ b: 1, c: 2 }, 5] }, { a: [{ c: 2 }, 5] }],
    [{ 'a.b': 1 }, { a: 5 }, {}],
    [{ 'a.b': 0 }, { a: 5 }, { a: 5 }],
    [{ tags: { $slice: 2 } }, { _id: 1, tags: [1, 2, 3], b: 1 }, { _id: 1, tags: [1, 2], b: 1 }],
    [{ tags: { $slice: -1 } }, { tags: [1, 2, 3] }, { tags: [3] }],
    [{ tags: { $slice: [1, 1] } }, { tags: [1, 2, 3] }, { tags: [2] }],
    [
      { tags: { $slice: [-2, 1] }, b: 1 },
      { tags: [1, 2, 3], b: 1, c: 1 },
      { tags: [2], b: 1 },
    ],
    [
      { a: { $elemMatch: { b: { $gt: 1 } } } },
      { _id: 1, a: [{ b: 1 }, { b: 2 }, { b: 3 }], c: 1 },
      { _id: 1, a: [{ b: 2 }] },
    ],
    [{ a: { $elemMatch: { $gt: 9 } } }, { _id: 1, a: [1] }, { _id: 1 }],
    [{ x: '$y' }, { _id: 1, y: 5n }, { _id: 1, x: 5n }],
    [
      { x: '$z', a: 1 },
      { _id: 1, a: 1 },
      { _id: 1, a: 1 },
    ],
    [{ x: { $add: ['$a', 1] }, y: { $literal: 1 }, z: 'text' }, { a: 1 }, { x: 2, y: 1, z: 'text' }],
    [{ 'a.x': '$b' }, { a: { y: 1 }, b: 2 }, { a: { x: 2 } }],
    [{ 'n.x': '$b' }, { b: 2 }, { n: { x: 2 } }],
    [{ 'r.$id': 1 }, { r: { $ref: 'c', $id: 5 } }, { r: { $id: 5 } }],
    [{ x: { $const: '$a' } }, { a: 1 }, { x: '$a' }],
  ] as [object, object, object][])('%#: %j', ([projection, document, expected]) => {
    expect(project(projection, document)).toBe(text(doc(expected)));
  });

  test('positional: the element that the filter matched', () => {
    const options = { query: doc({ 'a.b': 2 }) };
    expect(project({ 'a.$': 1 }, { _id: 1, a: [{ b: 1 }, { b: 2 }], c: 1 }, options)).toBe(
      text(doc({ _id: 1, a: [{ b: 2 }] })),
    );
    expect(() => project({ 'a.$': 1 }, { a: [1] })).toThrow(expect.objectContaining({ code: 51246 }));
  });

  test.for([
    [{ a: 1, b: 0 }, 31254],
    [{ a: 0, b: 1 }, 31253],
    [{ a: 0, x: '$y' }, 31252],
    [{ a: 1, 'a.b': 1 }, 31249],
    [{ 'a.b': 1, a: 1 }, 31250],
    [{ 'a.b': { $elemMatch: { c: 1 } } }, 31275],
    [{ 'a.$': 0 }, 31395],
    [{ 'a.$': 1, 'b.$': 1 }, 31276],
    [{ a: { $foo: 1 } }, 168],
    [{ 'a.': 1 }, 40353],
    [{ 'a..b': 1 }, 15998],
    [{ 'a.$.b': 1 }, 31394],
    [{ 'a.$': 1, b: { $elemMatch: { c: 1 } } }, 31255],
    [{ a: {} }, 51270],
  ] as [object, number][])('%j is refused with %s', ([projection, code]) => {
    expect(() => compileProjection(doc(projection))).toThrow(expect.objectContaining({ code }));
  });
});
