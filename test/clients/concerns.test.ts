import { type Document, MongoBulkWriteError, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

// Concerns, errors with their codes and labels, retries and fail points, as the driver hands them on.

const served = useServedSet({ members: [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }] });
const newClient = useClients();
const app = (options = {}) => newClient(served().uri, options).db('app');

interface Item {
  _id: number;
  u?: number;
}

const failing = (data: Document, mode: Document | string = { times: 1 }, failPoint = 'failCommand') =>
  served().command('n1', { configureFailPoint: failPoint, mode, data });

/** What became of a promise that should have failed. */
const errorOf = (work: Promise<unknown>): Promise<MongoServerError> => work.then(() => expect.unreachable(), (error) => error); // biome-ignore format: one line

beforeAll(async () => {
  await newClient(served().uri)
    .db('app')
    .collection<Item>('items')
    .insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
});

test.for([{ w: 1 }, { w: 3 }, { w: 'majority' as const }, { w: 1, journal: true }, { w: 2, wtimeoutMS: 5000 }])(
  'write concern %o is met',
  async (writeConcern) => {
    const items = app().collection('met');
    expect(await items.insertOne({}, { writeConcern })).toMatchObject({ acknowledged: true });
  },
);

test('a write concern that is not met in time is an error of its own, and the write stays', async () => {
  for (const member of ['n2', 'n3']) await served().act({ type: 'hold', member, part: 'fetch' });
  const items = app().collection<Item>('late');
  const error = await errorOf(items.insertOne({ _id: 1 }, { writeConcern: { w: 3, wtimeoutMS: 50 } }));
  expect(error).toBeInstanceOf(MongoWriteConcernError);
  expect(error).toMatchObject({ code: 64, result: { writeConcernError: { code: 64, errInfo: { wtimeout: true } } } });
  expect(await items.findOne({ _id: 1 })).toEqual({ _id: 1 });
  for (const member of ['n2', 'n3']) await served().act({ type: 'release', member, part: 'fetch' });
});

test('a write concern that nobody can meet', async () => {
  const error = await errorOf(
    app()
      .collection('met')
      .insertOne({}, { writeConcern: { w: 7 } }),
  );
  expect(error).toBeInstanceOf(MongoServerError);
  expect(error.code).toBe(100);
});

test.for(['local', 'available', 'majority', 'linearizable', 'snapshot'] as const)('read concern %s', async (level) => {
  const items = app().collection('items', { readConcern: { level } });
  expect(await items.find().toArray()).toHaveLength(3);
});

test('an unordered bulk write goes on after duplicates and reports each', async () => {
  const items = app().collection<Item>('duplicates');
  await items.createIndex({ u: 1 }, { unique: true });
  const documents = [
    { _id: 1, u: 1 },
    { _id: 1, u: 2 },
    { _id: 2, u: 1 },
    { _id: 3, u: 3 },
  ];
  const error = await errorOf(items.insertMany(documents, { ordered: false }));
  expect(error).toBeInstanceOf(MongoBulkWriteError);
  expect(error).toMatchObject({ code: 11000, insertedCount: 2, insertedIds: { 0: 1, 3: 3 } });
  const { writeErrors } = error as unknown as { writeErrors: { index: number; code: number; err: Document }[] };
  expect(writeErrors.map(({ index, code }) => [index, code])).toEqual([
    [1, 11000],
    [2, 11000],
  ]);
  expect(writeErrors.map(({ err }) => err.errmsg)).toEqual([
    expect.stringMatching(/^E11000 duplicate key error collection: app\.duplicates index: _id_ dup key: \{ _id: 1 \}/),
    expect.stringMatching(/^E11000 duplicate key error collection: app\.duplicates index: u_1 dup key: \{ u: 1 \}/),
  ]);
});

test('an ordered one stops at the first', async () => {
  const items = app().collection<Item>('ordered');
  const error = await errorOf(items.insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }]));
  expect(error).toMatchObject({ code: 11000, insertedCount: 1 });
  expect(await items.countDocuments()).toBe(1);
});

test('a duplicate shows its key', async () => {
  const error = await errorOf(app().collection<Item>('items').insertOne({ _id: 1 }));
  expect(error).toBeInstanceOf(MongoServerError);
  expect(error).toMatchObject({ code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 1 } });
});

test.for([{ enableUtf8Validation: true }, { enableUtf8Validation: false }, {}])(
  'a duplicate of long text is told up to the middle of a character, %j',
  async (options) => {
    const _id = '🦉'.repeat(100);
    const texts = app().collection<{ _id: string }>('texts');
    await texts.updateOne({ _id }, { $set: { seen: true } }, { upsert: true });
    const error = await errorOf(texts.insertOne({ _id }, options));
    expect(error).toBeInstanceOf(MongoServerError);
    expect(error).toMatchObject({ code: 11000, keyValue: { _id } });
    expect(error.errmsg).toMatch(/ dup key: \{ _id: "(🦉){37}\ufffd\.\.\." \}$/u);
  },
);

test.for<[string, Document, number, string]>([
  ['an unknown command', { noSuchThing: 1 }, 59, 'CommandNotFound'],
  ['an unknown option', { find: 'items', noSuchOption: 1 }, 40415, 'IDLUnknownField'],
  ['a wrong type', { find: 'items', filter: 1 }, 14, 'TypeMismatch'],
  ['an unknown operator', { find: 'items', filter: { a: { $noSuch: 1 } } }, 2, 'BadValue'],
  ['an unknown stage', { aggregate: 'items', pipeline: [{ $noSuch: {} }], cursor: {} }, 40324, 'Location40324'],
  ['a missing namespace', { listIndexes: 'nowhere', cursor: {} }, 26, 'NamespaceNotFound'],
  ['a collection that exists', { create: 'items', capped: true, size: 100 }, 48, 'NamespaceExists'],
  ['a missing index', { dropIndexes: 'items', index: 'none' }, 27, 'IndexNotFound'],
  ['a changed _id', { findAndModify: 'items', query: { _id: 1 }, update: { $set: { _id: 9 } } }, 66, 'ImmutableField'],
])('%s', async ([, command, code, codeName]) => {
  expect(await errorOf(app().command(command))).toMatchObject({ name: 'MongoServerError', code, codeName });
});

/** How often the client sent a command, with a failure injected into the first. */
async function attempts(name: string, data: Document, work: (db: ReturnType<typeof app>) => Promise<unknown>) {
  const db = app({ monitorCommands: true });
  let count = 0;
  db.client.on('commandStarted', ({ commandName }) => {
    if (commandName === name) count++;
  });
  await failing({ failCommands: [name], ...data });
  const error = await work(db).then(
    () => undefined,
    (error) => error,
  );
  await failing({}, 'off');
  return { count, error };
}

const LABEL = ['RetryableWriteError'];
test.for<[string, Document, number]>([
  ['10107', { errorCode: 10107 }, 2],
  ['11602', { errorCode: 11602 }, 2],
  ['91', { errorCode: 91 }, 2],
  ['10107 without its label', { errorCode: 10107, errorLabels: [] }, 1],
  ['112 with the label', { errorCode: 112, errorLabels: LABEL }, 2],
  ['112', { errorCode: 112 }, 1],
  ['20', { errorCode: 20 }, 1],
  ['a write concern error 91', { writeConcernError: { code: 91, codeName: 'ShutdownInProgress', errmsg: '' } }, 2],
  ['the same without labels', { writeConcernError: { code: 91, errmsg: '' }, errorLabels: [] }, 1],
  ['a write concern error 64', { writeConcernError: { code: 64, errmsg: '' } }, 1],
  ['an overload', { errorCode: 462, errorLabels: ['SystemOverloadedError', 'RetryableError'] }, 2],
  ['a closed connection', { closeConnection: true }, 2],
])('an insert that meets %s', async ([, data, count]) => {
  const seen = await attempts('insert', data, (db) => db.collection('retried').insertOne({}));
  expect(seen.count).toBe(count);
  if (count === 1) expect(seen.error).toBeInstanceOf(Error);
  else expect(seen.error).toBeUndefined();
});

const RETRYABLE = [6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436];
test.for([...RETRYABLE.map((code) => [code, 2] as const), [43, 1], [112, 1], [133, 1]] as const)(
  'a find that meets %i is sent %i times',
  async ([errorCode, count]) => {
    const seen = await attempts('find', { errorCode }, (db) => db.collection('items').findOne());
    expect(seen.count).toBe(count);
    if (count === 1) expect(seen.error).toMatchObject({ code: errorCode });
  },
);

test('a fail point concerns the client that is named alone, and as often as it says', async () => {
  await failing({ failCommands: ['ping'], errorCode: 50, appName: 'unlucky' }, { times: 2 });
  const lucky = app({ appName: 'lucky' });
  const unlucky = app({ appName: 'unlucky' });
  const ping = (db: typeof lucky) => db.command({ ping: 1 });
  expect(await ping(lucky)).toMatchObject({ ok: 1 });
  for (let i = 0; i < 2; i++)
    expect(await errorOf(ping(unlucky))).toMatchObject({ code: 50, codeName: 'MaxTimeMSExpired' });
  expect(await ping(unlucky)).toMatchObject({ ok: 1 });
});

test('a fail point is set through the driver, and says how often it was met', async () => {
  const admin = newClient(served().uri).db('admin');
  const data = { failCommands: ['count'], errorCode: 8 };
  await admin.command({ configureFailPoint: 'failCommand', mode: { skip: 1 }, data });
  const items = app().collection('items');
  expect(await items.estimatedDocumentCount()).toBe(3);
  expect(await errorOf(items.estimatedDocumentCount())).toMatchObject({ code: 8, codeName: 'UnknownError' });
  const off = await admin.command({ configureFailPoint: 'failCommand', mode: 'off' });
  expect(off).toMatchObject({ ok: 1, count: expect.any(Number) });
});
