import { decodeDocument, VERSIONS } from '@replsim/protocol';
import { Double, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

const BY_ID = { key: { _id: 1 }, unique: true } as const;

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const indexesOf = (collection: string) => member.ok({ listIndexes: collection }).cursor.firstBatch;
const optionsOf = (collection: string) =>
  member.ok({ listCollections: 1, filter: { name: collection } }).cursor.firstBatch[0].options;

describe('create', () => {
  test.for([
    [BY_ID, '_id_'],
    [{ ...BY_ID, name: 'byTime' }, 'byTime'],
    [{ key: { _id: 1.0 }, unique: 1, v: 2 }, '_id_'],
  ] as const)('clusteredIndex %o is kept with its name, and listed', ([clusteredIndex, name]) => {
    member.ok({ create: 'c', clusteredIndex });
    expect(optionsOf('c')).toEqual({ clusteredIndex: { v: 2, key: { _id: 1 }, name, unique: true } });
    expect(indexesOf('c')).toEqual([{ v: 2, key: { _id: 1 }, name, unique: true, clustered: true }]);
    expect(member.ok({ listCollections: 1 }).cursor.firstBatch[0]).not.toHaveProperty('idIndex');
  });

  test('clusteredIndex: false is none', () => {
    member.ok({ create: 'c', clusteredIndex: false });
    expect(optionsOf('c')).toEqual({});
    expect(indexesOf('c')).toEqual([{ v: 2, key: { _id: 1 }, name: '_id_' }]);
  });

  test('buckets have the form of their own, and no other', () => {
    expect(member.run({ create: 'system.buckets.c', clusteredIndex: BY_ID }).code).toBe(5979703);
  });

  test.for([
    [{ clusteredIndex: { key: { _id: 1 } } }, 40414],
    [{ clusteredIndex: { unique: true } }, 40414],
    [{ clusteredIndex: { ...BY_ID, randField: 1 } }, 40415],
    [{ clusteredIndex: 'yes' }, 14],
    [{ clusteredIndex: { ...BY_ID, name: 7 } }, 14],
    [{ clusteredIndex: { ...BY_ID, unique: false } }, 5979700],
    [{ clusteredIndex: { key: { ts: 1 }, unique: false } }, 5979700],
    [{ clusteredIndex: { key: { ts: 1 }, unique: true } }, 197],
    [{ clusteredIndex: { key: { _id: -1 }, unique: true } }, 197],
    [{ clusteredIndex: { key: { _id: 1, a: 1 }, unique: true } }, 197],
    [{ clusteredIndex: { key: {}, unique: true } }, 197],
    [{ clusteredIndex: { ...BY_ID, v: 1 } }, 5979704],
    [{ clusteredIndex: { ...BY_ID, v: 1 }, expireAfterSeconds: -1 }, 72],
    [{ clusteredIndex: true }, 5979703],
    [{ clusteredIndex: BY_ID, idIndex: { key: { _id: 1 }, name: '_id_' } }, 72],
    [{ clusteredIndex: BY_ID, autoIndexId: false }, 6026501],
    [{ clusteredIndex: BY_ID, viewOn: 'other' }, 6026500],
    [{ clusteredIndex: BY_ID, timeseries: { timeField: 't' } }, 72],
    [{ clusteredIndex: BY_ID, size: 10 }, 6049200],
    [{ clusteredIndex: BY_ID, max: 10 }, 6049204],
    [{ clusteredIndex: BY_ID, capped: true, size: 10, max: 10 }, 6049200],
    [{ clusteredIndex: BY_ID, capped: true, max: 10 }, 6049204],
    [{ clusteredIndex: BY_ID, capped: true }, 6049201],
    [{ expireAfterSeconds: 5 }, 72],
    [{ clusteredIndex: false, expireAfterSeconds: 5 }, 72],
    [{ clusteredIndex: BY_ID, expireAfterSeconds: '5' }, 14],
  ] as const)('%o: code %i, and nothing made', ([options, code]) => {
    expect(member.run({ create: 'c', ...options }).code).toBe(code);
    expect(member.engine.collections()).toEqual([]);
  });

  test('a release that does not know the option passes over it', () => {
    member.traits = VERSIONS['3.2'];
    member.ok({ create: 'c', clusteredIndex: BY_ID, expireAfterSeconds: 5 });
    expect(optionsOf('c')).toEqual({});
  });
});

describe("a collection's own expireAfterSeconds", () => {
  test.for([
    [0, 0],
    [3600, 3600],
    [new Double(3600.9), 3600],
    [new Double(-0.5), 0],
    [new Double(Number.NaN), 0],
    [Long.fromNumber(2 ** 31), 2 ** 31],
  ] as const)('%s is kept as the int64 %d', ([sent, kept]) => {
    member.now = { ...member.now, wallMs: 2 ** 31 * 1000 };
    member.ok({ create: 'c', clusteredIndex: BY_ID, expireAfterSeconds: sent });
    const { options } = member.engine.collection('app.c')!;
    expect(decodeDocument(options).expireAfterSeconds).toEqual(Long.fromNumber(kept));
  });

  test('as many seconds as have gone by since 1970 are taken, one more is not', () => {
    const since1970 = Math.floor(member.now.wallMs / 1000);
    for (const command of [{ create: 'c', clusteredIndex: BY_ID }, { collMod: 'c' }]) {
      expect(member.run({ ...command, expireAfterSeconds: since1970 + 1 }).code).toBe(72);
      member.ok({ ...command, expireAfterSeconds: since1970 });
    }
  });

  test.for([
    -1,
    new Double(-1),
    new Double(Number.POSITIVE_INFINITY),
    Long.MAX_VALUE,
    Long.fromString('9223372036854776'),
  ])('%s: 72', (expireAfterSeconds) => {
    member.ok({ create: 'there', clusteredIndex: BY_ID });
    expect(member.run({ create: 'c', clusteredIndex: BY_ID, expireAfterSeconds }).code).toBe(72);
    expect(member.run({ collMod: 'there', expireAfterSeconds }).code).toBe(72);
  });
});

describe('indexes beside the records', () => {
  beforeEach(() => {
    member.ok({ create: 'c', clusteredIndex: { ...BY_ID, name: 'byTime' } });
  });

  const create = (...indexes: object[]) => member.run({ createIndexes: 'c', indexes });

  test.for([
    { key: { _id: 1 }, name: '_id_' },
    { key: { _id: 1 }, name: 'another' },
    { v: 2, key: { _id: 1 }, name: 'byTime', unique: true, clustered: true },
  ])('%o is there already', (index) => {
    expect(create(index)).toMatchObject({ ok: 1, numIndexesBefore: 1, numIndexesAfter: 1 });
    expect(indexesOf('c')).toHaveLength(1);
  });

  test.for([
    [{ key: { a: 1 }, name: 'a_1', unique: true, clustered: true }, 6243700],
    [{ key: { a: 1 }, name: 'byTime' }, 6100906],
    [{ v: 1, key: { _id: 1 }, name: 'old' }, 6100908],
    [{ key: { _id: 1 }, name: 'x', clustered: true }, 67],
    [{ key: { _id: 1 }, name: 'x', clustered: false, unique: true }, 6492800],
    [{ key: { _id: 1 }, name: 'ttl', expireAfterSeconds: 5 }, 197],
    [{ key: { _id: -1 }, name: 'back' }, 2],
  ] as const)('%o: code %i', ([index, code]) => {
    expect(create({ key: { b: 1 }, name: 'b_1' }, index).code).toBe(code);
    expect(indexesOf('c')).toHaveLength(1);
  });

  test('a plain collection cannot be clustered by createIndexes, nor one made so by it', () => {
    member.ok({ create: 'plain' });
    const index = { key: { _id: 1 }, name: '_id_', unique: true, clustered: true };
    expect(member.run({ createIndexes: 'plain', indexes: [index] }).code).toBe(6243700);
    expect(member.run({ createIndexes: 'none', indexes: [index] }).code).toBe(6100900);
    expect(member.engine.collection('app.none')).toBeUndefined();
  });

  test('secondary indexes stand beside it: compound ones with _id in them, special ones on _id, TTL ones', () => {
    const specs = [
      { key: { _id: 1, a: 1 }, name: '_id_1_a_1' },
      { key: { _id: 'hashed' }, name: 'h' },
      { key: { at: 1 }, name: 'ttl', expireAfterSeconds: 5 },
    ];
    expect(create(...specs)).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 4 });
    expect(indexesOf('c').map(({ name }: { name: string }) => name)).toEqual(['byTime', '_id_1_a_1', 'h', 'ttl']);
  });

  test.for([['byTime'], [{ _id: 1 }], [['byTime']]] as const)('dropIndexes %j: 5979800', ([index]) => {
    expect(member.run({ dropIndexes: 'c', index }).code).toBe(5979800);
    expect(indexesOf('c')).toHaveLength(1);
  });

  test('dropIndexes * leaves it', () => {
    create({ key: { a: 1 }, name: 'a_1' });
    expect(member.ok({ dropIndexes: 'c', index: '*' }).nIndexesWas).toBe(2);
    expect(indexesOf('c')).toHaveLength(1);
  });

  test.for([{ name: 'byTime' }, { keyPattern: { _id: 1 } }])('collMod cannot hide it by %j: 6011800', (index) => {
    expect(member.run({ collMod: 'c', index: { ...index, hidden: true } }).code).toBe(6011800);
  });

  test('a capped one takes no secondary TTL index: 6049202', () => {
    member.ok({ create: 'capped', clusteredIndex: BY_ID, capped: true, expireAfterSeconds: 10 });
    const index = { key: { a: 1 }, name: 'ttl', expireAfterSeconds: 5 };
    expect(member.run({ createIndexes: 'capped', indexes: [index] }).code).toBe(6049202);
    member.ok({ createIndexes: 'capped', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
  });
});

test('collStats counts the order of the records as an index, and says why', () => {
  member.ok({ create: 'c', clusteredIndex: BY_ID });
  member.ok({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
  expect(member.ok({ collStats: 'c' })).toMatchObject({ clustered: true, nindexes: 2, capped: false });
});

describe('collMod of the collection itself', () => {
  beforeEach(() => {
    member.ok({ create: 'c', clusteredIndex: BY_ID, expireAfterSeconds: 60 });
    member.ok({ create: 'plain' });
    member.ok({ create: 'capped', capped: true, size: 1000, max: 5 });
  });

  test('sets the seconds, and takes them away', () => {
    expect(member.ok({ collMod: 'c', expireAfterSeconds: new Double(7.9) })).not.toHaveProperty(
      'expireAfterSeconds_new',
    );
    expect(optionsOf('c').expireAfterSeconds).toBe(7);
    member.ok({ collMod: 'c', expireAfterSeconds: 'off' });
    expect(optionsOf('c')).not.toHaveProperty('expireAfterSeconds');
    member.ok({ collMod: 'c', expireAfterSeconds: 0 });
    expect(optionsOf('c').expireAfterSeconds).toBe(0);
  });

  test.for([
    [{ collMod: 'c', expireAfterSeconds: 'on' }, 72],
    [{ collMod: 'c', expireAfterSeconds: 'OFF' }, 72],
    [{ collMod: 'c', expireAfterSeconds: true }, 14],
    [{ collMod: 'none', expireAfterSeconds: true }, 14],
    [{ collMod: 'none', expireAfterSeconds: 5 }, 26],
    [{ collMod: 'plain', expireAfterSeconds: 5 }, 72],
    [{ collMod: 'plain', expireAfterSeconds: 'off' }, 72],
    [{ collMod: 'plain', cappedSize: 512 }, 72],
    [{ collMod: 'capped', cappedSize: 0 }, 51024],
    [{ collMod: 'capped', cappedMax: 'many' }, 14],
  ] as const)('%o: code %i', ([command, code]) => {
    expect(member.run(command).code).toBe(code);
    expect(optionsOf('c').expireAfterSeconds).toBe(60);
  });

  test('cappedSize and cappedMax are the new limits, and cappedMax 0 lifts one', () => {
    member.ok({ collMod: 'capped', cappedSize: 300, cappedMax: 2 });
    expect(optionsOf('capped')).toEqual({ capped: true, size: 300, max: 2 });
    member.ok({ collMod: 'capped', cappedMax: 0 });
    expect(optionsOf('capped')).toEqual({ capped: true, size: 300, max: 2147483647 });
  });

  test('what is refused changes nothing of the other kind', () => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
    const index = { name: 'a_1', expireAfterSeconds: 9 };
    expect(member.run({ collMod: 'c', index, expireAfterSeconds: -1 }).code).toBe(72);
    expect(indexesOf('c')[1]).not.toHaveProperty('expireAfterSeconds');
  });
});

describe('reading and writing', () => {
  beforeEach(() => {
    member.ok({ create: 'c', clusteredIndex: BY_ID });
    member.ok({ insert: 'c', documents: [5, 'b', 1, 'a', 3].map((_id) => ({ _id, even: false })) });
  });

  const idsOf = (command: object) =>
    member.ok({ find: 'c', ...command }).cursor.firstBatch.map(({ _id }: { _id: unknown }) => _id);

  test('natural order is that of _id, either way', () => {
    expect(idsOf({})).toEqual([1, 3, 5, 'a', 'b']);
    expect(idsOf({ sort: { $natural: -1 } })).toEqual(['b', 'a', 5, 3, 1]);
    expect(idsOf({ hint: { $natural: -1 }, limit: 2 })).toEqual(['b', 'a']);
  });

  test('duplicates of any numeric type: 11000 with what was doubled', () => {
    const { writeErrors } = member.run({ insert: 'c', documents: [{ _id: new Double(5) }] });
    expect(writeErrors).toMatchObject([{ code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 5 } }]);
  });

  test('updates, replacements and deletes find their document', () => {
    member.ok({ update: 'c', updates: [{ q: { _id: 3 }, u: { $set: { even: true } } }] });
    member.ok({ update: 'c', updates: [{ q: { _id: 'z' }, u: { n: 1 }, upsert: true }] });
    member.ok({ delete: 'c', deletes: [{ q: { _id: 'a' }, limit: 1 }] });
    expect(idsOf({ filter: { even: true } })).toEqual([3]);
    expect(idsOf({})).toEqual([1, 3, 5, 'b', 'z']);
  });

  test.for([
    [{ filter: { _id: { $gt: 1, $lt: 9 } } }, [3, 5], 2],
    [{ filter: { _id: { $in: ['a', 1] } } }, [1, 'a'], 4],
    [{ filter: { _id: { $gte: 'a' } }, sort: { _id: -1 } }, ['b', 'a'], 2],
    [{ sort: { _id: -1 }, limit: 2 }, ['b', 'a'], 2],
    [{ filter: { even: false, _id: { $lte: 3 } }, hint: { _id: 1 } }, [1, 3], 2],
    [{ filter: { _id: 3 }, hint: '_id_' }, [3], 1],
  ] as const)('%j reads a stretch of the records: %j', ([command, ids, examined]) => {
    const before = member.now.monotonicMicros;
    expect(idsOf(command)).toEqual(ids);
    const { commandMicros, scanKeyMicros } = member.costs;
    expect(member.now.monotonicMicros - before).toBeLessThanOrEqual(commandMicros + examined * scanKeyMicros);
  });

  test('a hint for another name or key fits nothing', () => {
    for (const hint of ['byTime', { _id: -1 }]) expect(member.run({ find: 'c', hint }).code).toBe(2);
  });

  test('a secondary index finds its documents and points at what is updated', () => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n_1' }] });
    for (const _id of [1, 3, 5]) member.ok({ update: 'c', updates: [{ q: { _id }, u: { $set: { n: _id } } }] });
    expect(idsOf({ filter: { n: { $gte: 3 } }, hint: 'n_1' })).toEqual([3, 5]);
    member.ok({ delete: 'c', deletes: [{ q: { n: 3 }, limit: 0 }] });
    expect(idsOf({ hint: 'n_1', filter: { n: { $gt: 0 } } })).toEqual([1, 5]);
  });
});
