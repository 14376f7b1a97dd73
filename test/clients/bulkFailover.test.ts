import { decodePromoted, encodeDocument } from '@replsim/protocol';
import {
  type AnyBulkWriteOperation,
  type ClientBulkWriteModel,
  MongoBulkWriteError,
  type MongoClient,
  MongoServerError,
} from 'mongodb';
import { afterEach, describe, expect, test } from 'vitest';
import { connected, useClients, useServedSet } from './servedSets.ts';

const served = useServedSet({ members: 3 });
const newClient = useClients();
const COUNT = 800;

interface Item {
  _id: number;
  n: number;
}

/** Something happens to the set at the very moment at which the primary has done a part of what `collection` is to get. */
async function amid(
  collection: string,
  happen: (primary: string) => Promise<unknown>,
  query: object = {},
  enough = 100,
): Promise<void> {
  const primary = served().primary!;
  const count = encodeDocument({ count: collection, query, $db: 'bulk' });
  let happening: Promise<unknown> | undefined;
  const done = () => {
    if (happening === undefined && decodePromoted(served().set.ask(primary, count)).n >= enough)
      happening = happen(primary);
    return happening !== undefined;
  };
  // Time that flows by itself could take the write to its end between that moment and what is to happen then.
  served().pacer.speed = 0;
  expect(await served().pacer.reach(done, 600_000_000)).toBe(true);
  await happening;
  served().pacer.speed = 1;
  await served().untilPrimary();
}

/** Counts how often the client sends this command; `sent` resolves at the first. */
function attemptsAt(client: MongoClient, wanted: string): { count: number; sent: Promise<void> } {
  const attempts = { count: 0, sent: Promise.resolve() };
  attempts.sent = new Promise((resolve) => {
    client.on('commandStarted', ({ commandName }) => {
      if (commandName !== wanted) return;
      attempts.count++;
      resolve();
    });
  });
  return attempts;
}

const documents = (): Item[] => Array.from({ length: COUNT }, (_, _id) => ({ _id, n: 0 }));

async function watched(
  command: string,
): Promise<{ client: MongoClient; attempts: { count: number; sent: Promise<void> } }> {
  const client = await connected(newClient(served().uri, { monitorCommands: true, minHeartbeatFrequencyMS: 50 }));
  return { client, attempts: attemptsAt(client, command) };
}

/** What becomes of the primary, and how the set is made whole again. */
const ways: [what: string, happen: (primary: string) => Promise<unknown>][] = [
  ['steps down', (member) => served().command(member, { replSetStepDown: 12 })],
  ['is killed', (member) => served().act({ type: 'kill', member })],
  ['shuts down', (member) => served().shutdown(member)],
];

describe.for(ways)('the primary %s in the middle of', ([way, happen]) => {
  const nameOf = (kind: string) => `${kind} ${way}`;
  /** One more than it has parts. A member that quiesces may still end what it has begun, and then nothing is sent again. */
  const expectSentAgain = (count: number, parts: number) =>
    expect(way === 'shuts down' ? [parts, parts + 1] : [parts + 1]).toContain(count);

  afterEach(async () => {
    for (const member of served().set.memberNames)
      if (!served().set.status(member).running) await served().start(member);
    await served().advance(15_000_000);
    await served().untilPrimary();
  });

  test('insertMany, which goes on with the next primary', async () => {
    const { client, attempts } = await watched('insert');
    const items = client.db('bulk').collection<Item>(nameOf('insertMany'));
    const insert = items.insertMany(documents());
    await attempts.sent;
    await amid(nameOf('insertMany'), happen);
    expect(await insert).toMatchObject({ acknowledged: true, insertedCount: COUNT });
    expectSentAgain(attempts.count, 1);
    expect(await items.countDocuments()).toBe(COUNT);
  });

  test.for([true, false])('collection.bulkWrite of inserts and increments, ordered: %s', async (ordered) => {
    const { client, attempts } = await watched(ordered ? 'update' : 'insert');
    const name = nameOf(`bulkWrite ${ordered}`);
    const items = client.db('bulk').collection<Item>(name);
    await items.insertOne({ _id: -1, n: 0 });
    const inserts = documents()
      .slice(0, 400)
      .map((document): AnyBulkWriteOperation<Item> => ({ insertOne: { document } }));
    const increments = inserts.map((): AnyBulkWriteOperation<Item> => {
      return { updateOne: { filter: { _id: -1 }, update: { $inc: { n: 1 } } } };
    });
    const write = items.bulkWrite([...inserts, ...increments], { ordered });
    await attempts.sent;
    // In order, every document is there when the increments begin.
    if (ordered) await amid(name, happen, { _id: -1, n: { $gte: 100 } }, 1);
    else await amid(name, happen);
    expect(await write).toMatchObject({ insertedCount: 400, modifiedCount: 400 });
    expectSentAgain(attempts.count, ordered ? 1 : 2);
    expect(await items.findOne({ _id: -1 })).toEqual({ _id: -1, n: 400 });
    expect(await items.countDocuments()).toBe(401);
  });

  test.for([true, false])('client.bulkWrite over two collections, ordered: %s', async (ordered) => {
    const { client, attempts } = await watched('bulkWrite');
    const names = [0, 1].map((i) => nameOf(`client${i} ${ordered}`));
    await client.db('bulk').collection<Item>(names[1]!).insertOne({ _id: -1, n: 0 });
    const models = documents().flatMap(({ _id, n }): ClientBulkWriteModel[] => [
      { name: 'insertOne', namespace: `bulk.${names[0]}`, document: { _id, n } as object },
      { name: 'updateOne', namespace: `bulk.${names[1]}`, filter: { _id: -1 } as object, update: { $inc: { n: 1 } } },
    ]);
    const write = client.bulkWrite(models, { ordered });
    await attempts.sent;
    await amid(names[0]!, happen);
    expect(await write).toMatchObject({ insertedCount: COUNT, modifiedCount: COUNT });
    expectSentAgain(attempts.count, 1);
    expect(await client.db('bulk').collection(names[0]!).countDocuments()).toBe(COUNT);
    expect(await client.db('bulk').collection(names[1]!).find().toArray()).toEqual([{ _id: -1, n: COUNT }]);
  });
});

test('a findAndModify that is asked again answers as it did the first time', async () => {
  const client = newClient(served().uri, { monitorCommands: true });
  const items = client.db('bulk').collection<Item>('modified');
  await items.insertOne({ _id: 1, n: 7 });
  let attempts = 0;
  client.on('commandStarted', ({ commandName }) => {
    if (commandName === 'findAndModify') attempts++;
  });
  const primary = served().primary!;
  const closeAfterWrite = () =>
    served().command(primary, { configureFailPoint: 'onPrimaryTransactionalWrite', mode: { times: 1 } });
  await closeAfterWrite();
  expect(await items.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })).toEqual({ _id: 1, n: 7 });
  await closeAfterWrite();
  const after = { returnDocument: 'after' } as const;
  expect(await items.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, after)).toEqual({ _id: 1, n: 9 });
  await closeAfterWrite();
  expect(await items.findOneAndDelete({ _id: 1 })).toEqual({ _id: 1, n: 9 });
  expect(attempts).toBe(6);
  expect(await items.countDocuments()).toBe(0);
});

test('without retryWrites the error comes through, and the write was done once', async () => {
  const client = newClient(served().uri, { retryWrites: false });
  const items = client.db('bulk').collection<Item>('noRetry');
  const data = { failCommands: ['insert'], errorCode: 11602 };
  await served().command(served().primary!, { configureFailPoint: 'failCommand', mode: { times: 1 }, data });
  const error = await items.insertOne({ _id: 1, n: 0 }).catch((error) => error);
  expect(error).toBeInstanceOf(MongoServerError);
  expect(error).toMatchObject({ code: 11602, codeName: 'InterruptedDueToReplStateChange' });
  expect(error.hasErrorLabel('RetryableWriteError')).toBe(false);
  await items.insertOne({ _id: 1, n: 0 });
  const again = await items.insertMany([{ _id: 0, n: 0 }, { _id: 1, n: 0 }]).catch((error) => error); // biome-ignore format: one line
  expect(again).toBeInstanceOf(MongoBulkWriteError);
  expect(again).toMatchObject({ code: 11000, insertedCount: 1 });
});

test('writes that nobody acknowledges are done all the same', async () => {
  // Of one connection, which answers in order, and what nobody waits for not at all.
  const client = newClient(served().uri, { maxPoolSize: 1 });
  const items = client.db('bulk').collection<Item>('unacknowledged');
  const none = { writeConcern: { w: 0 } } as const;
  expect(await items.insertOne({ _id: 1, n: 0 }, none)).toMatchObject({ acknowledged: false });
  expect(await items.insertMany([{ _id: 2, n: 0 }, { _id: 3, n: 0 }], none)).toMatchObject({ acknowledged: false }); // biome-ignore format: one line
  await items.updateOne({ _id: 1 }, { $inc: { n: 1 } }, none);
  await items.deleteOne({ _id: 3 }, none);
  expect(await items.insertOne({ _id: 4, n: 0 })).toMatchObject({ acknowledged: true });
  expect(await items.find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 1, n: 1 },
    { _id: 2, n: 0 },
    { _id: 4, n: 0 },
  ]);
});
