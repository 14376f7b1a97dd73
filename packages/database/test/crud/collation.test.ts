/** What commands do under a collation: the one they are sent, or that of their collection or view. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

const ignoringCase = { locale: 'en', strength: 2 };
const simple = { locale: 'simple' };
let member: FakeMember;

beforeEach(() => {
  member = new FakeMember();
  member.ok({ create: 'plain' });
  member.ok({ create: 'c', collation: ignoringCase });
  for (const collection of ['plain', 'c']) {
    member.insert(
      collection,
      { _id: 1, item: 'PEN', n: 1 },
      { _id: 2, item: 'ink', n: 2 },
      { _id: 3, item: 'pen', n: 3 },
    );
  }
});

const ids = (documents: Doc[]) => documents.map(({ _id }) => _id);
const aggregate = (pipeline: object[], more: object = {}, collection = 'c'): Doc[] =>
  member.ok({ aggregate: collection, pipeline, cursor: {}, ...more }).cursor.firstBatch;

/** Asked of a collection with the default, of a plain one with the collation, and of both the other way round. */
const asked: readonly (readonly [what: string, collection: string, more: object, ignoresCase: boolean])[] = [
  ['by default', 'c', {}, true],
  ['as the command asks', 'plain', { collation: ignoringCase }, true],
  ['simple overrides', 'c', { collation: simple }, false],
  ['none', 'plain', {}, false],
];

describe.for(asked)('%s', ([, collection, more, ignoresCase]) => {
  const both = <T>(collated: T, plain: T): T => (ignoresCase ? collated : plain);

  test('find', () => {
    expect(ids(member.find(collection, { item: 'PEN' }, more))).toEqual(both([1, 3], [1]));
    expect(ids(member.find(collection, { item: { $lt: 'p' } }, more))).toEqual(both([2], [1, 2]));
    const sort = { item: 1, _id: -1 };
    expect(ids(member.find(collection, {}, { sort, ...more }))).toEqual(both([2, 3, 1], [1, 2, 3]));
  });

  test('count and distinct', () => {
    expect(member.ok({ count: collection, query: { item: 'Pen' }, ...more }).n).toBe(both(2, 0));
    const { values } = member.ok({ distinct: collection, key: 'item', ...more });
    expect(values).toEqual(both(['PEN', 'ink'], ['PEN', 'ink', 'pen']));
  });

  test('update, with array filters and operators that compare', () => {
    const updates = [{ q: { item: 'pen' }, u: { $set: { hit: true } }, multi: true, ...more }];
    expect(member.ok({ update: collection, updates }).nModified).toBe(both(2, 1));
    member.insert(collection, { _id: 9, tags: ['A', 'b'] });
    const tags = [{ q: { _id: 9 }, u: { $set: { 'tags.$[t]': 'x' } }, arrayFilters: [{ t: 'a' }], ...more }];
    expect(member.ok({ update: collection, updates: tags }).nModified).toBe(both(1, 0));
    const set = [{ q: { _id: 9 }, u: { $addToSet: { tags: 'B' } }, ...more }];
    expect(member.ok({ update: collection, updates: set }).nModified).toBe(both(0, 1));
  });

  test('an update by pipeline', () => {
    const u = [{ $set: { isPen: { $eq: ['$item', 'pen'] } } }];
    member.ok({ update: collection, updates: [{ q: {}, u, multi: true, ...more }] });
    expect(ids(member.find(collection, { isPen: true }))).toEqual(both([1, 3], [3]));
  });

  test('delete', () => {
    expect(member.ok({ delete: collection, deletes: [{ q: { item: 'PeN' }, limit: 0, ...more }] }).n).toBe(both(2, 0));
  });

  test('findAndModify', () => {
    const command = { findAndModify: collection, query: { item: 'Ink' }, update: { $inc: { n: 10 } }, new: true };
    expect(member.ok({ ...command, ...more }).value?.n).toBe(both(12, undefined));
    const removal = { findAndModify: collection, query: { item: 'Ink' }, remove: true, sort: { item: -1 } };
    expect(member.ok({ ...removal, ...more }).value?._id).toBe(both(2, undefined));
  });

  test('bulkWrite', () => {
    const ops = [
      { update: 0, filter: { item: 'iNk' }, updateMods: { $set: { hit: 1 } }, ...more },
      { delete: 0, filter: { item: 'Pen' }, multi: true, ...more },
    ];
    const reply = member.ok({ bulkWrite: 1, ops, nsInfo: [{ ns: `app.${collection}` }] }, 'admin');
    expect([reply.nModified, reply.nDeleted]).toEqual(both([1, 2], [0, 0]));
  });

  test('aggregate: matches, groups, sorts, sets and comparisons', () => {
    const run = (...pipeline: object[]) => aggregate(pipeline, more, collection);
    expect(ids(run({ $match: { item: 'Pen' } }))).toEqual(both([1, 3], []));
    expect(ids(run({ $sort: { item: 1, _id: -1 } }))).toEqual(both([2, 3, 1], [1, 2, 3]));
    expect(run({ $group: { _id: '$item', n: { $sum: '$n' } } })).toEqual(
      both(
        [{ _id: 'PEN', n: 4 }, { _id: 'ink', n: 2 }],
        [{ _id: 'PEN', n: 1 }, { _id: 'ink', n: 2 }, { _id: 'pen', n: 3 }],
      ),
    );
    const [sets] = run({ $group: { _id: null, items: { $addToSet: '$item' }, least: { $min: '$item' }, most: { $max: '$item' } } });
    expect(sets).toEqual(
      both(
        { _id: null, items: ['PEN', 'ink'], least: 'ink', most: 'PEN' },
        { _id: null, items: ['PEN', 'ink', 'pen'], least: 'PEN', most: 'pen' },
      ),
    );
    const [tops] = run({ $group: { _id: null, top: { $top: { sortBy: { item: 1 }, output: '$_id' } }, minN: { $minN: { input: '$item', n: 1 } } } });
    expect(tops).toEqual({ _id: null, top: both(2, 1), minN: both(['ink'], ['PEN']) });
    expect(run({ $sortByCount: '$item' })[0]).toEqual(both({ _id: 'PEN', count: 2 }, { _id: 'PEN', count: 1 }));
    const bucket = { groupBy: '$item', boundaries: ['a', 'p', 'z'], default: 'zzz' };
    expect(run({ $bucket: bucket }).map(({ _id, count }) => [_id, count])).toEqual(both([['a', 1], ['p', 2]], [['a', 1], ['p', 1], ['zzz', 1]]));
    expect(ids(run({ $match: { $expr: { $eq: ['$item', 'pEN'] } } }))).toEqual(both([1, 3], []));
  });

  test('aggregate: expressions that compare inside others', () => {
    const shown = (expression: unknown) =>
      aggregate([{ $match: { _id: 1 } }, { $project: { _id: 0, v: expression } }], more, collection)[0]!.v;
    const list = { $literal: ['b', 'A', 'a', 'B'] };
    expect(shown({ $cond: [{ $eq: ['$item', 'pen'] }, 'same', 'other'] })).toBe(both('same', 'other'));
    expect(shown({ $cond: [{ $lt: ['$item', 'ink'] }, 'below', 'above'] })).toBe(both('above', 'below'));
    expect(shown({ $in: ['pen', ['$item']] })).toBe(ignoresCase);
    expect(shown({ $indexOfArray: [list, 'a'] })).toBe(both(1, 2));
    expect(shown({ $max: ['$item', 'a', 'b'] })).toBe(both('PEN', 'b'));
    expect(shown({ $min: list })).toBe(both('A', 'A'));
    expect(shown({ $maxN: { input: list, n: 1 } })).toEqual(both(['b'], ['b']));
    expect(shown({ $setEquals: [['a'], ['A']] })).toBe(ignoresCase);
    expect(shown({ $setIsSubset: [['a'], ['A', 'b']] })).toBe(ignoresCase);
    expect(shown({ $size: { $setUnion: [list, ['c']] } })).toBe(both(3, 5));
    expect(shown({ $size: { $setIntersection: [['a', 'c'], ['A']] } })).toBe(both(1, 0));
    expect(shown({ $setDifference: [['a', 'c'], ['A']] })).toEqual(both(['c'], ['a', 'c']));
    expect(shown({ $sortArray: { input: list, sortBy: 1 } })).toEqual(both(['A', 'a', 'b', 'B'], ['A', 'B', 'a', 'b']));
    const documents = { $literal: [{ k: 'b' }, { k: 'A' }, { k: 'a' }] };
    expect(shown({ $sortArray: { input: documents, sortBy: { k: -1 } } })).toEqual(both([{ k: 'b' }, { k: 'A' }, { k: 'a' }], [{ k: 'b' }, { k: 'a' }, { k: 'A' }]));
    expect(shown({ $filter: { input: list, cond: { $eq: ['$$this', 'a'] } } })).toEqual(both(['A', 'a'], ['a']));
    // What compares by letters whatever the collation.
    expect(shown({ $strcasecmp: ['$item', 'pen'] })).toBe(0);
  });

  test('aggregate: joins', () => {
    member.insert('prices', { _id: 'PEN', price: 1 }, { _id: 'pen', price: 2, next: 'INK' }, { _id: 'Ink', price: 3 });
    const lookup = { from: 'prices', localField: 'item', foreignField: '_id', as: 'prices' };
    const joined = aggregate([{ $lookup: lookup }], more, collection);
    expect(joined.map(({ prices }) => prices.map((each: Doc) => each.price))).toEqual(both([[1, 2], [3], [1, 2]], [[1], [], [2]]));
    const pipeline = [{ $match: { $expr: { $eq: ['$_id', '$$item'] } } }, { $count: 'n' }];
    const counted = aggregate([{ $lookup: { from: 'prices', let: { item: '$item' }, pipeline, as: 'found' } }], more, collection);
    expect(counted.map(({ found }) => found[0]?.n ?? 0)).toEqual(both([2, 1, 2], [1, 0, 1]));
    const graph = { from: 'prices', startWith: '$item', connectFromField: 'next', connectToField: '_id', as: 'all' };
    const walked = aggregate([{ $match: { _id: 3 } }, { $graphLookup: graph }], more, collection);
    expect(walked[0]!.all).toHaveLength(both(3, 1));
  });
}); // biome-ignore format: tables

test('windows, buckets and gaps go by the collation too', () => {
  const run = (stage: object) => member.run({ aggregate: 'words', pipeline: [stage], cursor: {} }).cursor.firstBatch;
  member.ok({ create: 'words', collation: { locale: 'en', strength: 2 } });
  for (const [_id, w] of ['b', 'A', 'B', 'a'].entries()) member.insert('words', { _id, w, n: _id });
  const count = { $count: {} };
  expect(run({ $setWindowFields: { partitionBy: '$w', output: { count } } })).toEqual([
    { _id: 1, w: 'A', n: 1, count: 2 },
    { _id: 3, w: 'a', n: 3, count: 2 },
    { _id: 0, w: 'b', n: 0, count: 2 },
    { _id: 2, w: 'B', n: 2, count: 2 },
  ]);
  expect(run({ $bucketAuto: { groupBy: '$w', buckets: 4, output: { count } } })).toEqual([
    { _id: { min: 'A', max: 'b' }, count: 2 },
    { _id: { min: 'b', max: 'B' }, count: 2 },
  ]);
  const range = { step: 1, bounds: 'partition' };
  expect(run({ $densify: { field: 'n', partitionByFields: ['w'], range } }).map(({ n }: { n: number }) => n)).toEqual([
    1, 2, 3, 0, 1, 2,
  ]);
});

describe('indexes', () => {
  const planned = (find: object) => JSON.stringify(member.ok({ explain: { find: 'c', ...find } }).queryPlanner.winningPlan);
  const create = (collection: string, ...indexes: object[]) => member.run({ createIndexes: collection, indexes });
  const listed = (collection: string): Doc[] => member.ok({ listIndexes: collection }).cursor.firstBatch;

  test('a unique one takes nothing that is equal', () => {
    create('c', { key: { user: 1 }, name: 'user', unique: true, sparse: true });
    member.insert('c', { _id: 10, user: 'Ann' });
    const reply = member.run({ insert: 'c', documents: [{ _id: 11, user: 'ANN' }] });
    expect(reply.writeErrors[0]).toMatchObject({ code: 11000, keyValue: { user: 'ANN' }, collation: { locale: 'en', strength: 2 } });
    expect(reply.writeErrors[0].errmsg).toMatch(/index: user collation: \{ locale: "en", .* \} dup key: \{ user: "ANN" \}$/);
    expect(create('plain', { key: { item: 1 }, name: 'item', unique: true }).ok).toBe(1);
    expect(create('plain', { key: { item: 1 }, name: 'collated', unique: true, collation: ignoringCase }).code).toBe(11000);
  });

  test('have the collation of their collection unless they say otherwise, and the one on _id always', () => {
    create('c', { key: { a: 1 }, name: 'inherits' }, { key: { a: 1 }, name: 'simple', collation: simple });
    const collation = { locale: 'en', caseLevel: false, caseFirst: 'off', strength: 2, numericOrdering: false, alternate: 'non-ignorable', maxVariable: 'punct', normalization: false, backwards: false, version: '57.1' };
    expect(listed('c')).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_', collation },
      { v: 2, key: { a: 1 }, name: 'inherits', collation },
      { v: 2, key: { a: 1 }, name: 'simple' },
    ]);
    expect(create('c', { key: { b: 1 }, name: 'old', v: 1 }).ok).toBe(1);
    expect(listed('c').at(-1)).toEqual({ v: 1, key: { b: 1 }, name: 'old' });
    member.ok({ dropIndexes: 'c', index: 'old' });
    expect(create('c', { key: { _id: 1 }, name: '_id_', collation: { locale: 'fr' } }).code).toBe(2);
    expect(create('c', { key: { _id: 1 }, name: '_id_', collation: ignoringCase }).note).toBe('all indexes already exist');
    expect(create('plain', { key: { _id: 1 }, name: '_id_', collation: ignoringCase }).code).toBe(2);
    expect(create('c', { key: { t: 'text' }, name: 't' }).code).toBe(67);
    expect(create('c', { key: { t: '2d' }, name: 't', collation: ignoringCase }).code).toBe(67);
    expect(create('c', { key: { t: 'hashed' }, name: 't' }).ok).toBe(1);
    const [{ options, idIndex }] = member.ok({ listCollections: 1, filter: { name: 'c' } }).cursor.firstBatch;
    expect([options, idIndex]).toEqual([{ collation }, { v: 2, key: { _id: 1 }, name: '_id_', collation }]);
  }); // biome-ignore format: figures

  test('serve queries of the same collation; of another one only where no string is compared', () => {
    create('c', { key: { item: 1 }, name: 'item' }, { key: { n: 1, item: 1 }, name: 'n' });
    expect(planned({ filter: { item: 'pen' } })).toContain('IXSCAN');
    expect(ids(member.find('c', { item: 'pEn' }, { hint: 'item' }))).toEqual([1, 3]);
    expect(planned({ sort: { item: 1 } })).toContain('"indexName":"item"');
    expect(planned({ filter: { item: 'pen' }, collation: simple })).toContain('COLLSCAN');
    expect(planned({ filter: { item: { $in: [1, 'pen'] } }, collation: simple })).toContain('COLLSCAN');
    expect(planned({ sort: { item: 1 }, collation: { locale: 'fr' } })).toContain('COLLSCAN');
    expect(planned({ filter: { item: 5 }, collation: simple })).toContain('IXSCAN');
    expect(planned({ filter: { n: { $gt: 1 } }, sort: { n: 1 }, collation: simple })).toContain('"indexName":"n"');
    expect(ids(member.find('c', { item: { $gte: 'Pen' } }, { sort: { item: -1 } }))).toEqual([3, 1]);
    // The letters are not in the keys, so that the document is fetched for them.
    expect(planned({ filter: { item: 'pen' }, projection: { _id: 0, item: 1 } })).toContain('FETCH');
  });

  test('a partial one serves only who compares strings as it does', () => {
    create('plain', { key: { n: 1 }, name: 'n', partialFilterExpression: { item: 'pen' } });
    expect(ids(member.find('plain', { item: 'pen', n: { $gt: 0 } }, { collation: ignoringCase }))).toEqual([1, 3]);
    const explain = { find: 'plain', filter: { item: 'pen', n: { $gt: 0 } } };
    expect(JSON.stringify(member.ok({ explain }).queryPlanner.winningPlan)).toContain('IXSCAN');
  });

  test('explain shows the collation of the query and of the index', () => {
    create('c', { key: { item: 1 }, name: 'item' });
    const { queryPlanner } = member.ok({ explain: { find: 'c', filter: { item: 'pen' } } });
    expect(queryPlanner.collation).toMatchObject({ locale: 'en', strength: 2, version: '57.1' });
    expect(queryPlanner.winningPlan.inputStage.collation).toMatchObject({ locale: 'en', strength: 2 });
    expect(member.ok({ explain: { find: 'plain' } }).queryPlanner.collation).toBeUndefined();
  });

  test('min and max are in its order', () => {
    create('c', { key: { item: 1 }, name: 'item' });
    expect(ids(member.find('c', {}, { hint: 'item', min: { item: 'J' }, max: { item: 'q' } }))).toEqual([1, 3]);
    expect(member.run({ find: 'c', hint: 'item', min: { item: 'a' }, max: { item: 'A' } }).code).toBe(51175);
  });

  test('validate holds keys against documents', () => {
    create('c', { key: { item: 1 }, name: 'item' });
    member.insert('c', { _id: 'X', item: ['Pen', 'PEN'] });
    expect(member.ok({ validate: 'c' })).toMatchObject({ valid: true, keysPerIndex: { _id_: 4, item: 4 } });
  });

  test('an _id is equal by the collation too, and found by it', () => {
    member.insert('c', { _id: 'Ann' });
    expect(member.run({ insert: 'c', documents: [{ _id: 'ANN' }] }).writeErrors[0].code).toBe(11000);
    expect(ids(member.find('c', { _id: 'aNN' }))).toEqual(['Ann']);
    expect(ids(member.find('c', { _id: 'aNN' }, { collation: simple }))).toEqual([]);
    expect(member.ok({ update: 'c', updates: [{ q: { _id: 'ANN' }, u: { $set: { n: 1 } }, upsert: true }] })).toMatchObject({ n: 1, nModified: 1 });
    expect(member.ok({ delete: 'c', deletes: [{ q: { _id: 'ann' }, limit: 1 }] }).n).toBe(1);
  });
}); // biome-ignore format: tables

test('a validator compares by the collation of its collection', () => {
  member.ok({ create: 'valid', collation: ignoringCase, validator: { state: { $in: ['open', 'closed'] } } });
  member.insert('valid', { _id: 1, state: 'OPEN' });
  expect(member.run({ insert: 'valid', documents: [{ state: 'ajar' }] }).writeErrors[0].code).toBe(121);
});

describe('views', () => {
  beforeEach(() => member.ok({ create: 'view', viewOn: 'plain', pipeline: [{ $match: { item: 'pEN' } }], collation: ignoringCase }));

  test('have a collation of their own, by which their stages and what is asked of them compare', () => {
    expect(ids(member.find('view'))).toEqual([1, 3]);
    expect(ids(member.find('view', { item: 'Pen' }, { sort: { item: 1 } }))).toEqual([1, 3]);
    expect(ids(aggregate([{ $match: { item: 'Pen' } }], {}, 'view'))).toEqual([1, 3]);
    expect(member.ok({ distinct: 'view', key: 'item' }).values).toEqual(['PEN']);
    expect(member.ok({ count: 'view', query: { item: 'pen' } }).n).toBe(2);
    const [{ options }] = member.ok({ listCollections: 1, filter: { name: 'view' } }).cursor.firstBatch;
    expect(options.collation).toMatchObject({ locale: 'en', strength: 2, version: '57.1' });
    member.ok({ collMod: 'view', viewOn: 'plain', pipeline: [{ $match: { item: 'INK' } }] });
    expect(ids(member.find('view'))).toEqual([2]);
  });

  test('without one they are simple, whatever they stand on', () => {
    member.ok({ create: 'onCollated', viewOn: 'c', pipeline: [] });
    expect(ids(member.find('onCollated', { item: 'pen' }))).toEqual([3]);
  });

  test('no operation has another: 167', () => {
    for (const command of [
      { find: 'view', collation: simple },
      { find: 'view', collation: { locale: 'fr' } },
      { count: 'view', collation: { locale: 'fr' } },
      { distinct: 'view', key: 'a', collation: { locale: 'fr' } },
      { aggregate: 'view', pipeline: [], cursor: {}, collation: { locale: 'fr' } },
    ]) expect(member.run(command)).toMatchObject({ code: 167, codeName: 'OptionNotSupportedOnView' });
    expect(ids(member.find('view', {}, { collation: ignoringCase }))).toEqual([1, 3]);
  });

  test.for([
    [{ $lookup: { from: 'view', localField: 'a', foreignField: 'b', as: 'v' } }],
    [{ $graphLookup: { from: 'view', startWith: '$a', connectFromField: 'a', connectToField: 'b', as: 'v' } }],
    [{ $unionWith: 'view' }],
    [{ $facet: { one: [{ $lookup: { from: 'view', pipeline: [], as: 'v' } }] } }],
  ] as const)('%j of a view with another collation is refused before anything is read', ([stage]) => {
    const errmsg = 'the view app.view has another collation than this aggregation';
    for (const collection of ['none', 'plain']) {
      const command = { aggregate: collection, pipeline: [stage], cursor: {} };
      expect(member.run(command)).toMatchObject({ code: 167, errmsg });
      expect(member.run({ ...command, collation: ignoringCase }).ok).toBe(1);
    }
  });

  test('views upon each other, and those that an aggregation joins, agree', () => {
    expect(member.run({ create: 'above', viewOn: 'view', pipeline: [] }).code).toBe(167);
    expect(member.run({ create: 'above', viewOn: 'view', pipeline: [], collation: ignoringCase }).ok).toBe(1);
    const lookup = [{ $lookup: { from: 'view', pipeline: [], as: 'v' } }];
    expect(member.run({ aggregate: 'plain', pipeline: lookup, cursor: {} }).code).toBe(167);
    expect(aggregate(lookup, {}, 'c')[0]!.v).toHaveLength(2);
  });
}); // biome-ignore format: a table

test('$merge looks for its document by the collation, in a unique index that has it', () => {
  member.insert('target', { _id: 1, item: 'Pen', n: 0 });
  const merge = (collection: string) => ({
    aggregate: collection,
    pipeline: [{ $match: { _id: 3 } }, { $project: { _id: 0 } }, { $merge: { into: 'target', on: 'item' } }],
    cursor: {},
  });
  member.ok({ createIndexes: 'target', indexes: [{ key: { item: 1 }, name: 'plain', unique: true }] });
  expect(member.run(merge('c')).code).toBe(51183);
  const index = { key: { item: 1 }, name: 'collated', unique: true, collation: ignoringCase };
  member.ok({ createIndexes: 'target', indexes: [index] });
  member.ok(merge('c'));
  expect(member.find('target')).toEqual([{ _id: 1, item: 'pen', n: 3 }]);
});

test('$out keeps the collation of what it replaces', () => {
  member.ok({ create: 'out', collation: ignoringCase });
  member.ok({ aggregate: 'plain', pipeline: [{ $out: 'out' }], cursor: {} });
  expect(ids(member.find('out', { item: 'Pen' }))).toEqual([1, 3]);
});

test('what cannot have a collation here is refused', () => {
  const clusteredIndex = { key: { _id: 1 }, unique: true };
  expect(member.run({ create: 'x', clusteredIndex, collation: ignoringCase }).code).toBe(115);
  expect(member.run({ create: 'x', timeseries: { timeField: 't' }, collation: ignoringCase }).code).toBe(115);
  member.ok({ create: 'series', timeseries: { timeField: 't' } });
  expect(member.run({ find: 'series', collation: ignoringCase }).code).toBe(115);
  const indexes = [{ key: { m: 1 }, name: 'm', collation: ignoringCase }];
  expect(member.run({ createIndexes: 'series', indexes }).code).toBe(115);
  expect(member.run({ collMod: 'c', collation: ignoringCase }).code).toBe(40415);
});
