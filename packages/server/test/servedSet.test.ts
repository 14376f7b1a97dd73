import { MongoClient } from 'mongodb';
import { afterEach, expect, test } from 'vitest';
import { ServedSet } from '../src/index.ts';

let served: ServedSet | undefined;
let client: MongoClient | undefined;

afterEach(async () => {
  await client?.close();
  await served?.stop();
});

test('the driver writes, reads and sees documents expire', async () => {
  served = await ServedSet.start({ members: 3, speed: 1 });
  client = new MongoClient(served.uri);
  const sessions = client.db('app').collection<{ _id: number; lastSeen: Date }>('sessions');
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 60 });
  await sessions.insertMany([1, 2, 3].map((_id) => ({ _id, lastSeen: new Date() })));
  expect(await sessions.countDocuments()).toBe(3);
  await served.advance(122_000_000);
  expect(await sessions.countDocuments()).toBe(0);
});

test('the driver follows a step-down', async () => {
  served = await ServedSet.start({ members: 3, speed: 1 });
  client = new MongoClient(served.uri);
  const items = client.db('app').collection<{ _id: number }>('items');
  await items.insertOne({ _id: 1 });
  const old = served.primary;
  expect(await served.stepDown()).not.toBe(old);
  await items.insertOne({ _id: 2 });
  expect(await items.countDocuments()).toBe(2);
});
