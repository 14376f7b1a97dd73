import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, RETRYABLE } from '../../../database/test/fakeMember.ts';
import { LoneMember } from '../loneMember.ts';

// What commands leave in the oplog, of which the tests of the commands know nothing.

const index = (key: object, name: string, more: object = {}) => ({ key, name, ...more });

describe('a collMod', () => {
  let primary: LoneMember;
  const entry = (): Doc => {
    const command = { find: 'oplog.rs', filter: { 'o.collMod': 'c' }, sort: { $natural: -1 }, limit: 1 };
    return (primary.run(command, 'local') as Doc).cursor.firstBatch[0]!;
  };
  beforeEach(() => {
    primary = LoneMember.primary(0);
    primary.run({ createIndexes: 'c', indexes: [index({ t: 1 }, 't', { expireAfterSeconds: 60 }), index({ a: 1 }, 'a')] }, 'app'); // biome-ignore format: one line
  });

  test.for<[change: object, o: object, old: object]>([
    [{ keyPattern: { t: 1 }, expireAfterSeconds: 5 }, { name: 't', expireAfterSeconds: 5 }, { expireAfterSeconds: 60 }],
    [{ name: 't', expireAfterSeconds: 60 }, { name: 't', expireAfterSeconds: 60 }, { expireAfterSeconds: 60 }],
    [
      { name: 't', expireAfterSeconds: 1e12 },
      { name: 't', expireAfterSeconds: 2147483647 },
      { expireAfterSeconds: 60 },
    ],
    [{ name: 'a', expireAfterSeconds: 7 }, { name: 'a', expireAfterSeconds: 7 }, {}],
    [{ name: 't', hidden: true }, { name: 't', hidden: true }, { hidden: false }],
    [{ keyPattern: { a: 1 }, prepareUnique: true }, { name: 'a', prepareUnique: true }, { prepareUnique: false }],
  ])('%j', ([change, o, old]) => {
    expect(primary.run({ collMod: 'c', index: change }, 'app').ok).toBe(1);
    const written = entry();
    expect(written).toMatchObject({ op: 'c', ns: 'app.$cmd', ui: expect.anything() });
    expect(Object.entries(written.o as object)).toEqual([['collMod', 'c'], ['index', o]]); // biome-ignore format: one line
    expect(written.o2).toEqual({ collectionOptions_old: { uuid: written.ui }, indexOptions_old: old });
  });

  test('unique, with what it was prepared by behind it', () => {
    primary.run({ collMod: 'c', index: { name: 'a', prepareUnique: true } }, 'app');
    primary.run({ collMod: 'c', index: { name: 'a', unique: true } }, 'app');
    expect(entry()).toMatchObject({ o: { index: { name: 'a', unique: true } }, o2: { indexOptions_old: {} } });
    primary.run({ collMod: 'c', index: { name: 'a', unique: true }, dryRun: true }, 'app');
    primary.run({ collMod: 'c', index: { name: 'a', forceNonUnique: true } }, 'app');
    expect(entry().o.index).toEqual({ name: 'a', forceNonUnique: true });
  });

  test('what changes nothing is written too, and names no index', () => {
    expect(primary.run({ collMod: 'c', index: { name: 'a', hidden: false } }, 'app')).not.toHaveProperty('hidden_new');
    expect(entry()).toMatchObject({ o: { collMod: 'c' }, o2: { indexOptions_old: {} } });
    expect(entry().o).not.toHaveProperty('index');
  });
});

test('a view is a document', () => {
  const odd = [{ $match: { odd: true } }];
  const primary = LoneMember.primary(0);
  primary.run({ create: 'v', viewOn: 'c', pipeline: odd }, 'app');
  primary.run({ collMod: 'v', viewOn: 'd', pipeline: [] }, 'app');
  primary.run({ drop: 'v' }, 'app');
  const command = { find: 'oplog.rs', filter: { ns: 'app.system.views' }, projection: { _id: 0, op: 1, o: 1, o2: 1 } };
  const { firstBatch } = primary.run(command, 'local').cursor as { firstBatch: Doc[] };
  expect(firstBatch).toEqual([
    { op: 'i', o: { _id: 'app.v', viewOn: 'c', pipeline: odd }, o2: { _id: 'app.v' } },
    { op: 'u', o: { _id: 'app.v', viewOn: 'd', pipeline: [] }, o2: { _id: 'app.v' } },
    { op: 'd', o: { _id: 'app.v' } },
  ]);
});

test('$merge and $out are what clients write by hand', () => {
  const lone = LoneMember.primary(0);
  lone.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] }, 'app');
  const newest = lone.mongod.oplog.endIndex;
  lone.run({ aggregate: 'c', pipeline: [{ $merge: 'm' }], cursor: {} }, 'app');
  lone.run({ aggregate: 'c', pipeline: [{ $set: { n: 1 } }, { $merge: 'm' }], cursor: {} }, 'app');
  lone.run({ aggregate: 'c', pipeline: [{ $out: 'm' }], cursor: {} }, 'app');
  const entries = Array.from({ length: lone.mongod.oplog.endIndex - newest }, (_, i) => lone.mongod.oplog.at(newest + i)!); // biome-ignore format: one line
  expect(entries.map(({ operation }) => operation.op).join('')).toBe('ciiuuciic');
});

test('an update by a pipeline is its delta', () => {
  const lone = LoneMember.primary(0);
  lone.run({ insert: 'c', documents: [{ _id: 1, a: 1, text: 'x'.repeat(100) }] }, 'app');
  lone.run({ update: 'c', updates: [{ q: { _id: 1 }, u: [{ $set: { a: { $add: ['$a', 1] } } }] }] }, 'app');
  const entries = lone.run({ find: 'oplog.rs', filter: { ns: 'app.c', op: 'u' } }, 'local') as Doc;
  expect(entries.cursor.firstBatch).toMatchObject([{ o: { $v: 2, diff: { u: { a: 2 } } }, o2: { _id: 1 } }]);
});

describe('a retried bulkWrite', () => {
  test('does nothing twice, and its oplog entries are those of single writes', () => {
    const lone = LoneMember.primary(0);
    const command = {
      bulkWrite: 1,
      ops: [
        { insert: 0, document: { _id: 1, n: 0 } },
        { update: 0, filter: { _id: 1 }, updateMods: { $inc: { n: 1 } } },
        { update: 0, filter: { _id: 2 }, updateMods: { $inc: { n: 5 } }, upsert: true },
        { delete: 0, filter: { _id: 2 } },
      ],
      nsInfo: [{ ns: 'app.c' }],
      ...RETRYABLE,
    };
    const first = lone.run(command) as Doc;
    const second = lone.run(command) as Doc;
    expect(first).toMatchObject({ ok: 1, nInserted: 1, nMatched: 1, nModified: 1, nUpserted: 1, nDeleted: 1 });
    expect(first.retriedStmtIds).toBeUndefined();
    expect(second).toMatchObject({ ok: 1, nInserted: 1, nMatched: 1, nModified: 1, nUpserted: 1, nDeleted: 1 });
    expect(second.retriedStmtIds).toEqual([0, 1, 2, 3]);
    expect(second.cursor).toEqual(first.cursor);
    const entries = lone.run({ find: 'oplog.rs', filter: { ns: 'app.c' } }, 'local') as Doc;
    const shown = entries.cursor.firstBatch.map(({ op, stmtId }: Doc) => [op, stmtId]);
    expect(shown).toEqual([['i', 0], ['u', 1], ['i', 2], ['d', 3]]); // biome-ignore format: one line
  });
});
