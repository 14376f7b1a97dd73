import type { FaultAction } from '@replsim/replset';
import { MongoClient } from 'mongodb';
import { afterEach, describe, expect, test } from 'vitest';
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

test('a standalone beside the set is nobody’s primary', async () => {
  served = await ServedSet.start({ members: [{ name: 'n1' }, { name: 'n2', standalone: true }] });
  expect(served.primary).toBe('n1');
  await served.act({ type: 'kill', member: 'n1' });
  expect(served.primary).toBeUndefined();
  expect(await served.command('n2', { hello: 1 })).toMatchObject({ ok: 1, isWritablePrimary: true });
});

test('the primary that was waited for is named, though it is gone by the time that one hears of it', async () => {
  served = await ServedSet.start({ members: 1, speed: 0 });
  // Both come in at once: it is found, and then it is killed.
  const [found] = await Promise.all([served.untilPrimary(), served.act({ type: 'kill', member: 'n1' })]);
  expect(found).toBe('n1');
  expect(served.primary).toBeUndefined();
});

test('what comes in together happens at one time, before time passes for the first of it', async () => {
  served = await ServedSet.start({ members: 1, speed: 0 });
  const { set, pacer } = served;
  const startMicros = set.nowMicros;
  const jump = pacer.advance(10_000_000);
  const others: number[] = [];
  for (let i = 0; i < 3; i++) pacer.input(() => others.push(set.nowMicros));
  expect(await jump).toBe(startMicros + 10_000_000);
  expect(others).toEqual([startMicros, startMicros, startMicros]);
});

describe('while time stands still, who has waited for long enough', () => {
  const start = async () => {
    served = await ServedSet.start({ members: 3, speed: 0 });
    client = new MongoClient(served.uri);
    return client.db('app');
  };

  test('by a fail point gets its command done', async () => {
    const db = await start();
    const data = { failCommands: ['insert'], blockConnection: true, blockTimeMS: 1 };
    await client!.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    const inserted = await db.collection<{ _id: number }>('items').insertOne({ _id: 1 }, { writeConcern: { w: 3 } });
    expect(inserted.insertedId).toBe(1);
  });

  test('for more of a tailable cursor gets what came in meanwhile', async () => {
    const db = await start();
    const log = await db.createCollection<{ _id: number }>('log', { capped: true, size: 4096 });
    await log.insertOne({ _id: 1 });
    const cursor = log.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 50 });
    expect(await cursor.next()).toEqual({ _id: 1 });
    for (let _id = 2; _id < 5; _id++) {
      const next = cursor.next();
      await log.insertOne({ _id }, { writeConcern: { w: 1 } });
      expect(await next).toEqual({ _id });
    }
    await cursor.close();
  });
});

test.for<[string, (served: ServedSet) => Promise<unknown>]>([
  ['command', (set) => set.command('n1', { ping: 1 })],
  ['advance', (set) => set.advance(0)],
  ['advance by time', (set) => set.advance(1000)],
  ['untilPrimary', (set) => set.untilPrimary()],
  ['untilTtlPass', (set) => set.untilTtlPass()],
  ['act', (set) => set.act({ type: 'heal', members: 'all' })],
])('whoever calls %s again and again keeps no client out', async ([, call]) => {
  served = await ServedSet.start({ members: 1, speed: 0 });
  client = new MongoClient(served.uri);
  await client.connect();
  let answered = false;
  const pinged = client.db('admin').command({ ping: 1 });
  const heard = pinged.then(() => {
    answered = true;
  });
  for (let i = 0; i < 1000 && !answered; i++) await call(served);
  expect(answered).toBe(true);
  await heard;
});

describe('what cannot be done to a member that there is not is not recorded either', () => {
  const member = 'n9';

  test.for<FaultAction>([
    { type: 'kill', member },
    { type: 'shutdown', member },
    { type: 'start', member },
    { type: 'pause', member },
    { type: 'resume', member },
    { type: 'hold', member, part: 'ttl' },
    { type: 'release', member, part: 'ttl' },
    { type: 'partition', groups: [['n1'], [member]] },
    { type: 'cut', from: 'n1', to: member },
    { type: 'heal', members: [member] },
    { type: 'link', from: member, to: 'n1', settings: { loss: 0 } },
    { type: 'disconnect', from: 'n1', to: member },
    { type: 'clock', member, driftPpm: 1 },
    { type: 'disk', member, settings: { full: true } },
  ])('$type', async (action) => {
    served = await ServedSet.open({ members: 1, speed: 0 });
    const recorded: string[] = [];
    served.recorder.start(({ type }) => recorded.push(type));
    await expect(served.act(action)).rejects.toThrow(RangeError);
    await expect(served.start(member)).rejects.toThrow('no member is called n9');
    await served.act({ type: 'heal', members: 'all' });
    expect(recorded).toEqual(['heal']);
  });
});
