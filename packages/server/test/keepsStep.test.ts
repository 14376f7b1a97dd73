import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterEach, expect, test } from 'vitest';
import { ServedSet } from '../src/index.ts';

// With the wall clock as it is: what clients do for a while must not move the set's clock away from it.

let served: ServedSet;
let client: MongoClient;

afterEach(async () => {
  await client.close();
  await served.stop();
});

/** How far the members' clocks are ahead of the wall clock when one answers, at least and at most, ms: it was asked meanwhile. */
async function offset(): Promise<[least: number, most: number]> {
  const askedMs = Date.now();
  const { localTime } = await client.db('admin').command({ hello: 1 });
  return [localTime.getTime() - Date.now(), localTime.getTime() - askedMs];
}

/** Within the bounds: 50 ms behind, but for as long as the answer took, and 250 ahead. */
async function expectInStep(jumpedMs = 0): Promise<void> {
  const [least, most] = await offset();
  expect(most - jumpedMs).toBeGreaterThanOrEqual(-55);
  expect(least - jumpedMs).toBeLessThanOrEqual(255);
}

test('inserts, reads and idleness leave the clock in step with the wall clock, and a jump stays on top', async () => {
  served = await ServedSet.start();
  client = new MongoClient(served.uri);
  await client.connect();
  await expectInStep();
  const items = client.db('app').collection('items');
  for (let i = 0; i < 300; i++) await items.insertOne({ i }, { writeConcern: { w: 'majority' } });
  await expectInStep();
  await items.insertMany(Array.from({ length: 5000 }, (_, i) => ({ i })));
  await expectInStep();
  for (let i = 0; i < 300; i++) await items.findOne({ i });
  await expectInStep();
  await Promise.all(Array.from({ length: 100 }, (_, i) => items.updateOne({ i }, { $set: { x: 1 } })));
  await expectInStep();
  await sleep(300);
  await expectInStep();
  await served.advance(3_600_000_000);
  for (let i = 0; i < 100; i++) await items.insertOne({ i }, { writeConcern: { w: 'majority' } });
  await expectInStep(3_600_000);
});

test('what a client waits for by the clock of the set takes its time, and a greater lead takes it at once', async () => {
  served = await ServedSet.start({ maxLeadMs: 60_000 });
  client = new MongoClient(served.uri);
  const items = client.db('app').collection('items');
  await items.insertOne({});
  const { leadMicros } = served.status();
  expect(leadMicros).toBeLessThan(1_000_000);
  for (const member of ['n1', 'n2', 'n3'].filter((name) => name !== served.primary).slice(0, 1))
    await served.act({ type: 'kill', member });
  await expect(items.insertOne({}, { writeConcern: { w: 3, wtimeoutMS: 4000 } })).rejects.toThrow('timed out');
  expect(served.status().leadMicros).toBeGreaterThan(2_000_000);
});
