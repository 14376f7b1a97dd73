import { describe, expect, test } from 'vitest';
import { compileAdditions, compileProjection, compileStageProjection, type ProjectionOptions } from '../src/index.ts';
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
    [{ a: 0, x: '$y' }, 31310],
    [{ a: 0, x: { $add: ['$y', 1] } }, 31252],
    [{ a: 1, 'a.b': 1 }, 31249],
    [{ 'a.b': 1, a: 1 }, 31250],
    [{ 'a.b': { $elemMatch: { c: 1 } } }, 31275],
    [{ 'a.$': 0 }, 31395],
    [{ '.$': 1 }, 5392900],
    [{ 'a.$': 1, 'b.$': 1 }, 31276],
    [{ a: { $foo: 1 } }, 31325],
    [{ a: { $add: ['$b', { $foo: 1 }] } }, 168],
    [{ 'a.': 1 }, 40353],
    [{ 'a..b': 1 }, 15998],
    [{ 'a.$.b': 1 }, 31394],
    [{ 'a.$': 1, b: { $elemMatch: { c: 1 } } }, 31255],
    [{ a: {} }, 51270],
  ] as [object, number][])('%j is refused with %s', ([projection, code]) => {
    expect(() => compileProjection(doc(projection))).toThrow(expect.objectContaining({ code }));
  });
});

// Where a find and a `$project` once had projections of their own, and disagreed. Upstream: projection_parser.cpp, projection_node.cpp.
describe('one executor for a find and for $project', () => {
  const nobody = new Map();
  const scores = Object.assign(new Map(), { textScores: { of: () => 0.5 } });
  const byBoth = (projection: object, document: object) =>
    [compileProjection, compileStageProjection].map((compile) =>
      text(compile(doc(projection), { variables: 'score' in projection ? scores : nobody })(doc(document))),
    );

  test.for<[what: string, projection: object, document: object, expected: object]>([
    [
      'an included _id stays where it was',
      { b: 1 },
      ordered(['a', 1], ['b', 2], ['_id', 3]),
      ordered(['b', 2], ['_id', 3]),
    ],
    [
      'a computed _id has the place of its name',
      { b: '$a', _id: '$b' },
      { _id: 1, a: 2, b: 3 },
      ordered(['b', 2], ['_id', 3]),
    ],
    ['a name in an object may have dots', { a: { 'b.c': 1 } }, { a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 1 } } }],
    ['a $slice of a value is an expression', { x: { $slice: ['$a', -1] } }, { a: [1, 2] }, { x: [2] }],
    ['a field of a DBRef is none', { r: { $id: 1 } }, { r: { $ref: 'c', $id: 5 } }, { r: { $id: 5 } }],
    [
      'a score in an exclusion stays where it was',
      { score: { $meta: 'textScore' }, b: 0 },
      { score: 1, b: 2, c: 3 },
      { score: 0.5, c: 3 },
    ],
  ])('%s', ([, projection, document, expected]) => {
    const wanted = text(doc(expected));
    expect(byBoth(projection, document)).toEqual([wanted, wanted]);
  });

  test('a score alone is an exclusion for a find, and an inclusion for $project', () => {
    const [find, stage] = byBoth({ score: { $meta: 'textScore' } }, { _id: 1, a: 2 });
    expect(find).toBe(text(doc({ _id: 1, a: 2, score: 0.5 })));
    expect(stage).toBe(text(doc({ _id: 1, score: 0.5 })));
  });

  test.for([
    [{ a: { $foo: 1 } }, 31325, 31325],
    [{ a: { $add: [1, 2], b: 1 } }, 16410, 16410],
    [{ 'a.$.b': 1 }, 31394, 31394],
    [{ 'a.$': 1 }, undefined, 31324],
    [{ 'a.$': 'x' }, 31308, 31324],
    [{ 'a.$': { b: 1 } }, 31271, 31324],
    [{ a: { $elemMatch: { b: 1 } } }, undefined, 168],
    [{ a: { $slice: 1 } }, undefined, 28667],
    [{ a: 0, b: 'x' }, 31310, 31310],
  ] as [object, number | undefined, number | undefined][])(
    '%j is refused with %s and %s',
    ([projection, find, stage]) => {
      const codes = [compileProjection, compileStageProjection].map((compile) => {
        try {
          compile(doc(projection));
          return undefined;
        } catch (error) {
          return (error as { code: number }).code;
        }
      });
      expect(codes).toEqual([find, stage]);
    },
  );

  test('$slice beside $elemMatch leaves an exclusion, and does not look into arrays of arrays', () => {
    expect(project({ a: { $slice: 1 }, b: { $elemMatch: { $gt: 1 } } }, { a: [1, 2], b: [1, 2], c: 3 })).toBe(
      text(doc({ a: [1], b: [2], c: 3 })),
    );
    expect(project({ 'a.b': { $slice: 1 } }, { a: [{ b: [1, 2] }, [{ b: [1, 2] }]] })).toBe(
      text(doc({ a: [{ b: [1] }, [{ b: [1, 2] }]] })),
    );
  });
});

describe('additions', () => {
  const add = (additions: object, document: object) => text(compileAdditions(doc(additions))(doc(document)));

  test.for<[additions: object, document: object, expected: object]>([
    [{}, { a: 1 }, { a: 1 }],
    [{ a: {} }, { a: 1, b: 2 }, { a: {}, b: 2 }],
    [{ b: '$a' }, { b: 1, a: 2 }, { b: 2, a: 2 }],
    [{ a: { b: { c: 1 } } }, { a: [{ b: 1, d: 1 }, 2] }, { a: [{ b: { c: 1 }, d: 1 }, { b: { c: 1 } }] }],
  ])('%j', ([additions, document, expected]) => {
    expect(add(additions, document)).toBe(text(doc(expected)));
  });

  test.for([
    [{ a: 1, 'a.b': 1 }, 40176],
    [{ 'a.b': 1, a: 1 }, 40176],
    [{ a: { $add: [1], b: 1 } }, 40181],
    [{ a: { b: 1, $add: [1] } }, 40181],
    [{ a: { 'b.c': 1 } }, 40183],
    [{ a: { $foo: 1 } }, 168],
    [{ 'a.': 1 }, 40353],
  ] as [object, number][])('%j is refused with %s', ([additions, code]) => {
    expect(() => compileAdditions(doc(additions))).toThrow(expect.objectContaining({ code }));
  });
});
