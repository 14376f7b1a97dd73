import { ReadPreference } from 'mongodb';
import { expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

const served = useServedSet({ members: 3 });
const newClient = useClients();

interface Session {
  _id: number;
  lastSeen?: Date | Date[] | string;
  kind?: string;
}

/** How many documents of the collection each kind of member has. */
async function counts(name: string): Promise<{ primary: number; secondaries: number[] }> {
  const sessions = newClient(served().uri).db('ttl').collection<Session>(name);
  const secondaries = served().set.memberNames.filter((member) => member !== served().primary);
  const direct = secondaries.map((member) =>
    newClient(`mongodb://${served().set.hostOf(member)}/?directConnection=true`)
      .db('ttl')
      .collection(name),
  );
  return {
    primary: await sessions.countDocuments(),
    secondaries: await Promise.all(direct.map((collection) => collection.countDocuments())),
  };
}

test('documents expire on every member, and only those whose time has come', async () => {
  const sessions = newClient(served().uri).db('ttl').collection<Session>('sessions');
  expect(await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 60 })).toBe('lastSeen_1');
  const now = Date.now();
  await sessions.insertMany([
    ...Array.from({ length: 20 }, (_, _id) => ({ _id, lastSeen: new Date() })),
    { _id: 100, lastSeen: new Date(now + 3_600_000) },
    { _id: 101, lastSeen: 'never' },
    { _id: 102 },
    { _id: 103, lastSeen: [new Date(now + 3_600_000), new Date(now)] },
  ]);
  expect(await sessions.countDocuments()).toBe(24);
  await served().advance(61_000_000);
  await served().untilTtlPass();
  await served().advance(2_000_000);
  expect(await counts('sessions')).toEqual({ primary: 3, secondaries: [3, 3] });
  const left = await sessions.find({}, { readPreference: ReadPreference.secondary }).sort({ _id: 1 }).toArray();
  expect(left.map(({ _id }) => _id)).toEqual([100, 101, 102]);
  await served().advance(3_600_000_000);
  expect(await counts('sessions')).toEqual({ primary: 2, secondaries: [2, 2] });
});

test('collMod makes them expire sooner', async () => {
  const db = newClient(served().uri).db('ttl');
  const sessions = db.collection<Session>('modified');
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 86_400 });
  const members = await served().set.wallMs(served().primary!);
  await sessions.insertOne({ _id: 1, lastSeen: new Date(members) });
  await served().advance(122_000_000);
  expect(await sessions.countDocuments()).toBe(1);
  const index = { keyPattern: { lastSeen: 1 }, expireAfterSeconds: 30 };
  expect(await db.command({ collMod: 'modified', index })).toMatchObject({
    expireAfterSeconds_old: 86_400,
    expireAfterSeconds_new: 30,
  });
  expect(await sessions.indexes()).toMatchObject([{ name: '_id_' }, { name: 'lastSeen_1', expireAfterSeconds: 30 }]);
  await served().untilTtlPass();
  await served().untilTtlPass();
  expect(await sessions.countDocuments()).toBe(0);
});

test('a partial index lets only its own documents expire', async () => {
  const sessions = newClient(served().uri).db('ttl').collection<Session>('partial');
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 0, partialFilterExpression: { kind: 'guest' } });
  await sessions.insertMany([
    { _id: 1, kind: 'guest', lastSeen: new Date(0) },
    { _id: 2, kind: 'user', lastSeen: new Date(0) },
  ]);
  await served().untilTtlPass();
  await served().untilTtlPass();
  expect(await sessions.find().toArray()).toMatchObject([{ _id: 2 }]);
});

test('the delete is in the oplog, and is counted', async () => {
  const client = newClient(served().uri);
  const sessions = client.db('ttl').collection<Session>('logged');
  const deleted = async () => (await client.db('admin').command({ serverStatus: 1 })).metrics.ttl.deletedDocuments;
  const before = await deleted();
  await sessions.createIndex({ lastSeen: 1 }, { expireAfterSeconds: 1 });
  await sessions.insertMany([1, 2, 3].map((_id) => ({ _id, lastSeen: new Date(0) })));
  await served().untilTtlPass();
  await served().untilTtlPass();
  expect((await deleted()) - before).toBe(3);
  const oplog = client.db('local').collection('oplog.rs');
  const deletes = {
    $or: [
      { op: 'd', ns: 'ttl.logged' },
      { op: 'c', 'o.applyOps.ns': 'ttl.logged', 'o.applyOps.op': 'd' },
    ],
  };
  const entries = await oplog.find(deletes).toArray();
  const ids = entries.flatMap(({ op, o }) => (op === 'd' ? [o] : o.applyOps.map((each: { o: object }) => each.o)));
  expect(ids).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
});

test("the members' clocks are never behind their clients', and never go back", async () => {
  const admin = newClient(served().uri).db('admin');
  const localTime = async () => (await admin.command({ hello: 1 })).localTime.getTime();
  let last = 0;
  for (const [action, jumpedMs] of [
    [() => {}, 0],
    [() => served().advance(3_600_000_000), 3_600_000],
    [() => served().untilTtlPass(), 0],
    [() => {}, 0],
  ] as const) {
    await action();
    const now = await localTime();
    expect(now).toBeGreaterThanOrEqual(Math.max(last + jumpedMs, Date.now() - 1000));
    last = now;
  }
});
