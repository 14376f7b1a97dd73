const os = require('node:os');
const { MongoClient } = require('mongodb');
const { ReplicaSet } = require('replsim');

let set;
let client;

beforeAll(async () => {
  set = await ReplicaSet.start({ members: 3 });
  // The driver imports `os` when it connects, which jest does not allow.
  client = new MongoClient(set.uri, { runtimeAdapters: { os } });
});

afterAll(async () => {
  await client?.close();
  await set?.stop();
});

test('a session expires', async () => {
  const sessions = client.db('app').collection('sessions');
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 60 });
  await sessions.insertOne({ lastSeen: set.now() });
  await set.advance('61s');
  await set.untilTtlPass();
  expect(await sessions.countDocuments()).toBe(0);
});

test('writes go on after a failover', async () => {
  const items = client.db('app').collection('items');
  await items.insertOne({ _id: 1 });
  const before = set.primary;
  expect(await set.stepDown()).not.toBe(before);
  await items.insertOne({ _id: 2 });
  expect(await items.countDocuments()).toBe(2);
});
