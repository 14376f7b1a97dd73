const os = require('node:os');
const { MongoClient } = require('mongodb');
const { replicaSet } = require('replsim/jest');

let client;

beforeAll(() => {
  client = new MongoClient(globalThis.__MONGO_URI__, { runtimeAdapters: { os } });
});

afterAll(() => client.close());

test('a session expires', async () => {
  const sessions = client.db().collection('sessions');
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 60 });
  await sessions.insertOne({ lastSeen: replicaSet.now() });
  await replicaSet.advance('61s');
  await replicaSet.untilTtlPass();
  expect(await sessions.countDocuments()).toBe(0);
});
