import { ReadPreference, type Timestamp } from 'mongodb';
import { expect, test } from 'vitest';
import { nextEvent, useClients, useServedSet } from './servedSets.ts';

const served = useServedSet({ members: 3 });
const newClient = useClients();

interface Item {
  _id: number;
}

test('a causally consistent session reads its own writes on secondaries', async () => {
  const client = newClient(served().uri, { monitorCommands: true });
  const after: unknown[] = [];
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') after.push(command.readConcern?.afterClusterTime);
  });
  const items = client.db('app').collection<Item>('causal');
  await client.withSession({ causalConsistency: true }, async (session) => {
    for (let _id = 0; _id < 20; _id++) {
      await items.insertOne({ _id }, { session, writeConcern: { w: 1 } });
      const readPreference = ReadPreference.secondary;
      expect(await items.findOne({ _id }, { session, readPreference })).toEqual({ _id });
    }
  });
  expect(after).toHaveLength(20);
  const times = after as Timestamp[];
  for (const [i, time] of times.entries()) if (i > 0) expect(time.greaterThan(times[i - 1]!)).toBe(true);
});

test('the cluster time of one client carries to another', async () => {
  const client = newClient(served().uri);
  const one = client.startSession();
  const two = newClient(served().uri);
  await client
    .db('app')
    .collection<Item>('carried')
    .insertOne({ _id: 1 }, { session: one, writeConcern: { w: 1 } });
  await two.withSession({ causalConsistency: true }, async (session) => {
    session.advanceClusterTime(one.clusterTime!);
    session.advanceOperationTime(one.operationTime!);
    const items = two.db('app').collection<Item>('carried', { readPreference: 'secondary' });
    expect(await items.findOne({ _id: 1 }, { session })).toEqual({ _id: 1 });
  });
  await one.endSession();
});

test('the sessions of a client end with it, and take their cursors along', async () => {
  const watcher = newClient(served().uri);
  const client = newClient(served().uri, { monitorCommands: true });
  const items = client.db('app').collection<Item>('ended');
  await items.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  const open = async () => Number((await watcher.db('admin').command({ serverStatus: 1 })).metrics.cursor.open.total);
  const before = await open();
  await items.find({}, { batchSize: 2 }).next();
  expect(await open()).toBe(before + 1);
  const ended = nextEvent<{ commandName: string; command: { endSessions: unknown[] } }>(
    client,
    'commandStarted',
    ({ commandName }) => commandName === 'endSessions',
  );
  await client.close();
  expect((await ended).command.endSessions).not.toHaveLength(0);
  await expect.poll(open, { timeout: 60_000 }).toBe(before);
});

test('a snapshot session reads at one time', async () => {
  const client = newClient(served().uri, { monitorCommands: true });
  const times: string[] = [];
  client.on('commandStarted', ({ command }) => void times.push(String(command.readConcern?.atClusterTime)));
  const items = client.db('app').collection<Item>('snapshot');
  await items.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } });
  const session = client.startSession({ snapshot: true });
  times.length = 0;
  expect(await items.find({}, { session }).toArray()).toEqual([{ _id: 1 }]);
  expect(await items.countDocuments({}, { session })).toBe(1);
  expect(await items.distinct('_id', {}, { session })).toEqual([1]);
  expect(times[0]).toBe('undefined');
  expect(times[1]).toMatch(/^\d+$/);
  expect(times[2]).toBe(times[1]);
  await session.endSession();
});

test('a session that nobody used for half an hour is a new one to the members', async () => {
  const client = newClient(served().uri);
  const items = client.db('app').collection<Item>('expired');
  await items.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id })));
  const session = client.startSession();
  const cursor = items.find({}, { session, batchSize: 2, noCursorTimeout: true });
  for (let i = 0; i < 2; i++) await cursor.next();
  await served().advance(31 * 60_000_000);
  await served().advance(6 * 60_000_000);
  await expect(cursor.next()).rejects.toMatchObject({ code: 43 });
  await session.endSession();
});
