import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

// Which documents `$lookup` and `$graphLookup` find: what the local field holds is looked for by a filter on the foreign one.
// Upstream: document_source_lookup.cpp, makeMatchStageFromInput; document_path_support.cpp, visitAllValuesAtPath.

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const NESTED = [
  { _id: 'scalar', a: 1 },
  { _id: 'array', a: [1, 2] },
  { _id: 'array in array', a: [[1, 2], 3] },
  { _id: 'empty', a: [] },
  { _id: 'empty in array', a: [[], 3] },
  { _id: 'null', a: null },
  { _id: 'null in array', a: [null, 3] },
  { _id: 'missing' },
];

const DOTTED = [
  { _id: 'object', a: { x: 1 } },
  { _id: 'objects', a: [{ x: 1 }, { x: 3 }] },
  { _id: 'null', a: { x: null } },
  { _id: 'missing', a: { y: 1 } },
  { _id: 'missing in one', a: [{ y: 1 }, { x: 3 }] },
  { _id: 'missing in all', a: [{ y: 1 }, { y: 2 }] },
  { _id: 'scalar', a: 5 },
  { _id: 'scalar in array', a: [5] },
  { _id: 'empty', a: [] },
  { _id: 'array at the end', a: { x: [1, 3] } },
  { _id: 'empty at the end', a: { x: [] } },
  { _id: 'nothing' },
];

/** Names of documents of one side that a document of the other is joined with. */
function joined(spec: object): readonly [local: string, found: readonly string[]][] {
  const lookup = { $lookup: { from: 'foreign', as: 'found', ...spec } };
  const { cursor } = member.ok({ aggregate: 'local', pipeline: [lookup], cursor: {} });
  return cursor.firstBatch.map(({ _id, found }: Doc) => [_id, found.map((each: Doc) => each._id)]);
}

describe('one local value', () => {
  test.for<[value: unknown, found: string[]]>([
    [1, ['scalar', 'array']],
    [
      [1, 9],
      ['scalar', 'array'],
    ],
    [[[1, 2]], ['array', 'array in array']],
    [[[]], ['empty', 'empty in array']],
    [[], ['null', 'null in array', 'missing']],
    [null, ['null', 'null in array', 'missing']],
    [undefined, ['null', 'null in array', 'missing']],
    [
      [null, 1],
      ['scalar', 'array', 'null', 'null in array', 'missing'],
    ],
  ])('%j', ([value, found]) => {
    member.insert('local', { _id: 1, ...(value !== undefined && { b: value }) });
    member.insert('foreign', ...NESTED);
    expect(joined({ localField: 'b', foreignField: 'a' })).toEqual([[1, found]]);
  });

  test.for<[value: unknown, found: string[]]>([
    [1, ['object', 'objects', 'array at the end']],
    [[[1, 3]], ['array at the end']],
    [[[]], ['empty at the end']],
    [null, ['null', 'missing', 'missing in one', 'missing in all', 'scalar', 'nothing']],
  ])('%j, on a path', ([value, found]) => {
    member.insert('local', { _id: 1, b: value });
    member.insert('foreign', ...DOTTED);
    expect(joined({ localField: 'b', foreignField: 'a.x' })).toEqual([[1, found]]);
  });
});

test('a local path that leads to nothing at all is null, and one that leads somewhere is not', () => {
  member.insert('local', ...DOTTED);
  member.insert('foreign', { _id: 'null', b: null });
  expect(
    joined({ localField: 'a.x', foreignField: 'b' }).flatMap(([name, found]) => (found.length ? [name] : [])),
  ).toEqual(['null', 'missing', 'missing in all', 'scalar', 'scalar in array', 'empty', 'empty at the end', 'nothing']);
});

test.for<[localField: string, found: string[]]>([
  ['a.0.x', ['one']],
  ['a.1.x', ['three']],
  ['a.2.x', ['null']],
  // The first component is always the name of a field.
  ['0', ['null']],
  ['c.0.1', ['three']],
  ['d.0', ['one']],
])('a number in the path %s of the local field is a place in an array', ([localField, found]) => {
  member.insert('local', { _id: 1, a: [{ x: 1 }, { x: 3, 0: { x: 9 } }], c: [[1, 3]], d: { 0: 1 } });
  member.insert(
    'foreign',
    { _id: 'one', b: 1 },
    { _id: 'three', b: 3 },
    { _id: 'nine', b: 9 },
    { _id: 'null', b: null },
  );
  expect(joined({ localField, foreignField: 'b' })).toEqual([[1, found]]);
});

test('a graph goes on from what a field holds, to whole arrays too, and not from what it lacks', () => {
  member.insert('local', { _id: 1 });
  member.insert('foreign', { _id: 'a', to: [['p', 'q'], 'b'] }, { _id: 'b', at: 'b', to: [] }, { _id: 'pq', at: ['p', 'q'] }, { _id: 'lacks it' }, { _id: 'null', at: null }); // biome-ignore format: one line
  const graph = { from: 'foreign', startWith: 'a', connectFromField: 'to', connectToField: 'at', as: 'found' };
  const reached = (startWith: unknown) =>
    member
      .ok({ aggregate: 'local', pipeline: [{ $graphLookup: { ...graph, startWith } }], cursor: {} })
      .cursor.firstBatch[0].found.map(({ _id }: Doc) => _id)
      .toSorted();
  expect(reached('b')).toEqual(['b']);
  expect(reached({ $literal: [['p', 'q']] })).toEqual(['pq']);
  expect(reached(null)).toEqual(['null']);
  expect(reached('$nope')).toEqual([]);
});
