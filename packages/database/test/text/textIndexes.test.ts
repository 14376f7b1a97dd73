import { encodeDocument, encodeName, requiredField } from '@replsim/protocol';
import { parseSearch, readTextRules, scoreOf } from '@replsim/text';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const createIndex = (key: object, more: object = {}, ns = 'c') =>
  member.run({ createIndexes: ns, indexes: [{ key, name: Object.entries(key).flat().join('_'), ...more }] });
const specs = (ns = 'c'): Doc[] => member.ok({ listIndexes: ns }).cursor.firstBatch;
const found = (filter: object, more: object = {}, ns = 'c') =>
  member.ok({ find: ns, filter, ...more }).cursor.firstBatch as Doc[];
const ids = (filter: object, more: object = {}) => found(filter, more).map(({ _id }) => _id);
const insert = (...documents: Doc[]) => member.run({ insert: 'c', documents });
const writeError = (document: Doc) => (insert(document).writeErrors as Doc[] | undefined)?.[0];
const text = ($search: string, more: object = {}) => ({ $text: { $search, ...more } });
const plan = (filter: object): Doc => member.ok({ explain: { find: 'c', filter } }).queryPlanner.winningPlan;

describe('making an index', () => {
  test.for<[key: object, more: object, stored: object]>([
    [{ a: 'text' }, {}, { key: { _fts: 'text', _ftsx: 1 }, weights: { a: 1 } }],
    [{ b: 'text', a: 'text' }, { weights: { b: 10, c: 2.9 } }, { weights: { a: 1, b: 10, c: 2 } }],
    [{ '$**': 'text' }, {}, { key: { _fts: 'text', _ftsx: 1 }, weights: { '$**': 1 } }],
    [{ a: 'text' }, { weights: '$**' }, { weights: { '$**': 1, a: 1 } }],
    [{ p: 1, a: 'text', s: -1 }, {}, { key: { p: 1, _fts: 'text', _ftsx: 1, s: -1 }, weights: { a: 1 } }],
    [{ _fts: 'text', _ftsx: 1 }, { weights: { a: 3 } }, { key: { _fts: 'text', _ftsx: 1 }, weights: { a: 3 } }],
    [{ a: 'text' }, { default_language: 'ES', language_override: 'idioma' }, { default_language: 'ES', language_override: 'idioma' }], // biome-ignore format: one line
    [{ a: 'text' }, { textIndexVersion: 3, sparse: true, unique: true }, { sparse: true, unique: true }],
    [{ a: 'text' }, { collation: { locale: 'simple' } }, {}],
  ])('%o with %o is stored as %o', ([key, more, stored]) => {
    expect(createIndex(key, more)).toMatchObject({ ok: 1, numIndexesAfter: 2 });
    const [, spec] = specs();
    expect(spec).toMatchObject({ v: 2, default_language: 'english', language_override: 'language', ...stored });
    expect(spec).toMatchObject({ textIndexVersion: 3 });
    if ('weights' in stored) expect(spec?.weights).toEqual(stored.weights);
    expect(spec).not.toHaveProperty('collation');
    expect(createIndex(key, more)).toMatchObject({ ok: 1, note: 'all indexes already exist' });
  });

  test.for<[key: object, more: object, code: number, phrase: string]>([
    [{ a: 'text', b: 1, c: 'text' }, {}, 67, "'text' fields in index must all be adjacent"],
    [{ a: 'text', _fts: 1 }, {}, 67, 'reserved fields _fts/_ftsx not allowed'],
    [{ _fts: 'text' }, { weights: { a: 1 } }, 67, 'expected _ftsx after _fts'],
    [{ _fts: 'text', _ftsx: 1 }, {}, 67, "'weights' must specify fields or the wildcard"],
    [{ p: 2, a: 'text' }, {}, 67, 'expected value 1 or -1 for non-text key in compound index'],
    [{ a: 'text' }, { weights: { a: 0 } }, 67, 'text index weight must be in the exclusive interval (0,100000)'],
    [{ a: 'text' }, { weights: { a: 100_000 } }, 67, 'but found: 100000'],
    [{ a: 'text' }, { weights: { a: 'x' } }, 67, 'weight for text index needs numeric type'],
    [{ a: 'text' }, { weights: 5 }, 67, "'weights' must be an object"],
    [{ a: 'text' }, { weights: { 'b..c': 1 } }, 67, 'weight cannot have empty path component'],
    [{ a: 'text' }, { weights: { 'b.$c': 1 } }, 67, 'weight cannot have path component with $ prefix'],
    [{ a: 'text' }, { weights: { '': 1 } }, 67, 'weight cannot be on an empty field'],
    [{ a: 'text' }, { default_language: 'klingon' }, 67, 'default_language is not valid'],
    [{ a: 'text' }, { default_language: 5 }, 14, "'default_language' must be a string"],
    [{ a: 'text' }, { language_override: '' }, 67, 'language_override is not valid'],
    [{ a: 'text' }, { language_override: '$a' }, 67, 'language_override is not valid'],
    [{ a: 'text' }, { language_override: 'a.b' }, 67, 'language_override is not valid'],
    [{ a: 'text' }, { textIndexVersion: 4 }, 67, 'bad textIndexVersion: 4'],
    [{ a: 'text' }, { textIndexVersion: 2 }, 115, 'textIndexVersion 2 is not supported by replsim'],
    [{ a: 'text' }, { collation: { locale: 'en' } }, 67, 'collation'],
    [{ a: 'text', b: '2dsphere' }, {}, 67, 'more than one index plugin'],
    [{ a: 1 }, { weights: { a: 1 } }, 67, 'text indexes alone'],
  ])('%o with %o is refused with %d', ([key, more, code, phrase]) => {
    const reply = createIndex(key, more);
    expect(reply).toMatchObject({ ok: 0, code });
    expect(reply.errmsg).toContain(phrase);
  });

  test('there is one to a collection', () => {
    createIndex({ a: 'text' });
    expect(createIndex({ p: 1, b: 'text' })).toMatchObject({
      code: 67,
      errmsg: 'only one text index per collection allowed, found existing text index "a_text"',
    });
    expect(createIndex({ a: 'text' }, { name: 'other' }).code).toBe(85);
    expect(createIndex({ b: 'text' }).code).toBe(85);
    expect(createIndex({ a: 'text' }, { weights: { a: 2 } }).code).toBe(85);
    const two = [{ key: { a: 'text' }, name: 'a' }, { key: { p: 1, b: 'text' }, name: 'b' }]; // biome-ignore format: one line
    expect(member.run({ createIndexes: 'd', indexes: two }).code).toBe(67);
    member.ok({ dropIndexes: 'c', index: 'a_text' });
    expect(createIndex({ p: 1, b: 'text' }).ok).toBe(1);
  });

  test('a collection with a collation gets one that has none', () => {
    member.ok({ create: 'c', collation: { locale: 'en', strength: 2 } });
    expect(createIndex({ a: 'text' }).code).toBe(67);
    expect(createIndex({ a: 'text' }, { collation: { locale: 'simple' } }).ok).toBe(1);
    insert({ _id: 1, a: 'Tea' });
    expect(ids(text('tea'))).toEqual([1]);
    expect(ids(text('tea', { $caseSensitive: true }))).toEqual([]);
  });

  test('what is there already is taken in, or refused', () => {
    insert({ _id: 1, a: 'tea' }, { _id: 2, a: 'cake', language: 'klingon' });
    expect(createIndex({ a: 'text' })).toMatchObject({ code: 17262 });
    member.ok({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    expect(createIndex({ a: 'text' }).ok).toBe(1);
    expect(ids(text('tea'))).toEqual([1]);
  });
});

describe('what it holds', () => {
  test.for<[document: Doc, code: number]>([
    [{ a: 'tea', language: 5 }, 17261],
    [{ a: 'tea', language: 'klingon' }, 17262],
    [{ a: 'tea', p: [1] }, 201],
  ])('%o is refused with %d, and in an update too', ([document, code]) => {
    createIndex({ p: 1, a: 'text' });
    expect(writeError(document)).toMatchObject({ code });
    insert({ _id: 1, a: 'cake' });
    const { _id, ...$set } = { _id: 1, ...document };
    const update = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set } }] };
    expect((member.run(update).writeErrors as Doc[])[0]).toMatchObject({ code });
    expect(found({})).toEqual([{ _id: 1, a: 'cake' }]);
  });

  test('a language that is no string is no error where no text index is', () => {
    expect(writeError({ a: 'tea', language: 5 })).toBeUndefined();
  });

  test('keys follow every write', () => {
    createIndex({ a: 'text' });
    insert({ _id: 1, a: 'green tea' }, { _id: 2, a: ['cake', 'tea'] }, { _id: 3 });
    expect(ids(text('tea'))).toEqual([2, 1]);
    const set = (q: object, u: object) => member.ok({ update: 'c', updates: [{ q, u, multi: true }] });
    set({ _id: 2 }, { $pull: { a: 'tea' } });
    set({ _id: 3 }, { $set: { a: 'teas' } });
    expect(ids(text('tea'))).toEqual([3, 1]);
    set(text('tea'), { $unset: { a: 1 } });
    expect(ids(text('tea cake'))).toEqual([2]);
    member.ok({ delete: 'c', deletes: [{ q: text('cake'), limit: 1 }] });
    expect(ids(text('tea cake'))).toEqual([]);
    expect(member.ok({ validate: 'c' })).toMatchObject({ valid: true });
  });

  test('documents of several languages', () => {
    createIndex({ quote: 'text' }, { default_language: 'spanish', language_override: 'idioma' });
    insert(
      { _id: 1, quote: 'La suerte protege a los audaces.' },
      { _id: 2, quote: 'Nada hay más surrealista que la realidad.' },
      { _id: 3, idioma: 'english', quote: 'the running of the bulls' },
    );
    expect(ids(text('audaz'))).toEqual([]);
    expect(ids(text('audaces'))).toEqual([1]);
    expect(ids(text('la los más'))).toEqual([]);
    expect(ids(text('run', { $language: 'en' }))).toEqual([3]);
    expect(ids(text('the', { $language: 'none' }))).toEqual([]);
  });

  test('a unique one holds each term but once', () => {
    createIndex({ a: 'text' }, { unique: true });
    insert({ _id: 1, a: 'tea' });
    expect(writeError({ _id: 2, a: 'Tea' })).toMatchObject({ code: 11000 });
    expect(writeError({ _id: 3, a: 'cake' })).toBeUndefined();
  });
});

describe('fields around the words', () => {
  beforeEach(() => {
    createIndex({ p: 1, 'q.r': -1, a: 'text', s: 1 });
    insert(
      { _id: 1, p: 'x', q: { r: 1 }, a: 'tea', s: 1 },
      { _id: 2, p: 'x', q: { r: 2 }, a: 'tea', s: 2 },
      { _id: 3, p: 'y', q: { r: 1 }, a: 'tea', s: 3 },
      { _id: 4, a: 'tea' },
    );
  });

  test.for<[filter: object, expected: number[]]>([
    [{ p: 'x', 'q.r': 1, ...text('tea') }, [1]],
    [{ p: { $eq: 'x' }, 'q.r': { $in: [2] }, ...text('tea') }, [2]],
    [{ p: null, 'q.r': null, ...text('tea cake') }, [4]],
    [{ p: 'y', 'q.r': 1, s: 3, ...text('tea') }, [3]],
    [{ p: 'y', 'q.r': 1, s: 4, ...text('tea') }, []],
    [{ $and: [{ p: 'x' }, { $and: [{ 'q.r': 2 }, text('tea')] }] }, [2]],
  ])('%o finds %o', ([filter, expected]) => {
    expect(ids(filter)).toEqual(expected);
    expect(plan(filter)).toMatchObject({ stage: 'TEXT_MATCH', inputStage: { stage: 'FETCH' } });
  });

  test('only those keys are looked at', () => {
    const { executionStats, queryPlanner } = member.ok({
      explain: { find: 'c', filter: { p: 'x', 'q.r': 1, ...text('tea') } },
      verbosity: 'executionStats',
    });
    expect(executionStats).toMatchObject({ nReturned: 1, totalKeysExamined: 1, totalDocsExamined: 1 });
    expect(queryPlanner.winningPlan.indexPrefix).toEqual({ p: 'x', 'q.r': 1 });
  });

  test.for<[filter: object, more?: object]>([
    [text('tea')],
    [{ p: 'x', ...text('tea') }],
    [{ p: 'x', 'q.r': { $gt: 0 }, ...text('tea') }],
    [{ p: { $in: ['x', 'y'] }, 'q.r': 1, ...text('tea') }],
    [{ p: { $ne: 'x' }, 'q.r': 1, ...text('tea') }],
    [{ p: 'x', 'q.r': 1, ...text('tea') }, { collation: { locale: 'en' } }],
  ])('%o is refused', ([filter, more = {}]) => {
    const reply = member.run({ find: 'c', filter, ...more });
    expect(reply).toMatchObject({ ok: 0, code: 291 });
    expect(reply.errmsg).toContain('are equality predicates given for all prefix fields?');
  });
});

test('a partial index and a hidden one', () => {
  createIndex({ a: 'text' }, { partialFilterExpression: { n: { $gt: 5 } } });
  insert({ _id: 1, a: 'tea', n: 1 }, { _id: 2, a: 'tea', n: 9 });
  expect(ids({ ...text('tea'), n: { $gt: 6 } })).toEqual([2]);
  expect(member.run({ find: 'c', filter: text('tea') })).toMatchObject({ code: 291 });
  member.ok({ collMod: 'c', index: { name: 'a_text', hidden: true } });
  expect(member.run({ find: 'c', filter: { ...text('tea'), n: 6 } })).toMatchObject({ code: 291 });
});

test('an $or with a search needs an index for what is beside it', () => {
  createIndex({ a: 'text' });
  insert({ _id: 1, a: 'tea', n: 1 }, { _id: 2, a: 'cake', n: 2 }, { _id: 3, a: 'pie', n: 3 });
  const filter = { $or: [text('tea'), { n: 2 }] };
  expect(member.run({ find: 'c', filter })).toMatchObject({ code: 291 });
  createIndex({ n: 1 });
  expect(ids(filter)).toEqual([1, 2]);
});

const word = fc.constantFrom('Tea', 'teas', 'cup', 'cups', 'Café', 'cafes', 'the', 'running', 'ran', 'rún', 'été', "don't", 'x-y'); // biome-ignore format: one line
const anyText = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
const anyLanguage = fc.constantFrom('none', 'en', 'french', 'es');
const anyWords = fc
  .array(
    fc.tuple(fc.constantFrom('', '', '', '-'), fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 2 }).map((each) => `"${each.join(' ')}"`))), // biome-ignore format: one line
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.map((part) => part.join('')).join(' '));
const anyArticle = fc.record(
  { a: fc.oneof(anyText, fc.array(anyText, { maxLength: 2 })), b: fc.record({ c: anyText }), language: anyLanguage },
  { requiredKeys: [] },
);
const anySearch = fc.record(
  { $search: anyWords, $language: anyLanguage, $caseSensitive: fc.boolean(), $diacriticSensitive: fc.boolean() },
  { requiredKeys: ['$search'] },
);

test('an index answers as a look at every document does, with the same scores', () => {
  const NAME = encodeName('v');
  const value = (v: unknown) => requiredField(encodeDocument({ v }), NAME);
  fc.assert(
    fc.property(fc.array(anyArticle, { maxLength: 8 }), fc.array(anySearch, { maxLength: 6 }), (articles, searches) => {
      member = new FakeMember();
      const weights = { a: 3, 'b.c': 1 };
      createIndex({ a: 'text', 'b.c': 'text' }, { weights });
      const documents = articles.map((article, _id) => ({ _id, ...article }) as Doc);
      if (documents.length > 0) expect(insert(...documents)).toMatchObject({ n: documents.length });
      const rules = readTextRules(new Map([['weights', value(weights)]]));
      for (const $text of searches) {
        const search = parseSearch(value($text), rules);
        const scanned = documents.flatMap((each) => {
          const score = scoreOf(search, encodeDocument(each));
          return score === undefined ? [] : [[each._id, score]];
        });
        const projection = { score: { $meta: 'textScore' } };
        const indexed = found({ $text }, { projection, sort: { _id: 1 } });
        expect(indexed.map(({ _id, score }) => [_id, score])).toEqual(scanned);
        const best = found({ $text }, { projection, sort: projection }).map(({ score }) => score);
        expect(best).toEqual([...best].sort((x, y) => y - x));
      }
    }),
    { seed: 17, numRuns: 150 },
  );
});
