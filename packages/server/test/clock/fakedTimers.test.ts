import { MongoClient } from 'mongodb';
import { afterEach, expect, test, vi } from 'vitest';
import { ServedSet } from '../../src/index.ts';

// A suite fakes the timers of its process, in which the set lives and its driver too.

let served: ServedSet;
let client: MongoClient;

afterEach(async () => {
  vi.useRealTimers();
  await client.close();
  await served.stop();
});

async function started(): Promise<void> {
  served = await ServedSet.start();
  client = new MongoClient(served.uri);
}

const items = () => client.db('app').collection<{ _id: number }>('items');

test.for([
  { name: "vitest's own choice", faked: {} },
  { name: 'performance, setImmediate and all timers', faked: everyTimer() },
])('a set answers and its clock can be turned while timers are faked: $name', async ({ faked }) => {
  await started();
  vi.useFakeTimers(faked);
  await items().insertMany([{ _id: 1 }, { _id: 2 }], { writeConcern: { w: 'majority' } });
  expect(await items().countDocuments()).toBe(2);
  const before = served.wallMs;
  await served.advance(61_000_000);
  expect(served.wallMs).toBeGreaterThanOrEqual(before + 61_000);
  const [primary] = [served.primary];
  expect(await served.stepDown()).not.toBe(primary);
  await items().insertOne({ _id: 3 });
  expect(await items().countDocuments()).toBe(3);
});

test('a set that is started while timers are faked keeps the real time', async () => {
  vi.useFakeTimers({ now: 0 });
  await started();
  await items().insertOne({ _id: 1 });
  await served.shutdown(served.primary!);
  expect(served.wallMs).toBeGreaterThan(Date.UTC(2020));
});

function everyTimer() {
  const timers = [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
  ] as const;
  return { toFake: [...timers, 'Date' as const, 'performance' as const, 'hrtime' as const] };
}
