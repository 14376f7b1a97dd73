import { setImmediate as turn } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterEach, expect, test, vi } from 'vitest';
import { REAL_TIME } from '../../src/clock/realTime.ts';
import { STANDSTILL_MS } from '../../src/clock/standstill.ts';
import { ServedSet } from '../../src/index.ts';

// Two seconds of real time are over when a test says so.

let served: ServedSet;
let client: MongoClient;
let told: string[];
let patience: (() => void)[];

afterEach(async () => {
  await client.close();
  await served.stop();
  vi.restoreAllMocks();
});

async function start(speed: number): Promise<void> {
  patience = [];
  const real = REAL_TIME.setTimeout;
  vi.spyOn(REAL_TIME, 'setTimeout').mockImplementation((wake, ms) =>
    ms === STANDSTILL_MS ? patience.push(wake) : real(wake, ms),
  );
  served = await ServedSet.start();
  served.pacer.speed = speed;
  told = [];
  served.standstill.onInVain((text) => told.push(text));
  client = new MongoClient(served.uri);
  await client.db('app').collection('items').insertOne({});
}

const passPatience = () => {
  for (const wake of patience.splice(0)) wake();
};

test.for([
  ['at speed 0', 0],
  ['by a clock of faked timers', 1],
] as const)('a primary that clients look for does not come while time stands still: %s', async ([, speed]) => {
  await start(speed);
  const clock = { setTimeout: () => 1, clearTimeout: () => {}, next: () => {}, tick: () => {} };
  if (speed > 0) served.follow((now) => [{ now, ...clock }, undefined]);
  passPatience();
  expect(told).toEqual([]);
  await served.act({ type: 'kill', member: served.primary! });
  passPatience();
  passPatience();
  expect(told).toEqual([expect.stringMatching(/clients look for a primary.*set\.untilPrimary\(\)/)]);
  served.pacer.unfollow();
  await served.untilPrimary();
});

test('nor does the end of a command that waits for longer than a command may by itself', async () => {
  await start(0);
  const [secondary] = served.set.memberNames.filter((name) => name !== served.primary);
  await served.act({ type: 'kill', member: secondary! });
  const items = client.db('app').collection('items');
  const waiting = items.insertOne({}, { writeConcern: { w: 3, wtimeoutMS: 10_000 } });
  waiting.catch(() => {});
  // The set may stand still for a moment more than once before the command waits in vain, and whoever sees that time went on looks again.
  while (told.length === 0) {
    await turn();
    passPatience();
  }
  expect(told).toEqual([expect.stringMatching(/a command waits for more than five seconds.*set\.advance\('10s'\)/)]);
  await served.advance(10_000_000);
  await expect(waiting).rejects.toThrow('timed out');
});

test('nor is one told of that has been answered in time', async () => {
  await start(0);
  const [secondary] = served.set.memberNames.filter((name) => name !== served.primary);
  await served.act({ type: 'kill', member: secondary! });
  const items = client.db('app').collection('items');
  const waiting = items.insertOne({}, { writeConcern: { w: 3, wtimeoutMS: 10_000 } });
  waiting.catch(() => {});
  while (patience.length === 0) await turn();
  await served.advance(10_000_000);
  await expect(waiting).rejects.toThrow('timed out');
  passPatience();
  passPatience();
  expect([told, patience]).toEqual([[], []]);
});

test('whoever turns the clock in time hears nothing', async () => {
  await start(0);
  const killed = served.primary!;
  await served.act({ type: 'kill', member: killed });
  expect(patience).toHaveLength(1);
  await served.untilPrimary(undefined, killed);
  passPatience();
  expect([told, patience]).toEqual([[], []]);
});

test('nor where time flows', async () => {
  await start(1);
  await served.act({ type: 'kill', member: served.primary! });
  expect([told, patience]).toEqual([[], []]);
  await served.untilPrimary();
});
