import { ServedSet } from '@replsim/server';
import { MongoClient } from 'mongodb';
import { median, rate, timed } from './measure.ts';

// What a client in the same process sees: it and the set share one thread, as in an application's own tests.

const RUNS = 5;

/** Everything a test suite waits for before its first write is safe. */
async function firstMajorityWrite(): Promise<number> {
  const seconds: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    let served: ServedSet | undefined;
    let client: MongoClient | undefined;
    seconds.push(
      await timed(async () => {
        served = await ServedSet.start();
        client = new MongoClient(served.uri);
        await client.db('app').collection('c').insertOne({ x: 1 }, { writeConcern: { w: 'majority' } });
      }),
    );
    await client?.close();
    await served?.stop();
  }
  console.log('  start: each', seconds.map((each) => Math.round(each * 1000)).join(' '), 'ms');
  return median(seconds);
}

async function withClient<T>(work: (client: MongoClient, served: ServedSet) => Promise<T>): Promise<T> {
  const served = await ServedSet.start();
  const client = new MongoClient(served.uri);
  try {
    await client.db('app').collection('c').insertOne({ x: 1 });
    return await work(client, served);
  } finally {
    await client.close();
    await served.stop();
  }
}

export async function clientFigures(): Promise<void> {
  console.log('first majority write', Math.round((await firstMajorityWrite()) * 1000), 'ms');
  await withClient(async (client, served) => {
    const c = client.db('app').collection('c');
    for (const w of ['majority', 1] as const) {
      const perSecond = await rate(3, async () => {
        for (let i = 0; i < 4000; i++) await c.insertOne({ x: i }, { writeConcern: { w } });
        return 4000;
      });
      console.log('insertOne', w, Math.round(perSecond));
    }
    const ping = await rate(3, async () => {
      for (let i = 0; i < 4000; i++) await client.db('app').command({ ping: 1 });
      return 4000;
    });
    console.log('ping', Math.round(ping));
    const many = await rate(3, async () => {
      for (let i = 0; i < 10; i++) await c.insertMany(Array.from({ length: 2000 }, (_, k) => ({ x: k, s: 'some text' })));
      return 20_000;
    });
    console.log('insertMany', Math.round(many));
    const t = client.db('app').collection('t');
    await t.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
    for (let i = 0; i < 3; i++) {
      await t.insertMany(Array.from({ length: 10_000 }, () => ({ at: new Date(0) })));
      console.log('advance', Math.round((await timed(async () => void (await served.advance(61e6)))) * 1000), 'ms', await t.countDocuments());
    }
    const failed = await timed(async () => {
      const seen = new Promise((resolve) =>
        client.on('topologyDescriptionChanged', ({ newDescription }) => {
          const primary = [...newDescription.servers.values()].find(({ type }) => type === 'RSPrimary');
          if (primary) resolve(primary);
        }),
      );
      await served.stepDown();
      await seen;
    });
    console.log('failover seen', Math.round(failed * 1000), 'ms');
  });
}
if (process.argv.includes('--clients')) await clientFigures();
