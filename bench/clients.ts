import { ServedSet } from '@replsim/server';
import { type Collection, MongoClient, type WriteConcernSettings } from 'mongodb';
import { BareClient } from './bareClient.ts';
import { CannedServer } from './cannedServer.ts';
import { type Figure, median, rate, timed } from './measure.ts';

// What a client in the same process sees: it and the set share one thread, as in an application's own tests. The floor of
// each figure is the driver against a server that has its answers ready.

const RUNS = 5;
const ONE_BY_ONE = 2000;
const WARM_UPS = 4;
const BATCH = 2000;
const BATCHES = 10;
const EXPIRED = 10_000;

interface Served {
  readonly uri: string;
  stop(): Promise<void>;
}

/** One write after the other, and many in one command. */
export async function writes(): Promise<readonly Figure[]> {
  const canned = await CannedServer.start();
  const floor = await withClient(canned, async (collection) => ({
    one: await insertsPerSecond(collection, {}),
    many: await batchedPerSecond(collection),
  }));
  const served = await ServedSet.start();
  return await withClient(served, async (collection) => {
    const name = 'the driver, answers ready';
    const one = { unit: 'inserts/CPU s', better: 'more', floor: { name, value: floor.one } } as const;
    return [
      {
        name: 'insertOne, one after the other, w: 1',
        value: await insertsPerSecond(collection, { w: 1 }),
        ...one,
        aimRatio: 2.5,
      },
      {
        name: 'insertOne, one after the other, w: majority',
        value: await insertsPerSecond(collection, { w: 'majority' }),
        ...one,
        aimRatio: 4.5,
      },
      {
        name: `insertMany, ${BATCH} documents each`,
        value: await batchedPerSecond(collection),
        unit: 'documents/CPU s',
        better: 'more',
        floor: { name, value: floor.many },
        aimRatio: 4,
      },
    ];
  });
}

/** What the set alone makes of `insertOne` at w: 1: the driver's own work is left out, and the room that its code takes. */
export async function bareWrites(): Promise<Figure> {
  const served = await ServedSet.start();
  const { members, primary } = served.status();
  const client = await BareClient.connect(members.find(({ name }) => name === primary)!.host);
  const ready = Array.from({ length: WARM_UPS + RUNS }, () => client.inserts(ONE_BY_ONE));
  for (const messages of ready.splice(0, WARM_UPS)) await client.send(messages);
  const value = await rate(RUNS, async () => {
    await client.send(ready.shift()!);
    return ONE_BY_ONE;
  });
  client.close();
  await served.stop();
  return { name: 'such inserts at w: 1 by a bare socket', value, unit: 'inserts/CPU s', better: 'more' };
}

async function withClient<T>(served: Served, work: (collection: Collection) => Promise<T>): Promise<T> {
  const client = new MongoClient(served.uri);
  try {
    const collection = client.db('app').collection('c');
    await collection.insertOne({ x: 1 });
    return await work(collection);
  } finally {
    await client.close();
    await served.stop();
  }
}

async function insertsPerSecond(collection: Collection, writeConcern: WriteConcernSettings): Promise<number> {
  const insert = async () => {
    for (let i = 0; i < ONE_BY_ONE; i++) await collection.insertOne({ x: i }, { writeConcern });
    return ONE_BY_ONE;
  };
  // V8 goes on compiling for some seconds.
  for (let i = 0; i < WARM_UPS; i++) await insert();
  return rate(RUNS, insert);
}

function batchedPerSecond(collection: Collection): Promise<number> {
  return rate(RUNS, async () => {
    for (let i = 0; i < BATCHES; i++)
      await collection.insertMany(Array.from({ length: BATCH }, (_, k) => ({ x: k, s: 'some text' })));
    return BATCH * BATCHES;
  });
}

/** A jump of 61 s, with a connected driver and a TTL pass in it. */
export async function jumpOverPass(): Promise<Figure> {
  const served = await ServedSet.start();
  const seconds = await withClient(served, async (collection) => {
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
    const each: number[] = [];
    for (let i = 0; i < RUNS; i++) {
      await collection.insertMany(Array.from({ length: EXPIRED }, () => ({ at: new Date(0) })));
      each.push(await timed(async () => void (await served.advance(61e6))));
      if ((await collection.countDocuments({ at: { $exists: true } })) > 0) throw new Error('the pass left something');
    }
    return median(each);
  });
  return {
    name: `advance('61s') over ${EXPIRED} expired documents`,
    value: seconds * 1000,
    unit: 'ms',
    better: 'less',
    aim: 250,
  };
}

/**
 * From `stepDown` until a connected driver knows the new primary. A driver begins to stream `hello` half a second after its first
 * answer (its `minHeartbeatFrequencyMS`), which is waited for: before that nobody can tell it anything.
 */
export async function failoverSeen(): Promise<Figure> {
  const seconds: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const served = await ServedSet.start();
    const client = new MongoClient(served.uri);
    const streams = allStreaming(client, served.status().members.length);
    await client
      .db('app')
      .collection('c')
      .insertOne({ x: 1 }, { writeConcern: { w: 'majority' } });
    await streams;
    const old = served.status().primary;
    seconds.push(
      await timed(async () => {
        const seen = newPrimarySeen(client, served.status().members.find(({ name }) => name === old)!.host);
        await served.stepDown();
        await seen;
      }),
    );
    await client.close();
    await served.stop();
  }
  return {
    name: 'stepDown, until the driver knows the new primary',
    value: median(seconds) * 1000,
    unit: 'ms',
    better: 'less',
    aim: 100,
  };
}

function allStreaming(client: MongoClient, members: number): Promise<void> {
  const streaming = new Set<string>();
  return new Promise((resolve) =>
    client.on('serverHeartbeatStarted', ({ awaited, connectionId }) => {
      if (awaited) streaming.add(connectionId);
      if (streaming.size === members) resolve();
    }),
  );
}

function newPrimarySeen(client: MongoClient, old: string): Promise<void> {
  return new Promise((resolve) =>
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      for (const { address, type } of newDescription.servers.values())
        if (type === 'RSPrimary' && address !== old) resolve();
    }),
  );
}
