import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  // The collection of the manual's page on $text.
  member.insert(
    'articles',
    { _id: 1, subject: 'coffee', author: 'xyz', views: 50 },
    { _id: 2, subject: 'Coffee Shopping', author: 'efg', views: 5 },
    { _id: 3, subject: 'Baking a cake', author: 'abc', views: 90 },
    { _id: 4, subject: 'baking', author: 'xyz', views: 100 },
    { _id: 5, subject: 'Café Con Leche', author: 'abc', views: 200 },
    { _id: 6, subject: 'Сырники', author: 'jkl', views: 80 },
    { _id: 7, subject: 'coffee and cream', author: 'efg', views: 10 },
    { _id: 8, subject: 'Cafe con Leche', author: 'xyz', views: 10 },
  );
  index({ subject: 'text' });
});

function index(key: Doc, ns = 'articles', more: object = {}): void {
  member.ok({ createIndexes: ns, indexes: [{ key, name: Object.entries(key).flat().join('_'), ...more }] });
}

const run = (command: object): Doc => member.run(command as Doc);
const text = ($search: string, more: object = {}) => ({ $text: { $search, ...more } });
const find = (filter: object, more: object = {}, ns = 'articles'): Doc[] =>
  member.ok({ find: ns, filter, ...more }).cursor.firstBatch;
const ids = (filter: object, more: object = {}, ns = 'articles') =>
  find(filter, more, ns)
    .map(({ _id }) => _id as number)
    .sort((a, b) => a - b);
const aggregate = (pipeline: object[], ns = 'articles') => run({ aggregate: ns, pipeline, cursor: {} });
const results = (pipeline: object[], ns = 'articles'): Doc[] =>
  member.ok({ aggregate: ns, pipeline, cursor: {} }).cursor.firstBatch;
const SCORE = { $meta: 'textScore' };

describe('$text finds', () => {
  test.for<[filter: object, expected: number[]]>([
    [text('coffee'), [1, 2, 7]],
    [text('bake coffee cake'), [1, 2, 3, 4, 7]],
    [text('"coffee shop"'), [2]],
    [text('coffee -shop'), [1, 7]],
    [text('coffee -"coffee shop"'), [1, 7]],
    [text('coffee - shop'), [1, 2, 7]],
    [text('-coffee'), []],
    [text('"coffee" "shop"'), [2]],
    [text('"coffee shop'), [1, 2, 7]],
    [text('"coffee SHOP" cream'), [2]],
    [text('leche', { $language: 'es' }), [5, 8]],
    [text('сы́рники CAFÉS'), [5, 6, 8]],
    [text('Coffee', { $caseSensitive: true }), [2]],
    [text('Coffee -shop', { $caseSensitive: true }), [2]],
    [text('"Café Con Leche"', { $caseSensitive: true }), [5]],
    [text('CAFÉ', { $diacriticSensitive: true }), [5]],
    [text('leches -cafés', { $diacriticSensitive: true }), [8]],
    [text('the and a'), []],
    [text('and', { $language: 'none' }), []],
    [text(''), []],
    [{ ...text('coffee'), views: { $gt: 5 } }, [1, 7]],
    [{ $and: [text('coffee'), { author: 'efg' }] }, [2, 7]],
    [{ $or: [text('cake'), { _id: 6 }] }, [3, 6]],
  ])('%j → %j', ([filter, expected]) => {
    expect(ids(filter)).toEqual(expected);
    expect(member.ok({ count: 'articles', query: filter }).n).toBe(expected.length);
    expect(results([{ $match: filter }]).map(({ _id }) => _id)).toHaveLength(expected.length);
  });

  test('the terms come in their order, what has most of one first', () => {
    expect(find(text('bake coffee cake')).map(({ _id }) => _id)).toEqual([4, 3, 1, 7, 2]);
  });

  test('distinct, update, delete and findAndModify search too', () => {
    const query = text('coffee');
    expect(member.ok({ distinct: 'articles', key: 'author', query }).values.sort()).toEqual(['efg', 'xyz']);
    const update = { q: query, u: { $set: { hot: true } }, multi: true };
    expect(member.ok({ update: 'articles', updates: [update] })).toMatchObject({ n: 3, nModified: 3 });
    const { value } = member.ok({
      findAndModify: 'articles',
      query: text('bake cake'),
      sort: { score: SCORE },
      update: { $set: { subject: 'tea' } },
      fields: { score: SCORE },
    });
    expect(value).toMatchObject({ _id: 3, score: 1.5 });
    const fields = { score: SCORE };
    const after = {
      findAndModify: 'articles',
      query: text('cafe'),
      update: { $set: { hot: false } },
      new: true,
      fields,
    };
    // The score by which it was found: jstests/core/index/fts/fts_find_and_modify.js.
    expect(member.ok(after).value).toMatchObject({ hot: false, score: expect.closeTo(2 / 3, 12) });
    expect(ids(text('tea'))).toEqual([3]);
    expect(member.ok({ delete: 'articles', deletes: [{ q: query, limit: 0 }] }).n).toBe(3);
    expect(ids(text('coffee bake'))).toEqual([4]);
    const upsert = { q: text('nothing'), u: { $set: { subject: 'nothing' } }, upsert: true };
    expect(member.ok({ update: 'articles', updates: [upsert] }).upserted).toHaveLength(1);
    expect(find(text('nothing'))).toHaveLength(1);
  });
});

describe("{ $meta: 'textScore' }", () => {
  // The manual's figures.
  test.for<[search: string, scores: Record<number, number>]>([
    ['cake', { 3: 0.75 }],
    ['coffee', { 1: 1, 2: 0.75, 7: 0.75 }],
    ['bake coffee cake', { 1: 1, 2: 0.75, 3: 1.5, 4: 1, 7: 0.75 }],
  ])('%s', ([search, scores]) => {
    const found = find(text(search), { projection: { score: SCORE } });
    expect(Object.fromEntries(found.map(({ _id, score }) => [_id, score]))).toEqual(scores);
  });

  test('it goes with every kind of projection, and with expressions', () => {
    const first = (projection: object) => find(text('cake'), { projection })[0];
    expect(first({ score: SCORE })).toEqual({
      _id: 3,
      subject: 'Baking a cake',
      author: 'abc',
      views: 90,
      score: 0.75,
    });
    expect(first({ author: 1, score: SCORE })).toEqual({ _id: 3, author: 'abc', score: 0.75 });
    expect(first({ subject: 0, views: 0, score: SCORE })).toEqual({ _id: 3, author: 'abc', score: 0.75 });
    expect(first({ _id: 1, deep: { score: SCORE } })).toEqual({ _id: 3, deep: { score: 0.75 } });
    expect(first({ _id: 1, twice: { $multiply: [SCORE, 2] } })).toEqual({ _id: 3, twice: 1.5 });
  });

  test('beside a search in an $or a score is had by what the search found', () => {
    const scored = ($or: object[]) => find({ $or }, { projection: { score: SCORE }, sort: { score: SCORE } });
    expect(scored([text('cake'), { _id: 6 }]).map(({ _id, score }) => [_id, score])).toEqual([[3, 0.75], [6, undefined]]); // biome-ignore format: one line
    expect(scored([{ _id: 3 }, text('cake')]).map(({ _id, score }) => [_id, score])).toEqual([[3, undefined]]);
  });

  test('it sorts, the best first, with or without a projection', () => {
    const found = find(text('bake coffee cake'), { sort: { score: SCORE, _id: -1 } });
    expect(found.map(({ _id }) => _id)).toEqual([3, 4, 1, 7, 2]);
    const limited = find(text('bake coffee cake'), { sort: { x: SCORE }, limit: 1, showRecordId: true });
    expect(limited).toMatchObject([{ _id: 3 }]);
    const views = find(text('coffee'), { sort: { views: 1, score: SCORE } });
    expect(views.map(({ _id }) => _id)).toEqual([2, 7, 1]);
  });

  test('it stays with a document through the stages of a pipeline', () => {
    const match = { $match: text('bake coffee cake') };
    const sorted = results([match, { $sort: { score: SCORE, _id: 1 } }, { $project: { score: SCORE, _id: 1 } }]);
    expect(sorted.map(({ _id, score }) => [_id, score])).toEqual([[3, 1.5], [1, 1], [4, 1], [2, 0.75], [7, 0.75]]); // biome-ignore format: one line
    const late = results([
      match,
      { $project: { subject: 1 } },
      { $addFields: { words: { $split: ['$subject', ' '] } } },
      { $unwind: '$words' },
      { $set: { score: SCORE } },
      { $match: { score: { $gt: 1 } } },
    ]);
    expect(late.map(({ words, score }) => [words, score])).toEqual([['Baking', 1.5], ['a', 1.5], ['cake', 1.5]]); // biome-ignore format: one line
    const alone = [{ score: SCORE }, { _id: 0, score: SCORE }, { subject: 0, score: SCORE }];
    expect(alone.map(($project) => Object.keys(results([match, { $project }])[0] ?? {}))).toEqual([
      ['_id', 'score'],
      ['score'],
      ['_id', 'author', 'views', 'score'],
    ]);
    const total = results([match, { $group: { _id: null, best: { $max: SCORE }, sum: { $sum: SCORE } } }]);
    expect(total).toEqual([{ _id: null, best: 1.5, sum: 5 }]);
    expect(results([match, { $count: 'n' }])).toEqual([{ n: 5 }]);
    const afterGroup = results([match, { $group: { _id: '$author' } }, { $addFields: { score: SCORE } }]);
    expect(afterGroup.every((each) => !('score' in each))).toBe(true);
    const numbered = { $setWindowFields: { sortBy: { _id: 1 }, output: { n: { $documentNumber: {} } } } };
    const afterWindow = results([match, numbered, { $addFields: { score: SCORE } }]);
    expect(afterWindow.map((each) => [each.n, 'score' in each])).toEqual([1, 2, 3, 4, 5].map((n) => [n, false]));
  });

  test.for<[command: object, code: number]>([
    [{ find: 'articles', projection: { score: SCORE } }, 40218],
    [{ find: 'articles', sort: { score: SCORE } }, 40218],
    [{ find: 'articles', filter: text('cake'), projection: { score: { $meta: 'nope' } } }, 17308],
    [{ find: 'articles', filter: text('cake'), projection: { score: { $meta: 1 } } }, 17307],
    [{ find: 'articles', filter: text('cake'), projection: { score: { $meta: 'recordId' } } }, 115],
    [{ find: 'articles', filter: text('cake'), sort: { score: { $meta: 'nope' } } }, 31138],
    [{ aggregate: 'articles', pipeline: [{ $project: { score: SCORE } }], cursor: {} }, 40218],
    [{ aggregate: 'articles', pipeline: [{ $sort: { score: SCORE } }], cursor: {} }, 40218],
  ])('%j → %j', ([command, code]) => {
    expect(run(command)).toMatchObject({ ok: 0, code });
  });
});

describe('$text is refused', () => {
  test.for<[filter: object, code: number, phrase: RegExp, more?: object]>([
    [{ $nor: [text('x')] }, 2, /text expression not allowed in nor/],
    [{ $and: [text('x'), text('y')] }, 2, /Too many text expressions/],
    [{ subject: { $elemMatch: text('x') } }, 2, /unknown operator: \$text/],
    [{ subject: { $elemMatch: { a: 1, ...text('x') } } }, 2, /\$text can only be applied to the top-level document/],
    [{ ...text('x'), loc: { $near: [0, 0] } }, 2, /text and geoNear not allowed in same query/],
    [{ $or: [text('x'), { views: 5 }] }, 291, /other non-TEXT clauses under OR have to be indexed as well/],
    [{ $text: 'x' }, 2, /\$text expects an object/],
    [{ $text: {} }, 4, /Missing expected field "\$search"/],
    [{ $text: { $search: 1 } }, 14, /"\$search" had the wrong type/],
    [text('x', { $language: 1 }), 14, /"\$language" had the wrong type/],
    [text('x', { $caseSensitive: 1 }), 14, /"\$caseSensitive" had the wrong type/],
    [text('x', { $more: 1 }), 2, /extra fields in \$text/],
    [text('x', { $language: 'klingon' }), 2, /unsupported language: "klingon" for text index version 3/],
    [text('x'), 2, /text and hint not allowed in same query/, { hint: 'subject_text' }],
    [text('x'), 2, /text and hint not allowed in same query/, { hint: { $natural: 1 } }],
    [text('x'), 2, /text expression not allowed with \$natural sort order/, { sort: { $natural: 1 } }],
    [text('x'), 115, /returnKey with a text index/, { returnKey: true }],
  ])('%j → %j', ([filter, code, phrase, more = {}]) => {
    const reply = run({ find: 'articles', filter, ...more });
    expect(reply).toMatchObject({ ok: 0, code });
    expect(reply.errmsg).toMatch(phrase);
  });

  test('without an index, or a collection', () => {
    member.insert('plain', { _id: 1 });
    for (const ns of ['plain', 'nothing']) {
      for (const command of [
        { find: ns, filter: text('x') },
        { count: ns, query: text('x') },
        { aggregate: ns, pipeline: [{ $match: text('x') }], cursor: {} },
        { explain: { find: ns, filter: text('x') } },
      ]) {
        expect(run(command)).toMatchObject({ code: 27, errmsg: 'text index required for $text query' });
      }
    }
    const remove = run({ delete: 'plain', deletes: [{ q: text('x'), limit: 0 }] });
    expect(remove.writeErrors).toMatchObject([{ code: 27 }]);
  });

  test('a special index answers nothing else', () => {
    expect(run({ find: 'articles', filter: { subject: 'baking' }, hint: 'subject_text' })).toMatchObject({ code: 2 });
    const { queryPlanner } = member.ok({ explain: { find: 'articles', filter: { subject: 'baking' } } });
    expect(queryPlanner.winningPlan.stage).toBe('COLLSCAN');
  });

  test('anywhere but in the first stage', () => {
    const match = { $match: text('x') };
    expect(aggregate([{ $sort: { _id: 1 } }, match])).toMatchObject({ code: 17313 });
    expect(aggregate([{ $match: { _id: 1 } }, match])).toMatchObject({ code: 17313 });
    expect(aggregate([{ $facet: { a: [match] } }])).toMatchObject({ code: 17313 });
    const facet = { $lookup: { from: 'articles', pipeline: [{ $facet: { a: [match] } }], as: 'b' } };
    expect(aggregate([facet])).toMatchObject({ code: 17313 });
    expect(aggregate([{ $project: { a: 1 } }, { $match: { $or: [text('x')] } }])).toMatchObject({ code: 17313 });
    expect(run({ create: 'v', viewOn: 'articles', pipeline: [{ $limit: 1 }, match] })).toMatchObject({ code: 17313 });
    member.ok({ create: 'w', viewOn: 'articles', pipeline: [{ $match: { views: { $gt: 5 } } }] });
    expect(run({ find: 'w', filter: text('coffee') })).toMatchObject({ code: 17313 });
    expect(aggregate([match], 'w')).toMatchObject({ code: 17313 });
  });

  test('as a validator, in a partial filter and in an update of arrays', () => {
    const reason = { code: 2, errmsg: '$text is not allowed in this context' };
    expect(run({ create: 'validated', validator: text('x') })).toMatchObject(reason);
    const filtered = { key: { a: 1 }, name: 'a_1', partialFilterExpression: text('x') };
    expect(run({ createIndexes: 'articles', indexes: [filtered] })).toMatchObject({ ok: 0, code: 67 });
    const update = { q: {}, u: { $pull: { tags: text('x') } } };
    expect(run({ update: 'articles', updates: [update] }).writeErrors).toMatchObject([{ code: 2 }]);
    const graph = { from: 'articles', startWith: 1, connectFromField: 'a', connectToField: 'b', as: 'c' };
    const restricted = { $graphLookup: { ...graph, restrictSearchWithMatch: text('x') } };
    expect(aggregate([restricted])).toMatchObject(reason);
  });
});

test('the Stable API makes no text index, and one that is there is used', () => {
  const strict = { apiVersion: '1', apiStrict: true };
  const indexes = [{ key: { a: 'text' }, name: 'a' }];
  expect(run({ createIndexes: 'c', indexes, ...strict })).toMatchObject({
    code: 323,
    errmsg: 'text indexes cannot be created with apiStrict: true',
  });
  expect(ids(text('cake'), strict)).toEqual([3]);
});

describe('other places', () => {
  test('a view that begins with a search, and a view of all', () => {
    member.ok({ create: 'coffees', viewOn: 'articles', pipeline: [{ $match: text('coffee') }, { $set: { score: SCORE } }] }); // biome-ignore format: one line
    expect(find({ score: { $gt: 0.8 } }, {}, 'coffees')).toMatchObject([{ _id: 1, score: 1 }]);
    member.ok({ create: 'all', viewOn: 'articles', pipeline: [] });
    expect(ids(text('coffee'), {}, 'all')).toEqual([1, 2, 7]);
    expect(find(text('cake'), { projection: { score: SCORE } }, 'all')).toMatchObject([{ _id: 3, score: 0.75 }]);
  });

  test('$lookup and $unionWith search the other collection', () => {
    member.insert('one', { _id: 1, author: 'xyz' });
    const pipeline = [{ $match: text('coffee') }, { $project: { score: SCORE, _id: 1 } }, { $sort: { _id: 1 } }];
    const coffees = [
      { _id: 1, score: 1 },
      { _id: 2, score: 0.75 },
      { _id: 7, score: 0.75 },
    ];
    expect(results([{ $lookup: { from: 'articles', pipeline, as: 'c' } }], 'one')).toMatchObject([{ c: coffees }]);
    expect(results([{ $unionWith: { coll: 'articles', pipeline } }], 'one').slice(1)).toEqual(coffees);
    const joined = { from: 'articles', localField: 'author', foreignField: 'author', pipeline, as: 'c' };
    expect(aggregate([{ $lookup: joined }], 'one')).toMatchObject({ code: 17313 });
    const outside = { from: 'one', pipeline: [{ $project: { score: SCORE } }], as: 'c' };
    expect(aggregate([{ $match: text('coffee') }, { $lookup: outside }])).toMatchObject({ code: 40218 });
    expect(aggregate([{ $lookup: { ...outside, pipeline: [{ $match: text('x') }] } }])).toMatchObject({ code: 27 });
  });

  test('there a compound index asks for nothing in front of the words', () => {
    member.ok({ dropIndexes: 'articles', index: 'subject_text' });
    index({ author: 1, subject: 'text' });
    member.insert('one', { _id: 1 });
    const pipeline = [{ $match: text('coffee') }, { $count: 'n' }];
    expect(aggregate(pipeline)).toMatchObject({ code: 291 });
    expect(results([{ $lookup: { from: 'articles', pipeline, as: 'c' } }], 'one')).toMatchObject([{ c: [{ n: 3 }] }]);
  });

  // Upstream: jstests/core/index/fts/fts_array.js.
  test('a field in front of the words may be an element by its place', () => {
    index({ 'a.0': 1, words: 'text' }, 'placed');
    index({ words: 1 }, 'placed');
    member.insert('placed', { _id: 1, a: [0, 1], words: 'dander' }, { _id: 2, a: [1, 0], words: 'dander' });
    expect(ids({ 'a.0': 0, ...text('dander') }, {}, 'placed')).toEqual([1]);
    expect(ids({ 'a.0': null, ...text('dander') }, {}, 'placed')).toEqual([]);
    expect(run({ find: 'placed', filter: { 'a.1': 0, ...text('dander') } })).toMatchObject({ code: 291 });
  });

  test('explain shows TEXT_MATCH', () => {
    const { queryPlanner, executionStats } = member.ok({
      explain: { find: 'articles', filter: text('coffee cakes -shop "a cake"') },
      verbosity: 'executionStats',
    });
    expect(queryPlanner.winningPlan).toMatchObject({
      stage: 'TEXT_MATCH',
      indexPrefix: {},
      indexName: 'subject_text',
      parsedTextQuery: {
        terms: ['cake', 'coffe'],
        negatedTerms: ['shop'],
        phrases: ['a cake'],
        negatedPhrases: [],
      },
      textIndexVersion: 3,
      inputStage: { stage: 'FETCH', inputStage: { stage: 'IXSCAN', keyPattern: { _fts: 'text', _ftsx: 1 } } },
    });
    expect(executionStats).toMatchObject({ nReturned: 1, totalKeysExamined: 4, totalDocsExamined: 4 });
    const stages = member.ok({ explain: { aggregate: 'articles', pipeline: [{ $match: text('cake') }, { $group: { _id: 1 } }], cursor: {} } }); // biome-ignore format: one line
    expect(JSON.stringify(stages)).toContain('TEXT_MATCH');
  });
});
