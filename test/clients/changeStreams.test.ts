import type { ChangeStream, ChangeStreamDocument } from 'mongodb';
import { expect, test } from 'vitest';
import { connected, useClients, useServedSet } from './servedSets.ts';

// Change streams as an application sees them through the driver.

const served = useServedSet();
const newClient = useClients();

interface Order {
  _id: number;
  state: string;
}

/** The next events of a stream, so many. An iterator that is left would close it. */
async function next(stream: ChangeStream<Order>, count: number): Promise<ChangeStreamDocument<Order>[]> {
  const events: ChangeStreamDocument<Order>[] = [];
  while (events.length < count) events.push(await stream.next());
  return events;
}

test('collection.watch() shows inserts, updates, replacements and deletes in order', async () => {
  const orders = newClient(served().uri).db('watched').collection<Order>('orders');
  const stream = orders.watch();
  expect(await stream.tryNext()).toBeNull();
  await orders.insertOne({ _id: 1, state: 'new' });
  await orders.updateOne({ _id: 1 }, { $set: { state: 'paid' } });
  await orders.replaceOne({ _id: 1 }, { state: 'sent' });
  await orders.deleteOne({ _id: 1 });
  expect(await next(stream, 4)).toMatchObject([
    { operationType: 'insert', documentKey: { _id: 1 }, fullDocument: { _id: 1, state: 'new' } },
    {
      operationType: 'update',
      updateDescription: { updatedFields: { state: 'paid' }, removedFields: [], truncatedArrays: [] },
    },
    { operationType: 'replace', fullDocument: { _id: 1, state: 'sent' } },
    { operationType: 'delete', ns: { db: 'watched', coll: 'orders' }, documentKey: { _id: 1 } },
  ]);
  await stream.close();
});

test('a stream goes on over a failover by itself', async () => {
  // The driver waits so long for the member that has the cursor to come back, before it resumes elsewhere.
  const client = await connected(newClient(served().uri, { serverSelectionTimeoutMS: 3000 }));
  const orders = client.db('failover').collection<Order>('orders');
  const stream = orders.watch();
  expect(await stream.tryNext()).toBeNull();
  await orders.insertOne({ _id: 1, state: 'new' });
  expect(await next(stream, 1)).toMatchObject([{ documentKey: { _id: 1 } }]);
  const primary = served().primary!;
  await served().act({ type: 'kill', member: primary });
  await served().untilPrimary();
  await orders.insertOne({ _id: 2, state: 'new' });
  expect(await next(stream, 1)).toMatchObject([{ operationType: 'insert', documentKey: { _id: 2 } }]);
  await stream.close();
  await served().start(primary);
});

interface Selection {
  readonly message: string;
  readonly operation?: string;
  readonly remainingTimeMS?: number;
}

test.for([
  ['30 s by default', undefined, 30_000],
  ['as long as serverSelectionTimeoutMS says', 2000, 2000],
] as const)('a stream whose member is killed first waits for that very member: %s', async ([, timeout, longest]) => {
  // What the driver says of how it looks for servers.
  let waits: (selection: Selection) => void = () => {};
  const waited = new Promise<Selection>((resolve) => {
    waits = resolve;
  });
  const client = await connected(
    newClient(served().uri, {
      ...(timeout !== undefined && { serverSelectionTimeoutMS: timeout }),
      mongodbLogComponentSeverities: { serverSelection: 'debug' },
      mongodbLogPath: {
        write: (line) => {
          const selection = line as unknown as Selection;
          if (/^Waiting for suitable server/.test(selection.message) && selection.operation === 'killCursors')
            waits(selection);
        },
      },
    }),
  );
  const orders = client.db('waits').collection<Order>('orders');
  const stream = orders.watch();
  expect(await stream.tryNext()).toBeNull();
  const primary = served().primary!;
  const event = stream.next();
  await served().act({ type: 'kill', member: primary });
  const { remainingTimeMS = 0 } = await waited;
  expect(remainingTimeMS).toBeGreaterThan(longest / 2);
  expect(remainingTimeMS).toBeLessThanOrEqual(longest);
  // The other way to end the wait: the member is back.
  await served().untilPrimary();
  await served().start(primary);
  await orders.insertOne({ _id: longest, state: 'new' });
  expect(await event).toMatchObject({ documentKey: { _id: longest } });
  await stream.close();
});

test('another client goes on from a token', async () => {
  const first = newClient(served().uri).db('tokens').collection<Order>('orders');
  const stream = first.watch();
  expect(await stream.tryNext()).toBeNull();
  await first.insertMany([1, 2, 3].map((_id) => ({ _id, state: 'new' })));
  const [{ _id: resumeAfter }] = (await next(stream, 1)) as [ChangeStreamDocument<Order>];
  await stream.close();
  const second = newClient(served().uri).db('tokens').collection<Order>('orders').watch([], { resumeAfter });
  expect(await next(second, 2)).toMatchObject([{ documentKey: { _id: 2 } }, { documentKey: { _id: 3 } }]);
  expect(second.resumeToken).toBeDefined();
  await second.close();
});

test('a database and the deployment are watched too, with images', async () => {
  const client = newClient(served().uri);
  const db = client.db('wide');
  await db.createCollection('orders', { changeStreamPreAndPostImages: { enabled: true } });
  const options = { fullDocument: 'required', fullDocumentBeforeChange: 'required' } as const;
  const ofDatabase = db.watch<Order>([{ $match: { operationType: 'update' } }], options);
  const ofAll = client.watch<Order>([{ $match: { operationType: 'update' } }], options);
  for (const stream of [ofDatabase, ofAll]) expect(await stream.tryNext()).toBeNull();
  const orders = db.collection<Order>('orders');
  await orders.insertOne({ _id: 1, state: 'new' });
  await orders.updateOne({ _id: 1 }, { $set: { state: 'paid' } });
  for (const stream of [ofDatabase, ofAll]) {
    expect(await next(stream, 1)).toMatchObject([
      { fullDocument: { state: 'paid' }, fullDocumentBeforeChange: { state: 'new' } },
    ]);
    await stream.close();
  }
});
