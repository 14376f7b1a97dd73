import { beforeEach, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1 });
});

const refusal = (command: object, db?: string) => {
  const { code, errmsg } = member.run('cursor' in command ? command : { ...command, cursor: {} }, db);
  return { code, errmsg };
};

/** A stage that reads another collection inside of so many such stages. */
function nested(depth: number, inner: 'lookup' | 'union' | 'graph'): object[] {
  const last = {
    lookup: { $lookup: { from: 'c', as: 'x', localField: 'a', foreignField: 'a' } },
    union: { $unionWith: 'c' },
    graph: { $graphLookup: { from: 'c', startWith: '$a', connectFromField: 'a', connectToField: 'a', as: 'x' } },
  }[inner];
  let pipeline: object[] = [last];
  for (let i = 0; i < depth; i++) {
    pipeline =
      i % 2 === 0 ? [{ $unionWith: { coll: 'none', pipeline } }] : [{ $lookup: { from: 'none', as: 'x', pipeline } }];
  }
  return pipeline;
}

test('twenty stages may read collections inside of each other, whatever $facet stands between', () => {
  const pipeline = [{ $facet: { a: nested(19, 'graph') } }];
  expect(refusal({ aggregate: 'none', pipeline }).code).toBeUndefined();
});

test.for<[pipeline: object[], code: number, errmsg?: RegExp]>([
  [[{ $nope: 1 }], 40324, /^Unrecognized pipeline stage name: '\$nope'$/],
  [[{ $out: 'x' }, { $match: {} }], 40601, /^\$out can only be the final stage in the pipeline$/],
  [[{ $merge: 'x' }, { $limit: 1 }], 40601],
  [[{ $match: {} }, { $collStats: {} }], 40602, /^\$collStats is only valid as the first stage in a pipeline$/],
  [[{ $limit: 1 }, { $indexStats: {} }], 40602],
  [[{ $facet: { a: [{ $out: 'x' }] } }], 40600, /^\$out is not allowed to be used within a \$facet stage$/],
  [[{ $facet: { a: [{ $facet: { b: [] } }] } }], 40600],
  [[{ $facet: { a: [{ $nope: 1 }] } }], 40324],
  [[{ $facet: {} }], 40169],
  [[{ $facet: { a: 1 } }], 40170],
  [[{ $lookup: { from: 'c', as: 'x', pipeline: [{ $merge: 'y' }] } }], 51047],
  [[{ $unionWith: { coll: 'c', pipeline: [{ $out: 'y' }] } }], 31441],
  [[{ $unionWith: { coll: 'c', pipeline: [{ $listLocalSessions: {} }] } }], 73],
  [[{ $lookup: { from: 'c', as: 'x', pipeline: [{ $currentOp: {} }] } }], 73],
  [[{ $unionWith: { coll: 'c', pipeline: [{ $match: {} }, { $indexStats: {} }] } }], 40602],
  [[{ $lookup: { from: 'c', localField: 'a', foreignField: 'b' } }], 9, /must specify 'as' field/],
  [[{ $lookup: { from: 'c', localField: 'a', as: 'x' } }], 9],
  [
    [{ $lookup: { from: 'c', localField: 'a', foreignField: 'b', as: 'x', nope: 1 } }],
    9,
    /unknown argument to \$lookup: nope/,
  ],
  [[{ $graphLookup: { from: 'c' } }], 40105],
  [[{ $project: {} }], 51272],
  [[{ $project: { a: 1, b: 0 } }], 31254],
  [[{ $project: { a: 0, b: 1 } }], 31253],
  [[{ $project: { a: 0, b: '$a' } }], 31310],
  [[{ $project: { a: {} } }], 51270],
  [[{ $project: { a: 1, 'a.b': 1 } }], 31249],
  [[{ $project: { a: { $nope: 1 } } }], 31325, /Unrecognized expression '\$nope'/],
  [[{ $addFields: { a: { $add: [1, { $nope: 1 }] } } }], 168],
  [[{ $project: { 'a.$': 1 } }], 31324],
  [[{ $project: { 'a.$': 0 } }], 31324],
  [[{ $project: { 'a.$.b': 1 } }], 31394],
  [[{ $project: { a: { 'b.$': 1 } } }], 31324],
  [[{ $project: { $a: 1 } }], 16410],
  [[{ $project: { '$.a': 1 } }], 16410],
  [[{ $project: { '': 1 } }], 40352],
  [[{ $project: { 'a.': 1 } }], 40353],
  [[{ $project: { a: { $elemMatch: { b: 1 } } } }], 168, /Cannot use \$elemMatch in this context/],
  [[{ $project: { a: { $slice: 1 } } }], 28667],
  [[{ $addFields: { $a: 1 } }], 16410],
  [[{ $sort: { a: 2 } }], 15975],
  [[{ $sort: { a: 'x' } }], 15974],
  [[{ $sort: { 'a..b': 1 } }], 15998],
  [[{ $sort: { $natural: 1 } }], 16410],
  [[{ $match: {} }, { $group: { _id: '$a' } }, { $sort: { $natural: 1 } }], 16410],
  [[{ $addFields: 5 }], 40272],
  [
    [{ $addFields: { a: 1, 'a.b': 2 } }],
    40176,
    /^Invalid \$addFields :: caused by :: specification contains two conflicting paths/,
  ],
  [[{ $set: { a: { 'b.c': 1 } } }], 40183, /^Invalid \$set :: /],
  [[{ $unset: ['a', 'a.b'] }], 31249, /^Invalid \$unset :: /],
  [[{ $indexStats: { a: 1 } }], 28803],
  [[{ $indexStats: 1 }], 28803],
  [[{ $lookup: { from: 'c', as: 'x', let: { X: 1 }, pipeline: [] } }], 9, /^'X' starts with an invalid character/],
  [[{ $merge: { into: 'd', let: { X: 1 }, whenMatched: [] } }], 9],
  [nested(20, 'lookup'), 232, /^Maximum number of nested sub-pipelines exceeded. Limit is 20$/],
  [nested(20, 'union'), 232],
  [[{ $facet: { a: nested(20, 'lookup') } }], 232],
  [Array.from({ length: 1001 }, () => ({ $skip: 0 })), 7749501],
  [[{ $unionWith: { coll: 'c', pipeline: Array.from({ length: 1001 }, () => ({ $skip: 0 })) } }], 7749501],
  [[{ $addFields: { a: '$$nope' } }], 17276],
  [[{ $unset: [] }], 31119],
  [[{ $unset: 5 }], 31002],
  [[{ $replaceRoot: {} }], 40231],
  [[{ $replaceWith: '$_id' }], 40228],
  [[{ $unwind: 5 }], 15981],
  [[{ $unwind: 'a' }], 28818],
  [[{ $unwind: {} }], 28812],
  [[{ $unwind: { path: '$a', nope: 1 } }], 28811],
  [[{ $group: {} }], 15955],
  [[{ $group: { _id: 1, n: { $nope: 1 } } }], 15952],
  [[{ $group: { _id: 1, n: 5 } }], 40234],
  [[{ $group: { _id: 1, n: { $sum: 1, $avg: 1 } } }], 40238],
  [[{ $group: { _id: 1, 'a.b': { $sum: 1 } } }], 40235],
  [[{ $sortByCount: 5 }], 40149],
  [[{ $sortByCount: 'a' }], 40148],
  [[{ $bucket: { groupBy: '$_id', boundaries: [1] } }], 40192],
  [[{ $bucket: { groupBy: '$_id', boundaries: [2, 1] } }], 40194],
  [[{ $bucket: { groupBy: '$_id', boundaries: [5, 6] } }], 40066],
  [[{ $sample: {} }], 28749],
  [[{ $project: { n: { $size: '$_id' } } }], 17124],
  [[{ $project: { n: { $multiply: ['$_id', 'x'] } } }], 14],
  [[{ $project: { n: { $concat: ['$_id', 'x'] } } }], 16702],
  [[{ $geoNear: {} }], 5860400],
  [[{ $geoNear: { near: [1, 1] } }], 16606],
  [[{ $search: {} }], 31082, /\$search .*Atlas/],
  [[{ $searchMeta: {} }], 31082, /Atlas/],
  [[{ $vectorSearch: {} }], 31082, /Atlas/],
  [[{ $listSearchIndexes: {} }], 31082, /Atlas/],
  [[{ $project: { n: { $function: { body: 'f', args: [], lang: 'js' } } } }], 115, /: \$function runs JavaScript/],
  [[{ $group: { _id: 1, n: { $accumulator: {} } } }], 115, /^\$accumulator runs JavaScript/],
  [[{ $documents: [{}] }], 73],
  [[{ $currentOp: {} }], 73],
])('%j is refused', ([pipeline, code, errmsg]) => {
  const refused = refusal({ aggregate: 'c', pipeline });
  expect(refused.code).toBe(code);
  if (errmsg) expect(refused.errmsg).toMatch(errmsg);
});

const NO_ARRAY = "'pipeline' option must be specified as an array";
const NO_STAGE = "Each element of the 'pipeline' array must be an object";

test.for([
  [{}, NO_ARRAY],
  ['x', NO_ARRAY],
  [null, NO_ARRAY],
  [[1], NO_STAGE],
  [[{ $match: {} }, 1], NO_STAGE],
  [[{ $changeStream: {} }, 1], NO_STAGE],
  [[1, { $out: 'd' }], NO_STAGE],
] as const)('%j is no pipeline', ([pipeline, errmsg]) => {
  expect(refusal({ aggregate: 'c', pipeline })).toMatchObject({ code: 14, errmsg });
});

test.for<[command: object, code: number]>([
  [{ aggregate: 'c', pipeline: [], cursor: undefined }, 9],
  [{ aggregate: 'c' }, 40414],
  // The parser meets a field that it does not know before it misses one.
  [{ aggregate: 'c', nope: 1 }, 40415],
  [{ aggregate: 'c', pipeline: [], nope: 1 }, 40415],
  [{ aggregate: 'c', pipeline: [], cursor: 5 }, 14],
  [{ aggregate: 'c', pipeline: [], cursor: { batchSize: -1 } }, 51024],
  [{ aggregate: 'c', pipeline: [], cursor: { batchSize: 'x' } }, 14],
  [{ aggregate: 'c', pipeline: [], cursor: { nope: 1 } }, 40415],
  [{ aggregate: 'c', pipeline: [], allowDiskUse: 'x' }, 14],
  [{ aggregate: 'c', pipeline: [], bypassDocumentValidation: 'x' }, 14],
  [{ aggregate: 'c', pipeline: [], hint: 5 }, 9],
  [{ aggregate: 'c', pipeline: [], let: 5 }, 14],
  [{ aggregate: 'c', pipeline: [], maxTimeMS: -1 }, 2],
  [{ aggregate: 'c', pipeline: [], cursor: {}, writeConcern: { w: 1, nope: 1 } }, 40415],
  [{ aggregate: 1, pipeline: [] }, 73],
  [{ aggregate: 1, pipeline: [{ $match: {} }] }, 73],
  [{ aggregate: 1, pipeline: [{ $match: {} }, { $documents: [] }] }, 73],
  [{ aggregate: 1, pipeline: [{ $match: {} }, { $nope: 1 }] }, 40324],
  [{ aggregate: 1, pipeline: [{ $match: {} }, { $documents: [] }], allowDiskUse: 'x' }, 14],
  [{ aggregate: 2, pipeline: [] }, 9],
])('%j is refused with %i', ([command, code]) => {
  expect(refusal(command).code).toBe(code);
});
