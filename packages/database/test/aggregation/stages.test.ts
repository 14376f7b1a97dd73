import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { Decimal128, Double, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember, Running } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const aggregate = (pipeline: object[], more: object = {}) =>
  member.ok({ aggregate: 'c', pipeline, cursor: {}, ...more }).cursor.firstBatch;

/** The documents of a reply with the types that they have on the wire. */
function typed(pipeline: object[]) {
  const command = encodeDocument({ aggregate: 'c', pipeline, cursor: {}, $db: 'app' });
  const running = new Running(member, member.dispatcher.start(command).run(member, 1));
  running.finish();
  return decodeDocument(running.bytes!).cursor.firstBatch;
}

const long = Long.fromNumber(5);
const double = new Double(1);
const decimal = Decimal128.fromString('1.50');

describe('what is passed on keeps its types', () => {
  const document = { _id: 1, long, double, decimal, tags: [long, double], sub: { decimal, other: 1 } };

  test.for<[pipeline: object[], of?: (document: Record<string, unknown>) => Record<string, unknown>]>([
    [[{ $project: { long: 1, double: 1, decimal: 1 } }]],
    [[{ $project: { other: 0 } }]],
    [[{ $addFields: { x: 1 } }]],
    [[{ $set: { x: { $concat: ['a', 'b'] } } }]],
    [[{ $unset: 'x' }]],
    [[{ $unwind: '$tags' }, { $limit: 1 }]],
    [[{ $replaceRoot: { newRoot: '$$ROOT' } }]],
    [[{ $lookup: { from: 'c', localField: '_id', foreignField: '_id', as: 'same' } }, { $unwind: '$same' }, { $replaceWith: '$same' }]], // biome-ignore format: one line
    [[{ $lookup: { from: 'c', let: { id: '$_id' }, pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$id'] } } }], as: 'same' } }, { $unwind: '$same' }, { $replaceWith: '$same' }]], // biome-ignore format: one line
    [[{ $group: { _id: '$_id', doc: { $first: '$$ROOT' } } }, { $replaceWith: '$doc' }]],
    [[{ $group: { _id: null, long: { $sum: '$long' }, double: { $max: '$double' }, decimal: { $sum: '$decimal' } } }]],
    [[{ $facet: { all: [{ $match: {} }] } }, { $unwind: '$all' }, { $replaceWith: '$all' }]],
    [[{ $setWindowFields: { sortBy: { _id: 1 }, output: { n: { $sum: '$_id' } } } }]],
    [[{ $fill: { output: { nothing: { value: 1 } } } }]],
    [[{ $project: { long: '$long', double: { $ifNull: ['$nope', '$double'] }, decimal: { $literal: decimal } } }]],
    [[{ $graphLookup: { from: 'c', startWith: '$_id', connectFromField: 'nope', connectToField: '_id', as: 'same' } }, { $replaceWith: { $ifNull: ['$nope', '$$ROOT'] } }]], // biome-ignore format: one line
  ])('%j', ([pipeline]) => {
    member.insert('c', document);
    const [found] = typed(pipeline);
    expect(found.long).toEqual(long);
    expect(found.double._bsontype).toBe('Double');
    expect(found.decimal.toString()).toBe('1.50');
  });
});

describe('shapes', () => {
  test.for<[document: object, stage: object, expected: object]>([
    [{ _id: 1, a: 1, b: 2 }, { $project: { b: 1 } }, { _id: 1, b: 2 }],
    [{ _id: 1, a: 1, b: 2 }, { $project: { _id: 0, b: 1 } }, { b: 2 }],
    [{ _id: 1, a: 1, b: 2 }, { $project: { b: 0 } }, { _id: 1, a: 1 }],
    [{ _id: 1, a: [{ b: 1, c: 2 }, 5] }, { $project: { 'a.b': 1 } }, { _id: 1, a: [{ b: 1 }] }],
    [{ _id: 1, a: { b: 1, c: 2 } }, { $project: { a: { b: 1 } } }, { _id: 1, a: { b: 1 } }],
    [{ _id: 1, a: { b: 1, c: 2 } }, { $project: { 'a.d': '$a.b' } }, { _id: 1, a: { d: 1 } }],
    [{ _id: 1, a: 'x' }, { $project: { _id: '$a' } }, { _id: 'x' }],
    [{ _id: 1, a: [1, 2, 3] }, { $project: { a: { $slice: ['$a', 2] } } }, { _id: 1, a: [1, 2] }],
    [{ _id: 1, a: 1, b: 2 }, { $addFields: { a: 7 } }, { _id: 1, a: 7, b: 2 }],
    [{ _id: 1, a: 1 }, { $addFields: { a: '$$REMOVE' } }, { _id: 1 }],
    [{ _id: 1, a: { b: 1 } }, { $addFields: { 'a.c': 2, d: { e: '$a.b' } } }, { _id: 1, a: { b: 1, c: 2 }, d: { e: 1 } }], // biome-ignore format: one line
    [{ _id: 1, a: [{ b: 1 }, 5] }, { $addFields: { 'a.c': 2 } }, { _id: 1, a: [{ b: 1, c: 2 }, { c: 2 }] }],
    [{ _id: 1, a: { b: 1, c: 2 } }, { $unset: ['a.b', 'nope'] }, { _id: 1, a: { c: 2 } }],
    [{ _id: 1, a: { b: 1 } }, { $replaceRoot: { newRoot: { $mergeObjects: ['$a', { c: 3 }] } } }, { b: 1, c: 3 }],
    [{ _id: 1, a: [1, 2] }, { $replaceWith: { n: { $size: '$a' }, all: ['$a', '$nope'] } }, { n: 2, all: [[1, 2], null] }], // biome-ignore format: one line
    [{ _id: 1, level: 1, in: { level: 5 } }, { $redact: { $cond: [{ $lte: ['$level', 3] }, '$$DESCEND', '$$PRUNE'] } }, { _id: 1, level: 1 }], // biome-ignore format: one line
  ])('%j %j', ([document, stage, expected]) => {
    member.insert('c', document);
    const [found] = aggregate([stage]);
    expect(found).toEqual(expected);
    expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
  });

  test.for<[spec: unknown, expected: object[]]>([
    [
      '$a',
      [
        { _id: 1, a: 5 },
        { _id: 1, a: 6 },
        { _id: 4, a: 'x' },
      ],
    ],
    [{ path: '$a', includeArrayIndex: 'i' }, [{ _id: 1, a: 5, i: 0 }, { _id: 1, a: 6, i: 1 }, { _id: 4, a: 'x', i: null }]], // biome-ignore format: one line
    [{ path: '$a', preserveNullAndEmptyArrays: true }, [{ _id: 1, a: 5 }, { _id: 1, a: 6 }, { _id: 2 }, { _id: 3, a: null }, { _id: 4, a: 'x' }, { _id: 5 }]], // biome-ignore format: one line
  ])('$unwind %j', ([spec, expected]) => {
    member.insert('c', { _id: 1, a: [5, 6] }, { _id: 2, a: [] }, { _id: 3, a: null }, { _id: 4, a: 'x' }, { _id: 5 });
    expect(aggregate([{ $unwind: spec }])).toEqual(expected);
  });
});

describe('joins', () => {
  beforeEach(() => {
    member.insert('c', { _id: 1, to: 'a' }, { _id: 2, to: ['b', 'a'] }, { _id: 3 }, { _id: 4, to: [] });
    member.insert('others', { _id: 'a', n: 1 }, { _id: 'b', n: 2 }, { _id: 'z', to: null });
  });

  const joined = (lookup: object) =>
    aggregate([{ $lookup: { from: 'others', as: 'found', ...lookup } }]).map(
      ({ found }: { found: { _id: string }[] }) => found.map(({ _id }) => _id).join(''),
    );

  test('$lookup', () => {
    expect(joined({ localField: 'to', foreignField: '_id' })).toEqual(['a', 'ab', '', '']);
    expect(joined({ localField: 'to', foreignField: 'n' })).toEqual(['', '', 'z', 'z']);
    expect(joined({ pipeline: [{ $match: { n: { $gt: 1 } } }] })).toEqual(['b', 'b', 'b', 'b']);
    const pipeline = [{ $match: { $expr: { $eq: ['$n', '$$id'] } } }, { $project: { _id: 1 } }];
    expect(joined({ let: { id: '$_id' }, pipeline })).toEqual(['a', 'b', '', '']);
    expect(joined({ localField: 'to', foreignField: '_id', pipeline: [{ $limit: 1 }] })).toEqual(['a', 'a', '', '']);
    expect(joined({ from: undefined, pipeline: [{ $documents: [{ _id: 'd' }] }] })).toEqual(['d', 'd', 'd', 'd']);
    expect(joined({ pipeline: [{ $collStats: { count: {} } }, { $project: { _id: '$count' } }] })[0]).toBe('3');
    const made = [{ $documents: [{ _id: 'd', k: ['a', 'x'] }, { _id: 'e', k: 'b' }, { _id: 'f' }] }, { $limit: 1 }];
    const byFields = { from: undefined, localField: 'to', foreignField: 'k', pipeline: made };
    expect(joined(byFields)).toEqual(['d', 'd', 'f', 'f']);
    const documents = [{ $documents: '$$list' }];
    expect(joined({ from: undefined, let: { list: [{ _id: '$to' }] }, pipeline: documents })[0]).toBe('a');
  });

  // Upstream: document.cpp, MutableDocument::setNestedField.
  test.for<[document: object, pipeline: object[], expected: object]>([
    [{ items: [{ to: 'a' }, 5] }, [{ $lookup: { from: 'others', localField: 'items.to', foreignField: '_id', as: 'items.found' } }], { items: { found: [{ _id: 'a', n: 1 }] } }], // biome-ignore format: one line
    [{ item: { to: 'a' } }, [{ $lookup: { from: 'others', localField: 'item.to', foreignField: '_id', as: 'item.found' } }], { item: { to: 'a', found: [{ _id: 'a', n: 1 }] } }], // biome-ignore format: one line
    [{ items: [{ to: 'a' }] }, [{ $graphLookup: { from: 'others', startWith: '$items.to', connectFromField: 'up', connectToField: '_id', as: 'items.found' } }], { items: { found: [{ _id: 'a', n: 1 }] } }], // biome-ignore format: one line
    [{ a: [1], in: [{ b: 1 }] }, [{ $unwind: { path: '$a', includeArrayIndex: 'in.i' } }], { a: 1, in: { i: 0 } }],
    [{ a: { b: [1], c: 2 } }, [{ $unwind: { path: '$a.b', includeArrayIndex: 'a.b.i' } }], { a: { b: { i: 0 }, c: 2 } }], // biome-ignore format: one line
    [{ a: [[1, 2]] }, [{ $unwind: { path: '$a.0', preserveNullAndEmptyArrays: true } }], { a: [[1, 2]] }],
  ])('in %j %j puts a document in the place of an array on the way', ([document, pipeline, expected]) => {
    member.insert('one', { _id: 1, ...document });
    expect(member.ok({ aggregate: 'one', pipeline, cursor: {} }).cursor.firstBatch).toEqual([{ _id: 1, ...expected }]);
  });

  test('$graphLookup', () => {
    member.insert('staff', { _id: 1, name: 'a' }, { _id: 2, name: 'b', boss: 'a' }, { _id: 3, name: 'c', boss: 'b' });
    const found = (more: object) =>
      aggregate([
        { $match: { _id: 1 } },
        { $graphLookup: { from: 'staff', startWith: 'c', connectFromField: 'boss', connectToField: 'name', as: 'up', ...more } }, // biome-ignore format: one line
      ])[0].up.map(({ name, depth }: { name: string; depth?: number }) =>
        depth === undefined ? name : `${name}${depth}`,
      );
    expect(found({})).toEqual(['c', 'b', 'a']);
    expect(found({ maxDepth: 1, depthField: 'depth' })).toEqual(['c0', 'b1']);
    expect(found({ restrictSearchWithMatch: { name: { $ne: 'b' } } })).toEqual(['c']);
  });

  test('$unionWith', () => {
    const ids = (spec: unknown) => aggregate([{ $match: { _id: 1 } }, { $unionWith: spec }]).map((each: { _id: unknown }) => each._id); // biome-ignore format: one line
    expect(ids('others')).toEqual([1, 'a', 'b', 'z']);
    expect(ids({ coll: 'others', pipeline: [{ $match: { n: 2 } }] })).toEqual([1, 'b']);
    expect(ids({ pipeline: [{ $documents: [{ _id: 9 }] }] })).toEqual([1, 9]);
    const names = (spec: object) => aggregate([{ $match: { _id: 0 } }, { $unionWith: spec }]).map((each: { name: unknown }) => each.name); // biome-ignore format: one line
    expect(names({ coll: 'others', pipeline: [{ $indexStats: {} }, { $match: { name: '_id_' } }] })).toEqual(['_id_']);
    const counted = [{ $collStats: { count: {} } }, { $project: { _id: '$count' } }];
    expect(ids({ coll: 'others', pipeline: counted })).toEqual([1, 3]);
    const computed = { $map: { input: [8, 9], in: { _id: '$$this' } } };
    expect(ids({ pipeline: [{ $documents: computed }] })).toEqual([1, 8, 9]);
  });
});

describe('groups', () => {
  beforeEach(() => {
    member.insert('c', { _id: 1, k: 'x', n: 1 }, { _id: 2, k: 'y', n: 5 }, { _id: 3, k: 'x', n: 4 }, { _id: 4, n: 'text' }); // biome-ignore format: one line
  });

  test.for<[accumulator: object, ofX: unknown]>([
    [{ $sum: '$n' }, 5],
    [{ $sum: 1 }, 2],
    [{ $avg: '$n' }, 2.5],
    [{ $min: '$n' }, 1],
    [{ $max: '$n' }, 4],
    [{ $first: '$n' }, 1],
    [{ $last: '$n' }, 4],
    [{ $push: '$n' }, [1, 4]],
    [{ $addToSet: '$k' }, ['x']],
    [{ $count: {} }, 2],
    [{ $mergeObjects: { a: '$n' } }, { a: 4 }],
    [{ $firstN: { input: '$n', n: 1 } }, [1]],
    [{ $lastN: { input: '$n', n: 1 } }, [4]],
    [{ $maxN: { input: '$n', n: 5 } }, [4, 1]],
    [{ $minN: { input: '$n', n: 5 } }, [1, 4]],
    [{ $top: { sortBy: { n: -1 }, output: '$_id' } }, 3],
    [{ $bottomN: { sortBy: { n: -1 }, output: '$_id', n: 2 } }, [3, 1]],
    [{ $stdDevPop: '$n' }, 1.5],
  ])('%j', ([accumulator, ofX]) => {
    const groups = aggregate([{ $group: { _id: '$k', value: accumulator } }]);
    expect(groups.map(({ _id }: { _id: unknown }) => _id)).toEqual(['x', 'y', null]);
    expect(groups[0].value).toEqual(ofX);
  });

  // What IEEE 754 has for a division: 34 digits, halves to even, and the exponent of the sum where it comes out even.
  test.for<[numbers: (number | string)[], average: string]>([
    [['1', '2'], '1.5'],
    [['1.0', '3.0'], '2.0'],
    [['1', '1', '2'], '1.333333333333333333333333333333333'],
    [['1', '1', '3'], '1.666666666666666666666666666666667'],
    [['-1', '-1', '-3'], '-1.666666666666666666666666666666667'],
    [
      ['1000000000000000000000000000000001', '1000000000000000000000000000000002'],
      '1000000000000000000000000000000002',
    ],
    [['9.999999999999999999999999999999999E+6144', '9.999999999999999999999999999999999E+6144'], 'Infinity'],
    [['0.00', '0.00'], '0.00'],
    [['NaN', '1'], 'NaN'],
    [['-Infinity', '1'], '-Infinity'],
    [[1, '2.5'], '1.75'],
  ])('the average of %j is a decimal: %s', ([numbers, average]) => {
    const documents = numbers.map((n, _id) => ({ _id, n: typeof n === 'string' ? Decimal128.fromString(n) : n }));
    member.insert('decimals', ...documents);
    const command = { aggregate: 'decimals', pipeline: [{ $group: { _id: null, avg: { $avg: '$n' } } }], cursor: {} };
    expect(member.ok(command).cursor.firstBatch[0].avg.toString()).toBe(average);
  });

  test('numbers of several types are one group', () => {
    member.insert('c', { _id: 5, n: new Double(1) }, { _id: 6, n: Long.ONE });
    expect(aggregate([{ $group: { _id: '$n', count: { $count: {} } } }, { $match: { _id: 1 } }])).toEqual([{ _id: 1, count: 3 }]); // biome-ignore format: one line
  });

  test('$sortByCount, $bucket, $bucketAuto, $facet', () => {
    expect(aggregate([{ $sortByCount: '$k' }])[0]).toEqual({ _id: 'x', count: 2 });
    const bucket = { groupBy: '$n', boundaries: [0, 4, 6], default: 'other' };
    expect(aggregate([{ $bucket: bucket }])).toEqual([{ _id: 0, count: 1 }, { _id: 4, count: 2 }, { _id: 'other', count: 1 }]); // biome-ignore format: one line
    const output = { ids: { $push: '$_id' } };
    expect(aggregate([{ $bucket: { ...bucket, output } }])[1]).toEqual({ _id: 4, ids: [2, 3] });
    expect(aggregate([{ $bucketAuto: { groupBy: '$_id', buckets: 2 } }])).toMatchObject([{ count: 2 }, { count: 2 }]);
    const facets = { n: [{ $count: 'n' }], first: [{ $limit: 1 }, { $project: { _id: 1 } }], none: [{ $match: { k: 7 } }] }; // biome-ignore format: one line
    expect(aggregate([{ $facet: facets }])).toEqual([{ n: [{ n: 4 }], first: [{ _id: 1 }], none: [] }]);
  });
});

test('windows and gaps', () => {
  member.insert('c', { _id: 1, at: 1, n: 2 }, { _id: 2, at: 2 }, { _id: 3, at: 4, n: 6 });
  const total = { $setWindowFields: { sortBy: { at: 1 }, output: { total: { $sum: '$n', window: { documents: ['unbounded', 'current'] } } } } }; // biome-ignore format: one line
  expect(aggregate([total]).map((each: { total: number }) => each.total)).toEqual([2, 2, 8]);
  expect(aggregate([{ $fill: { sortBy: { at: 1 }, output: { n: { method: 'locf' } } } }])[1]).toEqual({ _id: 2, at: 2, n: 2 }); // biome-ignore format: one line
  const dense = aggregate([{ $densify: { field: 'at', range: { step: 1, bounds: 'full' } } }]);
  expect(dense.map((each: { at: number }) => each.at)).toEqual([1, 2, 3, 4]);
});

test('$documents and $sample', () => {
  const command = { aggregate: 1, pipeline: [{ $documents: [{ n: 1 }, { n: { $add: [1, 1] } }] }], cursor: {} };
  expect(member.ok(command).cursor.firstBatch).toEqual([{ n: 1 }, { n: 2 }]);
  const byVariable = { aggregate: 1, pipeline: [{ $documents: '$$list' }], let: { list: [{ n: 3 }] }, cursor: {} };
  expect(member.ok(byVariable).cursor.firstBatch).toEqual([{ n: 3 }]);
  expect(member.run({ ...byVariable, let: { list: 3 } }).code).toBe(5858203);
  member.insert('c', ...[1, 2, 3, 4, 5, 6, 7, 8].map((_id) => ({ _id })));
  const drawn = aggregate([{ $sample: { size: 3 } }]).map(({ _id }: { _id: number }) => _id);
  expect(new Set(drawn).size).toBe(3);
});

test('arithmetic keeps to the types of its numbers', () => {
  member.insert('c', { _id: 1, long, double, decimal, list: [1, 2] });
  const [found] = typed([
    { $project: { long: { $multiply: ['$long', 2] }, double: { $multiply: ['$double', 3] }, decimal: { $multiply: ['$decimal', 2] }, int: { $multiply: [2, 3] }, nothing: { $multiply: ['$nope', 3] }, text: { $concat: ['a', 'b'] }, none: { $concat: ['a', null] }, size: { $size: '$list' } } }, // biome-ignore format: one line
  ]);
  expect(found.long).toEqual(Long.fromNumber(10));
  expect(found.double._bsontype).toBe('Double');
  expect(found.decimal.toString()).toBe('3.00');
  expect(found).toMatchObject({ nothing: null, text: 'ab', none: null });
  expect([found.int, found.size].map(Number)).toEqual([6, 2]);
});
