import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { TransactionClient } from './transactionClient.ts';

// Multi-document transactions on a whole set in virtual time: what they see, what they leave, and who ends them.

const ALL = { w: 3, j: true };

/** A set of three whose `app.c` holds `{ _id: 1, n: 0 }` and `{ _id: 2, n: 0 }` everywhere. */
async function aSet(parameters: Doc = {}): Promise<AskedSet> {
  const members = ['n1', 'n2', 'n3'].map((name) => ({ name, parameters }));
  const asked = await AskedSet.start(members);
  const documents = [1, 2].map((_id) => ({ _id, n: 0 }));
  await asked.ok(asked.primary, { insert: 'c', documents, writeConcern: ALL });
  return asked;
}

const inc = (_id: number, by = 1) => ({ update: 'c', updates: [{ q: { _id }, u: { $inc: { n: by } } }] });
const others = (asked: AskedSet) => asked.set.memberNames.filter((name) => name !== asked.primary);

async function rowsOf(asked: AskedSet, member: string): Promise<Doc[]> {
  return asked.documents(member, 'transactions', 'config');
}

async function entriesOf(asked: AskedSet, member: string): Promise<Doc[]> {
  const filter = { op: 'c', lsid: { $exists: true } };
  const { cursor } = await asked.ok(
    member,
    { find: 'oplog.rs', filter, $readPreference: { mode: 'nearest' } },
    'local',
  );
  return cursor.firstBatch;
}

describe('one entry', () => {
  test('has the fields of a mongod in its order, and every member has the row', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.insert('c', { _id: 3 });
    await client.ok(inc(1));
    await client.ok({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    await client.insert('made', { _id: 1 });
    expect((await client.commit({ writeConcern: ALL })).ok).toBe(1);
    const [entry, ...more] = await entriesOf(asked, asked.primary);
    expect(more).toEqual([]);
    expect(Object.keys(entry!)).toEqual(
      ['lsid', 'txnNumber', 'op', 'ns', 'o', 'ts', 't', 'v', 'wall', 'prevOpTime'], // biome-ignore format: a list
    );
    expect(Object.keys(entry!.o)).toEqual(['applyOps']);
    expect(entry!.o.applyOps.map(({ op, ns }: Doc) => [op, ns])).toEqual([
      ['i', 'app.c'],
      ['u', 'app.c'],
      ['d', 'app.c'],
      ['c', 'app.$cmd'],
      ['i', 'app.made'],
    ]);
    expect(entry!.o.applyOps[1]).not.toHaveProperty('stmtId');
    expect(entry!.prevOpTime.t).toBe(-1);
    for (const member of asked.set.memberNames) {
      expect(await asked.documents(member, 'c')).toEqual([{ _id: 1, n: 1 }, { _id: 3 }]);
      expect(await asked.documents(member, 'made')).toEqual([{ _id: 1 }]);
      const [row] = await rowsOf(asked, member);
      expect(Object.keys(row!)).toEqual(['_id', 'txnNum', 'lastWriteOpTime', 'lastWriteDate', 'state']);
      expect(row).toMatchObject({ txnNum: 1, state: 'committed', lastWriteOpTime: { ts: entry!.ts } });
    }
    await asked.set.close();
  });

  test('a transaction that wrote nothing leaves a no-op and no row', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.find('c');
    await client.ok({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { n: 0 } } }] });
    expect((await client.commit()).ok).toBe(1);
    expect(await entriesOf(asked, asked.primary)).toEqual([]);
    expect(await rowsOf(asked, asked.primary)).toEqual([]);
    const { cursor } = await asked.ok(asked.primary, { find: 'oplog.rs', sort: { $natural: -1 }, limit: 1 }, 'local');
    expect(cursor.firstBatch[0]).toMatchObject({
      op: 'n',
      o: { msg: expect.stringMatching(/^read-only transaction with writeConcern { w: "majority", wtimeout: 0, /) },
    });
    await asked.set.close();
  });
});

describe('what it sees', () => {
  test('its own writes and its snapshot, also in a cursor that goes on', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    const { cursor } = await client.ok({ find: 'c', batchSize: 1, sort: { _id: 1 } });
    await asked.ok(asked.primary, { insert: 'c', documents: [{ _id: 3 }] });
    await asked.ok(asked.primary, { delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    const next = await client.ok({ getMore: cursor.id, collection: 'c' });
    expect(next.cursor.nextBatch).toEqual([{ _id: 2, n: 0 }]);
    await client.insert('c', { _id: 4 });
    expect((await client.find('c')).map(({ _id }) => _id)).toEqual([1, 2, 4]);
    const counted = await client.ok({ aggregate: 'c', pipeline: [{ $count: 'n' }], cursor: {} });
    expect(counted.cursor.firstBatch).toEqual([{ n: 3 }]);
    expect((await asked.documents(asked.primary, 'c')).map(({ _id }) => _id)).toEqual([1, 3]);
    await client.abort();
    await asked.set.close();
  });

  test('cursors belong to their transaction, and end with it', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    const { cursor } = await client.ok({ find: 'c', batchSize: 1 });
    const getMore = { getMore: cursor.id, collection: 'c' };
    expect((await asked.run(asked.primary, { ...getMore, lsid: client.lsid })).code).toBe(50740);
    await client.commit();
    expect((await asked.run(asked.primary, { ...getMore, lsid: client.lsid })).code).toBe(43);
    await asked.set.close();
  });
});

describe('conflicts', () => {
  test('a single write waits until the transaction is over, and then goes on with what it left', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1, 10));
    const waiting = asked.send(asked.primary, inc(1));
    const limited = await asked.run(asked.primary, { ...inc(1), maxTimeMS: 500 });
    expect(limited.code).toBe(50);
    expect(waiting.reply()).toBeUndefined();
    await client.commit();
    await asked.until(() => waiting.reply() !== undefined);
    expect(waiting.reply()).toMatchObject({ ok: 1, nModified: 1 });
    expect((await asked.documents(asked.primary, 'c'))[0]).toEqual({ _id: 1, n: 11 });
    const { metrics } = await asked.ok(asked.primary, { serverStatus: 1 }, 'admin');
    expect(metrics.operation.writeConflicts).toBeGreaterThan(3);
    await asked.set.close();
  });

  test.for<[name: string, command: Doc, after: Doc]>([
    ['insert', { insert: 'c', documents: [{ _id: 3 }] }, { n: 0, writeErrors: [{ code: 11000 }] }],
    ['delete', { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }, { n: 1 }],
    ['delete of many', { delete: 'c', deletes: [{ q: {}, limit: 0 }] }, { n: 2 }],
    [
      'update of many',
      { update: 'c', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] },
      { n: 2, nModified: 2 },
    ],
    ['findAndModify', { findAndModify: 'c', query: { _id: 1 }, remove: true }, { value: { _id: 1, n: 5 } }],
    [
      'upsert',
      { update: 'c', updates: [{ q: { _id: 3 }, u: { $inc: { n: 1 } }, upsert: true }] },
      { n: 1, nModified: 1 },
    ],
  ])('%s waits', async ([, command, after]) => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1, 5));
    await client.insert('c', { _id: 3 });
    const waiting = asked.send(asked.primary, command);
    await asked.pass(2_000);
    expect(waiting.reply()).toBeUndefined();
    await client.commit();
    await asked.until(() => waiting.reply() !== undefined);
    expect(waiting.reply()).toMatchObject({ ok: 1, ...after });
    await asked.set.close();
  });

  test('an error of one statement ends the transaction, the rest of an unordered batch with it', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    const reply = await client.run({ insert: 'c', documents: [{ _id: 3 }, { _id: 1 }, { _id: 4 }], ordered: false });
    expect(reply).toMatchObject({ ok: 1, n: 1, writeErrors: [{ index: 1, code: 11000 }] });
    expect(reply.errorLabels).toBeUndefined();
    expect(await client.commit()).toMatchObject({ ok: 0, code: 251, errorLabels: ['TransientTransactionError'] });
    expect(await asked.documents(asked.primary, 'c')).toHaveLength(2);
    await asked.set.close();
  });

  test('an expired document that a transaction has written is deleted once that is over', async () => {
    const asked = await aSet();
    await asked.ok(asked.primary, {
      createIndexes: 't',
      indexes: [{ key: { at: 1 }, name: 'at', expireAfterSeconds: 1 }],
    });
    await asked.ok(asked.primary, {
      insert: 't',
      documents: [
        { _id: 1, at: new Date(0) },
        { _id: 2, at: new Date(0) },
      ],
    });
    const client = new TransactionClient(asked).begin();
    const later = new Date(asked.set.wallMs(asked.primary) + 3_600_000);
    await client.ok({ update: 't', updates: [{ q: { _id: 1 }, u: { $set: { at: later } } }] });
    await asked.pass(59_000);
    expect(await asked.documents(asked.primary, 't')).toHaveLength(2);
    await client.commit();
    await asked.pass(61_000);
    expect(await asked.documents(asked.primary, 't')).toEqual([{ _id: 1, at: later }]);
    await asked.set.close();
  });
});

describe('who ends it', () => {
  test('nobody commits it for its lifetime: the write that waits goes on, the next statement hears of it', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1, 10));
    const waiting = asked.send(asked.primary, inc(1));
    await asked.pass(58_000);
    expect(waiting.reply()).toBeUndefined();
    await asked.pass(33_000);
    expect(waiting.reply()).toMatchObject({ nModified: 1 });
    expect(await client.run(inc(1))).toMatchObject({ code: 251, errorLabels: ['TransientTransactionError'] });
    await asked.set.close();
  });

  test.for<[name: string, end: (asked: AskedSet, client: TransactionClient) => Promise<Doc>]>([
    ['killAllSessions', (asked) => asked.ok(asked.primary, { killAllSessions: [] }, 'admin')],
    ['killSessions', (asked, { lsid }) => asked.ok(asked.primary, { killSessions: [lsid] }, 'admin')],
    ['endSessions', (asked, { lsid }) => asked.ok(asked.primary, { endSessions: [lsid] }, 'admin')],
    ['a higher number', (_, client) => client.begin().ok({ find: 'c' })],
    ['a retryable write', (asked, { lsid }) => asked.ok(asked.primary, { ...inc(2), lsid, txnNumber: 9n })],
  ])('%s', async ([, end]) => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    await end(asked, client);
    await asked.ok(asked.primary, inc(1, 7));
    expect((await asked.documents(asked.primary, 'c'))[0]).toEqual({ _id: 1, n: 7 });
    await asked.set.close();
  });

  test('a step-down: a statement that comes later finds no primary, and then no transaction', async () => {
    const asked = await aSet();
    const old = asked.primary;
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    await asked.run(old, { replSetStepDown: 20 }, 'admin');
    expect(await client.run(inc(2), old)).toMatchObject({ code: 10107, errorLabels: ['TransientTransactionError'] });
    await asked.untilPrimary();
    expect(await client.run(inc(2))).toMatchObject({ code: 251, errorLabels: ['TransientTransactionError'] });
    expect((await asked.documents(asked.primary, 'c')).map(({ n }) => n)).toEqual([0, 0]);
    await asked.set.close();
  });
});

describe('what shards would send', () => {
  test('prepareTransaction gives the transaction up', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    expect(await client.run({ prepareTransaction: 1, writeConcern: { w: 1 } }, asked.primary, 'admin')).toMatchObject({
      code: 203,
      codeName: 'ShardingStateNotInitialized',
    });
    expect(await client.commit()).toMatchObject({ code: 251 });
    await asked.set.close();
  });

  test('coordinateCommitTransaction leaves it as it is, and begins none', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    const coordinate = { coordinateCommitTransaction: 1, participants: [] };
    expect(await client.run(coordinate, asked.primary, 'admin')).toMatchObject({ code: 203 });
    expect(await client.commit()).toMatchObject({ ok: 1 });
    expect(await client.begin().run(coordinate, asked.primary, 'admin')).toMatchObject({ code: 203 });
    expect(await client.commit()).toMatchObject({ code: 251 });
    await asked.set.close();
  });
});

describe('a commit', () => {
  test('that is repeated is answered again, on the next primary too, and writes nothing', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    await client.commit({ writeConcern: { w: 'majority' } });
    expect((await client.commit()).ok).toBe(1);
    expect(await client.abort()).toMatchObject({ ok: 0, code: 256 });
    await asked.failOver();
    expect(await client.commit({ writeConcern: { w: 'majority', wtimeout: 10_000 } })).toMatchObject({ ok: 1 });
    expect(await entriesOf(asked, asked.primary)).toHaveLength(1);
    expect((await asked.documents(asked.primary, 'c'))[0]).toEqual({ _id: 1, n: 1 });
    await asked.set.close();
  });

  test('that nobody else got is lost with its primary, as a whole', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    await client.ok(inc(2));
    const old = asked.primary;
    asked.set.partition([[old], others(asked)]);
    expect((await client.commit({ writeConcern: { w: 1 } }, old)).ok).toBe(1);
    await asked.until(() =>
      asked.set.memberNames.some((name) => name !== old && asked.now(name, { hello: 1 }).isWritablePrimary),
    );
    const primary = others(asked)
      .concat(asked.primary)
      .find((name) => name !== old && asked.now(name, { hello: 1 }).isWritablePrimary)!;
    expect(await client.commit({}, primary)).toMatchObject({ code: 251, errorLabels: ['TransientTransactionError'] });
    await asked.ok(primary, inc(2, 5));
    asked.set.heal('all');
    await asked.until(() => asked.state(old) === 2);
    await asked.pass(5_000);
    expect(await asked.documents(old, 'c')).toEqual([
      { _id: 1, n: 0 },
      { _id: 2, n: 5 },
    ]);
    expect(await rowsOf(asked, old)).toEqual(await rowsOf(asked, primary));
    await asked.set.close();
  });

  test('survives a restart of all members', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    await client.insert('made', { _id: 1 });
    await client.commit({ writeConcern: ALL });
    for (const name of asked.set.memberNames) asked.set.kill(name);
    for (const name of asked.set.memberNames) await asked.set.start(name);
    await asked.untilPrimary();
    expect((await client.commit()).ok).toBe(1);
    expect(await asked.documents(asked.primary, 'made')).toEqual([{ _id: 1 }]);
    await asked.set.close();
  });

  test('whose transaction is unknown waits with its answer until that is certain', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    client.statement({});
    for (const name of others(asked)) asked.set.hold(name, 'fetch');
    const reply = await client.commit({ writeConcern: { w: 'majority', wtimeout: 1_000 } });
    expect(reply).toMatchObject({ ok: 0, code: 251, writeConcernError: { code: 64 } });
    expect(reply.errorLabels).toBeUndefined();
    await asked.set.close();
  });
});

describe('chains', () => {
  const small = { maxNumberOfTransactionOperationsInSingleOplogEntry: 2 };

  test('several entries hang on each other, and come into the data of the others as one', async () => {
    const asked = await aSet(small);
    const client = new TransactionClient(asked).begin();
    await client.insert('c', ...[3, 4, 5, 6, 7].map((_id) => ({ _id })));
    await client.commit({ writeConcern: ALL });
    const entries = await entriesOf(asked, others(asked)[0]!);
    expect(entries.map(({ o }) => [o.applyOps.length, o.partialTxn, o.count])).toEqual([
      [2, true, undefined],
      [2, true, undefined],
      [1, undefined, 5],
    ]);
    expect(entries[1]!.prevOpTime.ts).toEqual(entries[0]!.ts);
    expect(entries[2]!.prevOpTime.ts).toEqual(entries[1]!.ts);
    for (const member of asked.set.memberNames) {
      expect(await asked.documents(member, 'c')).toHaveLength(7);
      expect(Object.keys((await rowsOf(asked, member))[0]!)).not.toContain('startOpTime');
    }
    await asked.set.close();
  });

  test('survive a restart of all members', async () => {
    const asked = await aSet(small);
    const client = new TransactionClient(asked).begin();
    await client.insert('c', ...[3, 4, 5, 6, 7].map((_id) => ({ _id })));
    await client.commit({ writeConcern: ALL });
    for (const name of asked.set.memberNames) asked.set.kill(name);
    for (const name of asked.set.memberNames) await asked.set.start(name);
    await asked.untilPrimary();
    expect(await asked.documents(asked.primary, 'c')).toHaveLength(7);
    expect((await client.commit()).ok).toBe(1);
    await asked.set.close();
  });
});

describe('the catalog', () => {
  test('a collection and its index are made inside, and are there for others after the commit', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok({ create: 'made' });
    await client.ok({ createIndexes: 'made', indexes: [{ key: { a: 1 }, name: 'a' }] });
    await client.insert('made', { _id: 1, a: 1 });
    expect((await client.find('made', { a: 1 })).length).toBe(1);
    await client.commit({ writeConcern: ALL });
    for (const member of asked.set.memberNames) {
      const { cursor } = await asked.ok(member, { listIndexes: 'made', $readPreference: { mode: 'nearest' } });
      expect(cursor.firstBatch.map(({ name }: Doc) => name)).toEqual(['_id_', 'a']);
    }
    await asked.set.close();
  });

  test.for<[name: string, command: Doc, code: number]>([
    ['create of what is there', { create: 'c' }, 48],
    ['create of a view', { create: 'v', viewOn: 'c', pipeline: [] }, 263],
    ['create of a time series', { create: 's', timeseries: { timeField: 't' } }, 263],
    ['createIndexes on what was there before', { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] }, 263],
    ['$out', { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }, 263],
    ['a tailable find', { find: 'c', tailable: true }, 72],
    ['a find that reads once', { find: 'c', readOnce: true }, 263],
  ])('%s ends it', async ([, command, code]) => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    expect(await client.run(command)).toMatchObject({ ok: 0, code });
    expect(await client.commit()).toMatchObject({ ok: 0, code: 251 });
    await asked.set.close();
  });

  test('an index that came after its snapshot ends it at the first write, and not at a read', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.find('other');
    await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { late: 1 }, name: 'late' }] });
    await client.find('c');
    const reply = await client.run(inc(1));
    expect(reply).toMatchObject({ ok: 0, code: 112, errorLabels: ['TransientTransactionError'] });
    expect(await client.commit()).toMatchObject({ ok: 0, code: 251 });
    await asked.set.close();
  });

  test('what cannot run in a transaction at all leaves it as it was', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.ok(inc(1));
    for (const command of [{ count: 'c' }, { drop: 'c' }, { listCollections: 1 }]) {
      expect(await client.run(command)).toMatchObject({ ok: 0, code: 263 });
    }
    expect(await client.run({ find: 'c', readConcern: { level: 'local' } })).toMatchObject({ ok: 0, code: 72 });
    expect((await client.commit()).ok).toBe(1);
    await asked.set.close();
  });

  test('who wants a collection for himself waits, and newcomers give up soon', async () => {
    const asked = await aSet();
    const [one, two] = [new TransactionClient(asked, 1).begin(), new TransactionClient(asked, 2).begin()];
    await one.find('c');
    const drop = asked.send(asked.primary, { drop: 'c' });
    const index = asked.send(asked.primary, { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] });
    await asked.pass(1_000);
    expect([drop.reply(), index.reply()]).toEqual([undefined, undefined]);
    expect((await asked.run(asked.primary, { drop: 'c', maxTimeMS: 100 })).code).toBe(50);
    await two.find('other');
    expect(await two.run({ find: 'c' })).toMatchObject({ code: 24, errorLabels: ['TransientTransactionError'] });
    await one.find('c');
    await one.commit();
    await asked.until(() => drop.reply() !== undefined && index.reply() !== undefined);
    expect(drop.reply()).toMatchObject({ ok: 1 });
    await asked.set.close();
  });

  test('a name that somebody took meanwhile fails the commit', async () => {
    const asked = await aSet();
    const client = new TransactionClient(asked).begin();
    await client.insert('made', { _id: 1 });
    await client.ok(inc(1));
    await asked.ok(asked.primary, { create: 'made' });
    expect(await client.commit()).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
    expect((await asked.documents(asked.primary, 'c'))[0]).toEqual({ _id: 1, n: 0 });
    await asked.set.close();
  });
});

test('what a member tells of its transactions', async () => {
  const asked = await aSet();
  await asked.ok(asked.primary, { profile: 0, slowms: 50 }, 'admin');
  const client = new TransactionClient(asked).begin();
  await client.ok(inc(1));
  const status = async () => (await asked.ok(asked.primary, { serverStatus: 1 }, 'admin')).transactions;
  expect(await status()).toMatchObject({ currentOpen: 1, currentInactive: 1, currentActive: 0, totalStarted: 1 });
  const { cursor } = await asked.ok(
    asked.primary,
    { aggregate: 1, pipeline: [{ $currentOp: {} }, { $match: { type: 'idleSession' } }], cursor: {} },
    'admin',
  );
  expect(cursor.firstBatch).toMatchObject([
    { desc: 'inactive transaction', active: false, transaction: { parameters: { txnNumber: 1, autocommit: false } } },
  ]);
  await asked.pass(100);
  await client.commit();
  expect(await status()).toMatchObject({
    currentOpen: 0,
    totalCommitted: 1,
    lastCommittedTransaction: { operationCount: 1 },
  });
  const { log } = await asked.ok(asked.primary, { getLog: 'global' }, 'admin');
  const line = log.map((each: string) => JSON.parse(each)).find(({ id }: Doc) => id === 51802);
  expect(line).toMatchObject({ c: 'TXN', attr: { terminationCause: 'committed', parameters: { autocommit: false } } });
  await asked.set.close();
});

test('a chain whose primary dies before its end is given up by the next one, on every member', async () => {
  const asked = await aSet({ maxNumberOfTransactionOperationsInSingleOplogEntry: 1 });
  const client = new TransactionClient(asked).begin();
  // Replies to those who fetch hold 16 MB, so that the links of this chain travel one by one.
  const text = 'x'.repeat(9_000_000);
  for (const _id of [3, 4, 5]) await client.insert('c', { _id, text });
  const old = asked.primary;
  const [second, third] = others(asked) as [string, string];
  const linksOn = (member: string) => {
    const find = { find: 'oplog.rs', filter: { 'o.partialTxn': true }, projection: { ts: 1 } };
    return asked.now(member, { ...find, $readPreference: { mode: 'nearest' } }, 'local').cursor.firstBatch.length;
  };
  const committing = asked.send(old, client.statement({ commitTransaction: 1, writeConcern: { w: 1 } }), 'admin');
  await asked.until(() => linksOn(second) + linksOn(third) > 0);
  expect(committing.reply()).toMatchObject({ ok: 1 });
  asked.set.kill(old);
  await asked.untilPrimary();
  await asked.pass(5_000);
  for (const member of [second, third]) {
    expect((await asked.documents(member, 'c')).map(({ _id }) => _id)).toEqual([1, 2]);
    const [row] = await rowsOf(asked, member);
    expect(row).toMatchObject({ state: 'aborted' });
    const entries = await entriesOf(asked, member);
    expect(entries.at(-1)).toMatchObject({ o: { abortTransaction: 1 }, prevOpTime: { ts: entries.at(-2)!.ts } });
  }
  expect(await client.commit()).toMatchObject({ code: 251 });
  await asked.set.close();
});

test('a limit that is lowered while the set runs ends a transaction in time', async () => {
  const asked = await aSet();
  const client = new TransactionClient(asked).begin();
  await client.insert('c', { _id: 3 });
  await client.abort();
  await asked.ok(asked.primary, { setParameter: 1, transactionLifetimeLimitSeconds: 2 }, 'admin');
  client.begin();
  await client.insert('c', { _id: 3 });
  await asked.pass(4000);
  expect((await client.commit()).code).toBe(251);
  await asked.set.close();
});
