import { Binary, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReplicaSet } from '../src/index.ts';

// What drivers were told, over real sockets, and what became of it.

let set: ReplicaSet;
let clients: MongoClient[];
beforeEach(async () => {
  clients = [];
  set = await ReplicaSet.start({ members: 3, seed: 7 });
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await set.stop();
});

/** A client that knows one member alone, wherever the others are. */
async function clientOf(member: string, options: MongoClientOptions = {}): Promise<MongoClient> {
  const { host } = set.members.find(({ name }) => name === member)!;
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, options);
  clients.push(client);
  return client.connect();
}

async function clientOfAll(options: MongoClientOptions = {}): Promise<MongoClient> {
  const client = new MongoClient(set.uri, options);
  clients.push(client);
  return client.connect();
}

/** Cuts the primary off, lets it write, and lets the others elect another, which wins. */
async function loseWhat(write: (client: MongoClient) => Promise<unknown>, options: MongoClientOptions = {}) {
  const primary = set.primary!;
  const client = await clientOf(primary, options);
  await client
    .db('app')
    .collection('c')
    .insertMany([{ _id: 'kept' as never, n: 0 }, { _id: 'gone' as never }]);
  await set.partition([[primary], ['all']]);
  await write(client);
  const other = await set.untilPrimary({ other: primary });
  return { primary, other };
}

const LSID = new Binary(Buffer.alloc(16, 7), 4);
const w1 = { writeConcern: { w: 1 } };

test('a lost insert: who acknowledged it, which election lost it, what would have kept it', async () => {
  const { primary, other } = await loseWhat(
    (client) => client.db('app').collection<{ _id: string | number; n?: number }>('c').insertOne({ _id: 1 }, w1),
    { appName: 'shop' },
  );
  const [lost, ...others] = await set.lost();
  expect(others).toEqual([]);
  expect(lost).toEqual({
    command: 'insert',
    ns: 'app.c',
    ids: [1],
    documents: 1,
    member: primary,
    at: expect.any(Date),
    writeConcern: '{ w: 1 }',
    appName: 'shop',
    lostBy: { term: 2, primary: other, at: expect.any(Date) },
    keptBy: '{ w: "majority" }',
  });
  expect(lost!.lostBy.at.getTime()).toBeGreaterThan(lost!.at.getTime());
  expect((await set.ledger()).acknowledged).toBe(2);
  await set.heal();
  await set.advance('30s');
  expect(await set.lost()).toHaveLength(1);
});

const BULK = [
  { name: 'insertOne', namespace: 'app.c', document: { _id: 1 } },
  { name: 'deleteOne', namespace: 'app.c', filter: { _id: 'kept' } },
];
type Write = (client: MongoClient) => Promise<unknown>;
const inApp = (client: MongoClient) => client.db('app').collection<{ _id: string | number; n?: number }>('c');
/** Each kind of write; how it is called, its documents, and how many the client was told of. */
const WRITES: readonly [string, Write, Document][] = [
  ['insertMany', (client) => inApp(client).insertMany([{ _id: 1 }, { _id: 2 }], w1), { command: 'insert', documents: 2, ids: [1, 2] }], // biome-ignore format: a line each
  ['updateOne', (client) => inApp(client).updateOne({ _id: 'kept' }, { $set: { n: 1 } }, w1), { command: 'update', documents: 1, ids: ['kept'] }], // biome-ignore format: a line each
  ['an upsert', (client) => inApp(client).updateOne({ _id: 3 }, { $set: { n: 1 } }, { ...w1, upsert: true }), { command: 'update', documents: 1, ids: [3] }], // biome-ignore format: a line each
  ['updateMany, which no session numbers', (client) => inApp(client).updateMany({ _id: 'kept' }, { $set: { n: 1 } }, w1), { command: 'update', documents: 1, ids: ['kept'] }], // biome-ignore format: a line each
  ['deleteOne', (client) => inApp(client).deleteOne({ _id: 'kept' }, w1), { command: 'delete', documents: 1, ids: ['kept'] }], // biome-ignore format: a line each
  ['findOneAndUpdate', (client) => inApp(client).findOneAndUpdate({ _id: 'kept' }, { $set: { n: 1 } }, w1), { command: 'findAndModify', documents: 1, ids: ['kept'] }], // biome-ignore format: a line each
  ['findOneAndDelete', (client) => inApp(client).findOneAndDelete({ _id: 'kept' }, w1), { command: 'findAndModify', documents: 1, ids: ['kept'] }], // biome-ignore format: a line each
  ['a bulkWrite of the client', (client) => client.bulkWrite(BULK as never, w1), { command: 'bulkWrite', documents: 2, ids: [1, 'kept'] }], // biome-ignore format: a line each
  ['a transaction', (client) => client.withSession((session) => session.withTransaction(() => inApp(client).insertOne({ _id: 1 }, { session }), w1)), { command: 'commitTransaction', ids: [1] }], // biome-ignore format: a line each
  [
    'the creation of a collection',
    (client) => client.db('app').command({ create: 'd', ...w1 }),
    { command: 'create', ids: [] },
  ],
  ['without retries', (client) => client.db('app').command({ insert: 'c', documents: [{ _id: 1 }], ...w1 }), { command: 'insert', documents: 1, ids: [1] }], // biome-ignore format: a line each
  ['some of a bulk, where others fail', (client) => inApp(client).insertMany([{ _id: 'kept' }, { _id: 1 }], { ...w1, ordered: false }).catch(() => {}), { command: 'insert', documents: 1, ids: [1] }], // biome-ignore format: a line each
];
test.for(WRITES)('%s', async ([, write, expected]) => {
  await loseWhat(write);
  expect(await set.lost()).toMatchObject([{ ...expected, writeConcern: '{ w: 1 }', keptBy: '{ w: "majority" }' }]);
});

test('the other command of a set: set.command', async () => {
  const primary = set.primary!;
  await set.partition([[primary], ['all']]);
  await set.command(primary, { insert: 'c', documents: [{ _id: 1 }], $db: 'app', writeConcern: { w: 1 } });
  expect(await set.lost()).toEqual([]);
  await set.untilPrimary({ other: primary });
  expect(await set.lost()).toMatchObject([{ command: 'insert', ids: [1] }]);
});

describe('what no client was told is acknowledged does not count', () => {
  const never: [string, Write][] = [
    ['w: 0', (client) => inApp(client).insertOne({ _id: 1 }, { writeConcern: { w: 0 } })],
    ['w: 0, by a command', (client) => client.db('app').command({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 0 } })], // biome-ignore format: a line each
    ['a write concern that failed', (client) => inApp(client).insertOne({ _id: 1 }, { writeConcern: { w: 'majority', wtimeoutMS: 100 } }).catch(() => {})], // biome-ignore format: a line each
    [
      'a write error',
      (client) =>
        inApp(client)
          .insertOne({ _id: 'kept' }, w1)
          .catch(() => {}),
    ],
    ['an update that changed nothing', (client) => inApp(client).updateOne({ _id: 'kept' }, { $set: { n: 0 } }, w1)],
    ['a transaction that only reads', (client) => client.withSession((session) => session.withTransaction(() => inApp(client).findOne({ _id: 'kept' }, { session }), w1))], // biome-ignore format: a line each
    ['a read', (client) => inApp(client).findOne({ _id: 'kept' })],
    ['a transaction that was given up', (client) => client.withSession(async (session) => { session.startTransaction(); await inApp(client).insertOne({ _id: 1 }, { session }); await session.abortTransaction(); })], // biome-ignore format: a line each
  ];
  test.for(never)('%s', async ([, write]) => {
    await loseWhat(write);
    expect(await set.ledger()).toEqual({ acknowledged: 1, lost: [] });
  });
});

describe('retries', () => {
  const failOnce = (data: Document) => ({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });

  test('a write whose reply is lost counts once', async () => {
    const client = await clientOfAll();
    await set.command(set.primary!, failOnce({ failCommands: ['insert'], closeConnection: true }));
    await inApp(client).insertOne({ _id: 1 }, w1);
    expect(await set.ledger()).toEqual({ acknowledged: 1, lost: [] });
  });

  test('one that was done, and is sent again, counts once and is lost once', async () => {
    const primary = set.primary!;
    const client = await clientOf(primary);
    await inApp(client).insertOne({ _id: 'kept' });
    await set.partition([[primary], ['all']]);
    const insert = { insert: 'c', documents: [{ _id: 1 }], txnNumber: 5n, lsid: { id: LSID }, $db: 'app', ...w1 };
    await set.command(primary, insert);
    expect(await set.command(primary, insert)).toMatchObject({ retriedStmtIds: [0] });
    await set.untilPrimary({ other: primary });
    expect(await set.ledger()).toMatchObject({ acknowledged: 2, lost: [{ ids: [1] }] });
  });

  test('one that failed its write concern, and met it when it was sent again', async () => {
    const primary = set.primary!;
    const others = ['n1', 'n2', 'n3'].filter((name) => name !== primary);
    const insert = { insert: 'c', documents: [{ _id: 1 }], txnNumber: 5n, lsid: { id: LSID }, $db: 'app' };
    await set.partition([[primary], others]);
    const missed = set.command(primary, { ...insert, writeConcern: { w: 2, wtimeout: 50 } });
    await expect(missed).rejects.toMatchObject({ code: 64, extra: { ok: 1, n: 1, writeConcernError: { code: 64 } } });
    expect((await set.ledger()).acknowledged).toBe(0);
    await set.command(primary, { ...insert, ...w1 });
    expect((await set.ledger()).acknowledged).toBe(1);
    await set.untilPrimary({ other: primary });
    expect(await set.lost()).toMatchObject([{ ids: [1] }]);
  });

  test('one that the next primary does anew is not lost', async () => {
    const primary = set.primary!;
    const insert = { insert: 'c', documents: [{ _id: 1 }], txnNumber: 5n, lsid: { id: LSID }, $db: 'app', ...w1 };
    await set.partition([[primary], ['all']]);
    await set.command(primary, insert);
    const other = await set.untilPrimary({ other: primary });
    expect(await set.lost()).toHaveLength(1);
    await set.command(other, insert);
    expect(await set.ledger()).toEqual({ acknowledged: 1, lost: [] });
  });
});

test('a reconfig by force: what a majority had is lost, and more than a majority would have kept it', async () => {
  await set.stop();
  set = await ReplicaSet.start({ members: 5, seed: 7 });
  await set.command(set.primary!, { ping: 1 });
  const primary = set.primary!;
  const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
  const [a, b, c, d] = names.filter((name) => name !== primary) as [string, string, string, string];
  await set.partition([
    [primary, a, b],
    [c, d],
  ]);
  const client = await clientOf(primary);
  await inApp(client).insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } });
  const { config } = (await set.command(c, { replSetGetConfig: 1 })) as { config: { members: { host: string }[] } };
  const hosts = new Set(set.members.filter(({ name }) => name === c || name === d).map(({ host }) => host));
  const members = config.members.filter(({ host }) => hosts.has(host));
  await set.command(c, { replSetReconfig: { ...config, members }, force: true });
  await set.untilPrimary({ other: primary });
  const left = [primary, a, b].sort();
  expect(await set.lost()).toMatchObject([
    {
      ids: [1],
      writeConcern: '{ w: "majority" }',
      lostBy: { forced: { member: c, version: expect.any(Number), without: left } },
      keptBy: '{ w: 4 }',
    },
  ]);
});

test('all killed before their journals were flushed: the journal would have kept it', async () => {
  await set.stop();
  set = await ReplicaSet.start({ members: 1, seed: 7 });
  await set.hold({ on: 'n1', part: 'journal' });
  await set.command('n1', { insert: 'c', documents: [{ _id: 1 }], $db: 'app', writeConcern: { w: 1, j: false } });
  await set.kill('n1');
  await set.start('n1');
  await set.untilPrimary();
  expect(await set.lost()).toMatchObject([{ ids: [1], keptBy: '{ w: 1, j: true }' }]);
});

test('majority writes over two elections: nothing is lost', async () => {
  const client = await clientOfAll();
  for (let i = 0; i < 5; i++) await inApp(client).insertOne({ _id: i });
  await set.kill('primary');
  await set.untilPrimary();
  await set.start('all');
  for (let i = 5; i < 10; i++) await inApp(client).insertOne({ _id: i });
  expect(await set.ledger()).toEqual({ acknowledged: 10, lost: [] });
});

test('other languages ask any member', async () => {
  await loseWhat((client) => inApp(client).insertOne({ _id: 1 }, w1));
  const { ok, acknowledged, lost } = await (await clientOf(set.primary!)).db('admin').command({ replsimLedger: 1 });
  expect({ ok, acknowledged, lost }).toMatchObject({
    ok: 1,
    acknowledged: 2,
    lost: [{ ids: [1], at: expect.any(Date) }],
  });
});

test('a set that is stopped has no ledger any more', async () => {
  await set.stop();
  await expect(set.lost()).rejects.toMatchObject({ name: 'SetStoppedError' });
});

test('a set without a ledger says so, and not that nothing is lost', async () => {
  const without = await ReplicaSet.start({ members: 1, ledger: false });
  try {
    for (const asked of [without.ledger(), without.lost()])
      await expect(asked).rejects.toThrow(
        expect.objectContaining({
          name: 'NoLedgerError',
          message: expect.stringMatching(/turned off.*leave that option out/),
        }),
      );
  } finally {
    await without.stop();
  }
});
