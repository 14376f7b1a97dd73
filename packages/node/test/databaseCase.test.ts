import { UUID } from 'bson';
import { beforeEach, expect, test } from 'vitest';
import { type Doc, LoneMember } from './loneMember.ts';

// Databases whose names differ by the case of their letters alone. Upstream: database_holder_impl.cpp, openDb.

let member: LoneMember;
beforeEach(() => {
  member = LoneMember.primary(0);
  member.run({ create: 'c' }, 'CaSe');
  member.run({ insert: 'from', documents: [{ _id: 1 }] }, 'app');
});

const DIFFERS = {
  code: 13297,
  errmsg: expect.stringContaining('db already exists with different case already have: [CaSe] trying to create [case]'),
};
const pipelineTo = (stage: Doc): Doc => ({ aggregate: 'from', pipeline: [stage], cursor: {} });
const upsert = { q: { _id: 1 }, u: { $set: { a: 1 } }, upsert: true };

test.for<[command: Doc, db: string]>([
  [{ create: 'x' }, 'case'],
  [{ create: 'x', viewOn: 'c', pipeline: [] }, 'case'],
  [{ create: 'x', timeseries: { timeField: 't' } }, 'case'],
  [{ createIndexes: 'x', indexes: [{ key: { a: 1 }, name: 'a_1' }] }, 'case'],
  [{ findAndModify: 'x', query: {}, update: { $set: { a: 1 } }, upsert: true }, 'case'],
  [{ renameCollection: 'app.from', to: 'case.to' }, 'admin'],
  [pipelineTo({ $out: { db: 'case', coll: 'x' } }), 'app'],
  [pipelineTo({ $merge: { into: { db: 'case', coll: 'x' } } }), 'app'],
])('%j in %s', ([command, db]) => {
  expect(member.run(command, db)).toMatchObject({ ok: 0, codeName: 'DatabaseDifferCase', ...DIFFERS });
  expect(databases()).not.toContain('case');
  expect(member.run({ find: 'from' }, 'app')).toMatchObject({ cursor: { firstBatch: [{ _id: 1 }] } });
});

test.for<[ordered: boolean, indexes: number[]]>([
  [true, [0]],
  [false, [0, 1]],
])('of an insert and an update it is the error of each statement, ordered: %s', ([ordered, indexes]) => {
  const writeErrors = indexes.map((index) => ({ index, ...DIFFERS }));
  const documents = [{ _id: 1 }, { _id: 2 }];
  expect(member.run({ insert: 'x', documents, ordered }, 'case')).toMatchObject({ ok: 1, n: 0, writeErrors });
  const updates = [upsert, upsert];
  expect(member.run({ update: 'x', updates, ordered }, 'case')).toMatchObject({ ok: 1, n: 0, writeErrors });
});

test('reads of the other name, and writes that make nothing, find nothing', () => {
  expect(member.run({ find: 'c' }, 'case')).toMatchObject({ ok: 1, cursor: { firstBatch: [] } });
  expect(member.run({ count: 'c' }, 'CASE')).toMatchObject({ ok: 1, n: 0 });
  expect(member.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] }, 'case')).toMatchObject({ ok: 1, n: 0 });
  expect(member.run({ update: 'c', updates: [{ ...upsert, upsert: false }] }, 'case')).toMatchObject({ ok: 1, n: 0 });
  expect(member.run({ dropDatabase: 1 }, 'case')).toMatchObject({ ok: 1 });
  expect(databases()).toContain('CaSe');
});

test('the name itself goes on, and others are free', () => {
  expect(member.run({ insert: 'more', documents: [{}] }, 'CaSe')).toMatchObject({ ok: 1, n: 1 });
  for (const db of ['cas', 'case2', 'ÄB', 'äb']) {
    expect(member.run({ insert: 'x', documents: [{}] }, db)).not.toHaveProperty('writeErrors');
  }
});

test('a database that is gone leaves its name free', () => {
  member.run({ insert: 'd', documents: [{}] }, 'CaSe');
  member.run({ drop: 'c' }, 'CaSe');
  expect(member.run({ create: 'x' }, 'case')).toMatchObject(DIFFERS);
  member.run({ dropDatabase: 1 }, 'CaSe');
  expect(member.run({ create: 'x' }, 'case')).toMatchObject({ ok: 1 });
  expect(member.run({ create: 'c' }, 'CaSe')).toMatchObject({ code: 13297 });
});

test('in a transaction too, of what is there and of what it made itself', () => {
  const lsid = { id: new UUID('0b8a9d4e-3c1f-4b6e-9a52-0123456789ab') };
  const begin = (txnNumber: bigint) => ({ lsid, txnNumber, autocommit: false, startTransaction: true });
  const insert = { insert: 'x', documents: [{ _id: 1 }] };
  expect(member.run({ ...insert, ...begin(1n) }, 'case')).toMatchObject({ writeErrors: [DIFFERS] });
  expect(member.run({ ...insert, ...begin(2n) }, 'new')).toMatchObject({ ok: 1, n: 1 });
  const reply = member.run({ ...insert, lsid, txnNumber: 2n, autocommit: false }, 'NEW');
  expect(reply).toMatchObject({ writeErrors: [{ code: 13297 }] });
});

function databases(): unknown[] {
  const { databases: all } = member.run({ listDatabases: 1, nameOnly: true }, 'admin') as { databases: Doc[] };
  return all.map(({ name }) => name);
}
