import { Long } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { useClients, useServedSet } from '../../../../test/clients/servedSets.ts';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { TransactionClient } from './transactionClient.ts';

// What a member tells of its transactions: in the log, the profile, serverStatus and currentOp.

let asked: AskedSet;
let sessions = 0;
const begin = () => {
  sessions += 1;
  return new TransactionClient(asked, sessions).begin();
};
const status = (): Doc => asked.typed('n1', { serverStatus: 1 });
const longs = (counts: Doc): Doc =>
  Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, Long.isLong(value) ? Number(value) : value]));

beforeAll(async () => {
  asked = await AskedSet.start(1);
  await asked.ok('n1', { insert: 'c', documents: [1, 2, 3, 4, 5].map((_id) => ({ _id, a: 1 })) });
});

describe('the line of a slow transaction', () => {
  const line = (n: number): Doc => {
    const { log } = asked.now('n1', { getLog: 'global' });
    const lines = log.map((each: string) => JSON.parse(each)).filter(({ id }: Doc) => id === 51802);
    return lines.find(
      ({ attr }: Doc) => attr.parameters.lsid.id.$binary.base64 === Buffer.alloc(16, n).toString('base64'),
    );
  };

  test('has what its statements did, in the order of a mongod', async () => {
    const client = begin();
    await client.ok({ insert: 'c', documents: [{ _id: 'a' }, { _id: 'b' }], readConcern: { level: 'snapshot' } });
    await client.ok(client.update('c', { _id: 1 }, { $set: { a: 2 } }));
    await client.ok({ update: 'c', updates: [{ q: { _id: 'up' }, u: { $set: { a: 2 } }, upsert: true }] });
    await client.ok({ findAndModify: 'c', query: { _id: 3 }, update: { $set: { a: 1 } } });
    await client.ok({ findAndModify: 'c', query: { _id: 4 }, remove: true });
    await client.ok({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    const { operationTime } = await client.ok({ find: 'c' });
    const { t, i } = { t: operationTime.getHighBitsUnsigned(), i: operationTime.getLowBitsUnsigned() };
    await asked.pass(200);
    await client.commit();
    const { attr, c, s, msg } = line(sessions);
    expect({ c, s, msg }).toEqual({ c: 'TXN', s: 'I', msg: 'transaction' });
    expect(Object.keys(attr)).toEqual([
      ...['parameters', 'readTimestamp', 'keysExamined', 'docsExamined', 'nMatched', 'nModified', 'ninserted'],
      ...['ndeleted', 'nUpserted', 'writeConflicts', 'prepareReadConflicts', 'terminationCause', 'timeActiveMicros'],
      ...['timeInactiveMicros', 'numYields', 'locks', 'wasPrepared', 'queues', 'durationMillis'],
    ]);
    expect(attr).toMatchObject({
      parameters: {
        txnNumber: 1,
        txnRetryCounter: 0,
        autocommit: false,
        readConcern: { level: 'snapshot', provenance: 'clientSupplied' },
      },
      readTimestamp: `Timestamp(${t}, ${i})`,
      ...{ nMatched: 2, nModified: 1, ninserted: 2, ndeleted: 2, nUpserted: 1, writeConflicts: 0 },
      terminationCause: 'committed',
    });
    expect(attr.timeActiveMicros + attr.timeInactiveMicros).toBeGreaterThan(200_000);
  });

  test('of one that met a conflict', async () => {
    const client = begin();
    await client.find('c', { _id: 1 });
    await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { a: 1 } } }] });
    await asked.pass(200);
    const before = status().metrics.operation.writeConflicts;
    expect(await client.run(client.update('c', { _id: 1 }, { $inc: { a: 1 } }))).toMatchObject({ code: 112 });
    expect(Number(status().metrics.operation.writeConflicts) - Number(before)).toBe(1);
    const { attr } = line(sessions);
    expect(attr).toMatchObject({ docsExamined: 2, writeConflicts: 1, terminationCause: 'aborted' });
    expect(attr).toMatchObject({ readTimestamp: 'Timestamp(0, 0)' });
    expect(attr.parameters.readConcern).toEqual({ level: 'local', provenance: 'implicitDefault' });
    expect(attr).not.toHaveProperty('nMatched');
  });

  test('knows no queues in 7.0', async () => {
    const older = await AskedSet.start(1, { version: '7.0' });
    await older.ok('n1', { profile: 0, slowms: 0 }, 'admin');
    const client = new TransactionClient(older, 1).begin();
    await client.insert('c', { _id: 1 });
    await client.commit();
    const { log } = older.now('n1', { getLog: 'global' });
    const [found] = log.map((each: string) => JSON.parse(each)).filter(({ id }: Doc) => id === 51802);
    expect(found.attr).not.toHaveProperty('queues');
  });
});

test('the profile has each statement, one that fails among them, and the commit in admin', async () => {
  await asked.ok('n1', { profile: 2 });
  await asked.ok('n1', { profile: 2 }, 'admin');
  const client = begin();
  await client.ok({ findAndModify: 'c', query: { _id: 3 }, update: { $inc: { a: 1 } } });
  await client.ok({ findAndModify: 'c', query: { _id: 3 }, update: { $inc: { a: 0 } } });
  await client.ok({ findAndModify: 'c', query: { _id: 'fresh' }, update: { $inc: { a: 0 } }, upsert: true });
  await client.commit();
  const failing = begin();
  await failing.find('c', { _id: 1 });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 'taken' }] });
  expect(await failing.run({ insert: 'c', documents: [{ _id: 'taken' }] })).toMatchObject({ code: 112 });
  await asked.ok('n1', { profile: 0 });
  await asked.ok('n1', { profile: 0 }, 'admin');
  const profile = async (filter: Doc, db = 'app'): Promise<Doc[]> =>
    (await asked.ok('n1', { find: 'system.profile', filter }, db)).cursor.firstBatch;
  const autocommit = { 'command.autocommit': false };
  expect(await profile({ ...autocommit, op: 'command' })).toMatchObject([
    { nMatched: 1, nModified: 1, command: { startTransaction: true, txnNumber: 1 } },
    { nMatched: 1, nModified: 0 },
    { nMatched: 0, nModified: 0, nUpserted: 1 },
  ]);
  expect(await profile({ ...autocommit, op: 'insert' })).toMatchObject([
    { ninserted: 0, errCode: 112, errName: 'WriteConflict' },
  ]);
  expect(await profile(autocommit, 'admin')).toMatchObject([
    { op: 'command', ns: 'admin.$cmd', command: { commitTransaction: 1, txnNumber: 1, autocommit: false } },
  ]);
});

describe('serverStatus', () => {
  test('transactions, in the order of a mongod', () => {
    expect(Object.keys(status().transactions)).toEqual([
      ...['retriedCommandsCount', 'retriedStatementsCount', 'transactionsCollectionWriteCount', 'currentActive'],
      ...['currentInactive', 'currentOpen', 'totalAborted', 'totalCommitted', 'totalStarted', 'totalPrepared'],
      ...['totalPreparedThenCommitted', 'totalPreparedThenAborted', 'currentPrepared', 'lastCommittedTransaction'],
    ]);
  });

  test('a row of config.transactions is written by a commit that wrote, and by a retryable write', async () => {
    const count = () => Number(status().transactions.transactionsCollectionWriteCount);
    const before = count();
    const client = begin();
    await client.find('c');
    await client.commit();
    expect(count()).toBe(before);
    client.begin();
    await client.insert('c', { _id: `row${sessions}` });
    await client.commit();
    expect(count()).toBe(before + 1);
    const retryable = { lsid: client.lsid, txnNumber: Long.fromNumber(99) };
    await asked.ok('n1', { insert: 'c', documents: [{ _id: `retry${sessions}` }], ...retryable });
    expect(count()).toBe(before + 2);
  });

  test('a write concern that nobody asked for, and that waits for nobody, is not shown', async () => {
    const set = await AskedSet.start([
      ...['n1', 'n2'].map((name) => ({ name })),
      { name: 'n3', config: { arbiterOnly: true, priority: 0 } },
    ]);
    const client = new TransactionClient(set, 1).begin();
    await client.insert('c', { _id: 1 });
    await client.commit();
    const { transactions } = set.now(set.primary, { serverStatus: 1 });
    expect(transactions.lastCommittedTransaction.writeConcern).toEqual({});
  });

  test.for<[what: string, readConcern: Doc | undefined, path: string]>([
    ['none', undefined, 'none'],
    ['an empty one', {}, 'none'],
    ['local', { level: 'local' }, 'local'],
    ['majority', { level: 'majority' }, 'majority'],
    ['snapshot', { level: 'snapshot' }, 'snapshot.withoutClusterTime'],
  ])('reads count by their level, those of a transaction apart: %s', async ([, readConcern, path]) => {
    const counts = (): Doc => asked.now('n1', { serverStatus: 1 }).readConcernCounters;
    const at = (ops: Doc): number => path.split('.').reduce((value, name) => value[name], ops) as unknown as number;
    const before = counts();
    const more = readConcern && { readConcern };
    await asked.ok('n1', { find: 'c', batchSize: 1, ...more });
    await asked.ok('n1', { aggregate: 'c', pipeline: [], cursor: {}, ...more });
    await asked.ok('n1', { distinct: 'c', key: 'a', ...more });
    await asked.ok('n1', { insert: 'd', documents: [{}] });
    const between = counts();
    expect(at(between.nonTransactionOps) - at(before.nonTransactionOps)).toBe(3);
    expect(between.transactionOps).toEqual(before.transactionOps);
    const client = begin();
    await client.ok({ find: 'c', ...more });
    await client.ok({ find: 'c' });
    await client.ok({ insert: 'c', documents: [{}] });
    await client.abort();
    const after = counts();
    expect(at(after.transactionOps) - at(between.transactionOps)).toBe(2);
    expect(after.nonTransactionOps).toEqual(between.nonTransactionOps);
  });

  test('a default of the set counts as such', async () => {
    await asked.ok('n1', { setDefaultRWConcern: 1, defaultReadConcern: { level: 'majority' } }, 'admin');
    const counts = (): Doc => asked.now('n1', { serverStatus: 1 }).readConcernCounters.nonTransactionOps;
    const before = counts();
    await asked.ok('n1', { find: 'c' });
    const after = counts();
    await asked.ok('n1', { setDefaultRWConcern: 1, defaultReadConcern: {} }, 'admin');
    expect(after.none - before.none).toBe(1);
    expect(after.noneInfo.CWRC.majority - before.noneInfo.CWRC.majority).toBe(1);
    expect(Object.keys(after)).toEqual([
      'none',
      'noneInfo',
      'local',
      'available',
      'majority',
      'snapshot',
      'linearizable',
    ]);
  });
});

describe('currentOp', () => {
  test('an idle transaction, with who used it last', async () => {
    const client = begin();
    await client.ok({ find: 'c', readConcern: { level: 'snapshot' } });
    const pipeline = (more: Doc) => [{ $currentOp: more }, { $match: { type: 'idleSession' } }];
    const idle = async (more: Doc): Promise<Doc[]> =>
      (await asked.ok('n1', { aggregate: 1, pipeline: pipeline(more), cursor: {} }, 'admin')).cursor.firstBatch;
    const [shown] = await idle({});
    expect(shown!.transaction.parameters.readConcern).toEqual({ level: 'snapshot', provenance: 'clientSupplied' });
    expect(shown!.transaction.readTimestamp.getHighBitsUnsigned()).toBeGreaterThan(0);
    expect(await idle({ idleSessions: false })).toEqual([]);
    // The command has no such option: it is the stage with `$all` for its idle connections, and with all its other defaults.
    const byCommand = asked.now('n1', { currentOp: 1, type: 'idleSession' }).inprog;
    expect(byCommand).toMatchObject([{ desc: 'inactive transaction', lsid: shown!.lsid }]);
    await client.abort();
    expect(asked.now('n1', { currentOp: 1, type: 'idleSession' }).inprog).toEqual([]);
    expect(await idle({})).toEqual([]);
  });

  test('a statement that runs', async () => {
    await asked.ok('n1', { configureFailPoint: 'waitInFindBeforeMakingBatch', mode: 'alwaysOn' }, 'admin');
    const client = begin();
    const pending = asked.send('n1', client.statement({ find: 'c' }), 'app');
    await asked.pass(1);
    const { inprog } = asked.now('n1', { currentOp: 1, 'command.find': 'c' });
    await asked.ok('n1', { configureFailPoint: 'waitInFindBeforeMakingBatch', mode: 'off' }, 'admin');
    await asked.until(() => pending.reply() !== undefined);
    await client.abort();
    expect(inprog).toMatchObject([{ active: true, transaction: { parameters: { txnNumber: 1, autocommit: false } } }]);
    expect(longs(inprog[0].transaction).timeInactiveMicros).toBe(0);
  });

  test('a retryable write that runs shows its number alone', async () => {
    const holder = begin();
    await holder.ok(holder.update('c', { _id: 5 }, { $inc: { a: 1 } }));
    sessions += 1;
    const { lsid } = new TransactionClient(asked, sessions);
    const update = {
      update: 'c',
      updates: [{ q: { _id: 5 }, u: { $inc: { a: 1 } } }],
      lsid,
      txnNumber: Long.fromNumber(7),
    };
    const pending = asked.send('n1', update, 'app');
    await asked.pass(1);
    const { inprog } = asked.now('n1', { currentOp: 1, 'command.update': 'c' });
    await holder.abort();
    await asked.until(() => pending.reply() !== undefined);
    expect(inprog).toMatchObject([{ transaction: { parameters: { txnNumber: 7 } } }]);
    expect(inprog[0].transaction).toEqual({ parameters: { txnNumber: 7 } });
  });
});

describe('of a driver', () => {
  const served = useServedSet();
  const client = useClients();

  test('an idle transaction tells of the client', async () => {
    const mongo = client(served().uri, { appName: 'till' });
    await mongo.db('app').collection('c').insertOne({ a: 1 });
    const session = mongo.startSession();
    session.startTransaction();
    await mongo.db('app').collection('c').insertOne({ a: 2 }, { session });
    const [idle] = await mongo
      .db('admin')
      .aggregate([{ $currentOp: {} }, { $match: { type: 'idleSession' } }])
      .toArray();
    expect(Object.keys(idle!)).toEqual([
      ...['type', 'host', 'desc', 'client', 'connectionId', 'appName', 'clientMetadata', 'lsid', 'transaction'],
      ...['waitingForLock', 'active', 'locks', 'lockStats'],
    ]);
    expect(idle).toMatchObject({ appName: 'till', clientMetadata: { driver: { name: 'nodejs' } } });
    await session.abortTransaction();
    await session.endSession();
  });
});
