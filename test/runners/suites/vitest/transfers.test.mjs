import { MongoClient } from 'mongodb';
import { MongoMemoryReplSet } from 'mongodb-memory-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

// Transactions and change streams need a replica set.

let replSet;
let client;
let accounts;

beforeAll(async () => {
  replSet = new MongoMemoryReplSet({
    binary: { version: '8.0.4', downloadDir: './binaries' },
    instanceOpts: [{ storageEngine: 'wiredTiger', launchTimeout: 30_000 }],
    replSet: { name: 'bank', count: 3, storageEngine: 'wiredTiger', args: ['--quiet'], dispose: {} },
  });
  await replSet.start();
  await replSet.waitUntilRunning();
  client = await MongoClient.connect(replSet.getUri('bank'), { readPreference: 'primary' });
  accounts = client.db().collection('accounts');
}, 60_000);

afterAll(async () => {
  await client?.close();
  await replSet.stop({ doCleanup: true, force: true });
});

beforeEach(async () => {
  await accounts.deleteMany({});
  await accounts.insertMany([
    { _id: 'ada', amount: 100 },
    { _id: 'bob', amount: 0 },
  ]);
});

async function transfer(amount) {
  const session = client.startSession();
  try {
    await session.withTransaction(async () => {
      await accounts.updateOne({ _id: 'bob' }, { $inc: { amount } }, { session });
      const { amount: left } = await accounts.findOneAndUpdate(
        { _id: 'ada' },
        { $inc: { amount: -amount } },
        { session, returnDocument: 'after' },
      );
      if (left < 0) throw new Error('not enough');
    });
  } finally {
    await session.endSession();
  }
}

const amounts = async () => (await accounts.find().sort({ _id: 1 }).toArray()).map(({ amount }) => amount);

describe('a transfer', () => {
  it('happens as a whole', async () => {
    await transfer(30);
    expect(await amounts()).toEqual([70, 30]);
  });

  it('or not at all', async () => {
    await expect(transfer(300)).rejects.toThrow('not enough');
    expect(await amounts()).toEqual([100, 0]);
  });

  it('is seen by who watches', async () => {
    const stream = accounts.watch([{ $match: { operationType: 'update' } }]);
    const first = stream.next();
    await transfer(10);
    expect((await first).documentKey).toEqual({ _id: 'bob' });
    await stream.close();
  });

  it('goes on when the primary is stopped', async () => {
    const primary = replSet.servers.find(({ instanceInfo }) => instanceInfo.instance.isInstancePrimary);
    await primary.stop({ doCleanup: false });
    await transfer(10);
    expect(await amounts()).toEqual([90, 10]);
    await primary.start();
  });

  it('can be read from a secondary', async () => {
    await transfer(10);
    const found = await client.db('bank', { readConcern: 'majority' }).collection('accounts').countDocuments();
    expect(found).toBe(2);
    expect(replSet.servers).toHaveLength(3);
    expect(replSet.replSetOpts.name).toBe('bank');
  });
});
