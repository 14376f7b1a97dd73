import { encodeDocument, VERSIONS } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const odd = [{ $match: { odd: true } }];
const define = (name: string, viewOn: string, pipeline: object[] = []) =>
  member.run({ create: name, viewOn, pipeline });
const chain = (length: number, from = 0) => {
  for (let i = from; i < from + length; i++) define(`v${i + 1}`, i === 0 ? 'c' : `v${i}`);
};

describe('create', () => {
  test('a view is a document of system.views, and reads go through it', () => {
    member.insert('c', { _id: 1, odd: true }, { _id: 2, odd: false });
    expect(define('odds', 'c', odd).ok).toBe(1);
    expect(member.find('odds')).toEqual([{ _id: 1, odd: true }]);
    expect(member.documents('app.system.views')).toEqual([{ _id: 'app.odds', viewOn: 'c', pipeline: odd }]);
  });

  test('what it stands on need not exist', () => {
    expect(define('v', 'nothing').ok).toBe(1);
    expect(member.ok({ count: 'v' }).n).toBe(0);
  });

  test.for<[command: object, code: number]>([
    [{ create: 'v', pipeline: [] }, 72],
    [{ create: 'v', viewOn: '' }, 2],
    [{ create: 'v', viewOn: 'a$b' }, 73],
    [{ create: 'v', viewOn: 5 }, 14],
    [{ create: 'v', viewOn: 'c', pipeline: {} }, 14],
    [{ create: 'v', viewOn: 'c', pipeline: [5] }, 14],
    [{ create: 'v', viewOn: 'c', pipeline: [{ $nope: 1 }] }, 40324],
    [{ create: 'v', viewOn: 'c', pipeline: [{ $match: { $nope: 1 } }] }, 2],
    [{ create: 'v', viewOn: 'c', pipeline: [{ $out: 'd' }] }, 167],
    [{ create: 'v', viewOn: 'c', pipeline: [{ $match: {} }, { $merge: 'd' }] }, 167],
    [{ create: 'v', viewOn: 'c', pipeline: [{ $indexStats: {} }] }, 115],
    [{ create: 'v', viewOn: 'c', capped: true, size: 1000 }, 72],
    [{ create: 'v', viewOn: 'c', expireAfterSeconds: 5 }, 72],
    [{ create: 'system.v', viewOn: 'c' }, 73],
  ])('%j is refused with %i', ([command, code]) => {
    expect(member.run(command).code).toBe(code);
    expect(member.engine.collections()).toEqual([]);
  });

  test('3.2 knows no views, and makes a collection', () => {
    member.traits = VERSIONS['3.2'];
    expect(define('v', 'c').ok).toBe(1);
    expect(member.engine.collections().map(({ ns }) => ns)).toEqual(['app.v']);
  });

  test('a name is taken once', () => {
    member.ok({ create: 'c' });
    define('v', 'c');
    expect(define('c', 'd').code).toBe(48);
    expect(define('v', 'd').code).toBe(48);
    expect(member.run({ create: 'v' }).code).toBe(48);
  });
});

describe('views on views', () => {
  test('a circle is refused, however long, and however it closes', () => {
    define('a', 'b');
    define('b', 'c');
    expect(define('c', 'a')).toMatchObject({ code: 5, codeName: 'GraphContainsCycle' });
    expect(define('x', 'x').code).toBe(5);
    expect(define('c', 'd', [{ $lookup: { from: 'a', as: 'x', pipeline: [] } }]).code).toBe(5);
    expect(define('c', 'd', [{ $facet: { one: [{ $unionWith: 'a' }] } }]).code).toBe(5);
    expect(define('c', 'd', [{ $unionWith: { coll: 'e' } }]).ok).toBe(1);
  });

  test('twenty stand on each other, and no more; the last of them cannot be read', () => {
    member.insert('c', { _id: 1 });
    chain(20);
    expect(member.find('v19')).toEqual([{ _id: 1 }]);
    const deep = [{ find: 'v20' }, { count: 'v20' }, { aggregate: 'v20', pipeline: [], cursor: {} }, { aggregate: 'v10', pipeline: [{ $unionWith: 'v20' }], cursor: {} }, { aggregate: 'v10', pipeline: [{ $lookup: { from: 'v20', as: 'x', pipeline: [] } }], cursor: {} }]; // biome-ignore format: one line
    for (const command of deep) expect(member.run(command)).toMatchObject({ ok: 0, code: 165 });
    expect(member.run({ aggregate: 'c', pipeline: [{ $unionWith: 'v19' }], cursor: {} }).ok).toBe(1);
    expect(define('v21', 'v20')).toMatchObject({ code: 165, codeName: 'ViewDepthLimitExceeded' });
  });

  test('a view in the middle counts what is below and above it', () => {
    for (let i = 12; i <= 21; i++) define(`v${i}`, `v${i - 1}`);
    chain(10);
    expect(define('v11', 'v10').code).toBe(165);
    expect(define('v11', 'v9').ok).toBe(1);
  });
});

describe('a view is no collection', () => {
  beforeEach(() => {
    member.insert('c', { _id: 1, odd: true });
    define('v', 'c', odd);
  });

  test.for<[command: object, db?: string]>([
    [{ createIndexes: 'v', indexes: [{ key: { t: 1 }, name: 't', expireAfterSeconds: 5 }] }],
    [{ dropIndexes: 'v', index: '*' }],
    [{ listIndexes: 'v' }],
    [{ collStats: 'v' }],
    [{ aggregate: 'v', pipeline: [{ $collStats: { count: {} } }], cursor: {} }],
    [{ convertToCapped: 'v', size: 1000 }],
    [{ findAndModify: 'v', query: {}, update: { $set: { a: 1 } } }],
    [{ findAndModify: 'v', query: {}, remove: true }],
    [{ renameCollection: 'app.v', to: 'app.w' }, 'admin'],
  ])('%j: CommandNotSupportedOnView', ([command, db]) => {
    expect(member.run(command, db)).toMatchObject({ code: 166, codeName: 'CommandNotSupportedOnView' });
  });

  test.for<[command: object]>([
    [{ insert: 'v', documents: [{ _id: 5 }] }],
    [{ update: 'v', updates: [{ q: {}, u: { $set: { a: 1 } } }] }],
    [{ update: 'v', updates: [{ q: { _id: 9 }, u: { a: 1 }, upsert: true }] }],
    [{ delete: 'v', deletes: [{ q: {}, limit: 0 }] }],
  ])('%j: each statement is refused', ([command]) => {
    expect(member.run(command)).toMatchObject({ ok: 1, n: 0, writeErrors: [{ index: 0, code: 166 }] });
    expect(member.documents('app.c')).toEqual([{ _id: 1, odd: true }]);
    expect(member.engine.collection('app.v')).toBeUndefined();
  });

  test.for(['$indexStats', '$listCatalog'])('%s would stand behind the stages of the view', (stage) => {
    expect(member.run({ aggregate: 'v', pipeline: [{ [stage]: {} }], cursor: {} }).code).toBe(40602);
  });

  test('the catalog has entries of a view without stages, and none of a time series by its name', () => {
    define('plain', 'c', []);
    member.ok({ create: 'series', timeseries: { timeField: 't' } });
    const listed = (aggregate: string) => member.run({ aggregate, pipeline: [{ $listCatalog: {} }], cursor: {} });
    expect(listed('plain').cursor.firstBatch).toMatchObject([{ name: 'plain', type: 'view' }]);
    expect(listed('series').code).toBe(40602);
  });

  test('another one is refused while there is one that writes', () => {
    const views = member.engine.collection('app.system.views')!;
    expect(views.count).toBe(1);
    member.writes.insert(views.ns, [
      new StoredDocument(encodeDocument({ _id: 'app.w', viewOn: 'c', pipeline: [{ $out: 'd' }] })),
    ]);
    expect(member.run({ create: 'x', viewOn: 'c', pipeline: [] }).code).toBe(167);
  });

  test('nor can a client write into system.views', () => {
    expect(member.run({ insert: 'system.views', documents: [{ _id: 'app.w', viewOn: 'c', pipeline: [] }] }).code).toBe(
      73,
    );
  });

  test('listCollections, dbStats and $listCatalog tell views from collections', () => {
    const entries: Doc[] = member.ok({ listCollections: 1 }).cursor.firstBatch;
    expect(entries.map(({ name, type }) => [name, type])).toEqual([['c', 'collection'], ['system.views', 'collection'], ['v', 'view']]); // biome-ignore format: one line
    expect(entries[2]).toEqual({
      name: 'v',
      type: 'view',
      options: { viewOn: 'c', pipeline: odd },
      info: { readOnly: true },
    });
    expect(member.ok({ dbStats: 1 })).toMatchObject({ collections: 2, views: 1 });
    const catalog = member.ok({ aggregate: 1, pipeline: [{ $listCatalog: {} }], cursor: {} }, 'admin').cursor
      .firstBatch;
    expect(catalog.map(({ ns, type }: Doc) => [ns, type])).toEqual([['app.c', 'collection'], ['app.system.views', 'collection'], ['app.v', 'view']]); // biome-ignore format: one line
  });

  test('drop takes the view alone', () => {
    const { ok, $marker, ...reply } = member.run({ drop: 'v' });
    expect(reply).toEqual({ ns: 'app.v' });
    expect(member.find('v')).toEqual([]);
    expect(member.documents('app.c')).toHaveLength(1);
  });
});

describe('collMod', () => {
  beforeEach(() => {
    member.insert('c', { _id: 1, odd: true }, { _id: 2, odd: false });
    define('v', 'c', odd);
  });

  test('gives it another definition', () => {
    expect(member.run({ collMod: 'v', viewOn: 'c', pipeline: [{ $match: { odd: false } }] }).ok).toBe(1);
    expect(member.find('v')).toEqual([{ _id: 2, odd: false }]);
    expect(member.run({ collMod: 'v' }).ok).toBe(1);
  });

  test.for<[command: object, code: number]>([
    [{ collMod: 'v', index: { name: 't', expireAfterSeconds: 5 } }, 72],
    [{ collMod: 'v', index: { name: 't', expireAfterSeconds: 'x' } }, 14],
    [{ collMod: 'v', expireAfterSeconds: 5 }, 72],
    [{ collMod: 'v', viewOn: 'c' }, 72],
    [{ collMod: 'v', pipeline: [] }, 72],
    [{ collMod: 'v', viewOn: 'v', pipeline: [] }, 5],
    [{ collMod: 'v', viewOn: 'c', pipeline: {} }, 14],
    [{ collMod: 'c', viewOn: 'd', pipeline: [] }, 72],
  ])('%j is refused with %i', ([command, code]) => {
    expect(member.run(command).code).toBe(code);
    expect(member.find('v')).toEqual([{ _id: 1, odd: true }]);
  });
});

test('nothing is read when a view is defined: what its stages join may be whatever it is', () => {
  member.insert('zeros', { _id: 1, zero: 0 });
  const pipeline = [{ $unionWith: { coll: 'zeros', pipeline: [{ $set: { x: { $divide: [1, '$zero'] } } }] } }];
  member.ok({ create: 'divided', viewOn: 'zeros', pipeline });
  member.ok({ collMod: 'divided', viewOn: 'zeros', pipeline });
  expect(member.run({ find: 'divided' }).code).toBe(2);
});

test('an aggregation over views that read each other in many ways pays for each way, though nothing is there', () => {
  for (let i = 1; i <= 8; i++) {
    const below = `w${i - 1}`;
    member.ok({ create: `w${i}`, viewOn: below, pipeline: [{ $unionWith: below }, { $unionWith: below }] });
  }
  expect(member.run({ aggregate: 'w8', pipeline: [{ $count: 'n' }], cursor: {}, maxTimeMS: 1 }).code).toBe(50);
});

test('a view on nothing has what its stages add', () => {
  member.insert('more', { _id: 'm' });
  member.ok({ create: 'added', viewOn: 'nothing', pipeline: [{ $unionWith: 'more' }] });
  expect(member.find('added')).toEqual([{ _id: 'm' }]);
  expect(member.ok({ count: 'added' }).n).toBe(1);
  expect(member.ok({ aggregate: 'added', pipeline: [], cursor: {} }).cursor.firstBatch).toEqual([{ _id: 'm' }]);
});
