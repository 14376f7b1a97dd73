import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { ReplicaSet } from '../src/index.ts';

// A rolling upgrade of a served set, by the command, as any driver sends it.

async function upgraded(from: string, work: (client: MongoClient) => Promise<void>): Promise<void> {
  const set = await ReplicaSet.start({ version: from });
  const client = new MongoClient(set.uri);
  try {
    await work(client);
  } finally {
    await client.close();
    await set.stop();
  }
}

function compatibility(client: MongoClient) {
  return client.db('admin').command({ getParameter: 1, featureCompatibilityVersion: 1 });
}

test('from 7.0 to 8.0, and the feature compatibility version afterwards', async () => {
  await upgraded('7.0', async (client) => {
    const [admin, orders] = [client.db('admin'), client.db('app').collection<{ _id: number }>('orders')];
    await orders.insertOne({ _id: 1 });
    await admin.command({ replsimFault: { rolling: { restart: { version: '8.0' } } } });
    expect(await admin.command({ buildInfo: 1 })).toMatchObject({ version: expect.stringMatching(/^8\.0\./) });
    expect(await compatibility(client)).toMatchObject({ featureCompatibilityVersion: { version: '7.0' } });
    await admin.command({ setFeatureCompatibilityVersion: '8.0', confirm: true });
    expect(await compatibility(client)).toMatchObject({ featureCompatibilityVersion: { version: '8.0' } });
    expect(await orders.countDocuments()).toBe(1);
  });
});

test('two releases up while the feature compatibility version stays: the first member does not start, and the answer says why', async () => {
  await upgraded('6.0', async (client) => {
    const admin = client.db('admin');
    await admin.command({ replsimFault: { rolling: { restart: { version: '7.0' } } } });
    await expect(admin.command({ replsimFault: { rolling: { restart: { version: '8.0' } } } })).rejects.toThrow(
      /UPGRADE PROBLEM/,
    );
    expect(await compatibility(client)).toMatchObject({ featureCompatibilityVersion: { version: '6.0' } });
  });
});
