import { MongoClient } from 'mongodb';
import { afterEach, expect, test } from 'vitest';
import { ServedSet, wallClockMs } from '../../src/index.ts';

// With the wall clock as it is: what clients do for a while must not move the set's clock away from it. `pacerStep.test.ts` holds the
// rule with clocks that are simulated; this is the one place where real clients, a real machine and its clock come together. Nothing
// here says how long something takes, as a machine has other things to do, too: one clock is held against the other, between the
// question and its answer.

let served: ServedSet;
let client: MongoClient;

afterEach(async () => {
  await client.close();
  await served.stop();
});

/** A machine that is too slow for a set lets it fall behind, by the rule itself; one that is so slow each time has no use for tests. */
const QUESTIONS = 20;

/** How far the members' clocks are ahead of the wall clock when one answers, at least and at most, ms: it was asked meanwhile. */
async function offset(): Promise<[least: number, most: number]> {
  const askedMs = wallClockMs();
  const { localTime } = await client.db('admin').command({ hello: 1 });
  return [localTime.getTime() - wallClockMs(), localTime.getTime() - askedMs];
}

/**
 * Within the bounds: 250 ms ahead, each time; and 50 behind, but for as long as the answer took. A set that has drifted away stays
 * behind, whereas one that was kept waiting catches up.
 */
async function expectInStep(jumpedMs = 0): Promise<void> {
  let behindMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < QUESTIONS && behindMs > 55; i++) {
    const [least, most] = await offset();
    expect(least - jumpedMs).toBeLessThanOrEqual(255);
    behindMs = jumpedMs - most;
  }
  expect(behindMs).toBeLessThanOrEqual(55);
}

/** Nobody asks for anything until the set has gone on by so much of its own accord: members send each other heartbeats. */
function idle(micros: number): Promise<void> {
  const untilMicros = served.set.nowMicros + micros;
  return new Promise((resolve) => {
    const unheard = served.set.onTrace(() => {
      if (served.set.nowMicros < untilMicros) return;
      unheard();
      resolve();
    });
  });
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
  await idle(300_000);
  await expectInStep();
  await served.advance(3_600_000_000);
  for (let i = 0; i < 100; i++) await items.insertOne({ i }, { writeConcern: { w: 'majority' } });
  await expectInStep(3_600_000);
});

test.for([
  [250, 1000],
  [60_000, 4000],
] as const)(
  'with a lead of %d ms at most a client waits for %d by the clock of the set',
  async ([maxLeadMs, wtimeoutMS]) => {
    served = await ServedSet.start({ maxLeadMs });
    client = new MongoClient(served.uri);
    const items = client.db('app').collection('items');
    await items.insertOne({});
    for (const member of ['n1', 'n2', 'n3'].filter((name) => name !== served.primary).slice(0, 1))
      await served.act({ type: 'kill', member });
    const beganMicros = served.set.nowMicros;
    await expect(items.insertOne({}, { writeConcern: { w: 3, wtimeoutMS } })).rejects.toThrow('timed out');
    const { leadMicros } = served.status();
    expect(served.set.nowMicros - beganMicros).toBeGreaterThanOrEqual(wtimeoutMS * 1000);
    expect(leadMicros).toBeLessThanOrEqual(maxLeadMs * 1000);
    // Of the four seconds some are ahead still, more than the lesser bound would let be: they came as fast as the machine can.
    if (maxLeadMs > wtimeoutMS) expect(leadMicros).toBeGreaterThan(250_000);
  },
);
