import { Decimal128 } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: 1, d: new Date(0), s: 'x' });
  member.insert('e', { _id: 1, k: null }, { _id: 2 });
});

const aggregate = (...pipeline: object[]) => member.run({ aggregate: 'c', pipeline, cursor: {} });
const computed = (expression: object) => aggregate({ $project: { _id: 0, x: expression } });
const grouped = (accumulator: object) => aggregate({ $group: { _id: null, x: accumulator } });

const graph = { from: 'e', startWith: '$a', connectFromField: 'a', connectToField: 'b', as: 'x' };

describe('$graphLookup', () => {
  test.for([
    [{ maxDepth: 'x' }, 40100],
    [{ maxDepth: -1 }, 40101],
    [{ maxDepth: 1.5 }, 40102],
    [{ as: 1 }, 40103],
    [{ connectFromField: 1 }, 40103],
    [{ connectToField: {} }, 40103],
    [{ depthField: 1 }, 40103],
    [{ z: 1 }, 40104],
    [{ from: undefined }, 9],
    [{ as: undefined }, 40105],
    [{ startWith: undefined }, 40105],
    [{ connectToField: undefined }, 40105],
    [{ restrictSearchWithMatch: 1 }, 40185],
    [{ from: 1 }, 9],
    [{ from: '' }, 73],
    [{ as: '$x' }, 16410],
  ] as [Record<string, unknown>, number][])('%j: %i', ([change, code]) => {
    const all = Object.entries({ ...graph, ...change }).filter(([, value]) => value !== undefined);
    expect(aggregate({ $graphLookup: Object.fromEntries(all) }).code).toBe(code);
  });
});

test.for([
  [{ $lookup: 5 }, 9],
  [{ $lookup: { from: 5, localField: 'a', foreignField: 'b', as: 'x' } }, 9],
  [{ $lookup: { localField: 'a', foreignField: 'b', as: 'x' } }, 9],
  [{ $graphLookup: 'x' }, 9],
] as [object, number][])('%j: %i', ([stage, code]) => {
  expect(aggregate(stage).code).toBe(code);
});

describe('accumulators of several', () => {
  const sortBy = { a: 1 };
  test.for([
    [{ $topN: { sortBy, output: '$a' } }, 5788003],
    [{ $topN: { n: 1, sortBy } }, 5788004],
    [{ $topN: { n: 1, output: '$a' } }, 5788005],
    [{ $topN: { n: 1, output: '$a', sortBy, z: 1 } }, 5788002],
    [{ $topN: 1 }, 5788001],
    [{ $bottomN: { sortBy, output: '$a' } }, 5788003],
    [{ $bottomN: 'x' }, 5788001],
    [{ $top: { n: 1, output: '$a', sortBy } }, 5788002],
    [{ $top: { sortBy } }, 5788004],
    [{ $bottom: { output: '$a' } }, 5788005],
    [{ $bottom: 1 }, 5788001],
    ...['$minN', '$maxN', '$firstN', '$lastN'].flatMap((name) => [
      [{ [name]: { input: '$a' } }, 5787906],
      [{ [name]: { n: 1 } }, 5787907],
      [{ [name]: { n: 1, input: 1, z: 1 } }, 5787901],
      [{ [name]: 1 }, 5787900],
      [{ [name]: { n: 's', input: 1 } }, 5787902],
      [{ [name]: { n: 1.5, input: 1 } }, 5787903],
      [{ [name]: { n: 0, input: 1 } }, 5787908],
      [{ [name]: { n: Decimal128.fromString('9223372036854775808'), input: 1 } }, 5787903],
      [{ [name]: { n: 1e19, input: 1 } }, 5787903],
      [{ [name]: { n: Decimal128.fromString('9223372036854775807'), input: 1 } }, undefined],
    ]),
    [{ $topN: { n: Decimal128.fromString('9223372036854775808'), output: '$a', sortBy } }, 5787903],
  ] as [object, number | undefined][])('%j: %s, in groups and windows', ([accumulator, code]) => {
    expect(grouped(accumulator).code).toBe(code);
    expect(aggregate({ $setWindowFields: { sortBy, output: { x: accumulator } } }).code).toBe(code);
  });
});

test.for<[accumulator: object, code: number | undefined]>([
  [{ $topN: { n: '$a', sortBy: { a: 1 }, output: '$a' } }, 4544714],
  [{ $minN: { n: { $add: [1, '$a'] }, input: '$a' } }, 4544714],
  [{ $firstN: { n: { $add: [1, 1] }, input: '$a' } }, undefined],
])('%j of $bucketAuto: %s', ([x, code]) => {
  expect(aggregate({ $bucketAuto: { groupBy: '$a', buckets: 2, output: { x } } }).code).toBe(code);
});

describe('quantiles', () => {
  test.for([
    [{ $percentile: { input: '$a', p: [0.5] } }, 40414],
    [{ $percentile: { input: '$a', p: [0.5], method: 'x' } }, 2],
    [{ $percentile: { input: '$a', p: [0.5], method: 1 } }, 14],
    [{ $percentile: { input: '$a', p: [0.5], method: 'approximate', z: 1 } }, 40415],
    [{ $percentile: { p: [0.5], method: 'approximate' } }, 40414],
    [{ $percentile: { input: '$a', method: 'approximate' } }, 40414],
    [{ $median: { input: '$a' } }, 40414],
    [{ $median: 5 }, 7436100],
    [{ $percentile: [1] }, 7429703],
    [{ $percentile: { input: '$a', p: '$a', method: 'approximate' } }, 7750300],
    [{ $percentile: { input: '$a', p: 0.5, method: 'approximate' } }, 7750301],
    [{ $percentile: { input: '$a', p: [], method: 'approximate' } }, 7750301],
    [{ $percentile: { input: '$a', p: { $literal: 1 }, method: 'approximate' } }, 7750301],
    [{ $percentile: { input: '$a', p: [0.5, 'x'], method: 'approximate' } }, 7750302],
    [{ $percentile: { input: '$a', p: [0.5, null], method: 'approximate' } }, 7750302],
    [{ $percentile: { input: '$a', p: [1.01], method: 'approximate' } }, 7750303],
    [{ $percentile: { input: '$a', p: [-0.1], method: 'approximate' } }, 7750303],
    [{ $percentile: { input: '$a', p: { $concatArrays: [[0.5], [1]] }, method: 'approximate' } }, undefined],
    [{ $median: { input: '$a', method: 'discrete' } }, 2],
    [{ $median: { input: '$a', method: 'approximate' } }, undefined],
  ] as [object, number | undefined][])('%j: %s, in groups and windows', ([accumulator, code]) => {
    expect(grouped(accumulator).code).toBe(code);
    expect(aggregate({ $setWindowFields: { sortBy: { a: 1 }, output: { x: accumulator } } }).code).toBe(code);
  });
});

describe('arithmetic and angles', () => {
  test.for([
    [{ $add: ['$d', '$d'] }, 16612],
    [{ $add: ['$d', 1, '$d'] }, 16612],
    [{ $add: ['$d', '$s'] }, 14],
    [{ $add: ['$s', 1] }, 14],
    [{ $subtract: [1, '$d'] }, 14],
    ...['$sin', '$cos', '$tan'].flatMap((name) => [
      [{ [name]: Number.POSITIVE_INFINITY }, 50989],
      [{ [name]: Number.NEGATIVE_INFINITY }, 50989],
      [{ [name]: '$s' }, 28765],
    ]),
    ...['$asin', '$acos', '$atanh'].flatMap((name) => [
      [{ [name]: 1.1 }, 50989],
      [{ [name]: -2 }, 50989],
      [{ [name]: Decimal128.fromString('1.5') }, 50989],
      [{ [name]: '$d' }, 28765],
    ]),
    [{ $acosh: 0.9 }, 50989],
    ...['$sinh', '$cosh', '$tanh', '$asinh', '$acosh', '$atan', '$degreesToRadians', '$radiansToDegrees'].map(
      (name) => [{ [name]: '$s' }, 28765],
    ),
    [{ $atan2: ['$s', 1] }, 51044],
    [{ $atan2: [1, '$s'] }, 51044],
    [{ $toHashedIndexKey: '$s' }, undefined],
    [{ $rand: 5 }, 10065],
    [{ $rand: { a: 1 } }, 3040501],
    [{ $rand: [] }, undefined],
  ] as [object, number][])('%j: %i', ([expression, code]) => {
    expect(computed(expression).code).toBe(code);
  });

  test.for([
    [{ $sin: 0.5 }, 0.479425538604203],
    [{ $asin: 1 }, Math.PI / 2],
    [{ $acos: -1 }, Math.PI],
    [{ $atan: Number.POSITIVE_INFINITY }, Math.PI / 2],
    [{ $atanh: 1 }, Number.POSITIVE_INFINITY],
    [{ $acosh: Number.POSITIVE_INFINITY }, Number.POSITIVE_INFINITY],
    [{ $sinh: Number.NEGATIVE_INFINITY }, Number.NEGATIVE_INFINITY],
    [{ $sin: Number.NaN }, Number.NaN],
    [{ $atan2: [1, 1] }, Math.PI / 4],
    [{ $atan2: ['$zz', 1] }, null],
    [{ $sin: '$zz' }, null],
    [{ $degreesToRadians: 180 }, Math.PI],
    [{ $radiansToDegrees: { $degreesToRadians: 90 } }, 90],
    [{ $sin: Decimal128.fromString('0') }, Decimal128.fromString('0')],
  ] as [object, unknown][])('%j is %s', ([expression, value]) => {
    const { x } = computed(expression).cursor.firstBatch[0];
    if (value instanceof Decimal128) expect(Number(x.toString())).toBe(Number(value.toString()));
    else expect(x).toEqual(value);
  });
});

test.for([
  [{ $facet: { 'a.b': [] } }, 16412],
  [{ $facet: { $a: [] } }, 16410],
  [{ $facet: { '': [] } }, 15998],
  [{ $facet: {} }, 40169],
  [{ $facet: { a: 1 } }, 40170],
  [{ $lookup: { from: '', localField: 'a', foreignField: 'b', as: 'x' } }, 73],
  [{ $lookup: { from: '', pipeline: [], as: 'x' } }, 73],
  [{ $unionWith: '' }, 73],
  [{ $unionWith: { coll: '' } }, 73],
  [{ $match: { $alwaysTrue: 0 } }, 9],
  [{ $match: { $alwaysTrue: 'x' } }, 9],
  [{ $match: { $alwaysFalse: true } }, 9],
  [{ $match: { $alwaysFalse: 1.5 } }, 9],
  [{ $match: { $and: [{ $alwaysTrue: 1 }, { $nor: [{ $alwaysFalse: 1 }] }] } }, undefined],
  [{ $merge: { into: 'e', on: ['_id', '_id'] } }, 31465],
  [{ $merge: { into: 'e', on: ['a', 'b', 'a'] } }, 31465],
  [{ $merge: { into: 'e', on: '$a' } }, 16410],
  [{ $merge: { into: 'e', on: '' } }, 40352],
  [{ $merge: { into: 'e', on: 1 } }, 51186],
  [{ $merge: { into: 'e', on: [] } }, 51187],
  [{ $merge: { into: 'e', on: [1] } }, 51134],
] as [object, number | undefined][])('%j: %s', ([stage, code]) => {
  expect(aggregate(stage).code).toBe(code);
});

describe('a field that is not there stays missing across the border of a pipeline', () => {
  const lookup = (...pipeline: object[]) => {
    const reply = aggregate({ $lookup: { from: 'e', let: { v: '$nope', w: '$$REMOVE' }, pipeline, as: 'x' } });
    return reply.cursor.firstBatch[0].x;
  };

  test.for(['$$v', '$$w', '$$v.b'])('%s in $lookup', (v) => {
    expect(lookup({ $addFields: { y: v, t: { $type: v }, o: { q: v }, n: { $ifNull: [v, 'none'] } } })[0]).toEqual({
      _id: 1,
      k: null,
      t: 'missing',
      o: {},
      n: 'none',
    });
    expect(lookup({ $match: { $expr: { $eq: ['$k', v] } } })).toEqual([{ _id: 2 }]);
    expect(lookup({ $match: { $expr: { $eq: [v, null] } } })).toEqual([]);
    expect(lookup({ $group: { _id: v, x: { $push: v } } })).toEqual([{ _id: null, x: [] }]);
    expect(lookup({ $match: { _id: 1 } }, { $project: { m: { $map: { input: [1], in: v } }, z: [v] } })).toEqual([
      { _id: 1, m: [null], z: [null] },
    ]);
    const inner = { from: 'e', let: { u: v }, pipeline: [{ $addFields: { u: '$$u' } }], as: 'y' };
    expect(lookup({ $match: { _id: 1 } }, { $lookup: inner })[0].y).toEqual([{ _id: 1, k: null }, { _id: 2 }]);
    expect(lookup({ $facet: { f: [{ $addFields: { y: v } }] } })).toEqual([{ f: [{ _id: 1, k: null }, { _id: 2 }] }]);
  });

  test('in $merge', () => {
    const whenMatched = [{ $addFields: { y: '$$v', t: { $type: '$$v' } } }];
    expect(aggregate({ $merge: { into: 'e', let: { v: '$nope' }, whenMatched } }).ok).toBe(1);
    expect(member.find('e', { _id: 1 })).toEqual([{ _id: 1, k: null, t: 'missing' }]);
  });
});
