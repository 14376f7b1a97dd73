import { Long, Timestamp, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

// Documents that the server itself reads, written by hand. Upstream: session_catalog_mongod.cpp, fcv_op_observer.cpp,
// read_write_concern_defaults.cpp, database_impl.cpp.

const lsid = { id: new UUID('0b8a9d4e-3c1f-4b6e-9a52-0123456789ab').toBinary() };

describe('rows of sessions', () => {
  const inserted = (document: Doc, more: Doc = {}) => {
    const member = LoneMember.primary(0);
    return { member, reply: member.run({ insert: 'transactions', documents: [document], ...more }, 'config') };
  };

  test.for<[name: string, document: Doc, code: number]>([
    ['no document', { _id: 1 }, 13111],
    ['nothing', {}, 13111],
    ['no session', { _id: { x: 1 } }, 40415],
    ['no UUID', { _id: { id: 1 } }, 14],
  ])('whose _id is %s', ([, document, code]) => {
    expect(inserted(document).reply).toMatchObject({ n: 0, writeErrors: [{ index: 0, code }] });
  });

  test('are not written from within one', () => {
    const refused = { n: 0, writeErrors: [{ code: 40528 }] };
    const { member, reply } = inserted({ _id: lsid }, { lsid });
    expect(reply).toMatchObject(refused);
    expect(member.run({ insert: 'transactions', documents: [{ _id: lsid }] }, 'config')).toMatchObject({ n: 1 });
    const q = { q: {} };
    expect(
      member.run({ update: 'transactions', updates: [{ ...q, u: { $set: { a: 1 } } }], lsid }, 'config'),
    ).toMatchObject(refused);
    expect(member.run({ delete: 'transactions', deletes: [{ ...q, limit: 0 }], lsid }, 'config')).toMatchObject(
      refused,
    );
    expect(member.run({ delete: 'transactions', deletes: [{ ...q, limit: 0 }] }, 'config')).toMatchObject({ n: 1 });
  });

  test.for<[what: string, fields: Doc]>([
    ['nothing else', {}],
    ['no number', { txnNum: 'x' }],
    ['no opTime', { txnNum: Long.fromInt(1), lastWriteOpTime: 5, lastWriteDate: 'now' }],
    ['half an opTime', { txnNum: Long.fromInt(1), lastWriteOpTime: { ts: new Timestamp({ t: 1, i: 1 }) } }],
    ['no state', { txnNum: Long.fromInt(1), state: 7, startOpTime: 'x' }],
  ])('that hold %s are of no session, and break nothing', ([, fields]) => {
    const { member, reply } = inserted({ _id: lsid, ...fields });
    expect(reply).toMatchObject({ n: 1 });
    // Checkpoints, and the removal of what abandoned sessions left.
    member.advance(3_600_000);
    const write = { insert: 'c', documents: [{ _id: 1 }], lsid, txnNumber: Long.fromInt(1) };
    expect(member.run(write)).toMatchObject({ ok: 1, n: 1 });
    expect(member.run(write)).toMatchObject({ ok: 1, n: 1, retriedStmtIds: [0] });
  });
});

test('the feature compatibility version is one that there is, and stays', () => {
  const member = LoneMember.primary(0);
  const update = (u: Doc) => member.run({ update: 'system.version', updates: [{ q: {}, u }] }, 'admin');
  expect(update({ $set: { version: 'x' } })).toMatchObject({ n: 0, writeErrors: [{ code: 4926900 }] });
  expect(update({ $set: { version: 8 } })).toMatchObject({ n: 0, writeErrors: [{ code: 4926900 }] });
  expect(update({ $set: { version: '8.0', note: 1 } })).toMatchObject({ n: 1, nModified: 1 });
  const deleted = member.run({ delete: 'system.version', deletes: [{ q: {}, limit: 0 }] }, 'admin');
  expect(deleted).toMatchObject({ n: 0, writeErrors: [{ code: 40670 }] });
  expect(member.run({ insert: 'system.version', documents: [{ _id: 'mine' }] }, 'admin')).toMatchObject({ n: 1 });
});

test('defaults of concerns can be read', () => {
  const member = LoneMember.primary(0);
  const _id = 'ReadWriteConcernDefaults';
  const insert = (document: Doc) => member.run({ insert: 'settings', documents: [{ _id, ...document }] }, 'config');
  expect(insert({ defaultWriteConcern: 'x' })).toMatchObject({ n: 0, writeErrors: [{ code: 14 }] });
  expect(insert({ defaultReadConcern: { level: 'far' } })).toMatchObject({ n: 0, writeErrors: [{ code: 9 }] });
  expect(insert({ defaultWriteConcern: { w: 1 } })).toMatchObject({ n: 1 });
  expect(member.run({ insert: 'settings', documents: [{ _id: 'balancer' }] }, 'config')).toMatchObject({ n: 1 });
});

test.for<[db: string, collection: string]>([
  ['admin', 'system.version'],
  ['config', 'system.indexBuilds'],
])('%s.%s stays', ([db, drop]) => {
  const member = LoneMember.primary(0);
  if (db === 'admin') member.run({ insert: drop, documents: [{}] }, db);
  expect(member.run({ drop }, db)).toMatchObject({ code: 20, errmsg: `can't drop system collection ${db}.${drop}` });
});

test.for(['replset.election', 'replset.minvalid'])('local.%s has an _id, and can be written by hand', (collection) => {
  const member = LoneMember.primary(0);
  const find = () => (member.run({ find: collection }, 'local') as { cursor: { firstBatch: Doc[] } }).cursor.firstBatch;
  const [before] = find();
  expect(before).toHaveProperty('_id');
  const updates = [{ q: {}, u: { $set: { term: 'x' } }, multi: true }];
  expect(member.run({ update: collection, updates }, 'local')).toMatchObject({ n: 1 });
  expect(find()).toEqual([{ ...before, term: 'x' }]);
  expect(member.run({ delete: collection, deletes: [{ q: {}, limit: 0 }] }, 'local')).toMatchObject({ n: 1 });
  member.advance(120_000);
});
