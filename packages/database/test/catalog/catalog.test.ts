import { decodeDocument, VERSIONS } from '@replsim/protocol';
import { Binary, Decimal128, Double, Int32, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

describe('create', () => {
  test('with options, which listCollections shows', () => {
    member.ok({ create: 'log', capped: true, size: 1000, max: 5 });
    expect(member.writes.log).toEqual([['create', 'app.log', { capped: true, size: 1000, max: 5 }]]);
    const [entry] = member.ok({ listCollections: 1 }).cursor.firstBatch;
    expect(entry).toMatchObject({
      name: 'log',
      type: 'collection',
      options: { capped: true, size: 1000, max: 5 },
      info: { readOnly: false },
      idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
    });
    expect(entry.info.uuid).toBeInstanceOf(Binary);
  });

  test.for([
    [{ create: 'c', nope: 1 }, 40415],
    [{ create: 'c', capped: true }, 72],
    [{ create: 'c', size: 10 }, 72],
    [{ create: 'c', expireAfterSeconds: 5 }, 72],
    [{ create: 'a$b' }, 73],
    [{ create: 'system.x' }, 73],
    [{ create: 'c', capped: 'yes' }, 14],
    [{ create: 'c', collation: {} }, 40414],
    [{ create: 'c', collation: {}, viewOn: 'd' }, 40414],
    [{ create: 'c', autoIndexId: false }, 50001],
    [{ create: 'c', autoIndexId: 'no' }, 14],
    [{ create: 'c', idIndex: 1 }, 14],
    [{ create: 'c', idIndex: {} }, 9],
    [{ create: 'c', idIndex: { key: { _id: 1 } } }, 9],
    [{ create: 'c', idIndex: { key: { a: 1 }, name: 'x' } }, 2],
    [{ create: 'c', idIndex: { key: { _id: -1 }, name: 'x' } }, 2],
    [{ create: 'c', idIndex: { key: { _id: 1 }, name: 'x', unique: true } }, 197],
    [{ create: 'c', idIndex: { key: { _id: 1 }, name: 'x', collation: { locale: 'fr' } } }, 2],
    [{ create: 'c', idIndex: { key: { _id: 1 }, name: 'x', v: 1 }, collation: { locale: 'fr' } }, 2],
    [{ create: 'c', idIndex: { key: { _id: 1 }, name: 'x' }, autoIndexId: true }, 72],
    [{ create: 'c', idIndex: { key: { _id: 1 }, name: 'x' }, viewOn: 'd' }, 72],
    [{ create: 'c', encryptedFields: {} }, 40414],
    [{ create: 'c', encryptedFields: { fields: 1 } }, 14],
    [{ create: 'c', encryptedFields: { fields: [] } }, 115],
  ] as const)('%o: code %i, and nothing made', ([command, code]) => {
    expect(member.run(command).code).toBe(code);
    expect(member.engine.collections()).toEqual([]);
  });

  test.for<[string, object, object]>([
    ['an index on _id that is said to be made', { autoIndexId: true }, { autoIndexId: true }],
    ['a temporary collection', { temp: true, capped: true, size: 256 }, { capped: true, size: 256, temp: true }],
    ['one that is none', { temp: false }, {}],
  ])('%s: listCollections shows it', ([, options, shown]) => {
    member.ok({ create: 'c', ...options });
    expect(Object.entries(member.ok({ listCollections: 1 }).cursor.firstBatch[0].options)).toEqual(
      Object.entries(shown),
    );
  });

  test('the index on _id may be described as it is', () => {
    const collation = { locale: 'fr' };
    member.ok({ create: 'c', collation, idIndex: { key: { _id: 1 }, name: 'x', collation } });
    expect(member.ok({ listIndexes: 'c' }).cursor.firstBatch).toMatchObject([{ name: '_id_', collation }]);
  });

  test('the index on _id may be one of version 1', () => {
    member.ok({ create: 'c', idIndex: { key: { _id: 1 }, name: 'x', v: 1 } });
    const old = { v: 1, key: { _id: 1 }, name: '_id_' };
    expect(member.ok({ listIndexes: 'c' }).cursor.firstBatch).toEqual([old]);
    expect(member.ok({ listCollections: 1 }).cursor.firstBatch).toMatchObject([{ options: {}, idIndex: old }]);
  });

  test('no collection lacks an index on _id where a mongod makes one without', () => {
    expect(member.run({ create: 'c', autoIndexId: false }, 'local').code).toBe(115);
    member.traits = VERSIONS['3.2'];
    expect(member.run({ create: 'c', autoIndexId: false }).code).toBe(115);
    member.ok({ create: 'c', idIndex: { key: { a: 1 } } });
  });

  test('the simple collation and an empty validator are none', () => {
    member.ok({ create: 'c', collation: { locale: 'simple' }, validator: {} });
    expect(member.writes.log).toEqual([['create', 'app.c', {}]]);
  });

  const clustered = { create: 'c', clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds: 5 };
  const series = { create: 'c', timeseries: { timeField: 't', metaField: 'm' } };
  const view = { create: 'c', viewOn: 'd', pipeline: [{ $match: { a: 1 } }] };

  test.for<object>([
    { create: 'c' },
    { create: 'c', capped: true, size: 4096 },
    { create: 'c', validator: { a: { $gt: 1 } }, collation: { locale: 'fr' } },
    clustered,
    series,
    view,
  ])('%j again: as if it were new, but before 7.0 a mistake', (command) => {
    member.ok(command);
    const { log } = member.writes;
    const written = log.length;
    member.ok(command);
    expect(log).toHaveLength(written);
    member.traits = { ...member.traits, ddlTwiceSucceeds: false };
    expect(member.run(command)).toMatchObject({ code: 48, codeName: 'NamespaceExists' });
  });

  test('what collMod has changed is what is asked for', () => {
    member.ok({ create: 'c', validator: { a: 1 }, changeStreamPreAndPostImages: { enabled: true } });
    member.ok({ collMod: 'c', validator: { a: 2 } });
    member.ok({ create: 'c', validator: { a: 2 }, changeStreamPreAndPostImages: { enabled: true } });
  });

  test.for<[object, object]>([
    [{ create: 'c' }, { create: 'c', capped: true, size: 4096 }],
    [{ create: 'c' }, view],
    [{ create: 'c' }, series],
    [
      { create: 'c', capped: true, size: 4096 },
      { create: 'c', capped: true, size: 8192 },
    ],
    [clustered, { ...clustered, expireAfterSeconds: 6 }],
    [series, { create: 'c', timeseries: { timeField: 't' } }],
    [series, { create: 'c' }],
    [series, { create: 'c', viewOn: 'system.buckets.c' }],
    [view, { create: 'c' }],
    [view, { ...view, viewOn: 'e' }],
    [view, { ...view, pipeline: [{ $match: { a: 2 } }] }],
    [view, { ...view, pipeline: [] }],
  ])('%j, then %j: NamespaceExists', ([first, second]) => {
    member.ok(first);
    expect(member.run(second)).toMatchObject({ code: 48, codeName: 'NamespaceExists' });
  });
});

describe('drop and dropDatabase', () => {
  test('drop tells what went', () => {
    member.insert('c', { _id: 1 });
    expect(member.ok({ drop: 'c' })).toMatchObject({ nIndexesWas: 1, ns: 'app.c' });
  });

  test('a drop of nothing: as if there had been something, but before 7.0 a mistake', () => {
    const { $marker, ...reply } = member.run({ drop: 'c' });
    expect(reply).toEqual({ ok: 1 });
    expect(member.writes.log).toEqual([]);
    member.traits = VERSIONS['3.2'];
    expect(member.run({ drop: 'c' })).toMatchObject({ code: 26, codeName: 'NamespaceNotFound' });
  });

  test('the set keeps its own collections', () => {
    expect(member.run({ drop: 'oplog.rs' }, 'local').code).toBe(5255000);
    expect(member.run({ drop: 'system.replset' }, 'local').code).toBe(20);
    expect(member.run({ dropDatabase: 1 }, 'local').code).toBe(20);
    const rename = (from: string, to: string) => member.run({ renameCollection: from, to }, 'admin');
    expect(rename('local.oplog.rs', 'local.a')).toMatchObject({
      code: 20,
      errmsg: expect.stringContaining('rename live oplog'),
    });
    expect(rename('local.a', 'local.oplog.rs')).toMatchObject({
      code: 20,
      errmsg: expect.stringContaining('rename to live oplog'),
    });
    member.insert('c', { _id: 1 });
    for (const name of ['app.system.views', 'app.system.js', 'admin.system.users']) {
      expect(rename(name, 'app.a').code).toBe(20);
      expect(rename('app.c', name).code).toBe(20);
    }
    expect(rename('admin.system.version', 'app.a').code).toBe(20);
    expect(rename('app.c', 'app.system.foo').code).toBe(20);
  });

  test('dropDatabase drops its collections and no others', () => {
    member.insert('c', { _id: 1 });
    member.ok({ insert: 'c', documents: [{ _id: 1 }] }, 'apple');
    expect(member.ok({ dropDatabase: 1 }).dropped).toBe('app');
    expect(member.engine.collections().map(({ ns }) => ns)).toEqual(['apple.c']);
    expect(member.ok({ dropDatabase: 1 }).dropped).toBeUndefined();
  });
});

describe('lists', () => {
  beforeEach(() => {
    member.insert('b', { _id: 1 });
    member.insert('a', { _id: 1 });
    member.ok({ insert: 'x', documents: [{ _id: 1 }] }, 'other');
  });

  test('listCollections: by name, filtered, names only, in batches', () => {
    const names = (command: object) => member.ok(command).cursor.firstBatch.map(({ name }: { name: string }) => name);
    expect(names({ listCollections: 1 })).toEqual(['a', 'b']);
    expect(names({ listCollections: 1, filter: { name: 'b' } })).toEqual(['b']);
    expect(member.ok({ listCollections: 1, nameOnly: true }).cursor.firstBatch[0]).toEqual({
      name: 'a',
      type: 'collection',
    });
    const { cursor } = member.ok({ listCollections: 1, cursor: { batchSize: 1 } });
    expect(cursor.ns).toBe('app.$cmd.listCollections');
    const next = member.ok({ getMore: cursor.id, collection: '$cmd.listCollections' });
    expect(next.cursor).toMatchObject({ nextBatch: [{ name: 'b' }], id: 0 });
  });

  test('the oplog shows among the collections of local', () => {
    member.hasOplog = true;
    const { firstBatch } = member.ok({ listCollections: 1 }, 'local').cursor;
    expect(firstBatch).toMatchObject([{ name: 'oplog.rs', options: { capped: true, size: 50_000_000 } }]);
  });

  test('listDatabases', () => {
    const { databases, totalSize } = member.ok({ listDatabases: 1 }, 'admin');
    expect(databases).toEqual([
      { name: 'app', sizeOnDisk: 16_384, empty: false },
      { name: 'other', sizeOnDisk: 8192, empty: false },
    ]);
    expect(totalSize).toBe(24_576);
    expect(member.ok({ listDatabases: 1, nameOnly: true }, 'admin').databases).toEqual([
      { name: 'app' },
      { name: 'other' },
    ]);
    expect(member.ok({ listDatabases: 1, filter: { name: 'other' } }, 'admin').databases).toHaveLength(1);
  });

  test('listIndexes, and NamespaceNotFound for nothing', () => {
    expect(member.ok({ listIndexes: 'a' }).cursor).toMatchObject({
      id: 0,
      ns: 'app.a',
      firstBatch: [{ name: '_id_' }],
    });
    expect(member.run({ listIndexes: 'zzz' })).toMatchObject({ code: 26, codeName: 'NamespaceNotFound' });
    expect(member.run({ listIndexes: 'a', includeBuildUUIDs: true, includeIndexBuildInfo: true }).code).toBe(72);
  });
});

describe('createIndexes', () => {
  const create = (...indexes: object[]) => member.run({ createIndexes: 'c', indexes });

  test('builds what is missing and says so', () => {
    expect(create({ key: { a: 1 }, name: 'a' }, { key: { b: -1 }, name: 'b' })).toMatchObject({
      numIndexesBefore: 1,
      numIndexesAfter: 3,
      createdCollectionAutomatically: true,
      commitQuorum: 'votingMembers',
      ok: 1,
    });
    expect(create({ key: { a: 1 }, name: 'a' })).toMatchObject({
      numIndexesBefore: 3,
      numIndexesAfter: 3,
      createdCollectionAutomatically: false,
      note: 'all indexes already exist',
    });
    expect(create({ key: { _id: 1 }, name: 'anything' })).toMatchObject({ numIndexesAfter: 3 });
  });

  test('the spec is stored as listIndexes shows it', () => {
    create({
      unique: true,
      name: 't',
      key: { t: 1 },
      expireAfterSeconds: new Double(10.7),
      hidden: false,
      ns: 'app.c',
    });
    const [, index] = member.ok({ listIndexes: 'c' }).cursor.firstBatch;
    expect(Object.entries(index)).toEqual([['v', 2], ['key', { t: 1 }], ['name', 't'], ['unique', true], ['expireAfterSeconds', 10]]); // biome-ignore format: one line
  });

  test('7.0 stores the number as it was sent, and shows it as int32', () => {
    member.traits = VERSIONS['7.0'];
    create({ name: 't', key: { t: 1 }, expireAfterSeconds: new Double(10.7) });
    expect(member.writes.log.at(-1)?.[2]).toMatchObject({ expireAfterSeconds: 10.7 });
    expect(member.ok({ listIndexes: 'c' }).cursor.firstBatch[1].expireAfterSeconds).toBe(10);
  });

  test.for([
    // Stage 1: the shape.
    [{ key: { a: 1 }, name: 'a', nope: 1 }, 197, "'nope' is not valid for an index specification"],
    [{ name: 'a' }, 9, "The 'key' field is a required property"],
    [{ key: { a: 1 } }, 9, "The 'name' field is a required property"],
    [{ key: 5, name: 'a' }, 14, "The field 'key' must be an object, but got int"],
    [{ key: {}, name: 'a' }, 67, 'cannot be empty'],
    [{ key: { a: 0 }, name: 'a' }, 67, 'cannot be 0'],
    [{ key: { a: 'wat' }, name: 'a' }, 67, "Unknown index plugin 'wat'"],
    [{ key: { a: true }, name: 'a' }, 67, 'type bool'],
    [{ key: { 'a..b': 1 }, name: 'a' }, 67, 'is empty: a..b'],
    [{ key: { $a: 1 }, name: 'a' }, 67, "begins with '$'"],
    [{ key: { a: 1 }, name: '' }, 67, "index name '' is not valid"],
    [{ key: { a: 1 }, name: '_id_' }, 2, 'and of no other'],
    [{ key: { _id: 1 }, name: '_id_', expireAfterSeconds: 5 }, 197, '_id index'],
    [{ key: { _id: 1 }, name: '_id_', unique: true }, 197, '_id index'],
    // Stage 2: TTL.
    [{ key: { a: 1 }, name: 'a', expireAfterSeconds: 'x' }, 67, 'must be numeric'],
    [{ key: { a: 1 }, name: 'a', expireAfterSeconds: Number.NaN }, 67, 'NaN'],
    [{ key: { a: 1 }, name: 'a', expireAfterSeconds: Decimal128.fromString('NaN') }, 67, 'NaN'],
    [{ key: { a: 1 }, name: 'a', expireAfterSeconds: 2147483648 }, 67, '32-bit'],
    [{ key: { a: 1 }, name: 'a', expireAfterSeconds: -1 }, 67, 'less than 0'],
    [{ key: { a: 1, b: 1 }, name: 'a', expireAfterSeconds: 1 }, 67, 'compound'],
    [{ key: { a: 1, b: 1 }, name: 'a', expireAfterSeconds: 'x' }, 67, 'must be numeric'],
    // The rest.
    [{ key: { a: 1 }, name: 'a', partialFilterExpression: { a: { $exists: false } } }, 67, 'partial index'],
    [{ key: { a: 1 }, name: 'a', partialFilterExpression: { a: { $ne: 1 } } }, 67, 'partial index'],
    [{ key: { a: 1 }, name: 'a', partialFilterExpression: {}, sparse: true }, 67, 'sparse'],
    [{ key: { a: 1 }, name: 'a', partialFilterExpression: 1 }, 14, 'partialFilterExpression'],
  ] as const)('%o: code %i (%s), and no collection made', ([spec, code, gist]) => {
    const reply = create(spec);
    expect(reply).toMatchObject({ ok: 0, code, errmsg: expect.stringContaining(gist) });
    expect(member.engine.collections()).toEqual([]);
  });

  test('TTL values that are taken', () => {
    for (const [i, value] of [
      0,
      2147483647,
      new Double(-0.5),
      Long.fromNumber(60),
      Decimal128.fromString('1.9'),
    ].entries()) {
      expect(create({ key: { [`f${i}`]: 1 }, name: `f${i}`, expireAfterSeconds: value }).ok).toBe(1);
    }
    const seconds = member.ok({ listIndexes: 'c' }).cursor.firstBatch.slice(1).map((index: { expireAfterSeconds: number }) => index.expireAfterSeconds); // biome-ignore format: one line
    expect(seconds).toEqual([0, 2147483647, 0, 60, 1]);
  });

  test('an empty list, and a list that is none', () => {
    expect(create().code).toBe(2);
    expect(member.run({ createIndexes: 'c' }).code).toBe(40414);
    expect(member.run({ createIndexes: 'c', indexes: 5 }).code).toBe(14);
  });

  // Against { t: 1 } called t_1 with expireAfterSeconds 3600.
  test.for([
    ['the same', { key: { t: 1 }, name: 't_1', expireAfterSeconds: 3600 }, undefined],
    [
      'the same number of another type',
      { key: { t: 1 }, name: 't_1', expireAfterSeconds: Long.fromNumber(3600) },
      undefined,
    ],
    ['other seconds', { key: { t: 1 }, name: 't_1', expireAfterSeconds: 60 }, 85],
    ['no TTL', { key: { t: 1 }, name: 't_1' }, 85],
    ['another key under the name', { key: { x: 1 }, name: 't_1', expireAfterSeconds: 3600 }, 86],
    ['unique under the name', { key: { t: 1 }, name: 't_1', unique: true, expireAfterSeconds: 3600 }, 86],
    ['another name', { key: { t: 1 }, name: 'other', expireAfterSeconds: 3600 }, 85],
    ['another name and other seconds', { key: { t: 1 }, name: 'other', expireAfterSeconds: 60 }, 85],
  ] as const)('conflict: %s', ([, spec, code]) => {
    create({ key: { t: 1 }, name: 't_1', expireAfterSeconds: new Int32(3600) });
    const reply = create({ key: { z: 1 }, name: 'z' }, spec);
    expect(reply.code).toBe(code);
    // None is built where one conflicts.
    expect(member.engine.collection('app.c')!.index('z') !== undefined).toBe(code === undefined);
  });

  test('another identifying option under another name is another index', () => {
    create({ key: { t: 1 }, name: 't_1', expireAfterSeconds: 3600 });
    const reply = create(
      { key: { t: 1 }, name: 'sparse', sparse: true },
      { key: { t: 1 }, name: 'p', partialFilterExpression: { a: 1 } },
    );
    expect(reply).toMatchObject({ numIndexesAfter: 4 });
  });

  test('capped collections: TTL from 7.1 on', () => {
    member.ok({ create: 'c', capped: true, size: 1000 });
    member.traits = VERSIONS['7.0'];
    expect(create({ key: { t: 1 }, name: 't', expireAfterSeconds: 5 }).code).toBe(67);
    member.traits = VERSIONS['8.0'];
    expect(create({ key: { t: 1 }, name: 't', expireAfterSeconds: 5 }).ok).toBe(1);
  });

  test('a unique index over duplicates: 11000 with the key', () => {
    member.insert('c', { _id: 1, a: 5 }, { _id: 2, a: 5 });
    expect(create({ key: { a: 1 }, name: 'a', unique: true })).toMatchObject({
      code: 11000,
      keyPattern: { a: 1 },
      keyValue: { a: 5 },
    });
    expect(member.engine.collection('app.c')!.index('a')).toBeUndefined();
  });
});

describe('dropIndexes', () => {
  beforeEach(() => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }, { key: { b: 1 }, name: 'b' }, { key: { b: 1 }, name: 'b2', sparse: true }] }); // biome-ignore format: one line
  });
  const names = () => member.engine.collection('app.c')!.indexes.map(({ spec }) => spec.name);

  test.for([
    ['a', ['_id_', 'b', 'b2']],
    [{ a: 1 }, ['_id_', 'b', 'b2']],
    [{ a: 1.0 }, ['_id_', 'b', 'b2']],
    [
      ['a', 'b', 'a'],
      ['_id_', 'b2'],
    ],
    ['*', ['_id_']],
    [['*'], undefined],
  ] as const)('index: %o leaves %o', ([index, left]) => {
    const reply = member.run({ dropIndexes: 'c', index });
    if (!left) expect(reply.code).toBe(27);
    else {
      expect(reply.nIndexesWas).toBe(4);
      expect(names()).toEqual(left);
    }
  });

  test.for([
    ['nope', 27],
    [{ x: 1 }, 27],
    [{ b: 1 }, 181],
    ['_id_', 72],
    [{ _id: 1 }, 72],
    [['a', 'nope'], 27],
    [['a', '_id_'], 72],
    [[5], 14],
    [5, 14],
  ] as const)('index: %o is %i, and nothing goes', ([index, code]) => {
    expect(member.run({ dropIndexes: 'c', index }).code).toBe(code);
    expect(names()).toHaveLength(4);
  });

  test('no index, no collection', () => {
    expect(member.run({ dropIndexes: 'c' }).code).toBe(40414);
    expect(member.run({ deleteIndexes: 'zzz', index: '*' }).code).toBe(26);
  });
});

describe('collMod', () => {
  beforeEach(() => {
    member.insert('c', { _id: 1 });
    member.ok({ createIndexes: 'c', indexes: [
      { key: { t: 1 }, name: 't', expireAfterSeconds: 60 },
      { key: { a: 1 }, name: 'a' },
      { key: { a: 1 }, name: 'sparse', sparse: true },
      { key: { a: 1, b: 1 }, name: 'ab' },
    ] }); // biome-ignore format: a table
    member.writes.log.length = 0;
  });
  const collMod = (index: object, rest: object = {}) => member.run({ collMod: 'c', index, ...rest });

  test.for([
    [{ name: 't', expireAfterSeconds: 'x' }, 14],
    [{ name: 't', keyPattern: { t: 1 }, expireAfterSeconds: 5 }, 72],
    [{ expireAfterSeconds: 5 }, 72],
    [{ name: 't' }, 72],
    [{ name: 'nope', expireAfterSeconds: -1 }, 72],
    [{ name: 'nope', expireAfterSeconds: 1 }, 27],
    [{ keyPattern: { x: 1 }, expireAfterSeconds: 1 }, 27],
    [{ keyPattern: { a: 1 }, expireAfterSeconds: 1 }, 181],
    [{ name: '_id_', expireAfterSeconds: 1 }, 72],
    [{ name: 'ab', expireAfterSeconds: 1 }, 72],
    [{ name: 't', expireAfterSeconds: 1, nope: 1 }, 40415],
    [{ name: '_id_', hidden: true }, 2],
    [{ name: 't', unique: true }, 72],
  ] as const)('index: %o is %i', ([index, code]) => {
    expect(collMod(index).code).toBe(code);
    expect(member.writes.log).toEqual([]);
  });

  test('a collection that is not there, but only once the parser is content', () => {
    expect(member.run({ collMod: 'zzz', index: { name: 't', expireAfterSeconds: 1 } }).code).toBe(26);
    expect(member.run({ collMod: 'zzz', index: { name: 't', expireAfterSeconds: 'x' } }).code).toBe(14);
    expect(member.run({ collMod: 'zzz', index: { expireAfterSeconds: 1 } }).code).toBe(26);
  });

  test.for([
    [
      { name: 't', expireAfterSeconds: 30 },
      { expireAfterSeconds_old: 60, expireAfterSeconds_new: 30 },
      { expireAfterSeconds: 30 },
    ],
    [
      { keyPattern: { t: 1 }, expireAfterSeconds: 60 },
      { expireAfterSeconds_old: 60, expireAfterSeconds_new: 60 },
      { expireAfterSeconds: 60 },
    ],
    [{ name: 'a', expireAfterSeconds: 5 }, { expireAfterSeconds_new: 5 }, { expireAfterSeconds: 5 }],
    [
      { name: 't', expireAfterSeconds: 1e12 },
      { expireAfterSeconds_old: 60, expireAfterSeconds_new: 2147483647 },
      { expireAfterSeconds: 2147483647 },
    ],
    [
      { name: 't', expireAfterSeconds: Number.NaN },
      { expireAfterSeconds_old: 60, expireAfterSeconds_new: 0 },
      { expireAfterSeconds: 0 },
    ],
    [{ name: 'a', hidden: true }, { hidden_old: false, hidden_new: true }, { hidden: true }],
    [
      { name: 't', expireAfterSeconds: 1, hidden: true },
      { expireAfterSeconds_old: 60, expireAfterSeconds_new: 1, hidden_old: false, hidden_new: true },
      { expireAfterSeconds: 1, hidden: true },
    ],
  ] as const)('index: %o → %o', ([index, fields, changes]) => {
    const { ok, $marker, ...shown } = collMod(index);
    expect(ok).toBe(1);
    expect(shown).toEqual(fields);
    expect(Object.keys(shown)).toEqual(Object.keys(fields));
    expect(member.writes.log).toEqual([['collMod', 'app.c', expect.any(String), changes]]);
  });

  test('the seconds in the reply are int64', () => {
    const running = member.start({ collMod: 'c', index: { name: 't', expireAfterSeconds: 30 } });
    running.finish();
    const { expireAfterSeconds_old, expireAfterSeconds_new } = decodeDocument(running.bytes!);
    expect([expireAfterSeconds_old, expireAfterSeconds_new]).toEqual([Long.fromNumber(60), Long.fromNumber(30)]);
  });

  test('options of the collection itself', () => {
    expect(member.run({ collMod: 'c', expireAfterSeconds: 5 }).code).toBe(72);
    expect(member.run({ collMod: 'c', expireAfterSeconds: 'off' }).code).toBe(72);
    expect(member.run({ collMod: 'c', nope: 1 }).code).toBe(40415);
    expect(member.run({ collMod: 'c' }).ok).toBe(1);
  });
});
