import { Binary, Long, Timestamp } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { TransactionClient } from './transactionClient.ts';

// What a statement, a session, the end of a transaction may say, and what becomes of the transaction if they say more.

let asked: AskedSet;
let sessions = 0;
beforeAll(async () => {
  asked = await AskedSet.start(1);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }] });
  await asked.ok('n1', { create: 'capped', capped: true, size: 10_000 });
});

async function begun(): Promise<TransactionClient> {
  sessions += 1;
  const client = new TransactionClient(asked, sessions).begin();
  await client.find('c');
  return client;
}

const uuid = (byte: number) => new Binary(new Uint8Array(16).fill(byte), Binary.SUBTYPE_UUID);

test.for<[what: string, command: Doc, code: number]>([
  ['a system collection', { create: 'system.foo' }, 263],
  ['a system collection that others may make', { create: 'system.js' }, 263],
  ['an index of a system collection', { createIndexes: 'system.js', indexes: [{ key: { a: 1 }, name: 'a' }] }, 263],
])('no transaction makes %s', async ([, command, code]) => {
  const client = await begun();
  expect(await client.run(command)).toMatchObject({ code });
  expect(await client.abort()).toMatchObject({ code: 251 });
});

test('an index of a collection that was there before is refused by another phrase than one of documents of its own', async () => {
  const index = { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] };
  expect((await (await begun()).run(index)).errmsg).toMatch(/Cannot create new indexes on existing collection app.c/);
  const client = await begun();
  await client.insert('fresh', { _id: 1 });
  const own = await client.run({ ...index, createIndexes: 'fresh' });
  expect(own.errmsg).toMatch(/Cannot create new indexes on non-empty collection app.fresh/);
});

describe('a snapshot of what has no past', () => {
  const snapshot = { readConcern: { level: 'snapshot' } };
  const CAPPED = 'Reading from capped collections with readConcern snapshot is not supported';

  test.for<Doc>([
    { find: 'capped' },
    { distinct: 'capped', key: 'a' },
    { aggregate: 'capped', pipeline: [{ $group: { _id: '$a' } }], cursor: {} },
    { aggregate: 'capped', pipeline: [{ $sort: { a: 1 } }], cursor: {} },
    { aggregate: 'c', pipeline: [{ $unionWith: 'capped' }], cursor: {} },
  ])('%o is not to be had, in a transaction or outside', async (command) => {
    const outside = await asked.run('n1', { ...command, ...snapshot });
    expect(outside).toMatchObject({ code: 246, errmsg: expect.stringContaining(CAPPED) });
    sessions += 1;
    const client = new TransactionClient(asked, sessions).begin();
    const inside = await client.run({ ...command, ...snapshot });
    expect(inside).toMatchObject({ code: 246, errorLabels: ['TransientTransactionError'] });
    expect(await client.abort()).toMatchObject({ code: 251 });
    const local = new TransactionClient(asked, sessions).begin();
    local.txnNumber += 1;
    await local.ok(command);
    await local.abort();
  });

  test('nor are the rows of sessions, and images', async () => {
    await asked.ok('n1', { create: 'imaged', changeStreamPreAndPostImages: { enabled: true } });
    const rows = await asked.run('n1', { find: 'transactions', ...snapshot }, 'config');
    expect(rows).toMatchObject({ code: 5557800 });
    const { operationTime } = await asked.ok('n1', { ping: 1 });
    const causal = { level: 'majority', afterClusterTime: operationTime };
    const after = await asked.run('n1', { find: 'transactions', readConcern: causal }, 'config');
    expect(after).toMatchObject({ code: 5557800 });
    await asked.ok('n1', { find: 'transactions', readConcern: { level: 'majority' } }, 'config');
    const images = await asked.run('n1', { find: 'system.preimages', ...snapshot }, 'config');
    expect(images).toMatchObject({ code: 7829600 });
  });
});

test.for<[more: Doc, code: number]>([
  [{ recoveryToken: { recoveryShardId: 's' } }, 0],
  [{ recoveryToken: 1 }, 14],
  [{ commitTimestamp: new Timestamp({ t: 1, i: 1 }) }, 72],
  [{ commitTimestamp: 1 }, 14],
  [{ durableTimestamp: new Timestamp({ t: 1, i: 1 }) }, 40415],
  [{ nope: 1 }, 40415],
])('a commit that says %o gives %i', async ([more, code]) => {
  expect((await (await begun()).commit(more)).code ?? 0).toBe(code);
});

test.for<[more: Doc, code: number]>([
  [{ recoveryToken: {} }, 0],
  [{ recoveryToken: 1 }, 14],
  [{ commitTimestamp: new Timestamp({ t: 1, i: 1 }) }, 40415],
])('an abort that says %o gives %i', async ([more, code]) => {
  expect((await (await begun()).abort(more)).code ?? 0).toBe(code);
});

describe('whose session it is', () => {
  const NOBODY = Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex');

  test.for<[more: Doc, code: number]>([
    [{ uid: new Binary(NOBODY) }, 0],
    [{ uid: new Binary(new Uint8Array(32)) }, 13],
    [{ uid: new Binary(new Uint8Array(31)) }, 14],
    [{ uid: 1 }, 14],
    [{ txnUUID: uuid(9) }, 72],
    [{ txnNumber: Long.fromNumber(1), txnUUID: uuid(9) }, 72],
    [{ nope: 1 }, 40415],
  ])('an lsid with %o gives %i', async ([more, code]) => {
    const lsid = { id: uuid(200), ...more };
    expect((await asked.run('n1', { find: 'c', lsid })).code ?? 0).toBe(code);
    for (const name of ['refreshSessions', 'endSessions'])
      expect((await asked.run('n1', { [name]: [lsid] })).code ?? 0).toBe(code);
    // Without access control everybody may kill any session, so it may be somebody else's.
    expect((await asked.run('n1', { killSessions: [lsid] })).code ?? 0).toBe(code === 13 ? 0 : code);
  });

  test.for<[command: Doc, ends: boolean | number]>([
    [{ killAllSessions: [] }, true],
    [{ killAllSessions: [{ user: 'ada', db: 'app' }] }, false],
    [{ killAllSessions: [{ user: 'ada' }] }, 40414],
    [{ killAllSessions: [{ user: 'ada', db: 'app', nope: 1 }] }, 40415],
    [{ killAllSessions: [{ user: 1, db: 'app' }] }, 14],
    [{ killAllSessionsByPattern: [] }, true],
    [{ killAllSessionsByPattern: [{}] }, true],
    [{ killAllSessionsByPattern: [{ uid: new Binary(NOBODY) }] }, true],
    [{ killAllSessionsByPattern: [{ uid: new Binary(new Uint8Array(32)) }] }, false],
    [{ killAllSessionsByPattern: [{ users: [{ user: 'ada', db: 'app' }] }] }, true],
    [{ killAllSessionsByPattern: [{ users: [{ nope: 1 }] }] }, 40415],
    [{ killAllSessionsByPattern: [{ roles: [{ role: 'r' }] }] }, 40414],
    [{ killAllSessionsByPattern: [{ lsid: { id: uuid(201) } }] }, false],
    [{ killAllSessionsByPattern: [{ nope: 1 }] }, 40415],
    [{ killAllSessionsByPattern: [{ uid: 5 }] }, 14],
  ])('%o: %o', async ([command, ends]) => {
    const client = await begun();
    const reply = await asked.run('n1', command);
    expect(reply.code ?? 0).toBe(typeof ends === 'number' ? ends : 0);
    expect((await client.abort()).code ?? 0).toBe(ends === true ? 251 : 0);
  });
});

// Upstream: retryable_writes_direct_write_to_config_transactions.
test('retryable writes fail once what tells of them was dropped, and are not carried out a second time', async () => {
  const asked = await AskedSet.start(1);
  const lsid = { id: new Binary(new Uint8Array(16).fill(1), Binary.SUBTYPE_UUID) };
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, n: 0 }] });
  const retried = { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }], lsid, txnNumber: Long.ONE };
  expect(await asked.ok('n1', retried)).toMatchObject({ nModified: 1 });
  await asked.ok('n1', { drop: 'transactions' }, 'config');
  const insert = { insert: 'c', documents: [{ _id: 2 }, { _id: 3 }], lsid, txnNumber: Long.fromNumber(2) };
  for (const command of [retried, insert]) {
    const { writeErrors } = await asked.run('n1', command);
    expect(writeErrors).toMatchObject([{ index: 0, code: 40527 }]);
  }
  expect(await asked.documents('n1', 'c')).toEqual([{ _id: 1, n: 1 }]);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 4 }] });
  await asked.set.close();
});
