import { BsonWriter, decodeDocument, encodeDocument, RawBson, VERSIONS } from '@replsim/protocol';
import { Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const create = (...indexes: object[]) => member.run({ createIndexes: 'c', indexes });
const ttl = (expireAfterSeconds: unknown, more: object = {}) => ({
  key: { t: 1 },
  name: 't',
  expireAfterSeconds,
  ...more,
});
const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]));
const listed = (): Doc[] => member.ok({ listIndexes: 'c' }).cursor.firstBatch.slice(1);
const armed = (...names: string[]) => {
  for (const configureFailPoint of names) member.ok({ configureFailPoint, mode: 'alwaysOn' }, 'admin');
};

describe('the shape of a spec comes first', () => {
  test.for<[spec: object, code: number, gist: string]>([
    [{ key: { a: 1 }, name: 'a', hidden: 1 }, 14, "'hidden' must be a bool"],
    [{ key: { a: 1 }, name: 'a', unique: 'yes' }, 14, 'not convertible to bool'],
    [{ key: { a: 1 }, name: 'a', sparse: {} }, 14, 'not convertible to bool'],
    [{ key: { a: 1 }, name: 'a', v: 'two' }, 14, "'v' must be a number"],
    [{ key: { a: 1 }, name: 'a', v: 3 }, 67, 'v=3'],
    [{ key: { a: 1 }, name: 'a', partialFilterExpression: null }, 14, 'must be an object'],
    [{ key: { a: 1 }, name: 'a', weights: { a: 1 } }, 67, 'text indexes'],
    [{ key: { a: 1 }, name: 'a', wildcardProjection: { b: 1 } }, 2, 'wildcard indexes'],
    [{ key: { '$**': 1 }, name: 'a', wildcardProjection: {} }, 9, 'empty object'],
    [{ key: { a: 'wildcard' }, name: 'a' }, 67, 'Unknown index plugin'],
    [{ key: { _fts: 1 }, name: 'a' }, 67, "illegal field name: '_fts'"],
    [{ key: { 'a.$**': 1 }, name: 'a', wildcardProjection: { b: 1 } }, 9, 'below a path'],
    [{ key: { '$**': 1 }, name: 'a', unique: true }, 67, "does not support the 'unique' option"],
    [{ key: { 'a.$**': 1 }, name: 'a', sparse: true }, 67, "does not support the 'sparse' option"],
    [{ key: { '$**': 1 }, name: 'a', v: 1 }, 67, 'v: 2'],
    [{ key: { '$**': 1, b: 1 }, name: 'a' }, 67, "needs a 'wildcardProjection'"],
    [{ key: { 'a.$**': 1, 'b.$**': 1 }, name: 'a' }, 7246201, 'one wildcard'],
    [{ key: { '$**.$**': 1 }, name: 'a' }, 67, "begins with '$'"],
    [{ key: { 'a.$**.$**': 1 }, name: 'a' }, 67, "begins with '$'"],
    [{ key: { 'a.$b.$**': 1 }, name: 'a' }, 67, "begins with '$'"],
    [{ key: { a: 1, 'a.$**': 1 }, name: 'a' }, 7246204, "covers 'a'"],
    [{ key: { 'a.$**': 1, 'a.b': 1 }, name: 'a' }, 7246204, "covers 'a.b'"],
    [{ key: { b: 'hashed', c: 'hashed' }, name: 'a' }, 31303, 'found 2'],
    [{ key: { b: 'hashed' }, name: 'a', unique: true }, 16764, 'cannot guarantee uniqueness'],
    [{ key: { a: 1 }, name: '*' }, 2, "'*' is not valid"],
    [{ key: { a: 1 }, name: 'a\0b' }, 67, 'NUL'],
    [{ key: { a: 1 }, name: 'a', unique: true, prepareUnique: true }, 67, 'need not be prepared'],
    [{ key: numbered(33), name: 'a' }, 13103, 'too many compound keys'],
    [{ key: { _id: 1 }, name: 'x', expireAfterSeconds: 'x' }, 197, 'not valid for an _id index'],
    [{ key: { _id: -1 }, name: 'x' }, 2, '{_id: 1} and no other'],
    [{ key: { _id: 1 }, name: 'x', hidden: true }, 197, 'not valid for an _id index'],
  ])('%j: %i, %s', ([spec, code, gist]) => {
    expect(create(spec)).toMatchObject({ ok: 0, code, errmsg: expect.stringContaining(gist) });
    expect(member.engine.collections()).toEqual([]);
  });

  test.for<[spec: object]>([
    [{ key: { '$**': 1 }, unique: false, sparse: false }],
    [{ key: { '$**': 1 }, wildcardProjection: { a: 0 } }],
    [{ key: { b: 1, '$**': 1 }, wildcardProjection: { b: 0 } }],
    [{ key: { ab: 1, 'a.$**': 1 } }],
    [{ key: { b: 'hashed', c: 1 } }],
    [{ key: numbered(32) }],
  ])('%j is made', ([spec]) => {
    expect(create({ name: 'x', ...spec }).ok).toBe(1);
  });

  test('a field twice in the key: BadValue', () => {
    const key = new BsonWriter();
    key.int32('a', 1);
    key.int32('a', -1);
    expect(create({ key: new RawBson(key.finish()), name: 'a' })).toMatchObject({
      code: 2,
      errmsg: expect.stringContaining('more than once'),
    });
  });

  test('every shape is looked at before the first TTL option', () => {
    expect(create(ttl('x'), { key: { a: 0 }, name: 'a' }).errmsg).toContain('cannot be 0');
    expect(create(ttl(-1, { nope: 1 })).code).toBe(197);
  });

  test('nothing is made if one of several is refused', () => {
    expect(create({ key: { a: 1 }, name: 'a' }, ttl(-1)).code).toBe(67);
    expect(member.engine.collections()).toEqual([]);
  });
});

test('on the table of sessions clients make no index, whatever they send', () => {
  for (const indexes of [[], [{ key: { a: 1 }, name: 'a' }]]) {
    expect(member.run({ createIndexes: 'transactions', indexes }, 'config').code).toBe(20);
  }
});

test.for([
  ['system.version', 2],
  ['version', undefined],
] as const)('a hidden index on admin.%s: %s', ([collection, code]) => {
  const indexes = [{ key: { a: 1 }, name: 'a', hidden: true }];
  expect(member.run({ createIndexes: collection, indexes }, 'admin').code).toBe(code);
});

describe('expireAfterSeconds', () => {
  test.for<[value: unknown, seconds: number]>([
    [0, 0],
    [new Int32(2147483647), 2147483647],
    [new Double(10000.7), 10000],
    [new Double(4.5), 4],
    [new Double(-0.5), 0],
    [new Double(-0), 0],
    [new Double(2147483647.9), 2147483647],
    [Long.fromNumber(3600), 3600],
    [Decimal128.fromString('1.9'), 1],
    [Decimal128.fromString('-0.9'), 0],
    [Decimal128.fromString('2147483647.99'), 2147483647],
  ])('%s is taken, and stored as int32 %i', ([value, seconds]) => {
    expect(create(ttl(value)).ok).toBe(1);
    const { expireAfterSeconds } = decodeDocument(member.engine.collection('app.c')!.index('t')!.spec.bytes);
    expect(expireAfterSeconds).toEqual(new Int32(seconds));
  });

  test.for<[value: unknown, gist: string]>([
    [null, "must be numeric, but its type is 'null'"],
    [true, "'bool'"],
    ['60', "'string'"],
    [new Date(0), "'date'"],
    [{ a: 1 }, "'object'"],
    [[60], "'array'"],
    [new ObjectId('65f000000000000000000001'), "'objectId'"],
    [new Double(Number.NaN), 'must not be NaN'],
    [Decimal128.fromString('NaN'), 'must not be NaN'],
    [new Double(Number.POSITIVE_INFINITY), '32-bit'],
    [new Double(Number.NEGATIVE_INFINITY), '32-bit'],
    [Decimal128.fromString('Infinity'), '32-bit'],
    [Decimal128.fromString('-Infinity'), '32-bit'],
    [2147483648, '32-bit'],
    [Long.fromString('9223372036854775807'), '32-bit'],
    [-2147483649, '32-bit'],
    [new Double(1e300), '32-bit'],
    [Decimal128.fromString('1E+6000'), '32-bit'],
    [-1, 'less than 0'],
    [-2147483648, 'less than 0'],
    [new Double(-1.5), 'less than 0'],
    [Decimal128.fromString('-1'), 'less than 0'],
  ])('%s is refused with 67: %s', ([value, gist]) => {
    expect(create(ttl(value))).toMatchObject({
      code: 67,
      codeName: 'CannotCreateIndex',
      errmsg: expect.stringMatching(new RegExp(`^\\. Index spec: .* :: caused by :: .*${gist}`)),
    });
    expect(member.engine.collections()).toEqual([]);
  });

  test('the value is looked at before the number of fields, and that reason stands alone', () => {
    const compound = { key: { a: 1, b: 1 } };
    expect(create(ttl(-1, compound)).errmsg).toContain('less than 0');
    expect(create(ttl(1, compound)).errmsg).toMatch(/^only an index on a single field/);
  });
});

describe('kinds of indexes', () => {
  test.for<[spec: object, code: number | undefined]>([
    [{ key: { t: -1 } }, undefined],
    [{ key: { t: 2.5 } }, undefined],
    [{ key: { t: Long.fromNumber(7) } }, undefined],
    [{ key: { 'a.b': 1 } }, undefined],
    [{ key: { a: 1, b: -1 } }, 67],
    [{ key: { _id: 1 } }, 197],
    [{ key: { _id: -1 } }, 197],
    [{ key: { _id: 'hashed' } }, undefined],
    [{ key: { t: 'hashed' } }, undefined],
    [{ key: { t: 'text' } }, undefined],
    [{ key: { '$**': 'text' } }, undefined],
    [{ key: { t: '2d' } }, undefined],
    [{ key: { t: '2dsphere' } }, undefined],
    [{ key: { '$**': 1 } }, 67],
    [{ key: { 'a.$**': 1 } }, 67],
    [{ key: { t: 1 }, unique: true }, undefined],
    [{ key: { t: 1 }, sparse: true }, undefined],
    [{ key: { t: 1 }, hidden: true }, undefined],
    [{ key: { t: 1 }, partialFilterExpression: { done: true } }, undefined],
    [{ key: { t: 1 }, collation: { locale: 'fr' } }, undefined],
  ])('%j with the option: %s', ([spec, code]) => {
    expect(create({ name: 'x', expireAfterSeconds: 60, ...spec }).code).toBe(code);
    if (code !== undefined) expect(member.engine.collections()).toEqual([]);
  });

  test('a hashed index refuses arrays, of documents that come and of those that are there', () => {
    create({ key: { t: 'hashed' }, name: 't' });
    member.insert('c', { _id: 1, t: 1, u: [1] });
    const errors = (command: object) => member.run(command).writeErrors;
    expect(errors({ insert: 'c', documents: [{ _id: 2, t: [1] }] })).toMatchObject([{ code: 16766 }]);
    expect(errors({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { t: [] } } }] })).toMatchObject([
      { code: 16766 },
    ]);
    expect(create({ key: { u: 'hashed' }, name: 'u' })).toMatchObject({ ok: 0, code: 16766 });
    expect(create({ key: { u: 'hashed' }, name: 'u', partialFilterExpression: { t: 2 } })).toMatchObject({ ok: 1 });
  });

  test('a wildcard index is told why', () => {
    expect(create(ttl(60, { key: { '$**': 1 } })).errmsg).toMatch(/TTL index :: caused by :: .*type 'wildcard'/);
  });

  test('a key field called expireAfterSeconds makes no TTL index', () => {
    expect(create({ key: { expireAfterSeconds: 1, b: 1 }, name: 'x' }).ok).toBe(1);
    expect(listed()[0]).toEqual({ v: 2, key: { expireAfterSeconds: 1, b: 1 }, name: 'x' });
  });

  test.for([
    ['8.2', true, 6049202],
    ['8.0', false, undefined],
    ['7.0', false, 67],
    ['3.2', false, undefined],
  ] as const)('%s, capped, clustered %s: %s', ([version, clustered, code]) => {
    member.traits = VERSIONS[version];
    const clusteredIndex = { key: { _id: 1 }, unique: true, name: 'cl' };
    member.writes.createCollection(
      'app.c',
      encodeDocument({ capped: true, size: 1024, ...(clustered && { clusteredIndex }) }),
    );
    expect(create(ttl(60)).code).toBe(code);
    expect(create({ key: { a: 1 }, name: 'a' }).ok).toBe(1);
  });

  test('a collection with encrypted fields: 6346501', () => {
    member.writes.createCollection('app.c', encodeDocument({ encryptedFields: { fields: [] } }));
    expect(create(ttl(60))).toMatchObject({ code: 6346501, codeName: 'Location6346501' });
  });
});

describe('collation', () => {
  test('is stored with all its fields, as listIndexes shows it', () => {
    create(ttl(60, { collation: { locale: 'fr', strength: new Double(2) } }));
    expect(Object.entries(listed()[0]!.collation)).toEqual([
      ['locale', 'fr'],
      ['caseLevel', false],
      ['caseFirst', 'off'],
      ['strength', 2],
      ['numericOrdering', false],
      ['alternate', 'non-ignorable'],
      ['maxVariable', 'punct'],
      ['normalization', false],
      ['backwards', false],
      ['version', '57.1'],
    ]);
  });

  test('3.2 knows none', () => {
    member.traits = VERSIONS['3.2'];
    expect(create(ttl(60, { collation: { locale: 'fr' } })).code).toBe(197);
  });

  test('the simple one is none', () => {
    create(ttl(60, { collation: { locale: 'simple' } }));
    expect(listed()).toEqual([{ v: 2, key: { t: 1 }, name: 't', expireAfterSeconds: 60 }]);
  });

  test.for([
    ['fr_CA', 'backwards', true],
    ['da', 'caseFirst', 'upper'],
    ['th', 'alternate', 'shifted'],
    ['de@collation=phonebook', 'strength', 3],
  ] as const)('%s begins with %s %s', ([locale, option, value]) => {
    create(ttl(60, { collation: { locale } }));
    expect(listed()[0]!.collation[option]).toBe(value);
  });

  test.for<[collation: unknown, code: number]>([
    [{}, 2],
    ['fr', 14],
    [{ strength: 2 }, 40414],
    [{ locale: 'fr', nope: 1 }, 40415],
    [{ locale: 'Klingon' }, 2],
    [{ locale: 5 }, 14],
    [{ locale: 'simple', strength: 1 }, 2],
    [{ locale: 'fr', strength: 0 }, 2],
    [{ locale: 'fr', strength: 6 }, 2],
    [{ locale: 'fr', strength: '1' }, 14],
    [{ locale: 'fr', caseFirst: 'first' }, 2],
    [{ locale: 'fr', caseFirst: 'upper', strength: 2 }, 2],
    [{ locale: 'fr', alternate: 'x' }, 2],
    [{ locale: 'fr', backwards: true, strength: 1 }, 2],
    [{ locale: 'fr', caseLevel: 1 }, 14],
  ])('%j is refused with %i', ([collation, code]) => {
    expect(create(ttl(60, { collation })).code).toBe(code);
    expect(member.engine.collections()).toEqual([]);
  });

  test('a partial filter compares strings by it', () => {
    const collation = { locale: 'en', strength: 1 };
    create(ttl(60, { collation, partialFilterExpression: { state: 'done' } }));
    member.insert('c', { t: 1, state: 'DONE' }, { t: 2, state: 'begun' });
    expect(member.engine.collection('app.c')!.index('t')!.keyCount).toBe(1);
  });

  test('queries for dates use such an index, queries for strings and sorts do not', () => {
    create({ key: { a: 1 }, name: 'a', collation: { locale: 'en', strength: 1 } });
    member.insert('c', { _id: 1, a: 'x' }, { _id: 2, a: 'X' }, { _id: 3, a: new Date(5) });
    const planned = (find: object) => {
      const explain = { find: 'c', ...find };
      return JSON.stringify(member.ok({ explain, verbosity: 'queryPlanner' }).queryPlanner.winningPlan);
    };
    expect(planned({ filter: { a: { $lte: new Date(5) } } })).toContain('IXSCAN');
    expect(planned({ filter: { a: 'x' } })).toContain('COLLSCAN');
    expect(planned({ filter: { a: { b: 'x' } } })).toContain('COLLSCAN');
    expect(planned({ sort: { a: 1 } })).toContain('COLLSCAN');
    expect(member.find('c', { a: 'x' })).toEqual([{ _id: 1, a: 'x' }]);
    expect(member.find('c', { a: { $lte: new Date(5) } })).toHaveLength(1);
    expect(member.find('c', {}, { sort: { a: 1 } }).map(({ _id }) => _id)).toEqual([2, 1, 3]);
  });
});

// Against { t: 1 } called t with expireAfterSeconds 3600.
describe('what exists already', () => {
  const collation = { locale: 'fr' };
  test.for<[what: string, existing: object, requested: object, code: number | undefined]>([
    ['the same', {}, {}, undefined],
    ['the same as a double', {}, { expireAfterSeconds: new Double(3600) }, undefined],
    ['the same as a long', {}, { expireAfterSeconds: Long.fromNumber(3600) }, undefined],
    ['the same as a decimal', {}, { expireAfterSeconds: Decimal128.fromString('3600') }, undefined],
    ['the key as a double', {}, { key: { t: new Double(1) } }, undefined],
    ['the same, one said to be in the background', {}, { background: true }, undefined],
    ['the same, unique said to be false', {}, { unique: false }, undefined],
    ['the same, hidden said to be false', {}, { hidden: false }, undefined],
    ['the same collation, shorter', { collation: { locale: 'fr', strength: 3 } }, { collation }, undefined],
    ['the same filter, otherwise put', { partialFilterExpression: { a: 1, b: 2 } }, { partialFilterExpression: { $and: [{ b: 2 }, { a: { $eq: 1 } }] } }, undefined], // biome-ignore format: a row
    ['same name, other seconds', {}, { expireAfterSeconds: 60 }, 85],
    ['same name, no TTL', {}, { expireAfterSeconds: undefined }, 85],
    ['same name, TTL where there was none', { expireAfterSeconds: undefined }, {}, 85],
    ['same name, hidden', {}, { hidden: true }, 85],
    ['same name, other key', {}, { key: { x: 1 } }, 86],
    ['same name, other direction', {}, { key: { t: -1 } }, 86],
    ['same name, another positive number', {}, { key: { t: 2 } }, 86],
    ['same name, unique', {}, { unique: true }, 86],
    ['same name, sparse', {}, { sparse: true }, 86],
    ['same name, partial', {}, { partialFilterExpression: { a: 1 } }, 86],
    ['same name, collation', {}, { collation }, 86],
    ['same name, another filter', { partialFilterExpression: { a: 1 } }, { partialFilterExpression: { a: 2 } }, 86],
    ['other name, all else the same', {}, { name: 'o' }, 85],
    ['other name, other seconds', {}, { name: 'o', expireAfterSeconds: 60 }, 85],
    ['other name, no TTL', {}, { name: 'o', expireAfterSeconds: undefined }, 85],
    ['other name, the same filter otherwise put', { partialFilterExpression: { a: 1 } }, { name: 'o', partialFilterExpression: { a: { $in: [1] } } }, 85], // biome-ignore format: a row
  ])('%s', ([, existing, requested, code]) => {
    const full = (options: object) => defined(ttl(3600, options));
    expect(create(full(existing)).ok).toBe(1);
    const reply = create(full(requested));
    expect(reply.code).toBe(code);
    if (code === undefined) {
      expect(reply).toMatchObject({ numIndexesBefore: 2, numIndexesAfter: 2, note: 'all indexes already exist' });
    }
    expect(member.engine.collection('app.c')!.indexes).toHaveLength(2);
  });

  test('other name and other identity: they stand side by side', () => {
    create(ttl(3600));
    const others = [{ sparse: true }, { unique: true }, { collation }, { partialFilterExpression: { a: 1 } }, { key: { t: 2.5 } }]; // biome-ignore format: one line
    expect(create(...others.map((options, i) => ({ ...ttl(60 + i), name: `n${i}`, ...options })))).toMatchObject({
      numIndexesBefore: 2,
      numIndexesAfter: 7,
    });
  });

  test('the messages tell the cases apart', () => {
    create(ttl(3600));
    expect(create(ttl(60)).errmsg).toContain('with the same name but different options');
    expect(create(ttl(3600, { name: 'o' })).errmsg).toContain('Index already exists with a different name: ');
    expect(create(ttl(60, { name: 'o' })).errmsg).toContain('with a different name and options');
  });

  test('two specs of one command conflict as well, and may be the same', () => {
    expect(create(ttl(60), ttl(30)).code).toBe(85);
    expect(create(ttl(60), ttl(60))).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 2 });
  });
});

const anySpec = fc.record(
  {
    key: fc.constantFrom({ t: 1 }, { t: new Double(1) }, { t: -1 }, { t: 2 }, { x: 1 }),
    name: fc.constantFrom('n', 'm'),
    expireAfterSeconds: fc.constantFrom<unknown>(60, new Double(60.9), Long.fromNumber(60), 30),
    unique: fc.boolean(),
    sparse: fc.boolean(),
    hidden: fc.boolean(),
    background: fc.boolean(),
    collation: fc.constantFrom({ locale: 'fr' }, { locale: 'fr', strength: 3 }, { locale: 'de' }, { locale: 'simple' }),
  },
  { requiredKeys: ['key', 'name'], noNullPrototype: true },
);

/** What becomes of the second, where the first exists. */
function outcome(first: object, second: object): number | 'exists' | 'built' {
  const fresh = new FakeMember();
  fresh.ok({ createIndexes: 'c', indexes: [first] });
  const { code, note } = fresh.run({ createIndexes: 'c', indexes: [second] });
  return code ?? (note === undefined ? 'built' : 'exists');
}

test("an index is never in its own way, and two are in each other's way or neither is", () => {
  fc.assert(
    fc.property(anySpec, anySpec, (a, b) => {
      expect(outcome(a, a)).toBe('exists');
      expect(outcome(a, b)).toBe(outcome(b, a));
      expect(outcome(a, b) === 'built').toBe(a.name !== b.name && outcome(a, { ...b, name: a.name }) === 86);
    }),
  );
});

describe('values that validation would refuse', () => {
  const first = 'skipTTLIndexValidationOnCreateIndex';

  test.for([
    ['8.2', Number.NaN],
    ['7.0', Number.NaN],
    ['8.0', '60'],
    ['8.0', -1],
    ['7.0', 1e12],
  ] as const)('%s, the first fail point alone: %s becomes 2147483647', ([version, value]) => {
    member.traits = VERSIONS[version];
    armed(first);
    expect(create(ttl(value)).ok).toBe(1);
    expect(member.writes.log.at(-1)?.[2]).toMatchObject({ expireAfterSeconds: 2147483647 });
  });

  test('both keep what was sent; the older name of the second means the same', () => {
    armed(first, 'skipTTLIndexInvalidExpireAfterSecondsValidationForCreateIndex');
    expect(create(ttl('60')).ok).toBe(1);
    expect(member.writes.log.at(-1)?.[2]).toMatchObject({ expireAfterSeconds: '60' });
    expect(member.ok({ configureFailPoint: 'skipTTLIndexExpireAfterSecondsValidation', mode: 'off' }, 'admin').count).toBe(1); // biome-ignore format: one line
  });

  test('a compound TTL index gets in as well', () => {
    armed(first);
    expect(create(ttl(60, { key: { a: 1, b: 1 } })).ok).toBe(1);
  });

  test('6909101 tells the command once, however many indexes it names', () => {
    armed(first);
    create(ttl('60'), { key: { a: 1 }, name: 'a' });
    const lines = member.logs.global.lines.filter(({ line }) => line.id === 6909101);
    expect(lines).toHaveLength(1);
    expect(lines[0]!.line.attr).toMatchObject({ cmd: { createIndexes: 'c' } });
  });

  test('listIndexes shows 2147483647 and warns; $listCatalog shows what is stored', () => {
    armed(first, 'skipTTLIndexExpireAfterSecondsValidation');
    create(ttl(new Double(Number.NaN)), { key: { a: 1 }, name: 'a', expireAfterSeconds: new Double(7.5) });
    expect(listed().map(({ expireAfterSeconds }) => expireAfterSeconds)).toEqual([2147483647, 7]);
    const warnings = member.logs.global.lines.filter(({ line }) => line.id === 6835900);
    expect(warnings.map(({ line }) => [line.severity, line.attr])).toEqual([
      ['W', { namespace: 'app.c', fieldName: 'expireAfterSeconds', indexSpec: expect.objectContaining({ name: 't' }) }],
    ]);
    const command = { aggregate: 'c', pipeline: [{ $listCatalog: {} }], cursor: {} };
    const [entry] = member.ok(command).cursor.firstBatch;
    expect(entry.md.indexes.map(({ spec }: Doc) => spec.expireAfterSeconds)).toEqual([undefined, Number.NaN, 7.5]);
  });
});

test('a geospatial index is given its version, which does not count in a comparison', () => {
  create({ key: { place: '2dsphere' }, name: 'p' });
  expect(listed()[0]!['2dsphereIndexVersion']).toBe(3);
  expect(create({ key: { place: '2dsphere' }, name: 'p', '2dsphereIndexVersion': 2 }).note).toBeDefined();
});

test('listIndexes shows fields in a fixed order, and yes as a bool', () => {
  create({
    partialFilterExpression: { a: 1 },
    expireAfterSeconds: 5,
    collation: { locale: 'fr' },
    hidden: true,
    unique: 1,
    background: 1,
    name: 't',
    key: { t: 1 },
  });
  const [index] = listed();
  expect(Object.keys(index!)).toEqual(['v', 'key', 'name', 'background', 'unique', 'hidden', 'partialFilterExpression', 'expireAfterSeconds', 'collation']); // biome-ignore format: a list
  expect([index!.background, index!.unique]).toEqual([true, true]);
});

/** Without the fields that are undefined, which would be sent as null. */
function defined(spec: Doc): Doc {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}
