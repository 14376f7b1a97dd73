import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { connected, nextEvent, useClients, useServedSet } from './servedSets.ts';

const served = useServedSet({ members: [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }] });
const newClient = useClients();
const COUNT = 1000;

interface Item {
  _id: number;
}

beforeAll(async () => {
  const items = newClient(served().uri).db('app').collection<Item>('items');
  await items.insertMany(Array.from({ length: COUNT }, (_, _id) => ({ _id })));
});

interface Sent {
  commandName: string;
  command: Record<string, unknown>;
}

function watched(options = {}) {
  const client = newClient(served().uri, { monitorCommands: true, ...options });
  const sent: Sent[] = [];
  const replies: { commandName: string; reply: Record<string, unknown> }[] = [];
  client.on('commandStarted', ({ commandName, command }) => void sent.push({ commandName, command }));
  client.on('commandSucceeded', ({ commandName, reply }) => void replies.push({ commandName, reply: reply as never }));
  return { client, sent, replies, items: client.db('app').collection<Item>('items') };
}

/** Waits until the member works on a getMore: it is asked again and again, over a connection of its own. */
async function untilPinned(): Promise<void> {
  const admin = newClient(served().uri).db('admin');
  for (let pinned = 0; pinned === 0; )
    pinned = Number((await admin.command({ serverStatus: 1 })).metrics.cursor.open.pinned);
}

const batchesOf = (replies: { commandName: string; reply: Record<string, unknown> }[]) =>
  replies.flatMap(({ reply }) => {
    const { firstBatch, nextBatch } = (reply.cursor ?? {}) as { firstBatch?: unknown[]; nextBatch?: unknown[] };
    return firstBatch || nextBatch ? [(firstBatch ?? nextBatch)!.length] : [];
  });

test.for([
  [{}, 1000, [101, 899]],
  [{ batchSize: 400 }, 1000, [400, 400, 200]],
  [{ batchSize: 400, limit: 500 }, 500, [400, 100]],
  [{ limit: 5 }, 5, [5]],
  [{ limit: -5 }, 5, [5]],
  [{ batchSize: 2, singleBatch: true }, 2, [2]],
  [{ skip: 990 }, 10, [10]],
] as const)('find with %o comes in batches', async ([options, count, batches]) => {
  const { items, replies } = watched();
  expect(await items.find({}, { ...options }).toArray()).toHaveLength(count);
  expect(batchesOf(replies)).toEqual(batches);
});

test('a first batch may be empty', async () => {
  const { client, replies } = watched();
  const command = { find: 'items', filter: { _id: { $lt: 5 } }, batchSize: 0 };
  expect(await client.db('app').runCursorCommand(command).toArray()).toHaveLength(5);
  expect(batchesOf(replies)).toEqual([0, 5]);
});

test('a cursor is closed early: the member forgets it', async () => {
  const { client, items, sent } = watched();
  const cursor = items.find({}, { batchSize: 2 });
  await cursor.next();
  const { id } = cursor;
  await cursor.close();
  expect(sent.map(({ commandName }) => commandName)).toEqual(['find', 'killCursors']);
  await expect(client.db('app').command({ getMore: id, collection: 'items' })).rejects.toMatchObject({
    code: 43,
    codeName: 'CursorNotFound',
  });
});

test('a getMore that waits for news is ended by the cursor being closed', async () => {
  const { client } = watched();
  const log = await client.db('app').createCollection<Item>('log', { capped: true, size: 4096 });
  await log.insertOne({ _id: 1 });
  const cursor = log.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 60_000 });
  expect(await cursor.next()).toEqual({ _id: 1 });
  const killed = nextEvent<{ commandName: string; failure: Error }>(
    client,
    'commandFailed',
    ({ commandName }) => commandName === 'getMore',
  );
  const next = cursor.next().catch((error) => error);
  await untilPinned();
  await cursor.close();
  expect((await killed).failure).toMatchObject({ code: 237, codeName: 'CursorKilled' });
  const end = await next;
  expect(end === null || end instanceof Error).toBe(true);
});

test('news end the wait of a tailable cursor', async () => {
  const { client } = watched();
  const log = await client.db('app').createCollection<Item>('news', { capped: true, size: 4096 });
  await log.insertOne({ _id: 1 });
  const cursor = log.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 60_000 });
  expect(await cursor.next()).toEqual({ _id: 1 });
  const next = cursor.next();
  await untilPinned();
  await log.insertOne({ _id: 2 });
  expect(await next).toEqual({ _id: 2 });
  await cursor.close();
});

test('a cursor that nobody uses stays as long as its session, unless the member is told otherwise', async () => {
  const { items } = watched();
  const [one, two] = [items.find({}, { batchSize: 2 }), items.find({}, { batchSize: 2 })];
  for (const cursor of [one, two]) for (let i = 0; i < 2; i++) await cursor.next();
  await served().advance(11 * 60_000_000);
  expect(await one.next()).toEqual({ _id: 2 });
  await one.close();
  const timeOut = (on: boolean) =>
    served().command('n1', { setParameter: 1, enableTimeoutOfInactiveSessionCursors: on });
  await timeOut(true);
  await expect(two.next()).rejects.toMatchObject({ code: 43, codeName: 'CursorNotFound' });
  await timeOut(false);
});

test('a cursor that is not to time out is there after an hour', async () => {
  const client = newClient(served().uri);
  const session = client.startSession();
  const cursor = client.db('app').collection<Item>('items').find({}, { batchSize: 2, noCursorTimeout: true, session });
  for (let i = 0; i < 2; i++) await cursor.next();
  await served().advance(20 * 60_000_000);
  expect(await cursor.next()).toEqual({ _id: 2 });
  await cursor.close();
  await session.endSession();
});

test('maxTimeMS ends what takes longer', async () => {
  const { items } = watched();
  await served().command('n1', { configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'alwaysOn' });
  await expect(items.find({}, { maxTimeMS: 10 }).toArray()).rejects.toMatchObject({
    code: 50,
    codeName: 'MaxTimeMSExpired',
  });
  await served().command('n1', { configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'off' });
  expect(await items.find({ _id: 1 }, { maxTimeMS: 10_000 }).toArray()).toEqual([{ _id: 1 }]);
});

/** A wire between client and member that can be cut. */
const wires: { close(): void }[] = [];
afterEach(() => {
  for (const wire of wires.splice(0)) wire.close();
});

async function wireTo(member: string): Promise<{ port: number; cut(): void }> {
  const [host, port] = served().set.hostOf(member).split(':');
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial(Number(port), host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  wires.push({
    close: () => {
      cut();
      server.close();
    },
  });
  return { port: (server.address() as AddressInfo).port, cut };
}

test('a connection lost between two batches: the next one takes another connection', async () => {
  const wire = await wireTo('n1');
  const client = newClient(`mongodb://127.0.0.1:${wire.port}/?directConnection=true&heartbeatFrequencyMS=500`);
  await connected(client, 1);
  const cursor = client.db('app').collection<Item>('items').find({}, { batchSize: 10 }).sort({ _id: 1 });
  for (let i = 0; i < 10; i++) await cursor.next();
  // The monitor loses its own, too; whoever asks between the two events meets a pool that is about to be cleared.
  const lost = ['connectionClosed', 'serverHeartbeatFailed'].map((name) => nextEvent(client, name, () => true));
  wire.cut();
  await Promise.all(lost);
  expect(await cursor.next()).toEqual({ _id: 10 });
  await cursor.close();
});

test('a connection lost under a getMore is an error, and nothing is read twice', async () => {
  const { client, items } = watched();
  const cursor = items.find({}, { batchSize: 10 });
  for (let i = 0; i < 10; i++) await cursor.next();
  const data = { failCommands: ['getMore'], closeConnection: true };
  await served().command('n1', { configureFailPoint: 'failCommand', mode: { times: 1 }, data });
  await expect(cursor.next()).rejects.toBeInstanceOf(MongoNetworkError);
  expect(await client.db('app').collection('items').countDocuments()).toBe(COUNT);
});

test('a fail point of the cursor', async () => {
  const { items } = watched();
  const cursor = items.find({}, { batchSize: 10 });
  for (let i = 0; i < 10; i++) await cursor.next();
  const data = { errorCode: 262 };
  await served().command('n1', { configureFailPoint: 'failGetMoreAfterCursorCheckout', mode: { times: 1 }, data });
  await expect(cursor.next()).rejects.toMatchObject({ code: 262, codeName: 'ExceededTimeLimit' });
});

test('a step-down leaves the cursor alone', async () => {
  const { items } = watched();
  const cursor = items.find({}, { batchSize: 10 }).sort({ _id: 1 });
  for (let i = 0; i < 10; i++) await cursor.next();
  await served().stepDown({ secs: 12 });
  const rest = await cursor.toArray();
  expect(rest[0]).toEqual({ _id: 10 });
  expect(rest).toHaveLength(COUNT - 10);
  await served().advance(40_000_000);
});

test('a member that dies takes its cursors along', async () => {
  // The client may look for the dead member first.
  const { client } = watched({ serverSelectionTimeoutMS: 2000 });
  const primary = await served().untilPrimary();
  const cursor = client.db('app').collection<Item>('items').find({}, { batchSize: 10 });
  for (let i = 0; i < 10; i++) await cursor.next();
  await served().act({ type: 'kill', member: primary });
  const error = await cursor.next().catch((error) => error);
  expect(error.name).toMatch(/^MongoNetworkError|^MongoPoolCleared|^MongoServerSelection/);
  await served().untilPrimary();
  await served().start(primary);
});
