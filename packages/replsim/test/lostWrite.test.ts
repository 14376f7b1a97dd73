import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { afterEach, expect, test, vi } from 'vitest';

// The test that shows a lost write: the member that holds it rolls back, and closes its clients' connections, while the test lets time pass.

let set: ReplicaSet;
let client: MongoClient;
let admin: MongoClient | undefined;

afterEach(async () => {
  await client?.close();
  await admin?.close();
  admin = undefined;
  await set?.stop();
});

interface Verbs {
  partition(old: string, others: string[]): Promise<unknown>;
  untilPrimary(other: string): Promise<unknown>;
  heal(): Promise<unknown>;
  advance(): Promise<unknown>;
}

const methods = (): Verbs => ({
  partition: (old, others) => set.partition([[old], others]),
  untilPrimary: (other) => set.untilPrimary({ other }),
  heal: () => set.heal(),
  advance: () => set.advance('30s'),
});

/** As a client in another language would have it. */
function commands(): Verbs {
  admin = new MongoClient(`mongodb://${set.members[1]!.host}/?directConnection=true`);
  const ask = (command: object) => admin!.db('admin').command(command);
  return {
    partition: (old, others) => ask({ replsimFault: { partition: [[old], others] } }),
    untilPrimary: (other) => ask({ replsimUntilPrimary: 1, other }),
    heal: () => ask({ replsimFault: { heal: 'all' } }),
    advance: () => ask({ replsimAdvance: '30s' }),
  };
}

test.for<{ how: string; seed: number; verbs: () => Verbs; speed?: number; fakes?: boolean }>([
  { how: 'by methods', seed: 1, verbs: methods },
  { how: 'by methods', seed: 6, verbs: methods },
  { how: 'while time stands still', seed: 2, verbs: methods, speed: 0 },
  { how: 'on a clock that is faked', seed: 3, verbs: methods, fakes: true },
  { how: 'by commands', seed: 4, verbs: commands },
])(
  '$how, with seed $seed: a client is answered by whoever has rolled back',
  async ({ seed, verbs, speed = 1, fakes }) => {
    set = await ReplicaSet.start({ members: 3, seed, speed });
    if (fakes) set.useFakeTimers(vi);
    client = new MongoClient(set.uri);
    const { partition, untilPrimary, heal, advance } = verbs();
    const items = client.db('app').collection<{ _id: number }>('items');
    await items.insertOne({ _id: 1 });
    const old = set.primary!;
    await partition(
      old,
      set.members.map(({ name }) => name).filter((name) => name !== old),
    );
    await items.insertOne({ _id: 2 }, { writeConcern: { w: 1 } });
    await untilPrimary(old);
    await heal();
    await advance();
    const counts = [await items.countDocuments(), await items.countDocuments({}, { readPreference: 'secondary' })];
    expect(counts).toEqual([1, 1]);
  },
);
