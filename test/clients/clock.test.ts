import type { ClientSession, Document, MongoClient, MongoClientOptions, Timestamp } from 'mongodb';
import { ReplicaSet, type ReplicaSetOptions } from 'replsim';
import { afterEach, describe, expect, test } from 'vitest';
import { connected, useClients } from './servedSets.ts';

const newClient = useClients();
let set: ReplicaSet;

afterEach(() => set.stop());

/** A driver with little patience: whatever hours pass for the members, no real second may. */
const IMPATIENT: MongoClientOptions = {
  monitorCommands: true,
  minPoolSize: 4,
  heartbeatFrequencyMS: 500,
  connectTimeoutMS: 5000,
  socketTimeoutMS: 5000,
  serverSelectionTimeoutMS: 5000,
};

interface Item {
  _id: number;
}

/** What a driver hears from a set: its fears, and the times that members tell. */
class Watch {
  /** Whatever makes a driver give something up. */
  readonly troubles: string[] = [];
  /** Times that lie before an earlier one on the same connection. */
  readonly backwards: string[] = [];
  replies = 0;
  readonly #newest = new Map<string, { readonly time: bigint; readonly seen: string }>();

  constructor(client: MongoClient) {
    client.on('serverHeartbeatFailed', ({ connectionId, failure }) =>
      this.troubles.push(`heartbeat of ${connectionId} failed: ${failure.message}`),
    );
    client.on('connectionPoolCleared', ({ address }) => this.troubles.push(`the pool of ${address} was cleared`));
    client.on('commandFailed', ({ commandName, failure }) => this.troubles.push(`${commandName}: ${failure.message}`));
    client.on('serverDescriptionChanged', ({ newDescription: { address, type, error } }) => {
      if (type === 'Unknown') this.troubles.push(`${address} is unknown: ${error?.message}`);
    });
    client.on('commandSucceeded', ({ address, serverConnectionId, reply }) =>
      this.#hear(`${address} ${serverConnectionId}`, reply as Document),
    );
    client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => this.#hear(`${connectionId} monitor`, reply));
  }

  #hear(connection: string, { $clusterTime, operationTime, localTime }: Document): void {
    this.replies++;
    if ($clusterTime) this.#compare(`${connection} $clusterTime`, timeOf($clusterTime.clusterTime));
    if (operationTime) this.#compare(`${connection} operationTime`, timeOf(operationTime));
    if (localTime) this.#compare(`${connection} localTime`, BigInt(localTime.getTime()));
  }

  #compare(what: string, time: bigint): void {
    const seen = String(time);
    const before = this.#newest.get(what);
    if (before !== undefined && time < before.time) this.backwards.push(`${what}: ${seen} after ${before.seen}`);
    this.#newest.set(what, { time, seen });
  }
}

function timeOf(timestamp: Timestamp): bigint {
  return timestamp.toBigInt();
}

async function start(
  options?: ReplicaSetOptions,
  patience?: MongoClientOptions,
): Promise<{ client: MongoClient; watch: Watch }> {
  set = await ReplicaSet.start({ members: 3, ...options });
  const client = newClient(set.uri, { ...IMPATIENT, ...patience });
  const watch = new Watch(client);
  await connected(client);
  return { client, watch };
}

/** Does the same again and again until `done` is. @returns how often */
async function again(done: Promise<unknown>, act: (i: number) => Promise<unknown>): Promise<number> {
  let going = true;
  const stop = () => {
    going = false;
  };
  done.then(stop, stop);
  let i = 0;
  for (; going; i++) await act(i);
  return i;
}

describe.each([0, 1, 100])('at speed %d', (speed) => {
  test('clients work on while an hour passes, and time goes forward for them', async () => {
    const { client, watch } = await start({ speed });
    const items = client.db('app').collection<Item>('items');
    const session = client.startSession();
    await items.insertOne({ _id: -1 }, { session });
    const begun = set.now().getTime();
    const jump = set.advance('1h');
    const counts = await Promise.all([
      again(jump, (i) => items.insertOne({ _id: i }, { writeConcern: { w: 'majority' } })),
      again(jump, () => items.find({}, { batchSize: 2 }).limit(6).toArray()),
      again(jump, () => inOrder(session, items.countDocuments({ _id: -1 }, { session, readPreference: 'secondary' }))),
      again(jump, () => client.db('admin').command({ hello: 1 })),
      again(jump, () => client.db('admin').command({ ping: 1 }, { readPreference: 'nearest' })),
    ]);
    expect((await jump).getTime() - begun).toBeGreaterThanOrEqual(3_600_000);
    await items.insertOne({ _id: -2 }, { session });
    expect(watch.backwards).toEqual([]);
    expect(watch.troubles).toEqual([]);
    for (const count of counts) expect(count).toBeGreaterThan(1);
    expect(watch.replies).toBeGreaterThan(20);
    await session.endSession();
  });
});

/** Reads through a session see what was written in it, and its times only grow. */
async function inOrder(session: ClientSession, reading: Promise<number>): Promise<void> {
  const before = session.operationTime!;
  expect(await reading).toBe(1);
  expect(session.operationTime!.greaterThanOrEqual(before)).toBe(true);
}

test('who only waits is not disturbed', async () => {
  // What waits for news is answered by these, or after a minute of the client's own time, as by any server.
  const { client, watch } = await start({}, { socketTimeoutMS: 0 });
  const log = await client.db('app').createCollection<Item>('log', { capped: true, size: 4096 });
  await log.insertOne({ _id: 1 });
  const tail = log.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 60_000 });
  expect(await tail.next()).toEqual({ _id: 1 });
  const next = tail.next();
  const halfRead = log.find({}, { batchSize: 1, noCursorTimeout: true });
  await log.insertOne({ _id: 2 });
  expect(await next).toEqual({ _id: 2 });
  const waiting = tail.next();
  expect(await halfRead.next()).toEqual({ _id: 1 });
  await set.advance('25m');
  expect(await halfRead.next()).toEqual({ _id: 2 });
  await halfRead.close();
  await set.advance('6h');
  // Nobody hears of the end of a session that is waiting for an answer.
  await client.db('app').command({ ping: 1 });
  await log.insertOne({ _id: 3 });
  expect(await waiting).toEqual({ _id: 3 });
  await tail.close();
  expect(watch.troubles).toEqual([]);
  expect(watch.backwards).toEqual([]);
});

test('a time limit of a client is not used up by a jump', async () => {
  const { client } = await start();
  const items = client.db('app').collection<Item>('items');
  const jump = set.advance('2h');
  const count = await again(jump, async (i) => {
    await items.insertOne({ _id: i }, { timeoutMS: 5000, writeConcern: { w: 'majority' } });
    expect(await items.find({ _id: i }, { maxTimeMS: 1000 }).toArray()).toEqual([{ _id: i }]);
  });
  expect(count).toBeGreaterThan(1);
});

test('a clock that is turned by a client is turned for all of them', async () => {
  const { client, watch } = await start({ speed: 0 });
  // The command lasts as long as the hours take, which is for the machine to say.
  const other = await connected(newClient(set.uri, { ...IMPATIENT, socketTimeoutMS: 0 }));
  const items = (each: MongoClient) => each.db('app').collection<{ at: Date }>('items');
  await items(client).createIndex({ at: 1 }, { expireAfterSeconds: 60 });
  await items(client).insertOne({ at: set.now() });
  const turning = other.db('admin').command({ replsimAdvance: '3h' });
  const count = await again(turning, () => items(client).countDocuments());
  expect(count).toBeGreaterThan(0);
  expect(await items(client).countDocuments()).toBe(0);
  const { nowMicros } = await turning;
  expect(nowMicros).toBeGreaterThanOrEqual(3 * 3_600_000_000);
  expect(watch.troubles).toEqual([]);
  expect(watch.backwards).toEqual([]);
});

describe('speed', () => {
  /** What a member's clock shows. */
  const shown = async (client: MongoClient) => (await client.db('admin').command({ hello: 1 })).localTime.getTime();

  test('0 holds time still: monitors wait and are answered, and only commands take their own time', async () => {
    const { client, watch } = await start({ speed: 0 });
    const items = client.db('app').collection<{ at: Date }>('items');
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 1 });
    await items.insertOne({ at: new Date(0) });
    const begun = await shown(client);
    // In each of them a monitor has waited in vain for half a second of real time.
    await heartbeats(client, 6);
    expect((await shown(client)) - begun).toBeLessThan(10);
    expect(await items.countDocuments()).toBe(1);
    expect(watch.troubles).toEqual([]);
    const from = set.now().getTime();
    expect((await set.advance(1500)).getTime() - from).toBe(1500);
  });

  test('0 does not hold up a write that waits for a majority while secondaries look for a new source', async () => {
    set = await ReplicaSet.start({ members: 3, speed: 0 });
    const client = await connected(newClient(set.uri));
    const items = client.db('app').collection<Item>('items');
    for (const round of [0, 1]) {
      const writing = items.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ _id: round * 20_000 + i })));
      await set.stepDown();
      expect((await writing).insertedCount).toBe(20_000);
    }
    expect(await items.countDocuments()).toBe(40_000);
  });

  test('a thousand lets hours pass for those who wait', async () => {
    const { client, watch } = await start({ speed: 1000 });
    const items = client.db('app').collection<{ at: Date }>('items');
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await items.insertOne({ at: set.now() });
    const begun = set.now().getTime();
    await heartbeats(client, 6);
    // Two rounds of half a second each, or more on a busy machine.
    expect(set.now().getTime() - begun).toBeGreaterThan(500_000);
    expect(await items.countDocuments()).toBe(0);
    expect(watch.troubles).toEqual([]);
    expect(watch.backwards).toEqual([]);
  });

  test('may be changed, and time never goes back', async () => {
    const { client, watch } = await start({ speed: 1000 });
    const times: number[] = [];
    for (const speed of [0, 50, 0.5, 1000, 0]) {
      set.speed = speed;
      times.push(await shown(client), set.now().getTime());
      await heartbeats(client, 1);
      times.push(await shown(client), set.now().getTime());
    }
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(watch.troubles).toEqual([]);
    expect(watch.backwards).toEqual([]);
  });

  /** So many rounds in which a member had nothing to tell while the client was content to wait. */
  function heartbeats(client: MongoClient, count: number): Promise<void> {
    return new Promise((resolve) => {
      let left = count;
      const heard = ({ awaited }: { readonly awaited: boolean }) => {
        if (!awaited || --left > 0) return;
        client.off('serverHeartbeatSucceeded', heard);
        resolve();
      };
      client.on('serverHeartbeatSucceeded', heard);
    });
  }
});
