import { MongoClient } from 'mongodb';
import { replicaSetPerFile } from 'replsim/vitest';
import { afterAll, beforeAll, expect, test } from 'vitest';

const set = replicaSetPerFile({ members: 3 });
let client: MongoClient;

beforeAll(() => {
  client = new MongoClient(set.uri);
});

afterAll(() => client.close());

test('a session expires', async () => {
  const sessions = client.db('app').collection('sessions');
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 60 });
  await sessions.insertOne({ lastSeen: set.now() });
  await set.advance('61s');
  await set.untilTtlPass();
  expect(await sessions.countDocuments()).toBe(0);
});

test('writes go on after a failover', async () => {
  const items = client.db('app').collection<{ _id: number }>('items');
  await items.insertOne({ _id: 1 });
  const before = set.primary;
  expect(await set.stepDown()).not.toBe(before);
  await items.insertOne({ _id: 2 });
  expect(await items.countDocuments()).toBe(2);
});
