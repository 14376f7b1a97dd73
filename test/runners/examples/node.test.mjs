import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';

let set;
let client;

before(async () => {
  set = await ReplicaSet.start({ members: 3 });
  client = new MongoClient(set.uri);
});

after(async () => {
  await client?.close();
  await set?.stop();
});

test('a session expires', async () => {
  const sessions = client.db('app').collection('sessions');
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 60 });
  await sessions.insertOne({ lastSeen: set.now() });
  await set.advance('61s');
  await set.untilTtlPass();
  assert.equal(await sessions.countDocuments(), 0);
});

test('writes go on after a failover', async () => {
  const items = client.db('app').collection('items');
  await items.insertOne({ _id: 1 });
  const before = set.primary;
  assert.notEqual(await set.stepDown(), before);
  await items.insertOne({ _id: 2 });
  assert.equal(await items.countDocuments(), 2);
});
