import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { Binary, deserialize, Timestamp } from 'bson';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ReplSet } from '../src/replSet.ts';

// What commands leave in the oplog of a mongod 8.0, entry by entry: kinds, fields and their order.
// One difference is ours: a mongod 8.0 groups the documents of one insert as `applyOps` with `multiOpType: 1`, here each
// is an entry of its own.

let set: ReplSet;

beforeAll(async () => {
  set = await ReplSet.create({ members: [{ name: 'n1' }], seed: 5 });
  const hello = () => decodePromoted(set.ask('n1', encodeDocument({ hello: 1, $db: 'admin' })));
  expect(await set.runUntil(() => hello().isWritablePrimary === true, 30_000_000)).toBe(true);
});
afterAll(() => set.close());

async function run(db: string, command: object): Promise<Record<string, unknown>> {
  const pending = set.send('n1', encodeDocument({ ...command, $db: db }));
  await set.runUntil(() => pending.reply !== undefined, set.nowMicros + 30_000_000);
  return decodePromoted(pending.reply!) as Record<string, unknown>;
}

interface Entry {
  readonly fields: string;
  readonly [field: string]: unknown;
}

/** The entries behind the newest one now, once `commands` have been run, less what differs from run to run. */
async function entriesOf(commands: readonly (readonly [db: string, command: object])[]): Promise<Entry[]> {
  const newest = (await oplog({ sort: { $natural: -1 }, limit: 1 }))[0] as { ts: unknown };
  for (const [db, command] of commands) expect(await run(db, command)).toMatchObject({ ok: 1 });
  const entries = await oplog({ filter: { ts: { $gt: newest.ts } } });
  return entries.filter(({ o }) => (o as { msg?: string }).msg !== 'periodic noop').map(plain);
}

async function oplog(find: object): Promise<Record<string, unknown>[]> {
  const reply = await run('local', { find: 'oplog.rs', ...find, batchSize: 1000 });
  return (reply as { cursor: { firstBatch: Record<string, unknown>[] } }).cursor.firstBatch;
}

/** The names of all fields in order, and the values of those that say what happened. */
function plain(entry: Record<string, unknown>): Entry {
  const { ts: _ts, t, v, wall: _wall, ui, ...rest } = entry;
  expect([t, v]).toEqual([1n, 2n].map(Number));
  return { fields: Object.keys(entry).join(' '), ...rest, ...(ui !== undefined && { ui: 'UUID' }) };
}

const CRUD = 'op ns ui o o2 ts t v wall';
const NOOP = 'op ns o ts t v wall';
const DDL = 'op ns ui o ts t v wall';
const DDL2 = 'op ns ui o o2 ts t v wall';
/** Makes a document longer than its deltas: a longer delta is logged as the whole document. */
const LONG = 'x'.repeat(200);
const insert = (_id: unknown, more: object = {}) => ['app', { insert: 'c', documents: [{ _id, ...more }] }] as const;

interface Row {
  readonly what: string;
  readonly before?: readonly (readonly [db: string, command: object])[];
  readonly commands: readonly (readonly [db: string, command: object])[];
  readonly entries: readonly object[];
}

const rows: Row[] = [
  {
    what: 'create',
    commands: [['app', { create: 'made' }]],
    entries: [
      {
        fields: DDL,
        op: 'c',
        ns: 'app.$cmd',
        o: { create: 'made', idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } },
      },
    ],
  },
  {
    what: 'create with options',
    commands: [['app', { create: 'log', capped: true, size: 4096, max: 3 }]],
    entries: [{ fields: DDL, op: 'c', o: { create: 'log', capped: true, size: 4096, max: 3 } }],
  },
  {
    what: 'an insert that makes its collection, and one into it',
    commands: [insert(1, { a: [1, 2], s: 'x', long: LONG }), insert(2)],
    entries: [
      { fields: DDL, op: 'c', o: { create: 'c' } },
      { fields: CRUD, op: 'i', ns: 'app.c', o: { _id: 1, a: [1, 2], s: 'x', long: LONG }, o2: { _id: 1 } },
      { fields: CRUD, op: 'i', ns: 'app.c', o: { _id: 2 }, o2: { _id: 2 } },
    ],
  },
  {
    what: 'a vectored insert',
    commands: [['app', { insert: 'c', documents: [{ _id: 3 }, { _id: 4 }] }]],
    entries: [
      { fields: CRUD, op: 'i', o: { _id: 3 } },
      { fields: CRUD, op: 'i', o: { _id: 4 } },
    ],
  },
  {
    what: 'an insert with its _id behind another field',
    commands: [['app', { insert: 'c', documents: [{ a: 1, _id: 5 }] }]],
    entries: [{ op: 'i', o: { _id: 5, a: 1 }, o2: { _id: 5 } }],
  },
  {
    what: 'updates by operators: deltas',
    commands: [
      ['app', { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { s: 'a longer text than before', n: 1 } } }] }],
      ['app', { update: 'c', updates: [{ q: { _id: 1 }, u: { $push: { a: 3 }, $unset: { n: 1 } } }] }],
    ],
    entries: [
      {
        fields: CRUD,
        op: 'u',
        o: { $v: 2, diff: { u: { s: 'a longer text than before' }, i: { n: 1 } } },
        o2: { _id: 1 },
      },
      { fields: CRUD, op: 'u', o: { $v: 2, diff: { d: { n: false }, sa: { a: true, u2: 3 } } }, o2: { _id: 1 } },
    ],
  },
  {
    what: 'an update that changes nothing',
    commands: [['app', { update: 'c', updates: [{ q: { _id: 2 }, u: { $unset: { nothing: 1 } } }] }]],
    entries: [],
  },
  {
    what: 'a replacement, and an upsert',
    commands: [
      ['app', { update: 'c', updates: [{ q: { _id: 2 }, u: { b: 2 } }] }],
      ['app', { update: 'c', updates: [{ q: { _id: 9 }, u: { $set: { b: 9 } }, upsert: true }] }],
    ],
    entries: [
      { fields: CRUD, op: 'u', o: { _id: 2, b: 2 }, o2: { _id: 2 } },
      { fields: CRUD, op: 'i', o: { _id: 9, b: 9 }, o2: { _id: 9 } },
    ],
  },
  {
    what: 'a delete of one document, and one of several: they are batched',
    before: [insert(6), insert(7), insert(8)],
    commands: [
      ['app', { delete: 'c', deletes: [{ q: { _id: 8 }, limit: 1 }] }],
      ['app', { delete: 'c', deletes: [{ q: { _id: { $in: [6, 7] } }, limit: 0 }] }],
    ],
    entries: [
      { fields: DDL, op: 'd', ns: 'app.c', o: { _id: 8 } },
      {
        fields: 'op ns o ts t v wall',
        op: 'c',
        ns: 'admin.$cmd',
        o: {
          applyOps: [
            { op: 'd', ns: 'app.c', ui: expect.anything(), o: { _id: 6 } },
            { op: 'd', ns: 'app.c', ui: expect.anything(), o: { _id: 7 } },
          ],
        },
      },
    ],
  },
  {
    what: 'operators whose delta is longer than the document',
    commands: [['app', { update: 'c', updates: [{ q: { _id: 9 }, u: { $set: { b: 'a text of some length' } } }] }]],
    entries: [{ fields: CRUD, op: 'u', o: { $v: 2, diff: { u: { b: 'a text of some length' } } }, o2: { _id: 9 } }],
  },
  {
    what: 'a pipeline whose delta is longer than the document',
    commands: [['app', { update: 'c', updates: [{ q: { _id: 9 }, u: [{ $set: { b: 'another text' } }] }] }]],
    entries: [{ fields: CRUD, op: 'u', o: { _id: 9, b: 'another text' }, o2: { _id: 9 } }],
  },
  {
    what: 'an index on an empty collection, changed and dropped',
    commands: [
      ['app', { createIndexes: 'made', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 }] }],
      ['app', { collMod: 'made', index: { keyPattern: { at: 1 }, expireAfterSeconds: 90 } }],
      ['app', { dropIndexes: 'made', index: 'ttl' }],
    ],
    entries: [
      {
        fields: DDL,
        op: 'c',
        ns: 'app.$cmd',
        o: { createIndexes: 'made', v: 2, key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 },
      },
      {
        fields: DDL2,
        o: { collMod: 'made', index: { name: 'ttl', expireAfterSeconds: 90 } },
        o2: { collectionOptions_old: expect.anything(), indexOptions_old: { expireAfterSeconds: 60 } },
      },
      {
        fields: DDL2,
        o: { dropIndexes: 'made', index: 'ttl' },
        o2: { v: 2, key: { at: 1 }, name: 'ttl', expireAfterSeconds: 90 },
      },
    ],
  },
  {
    what: 'drop',
    commands: [['app', { drop: 'c' }]],
    entries: [{ fields: DDL2, op: 'c', ns: 'app.$cmd', o: { drop: 'c' }, o2: { numRecords: 6 } }],
  },
  {
    what: 'renameCollection to a free name',
    commands: [['admin', { renameCollection: 'app.made', to: 'app.free' }]],
    entries: [
      {
        fields: DDL,
        op: 'c',
        ns: 'app.$cmd',
        o: { renameCollection: 'app.made', to: 'app.free', stayTemp: false },
      },
    ],
  },
  {
    what: 'renameCollection in place of another',
    before: [['app', { insert: 'target', documents: [{ _id: 1 }, { _id: 2 }] }]],
    commands: [['admin', { renameCollection: 'app.free', to: 'app.target', dropTarget: true }]],
    entries: [
      {
        fields: DDL2,
        o: { renameCollection: 'app.free', to: 'app.target', stayTemp: false, dropTarget: expect.anything() },
        o2: { numRecords: 2 },
      },
    ],
  },
  {
    what: 'renameCollection into another database',
    before: [
      ['app', { insert: 'moved', documents: [{ _id: 1, n: 5 }] }],
      ['app', { createIndexes: 'moved', indexes: [{ key: { n: 1 }, name: 'by_n' }] }],
    ],
    commands: [['admin', { renameCollection: 'app.moved', to: 'other.place' }]],
    entries: [
      { op: 'c', ns: 'other.$cmd', o: { create: expect.stringMatching(/^tmp\w{5}\.renameCollection$/) } },
      { op: 'c', o: { createIndexes: expect.stringMatching(/^tmp/), key: { n: 1 }, name: 'by_n' } },
      { op: 'i', ns: expect.stringMatching(/^other\.tmp/), o: { _id: 1, n: 5 } },
      { op: 'c', o: { renameCollection: expect.stringMatching(/^other\.tmp/), to: 'other.place', stayTemp: false } },
      { op: 'c', ns: 'app.$cmd', o: { drop: 'moved' }, o2: { numRecords: 1 } },
    ],
  },
  {
    what: 'dropDatabase: each collection first',
    before: [
      ['gone', { create: 'a' }],
      ['gone', { create: 'b' }],
    ],
    commands: [['gone', { dropDatabase: 1 }]],
    entries: [
      { fields: DDL2, ns: 'gone.$cmd', o: { drop: 'a' } },
      { fields: DDL2, ns: 'gone.$cmd', o: { drop: 'b' } },
      { fields: 'op ns o ts t v wall', ns: 'gone.$cmd', o: { dropDatabase: 1 } },
    ],
  },
  {
    what: 'appendOplogNote',
    commands: [['admin', { appendOplogNote: 1, data: { said: 'by a client' } }]],
    entries: [{ fields: 'op ns o ts t v wall', op: 'n', ns: '', o: { said: 'by a client' } }],
  },
  {
    what: 'a retryable insert: its session first',
    commands: [
      [
        'app',
        {
          insert: 'target',
          documents: [{ _id: 'r' }],
          lsid: { id: uuidOf(7) },
          txnNumber: 1n,
        },
      ],
    ],
    entries: [
      {
        fields: 'lsid txnNumber op ns ui o o2 ts t v wall stmtId prevOpTime',
        op: 'i',
        o: { _id: 'r' },
        stmtId: 0,
      },
    ],
  },
];

function uuidOf(byte: number) {
  return new Binary(new Uint8Array(16).fill(byte), Binary.SUBTYPE_UUID);
}

test.for(rows)('$what', async ({ before = [], commands, entries }) => {
  for (const [db, command] of before) expect(await run(db, command)).toMatchObject({ ok: 1 });
  expect(await entriesOf(commands)).toMatchObject(entries);
});

/** What a fresh set of mongod 8.0.26 has logged before its first client. */
const FIRST_ENTRIES = [
  { fields: NOOP, op: 'n', ns: '', o: { msg: 'new primary' } },
  made('config', 'system.indexBuilds'),
  { fields: DDL, op: 'c', ns: 'config.$cmd', o: { create: 'system.preimages', clusteredIndex: true } },
  ...expiring('analyzeShardKeySplitPoints', 'AnalyzeShardKeySplitPointsTTLIndex'),
  made('admin', 'system.keys'),
  { fields: CRUD, op: 'i', ns: 'admin.system.keys', o: { purpose: 'HMAC' } },
  { fields: CRUD, op: 'i', ns: 'admin.system.keys', o: { purpose: 'HMAC' } },
  ...expiring('sampledQueries', 'SampledQueriesTTLIndex'),
  ...expiring('sampledQueriesDiff', 'SampledQueriesDiffTTLIndex'),
];
const OF_SESSIONS = [
  made('config', 'transactions'),
  {
    fields: DDL,
    op: 'c',
    ns: 'config.$cmd',
    o: {
      createIndexes: 'transactions',
      v: 2,
      key: { parentLsid: 1, '_id.txnNumber': 1, _id: 1 },
      name: 'parent_lsid',
      partialFilterExpression: { parentLsid: { $exists: true } },
    },
  },
  made('config', 'image_collection'),
];

function made(db: string, create: string): object {
  return { fields: DDL, op: 'c', ns: `${db}.$cmd`, o: { create, idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } } };
}

function expiring(collection: string, name: string): object[] {
  const o = { createIndexes: collection, v: 2, key: { expireAt: 1 }, name, expireAfterSeconds: 0 };
  return [made('config', collection), { fields: DDL, op: 'c', ns: 'config.$cmd', o }];
}

test('the first entries of a set: one without a term, and what its first primary makes around its own', async () => {
  const [first, ...others] = await oplog({ sort: { $natural: 1 }, limit: 16 });
  expect(first).toMatchObject({ op: 'n', ns: '', o: { msg: 'initiating set' } });
  expect(Object.keys(first!).join(' ')).toBe('op ns o ts v wall');
  expect(others.map(plain)).toMatchObject([...OF_SESSIONS, ...FIRST_ENTRIES]);
});

test('the keys of a set: the first for ninety days, the other for as many more, each by the time it was made', async () => {
  const reply = set.ask('n1', encodeDocument({ find: 'system.keys', $db: 'admin' }));
  const { cursor } = deserialize(reply, { useBigInt64: true }) as { cursor: { firstBatch: Key[] } };
  const [one, two] = cursor.firstBatch;
  expect(two!._id - one!._id).toBe(1n);
  expect(two!.expiresAt.getHighBits() - one!.expiresAt.getHighBits()).toBe(90 * 86_400);
  expect(BigInt(one!.expiresAt.getHighBits()) - (one!._id >> 32n)).toBe(90n * 86_400n);
  expect([one!.key.length(), two!.key.length()]).toEqual([20, 20]);
});

test('no key of a set that starts near 2106 expires after its clocks end', async () => {
  const late = await ReplSet.create({ members: [{ name: 'n1' }], seed: 5, epochMs: Date.UTC(2105, 9, 1) });
  const keys = async (): Promise<Key[]> => {
    const reply = late.ask('n1', encodeDocument({ find: 'system.keys', $db: 'admin' }));
    return (deserialize(reply, { useBigInt64: true }) as { cursor: { firstBatch: Key[] } }).cursor.firstBatch;
  };
  await late.advanceTo(20_000_000);
  const [one, two] = await keys();
  await late.close();
  expect(BigInt(one!.expiresAt.getHighBitsUnsigned()) - (BigInt.asUintN(64, one!._id) >> 32n)).toBe(90n * 86_400n);
  expect(two!.expiresAt.getHighBitsUnsigned()).toBe(2 ** 32 - 1);
});

interface Key {
  readonly _id: bigint;
  readonly expiresAt: Timestamp;
  readonly key: Binary;
}

test('the oplog is read like a collection', async () => {
  const all = await oplog({});
  const reply = (command: object) => run('local', command);
  expect(await oplog({ sort: { $natural: -1 } })).toEqual(all.toReversed());
  expect(await oplog({ filter: { ts: { $gte: all[3]!.ts, $lt: all[5]!.ts } } })).toEqual(all.slice(3, 5));
  expect(await oplog({ filter: { ts: all[4]!.ts }, projection: { op: 1, _id: 0 } })).toEqual([{ op: all[4]!.op }]);
  expect(await reply({ count: 'oplog.rs', query: { op: 'n' } })).toMatchObject({
    n: all.filter(({ op }) => op === 'n').length,
  });
  expect(await reply({ distinct: 'oplog.rs', key: 'op' })).toMatchObject({ values: ['n', 'c', 'i', 'u', 'd'] });
  expect(await reply({ collStats: 'oplog.rs' })).toMatchObject({ capped: true, maxSize: 990 * 1024 * 1024 });
  expect(await reply({ listCollections: 1, filter: { name: 'oplog.rs' } })).toMatchObject({
    cursor: { firstBatch: [{ options: { capped: true, size: 990 * 1024 * 1024 } }] },
  });
  expect(await reply({ insert: 'oplog.rs', documents: [{ _id: 1 }] })).toMatchObject({ ok: 0, code: 73 });
  expect(await reply({ drop: 'oplog.rs' })).toMatchObject({ ok: 0, code: 5255000 });
});

test('a tailing client waits at the end of the oplog for what comes', async () => {
  const [last] = await oplog({ sort: { $natural: -1 }, limit: 1 });
  const find = { find: 'oplog.rs', filter: { ts: { $gt: last!.ts } }, tailable: true, awaitData: true };
  const { cursor } = (await run('local', find)) as { cursor: { id: bigint; firstBatch: unknown[] } };
  expect(cursor.firstBatch).toEqual([]);
  const getMore = { getMore: BigInt(cursor.id), collection: 'oplog.rs', maxTimeMS: 5000, $db: 'local' };
  const waits = set.send('n1', encodeDocument(getMore));
  await set.advanceTo(set.nowMicros + 500_000);
  expect(waits.reply).toBeUndefined();
  await run('app', { insert: 'target', documents: [{ _id: 'tailed' }] });
  expect(decodePromoted(waits.reply!)).toMatchObject({ cursor: { nextBatch: [{ op: 'i', o: { _id: 'tailed' } }] } });
});

test.for([
  [{ renameCollection: 'app.target', to: 'app.target' }, 'admin', 20],
  [{ renameCollection: 'app.nothing', to: 'app.x' }, 'admin', 26],
  [{ renameCollection: 'none.a', to: 'none.b' }, 'admin', 26],
  [{ renameCollection: 'app.target', to: 'app.log' }, 'admin', 48],
  [{ renameCollection: 'app.target', to: 'app.log' }, 'app', 13],
  [{ renameCollection: 'app.target', to: 'app.a$b' }, 'admin', 73],
  [{ renameCollection: 'app.target', to: 'app' }, 'admin', 73],
  [{ renameCollection: 'app.target', to: 'app.system.x' }, 'admin', 20],
  [{ renameCollection: 'app.target', to: 'local.x' }, 'admin', 20],
  [{ renameCollection: 'local.oplog.rs', to: 'local.x' }, 'admin', 20],
  [{ renameCollection: 'app.target', to: 'local.oplog.rs' }, 'admin', 20],
  [{ renameCollection: 'app.target' }, 'admin', 40414],
  [{ renameCollection: 5, to: 'app.x' }, 'admin', 14],
  [{ renameCollection: 'app.target', to: 'app.x', sideways: 1 }, 'admin', 40415],
  [{ appendOplogNote: 1 }, 'admin', 40414],
  [{ appendOplogNote: 1, data: 5 }, 'admin', 14],
  [{ appendOplogNote: 1, data: {}, maxClusterTime: new Timestamp({ t: 1, i: 1 }) }, 'admin', 209],
  [{ replSetResizeOplog: 1, size: 989 }, 'admin', 51024],
  [{ replSetResizeOplog: 1, size: 2 ** 31 }, 'admin', 51024],
  [{ replSetResizeOplog: 1, size: 'large' }, 'admin', 14],
  [{ replSetResizeOplog: 1, minRetentionHours: -0.5 }, 'admin', 51024],
  [{ replSetResizeOplog: 1, size: 990 }, 'app', 13],
  [{ replSetResizeOplog: 1, sise: 990 }, 'admin', 40415],
] as const)('%j on %s: %i, and nothing is written', async ([command, db, code]) => {
  const before = await oplog({ sort: { $natural: -1 }, limit: 1 });
  expect(await run(db, command)).toMatchObject({ ok: 0, code });
  expect(await oplog({ sort: { $natural: -1 }, limit: 1 })).toEqual(before);
});
