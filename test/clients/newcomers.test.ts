import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { expect, test } from 'vitest';

// A driver begins to watch a member half a second after it has connected, and until then it runs into a dead one's closed port.
test.for(['kill', 'shutdown'] as const)(
  'who has just connected sees no error when its primary ends by %s',
  async (how) => {
    const oneLife = async () => {
      const set = await ReplicaSet.start({ members: 3 });
      const client = new MongoClient(set.uri);
      const items = client.db('app').collection<{ _id: number }>('items');
      try {
        await items.insertOne({ _id: 1 });
        await set[how]('primary');
        await set.untilPrimary();
        await items.insertOne({ _id: 2 });
        expect(await items.countDocuments()).toBe(2);
      } finally {
        await client.close();
        await set.stop();
      }
    };
    // Drivers wait for a random time before they try again: luck may be with them. They do it beside each other.
    const ends = await Promise.allSettled(Array.from({ length: 8 }, oneLife));
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
  },
);
