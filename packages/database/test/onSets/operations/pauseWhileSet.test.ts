import type { FailPointName } from '@replsim/protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// The fail points that a client's reads and writes come by.

let asked: AskedSet;
beforeAll(async () => {
  asked = await AskedSet.start(1);
});
beforeEach(async () => {
  await asked.run('n1', { drop: 'c' });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] });
});

const configure = (name: FailPointName, mode: unknown, data: Doc = {}) =>
  asked.ok('n1', { configureFailPoint: name, mode, data }, 'admin');
const ids = async () => (await asked.documents('n1', 'c')).map(({ _id }) => _id);

/** A command, and whether its write is done while it stands still. */
const standing: readonly [name: FailPointName, command: Doc, meanwhile: unknown[], takesNs: boolean][] = [
  ['waitInFindBeforeMakingBatch', { find: 'c' }, [1, 2, 3], true],
  ['hangBeforeListIndexes', { listIndexes: 'c' }, [1, 2, 3], true],
  ['hangDuringBatchInsert', { insert: 'c', documents: [{ _id: 4 }] }, [1, 2, 3], true],
  ['hangDuringBatchUpdate', { update: 'c', updates: [{ q: { _id: 4 }, u: {}, upsert: true }] }, [1, 2, 3], true],
  ['hangAfterBatchUpdate', { update: 'c', updates: [{ q: { _id: 4 }, u: {}, upsert: true }] }, [1, 2, 3, 4], false],
  ['hangAfterBatchUpdate', { findAndModify: 'c', query: { _id: 4 }, update: {}, upsert: true }, [1, 2, 3, 4], false],
  ['hangDuringBatchRemove', { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }, [1, 2, 3], true],
];

describe.for(standing)('%s: %j', ([name, command, meanwhile, takesNs]) => {
  test('stands still until it is off', async () => {
    await configure(name, 'alwaysOn', takesNs ? { nss: 'app.c' } : {});
    const { reply } = asked.send('n1', command);
    await asked.ok('n1', { waitForFailPoint: name, timesEntered: 1, maxTimeMS: 1000 }, 'admin');
    await asked.pass(5000);
    expect(reply()).toBeUndefined();
    if (name !== 'waitInFindBeforeMakingBatch') expect(await ids()).toEqual(meanwhile);
    await configure(name, 'off');
    await asked.pass(500);
    expect(reply()).toMatchObject({ ok: 1 });
  });

  test('counts down what it skips', async () => {
    await configure(name, { skip: 2 });
    for (const passes of [true, true, false]) {
      const { reply } = asked.send('n1', command);
      await asked.pass(1000);
      expect(reply() !== undefined).toBe(passes);
    }
    await configure(name, 'off');
    await asked.pass(500);
  });

  test.for([
    [{}, false],
    [{ shouldCheckForInterrupt: true }, true],
    [{ shouldContinueOnInterrupt: true }, true],
  ] as const)('with %j a kill is heard at once: %s', async ([data, atOnce]) => {
    await configure(name, 'alwaysOn', data);
    const { reply } = asked.send('n1', command);
    await asked.pass(100);
    const { inprog } = await asked.ok('n1', { currentOp: 1 }, 'admin');
    const [verb] = Object.keys(command);
    const { opid } = inprog.find((op: Doc) => op.command && verb! in op.command);
    await asked.ok('n1', { killOp: 1, op: opid }, 'admin');
    await asked.pass(100);
    expect(reply() !== undefined).toBe(atOnce);
    await configure(name, 'off');
    await asked.pass(500);
    expect(reply()).toBeDefined();
  });
});

test.for(standing.filter(([, , , takesNs]) => takesNs))(
  '%s: %j passes over other namespaces, which use up nothing',
  async ([name, command]) => {
    await configure(name, { skip: 1 }, { nss: 'app.d' });
    for (let i = 0; i < 2; i++) {
      const { reply } = asked.send('n1', command);
      await asked.pass(1000);
      expect(reply()).toMatchObject({ ok: 1 });
    }
    await configure(name, 'off');
  },
);

const GET_MORE: readonly FailPointName[] = [
  'waitAfterPinningCursorBeforeGetMoreBatch',
  'waitWithPinnedCursorDuringGetMoreBatch',
  'waitBeforeUnpinningOrDeletingCursorAfterGetMoreBatch',
  'getMoreHangAfterPinCursor',
];

describe.for(GET_MORE)('%s', (name) => {
  test('holds a getMore with its cursor pinned', async () => {
    const { cursor } = await asked.ok('n1', { find: 'c', batchSize: 1 });
    await configure(name, 'alwaysOn');
    const { reply } = asked.send('n1', { getMore: cursor.id, collection: 'c' });
    await asked.pass(1000);
    expect(reply()).toBeUndefined();
    // What is written meanwhile is seen where the batch is not made yet.
    await asked.ok('n1', { insert: 'c', documents: [{ _id: 9 }] });
    const seen = name.startsWith('waitBefore') || name.startsWith('getMore') ? [2, 3] : [2, 3, 9];
    expect(await asked.run('n1', { getMore: cursor.id, collection: 'c' })).toMatchObject({ ok: 0, code: 143 });
    await configure(name, 'off');
    await asked.pass(500);
    expect(reply()?.cursor.nextBatch.map(({ _id }: Doc) => _id)).toEqual(seen);
  });

  test.for([
    { data: { shouldCheckForInterrupt: true }, isHeard: true },
    { data: {}, isHeard: name === 'getMoreHangAfterPinCursor' },
  ])('a getMore whose cursor is killed ends with CursorKilled: $data', async ({ data, isHeard }) => {
    const { cursor } = await asked.ok('n1', { find: 'c', batchSize: 1 });
    await configure(name, 'alwaysOn', data);
    const { reply } = asked.send('n1', { getMore: cursor.id, collection: 'c' });
    await asked.pass(1000);
    expect(await asked.ok('n1', { killCursors: 'c', cursors: [cursor.id] })).toMatchObject({
      cursorsKilled: [cursor.id],
    });
    await asked.pass(500);
    const killed = expect.objectContaining({ ok: 0, code: 237 });
    expect(reply()).toEqual(isHeard ? killed : undefined);
    await configure(name, 'off');
    await asked.pass(500);
    expect(reply()).toEqual(killed);
  });
});

test('disableAwaitDataForGetMoreCmd: a cursor that awaits data has an empty batch at once', async () => {
  await asked.ok('n1', { create: 'capped', capped: true, size: 4096 });
  await asked.ok('n1', { insert: 'capped', documents: [{ _id: 1 }] });
  const { cursor } = await asked.ok('n1', { find: 'capped', tailable: true, awaitData: true });
  const getMore = { getMore: cursor.id, collection: 'capped', maxTimeMS: 60_000 };
  await configure('disableAwaitDataForGetMoreCmd', { times: 1 });
  expect((await asked.ok('n1', getMore)).cursor).toMatchObject({ id: cursor.id, nextBatch: [] });
  const { reply } = asked.send('n1', getMore);
  await asked.pass(10_000);
  expect(reply()).toBeUndefined();
  await asked.ok('n1', { insert: 'capped', documents: [{ _id: 2 }] });
  await asked.pass(500);
  expect(reply()?.cursor.nextBatch).toEqual([{ _id: 2 }]);
});

test('failAll…: the command or the statement fails with InternalError, and nothing is written', async () => {
  const errmsg = (name: string) => `${name} failpoint active!`;
  for (const [name, command] of [
    ['failAllInserts', { insert: 'c', documents: [{ _id: 4 }] }],
    ['failAllFindAndModify', { findAndModify: 'c', query: { _id: 1 }, remove: true }],
  ] as const) {
    await configure(name, { times: 1 });
    expect(await asked.run('n1', command)).toMatchObject({ ok: 0, code: 1, errmsg: errmsg(name) });
  }
  for (const [name, command] of [
    ['failAllUpdates', { update: 'c', updates: [{ q: { _id: 4 }, u: {}, upsert: true }] }],
    ['failAllRemoves', { delete: 'c', deletes: [{ q: {}, limit: 0 }] }],
  ] as const) {
    await configure(name, { times: 1 });
    const { ok, n, writeErrors } = await asked.run('n1', command);
    expect({ ok, n, writeErrors }).toMatchObject({ ok: 1, n: 0, writeErrors: [{ index: 0, code: 1, errmsg: errmsg(name) }] }); // biome-ignore format: one line
  }
  expect(await ids()).toEqual([1, 2, 3]);
});

test('failCollectionInserts: what would be inserted there fails', async () => {
  const name = 'failCollectionInserts';
  const failed = { code: 192, errmsg: 'Failpoint (failCollectionInserts) is on, and nothing can go into app.c' };
  await configure(name, 'alwaysOn', { collectionNS: 'app.c' });
  expect(await asked.run('n1', { insert: 'other', documents: [{}] })).toMatchObject({ ok: 1, n: 1 });
  const insert = { insert: 'c', documents: [{ _id: 4 }, { _id: 5 }], ordered: false };
  const errors = [0, 1].map((index) => ({ index, ...failed }));
  expect(await asked.run('n1', insert)).toMatchObject({ ok: 1, n: 0, writeErrors: errors });
  const upsert = { update: 'c', updates: [{ q: { _id: 4 }, u: {}, upsert: true }] };
  expect(await asked.run('n1', upsert)).toMatchObject({ ok: 1, n: 0, writeErrors: [{ index: 0, ...failed }] });
  const { code, errmsg } = await asked.run('n1', { findAndModify: 'c', query: { _id: 4 }, update: {}, upsert: true });
  expect([code, errmsg]).toEqual([192, expect.stringMatching(failed.errmsg.slice(-30))]);
  const update = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] };
  expect(await asked.run('n1', update)).toMatchObject({ ok: 1, n: 1 });
  expect(await ids()).toEqual([1, 2, 3]);
  // Several that fail together are tried anew one by one.
  await configure(name, { times: 1 });
  expect(await asked.run('n1', insert)).toMatchObject({ ok: 1, n: 2 });
  await configure(name, { times: 2 });
  const more = { ...insert, documents: [{ _id: 6 }, { _id: 7 }] };
  expect(await asked.run('n1', more)).toMatchObject({ ok: 1, n: 1, writeErrors: [{ index: 0, ...failed }] });
  expect(await ids()).toEqual([1, 2, 3, 4, 5, 7]);
});

test('dropDatabaseHangAfterAllCollectionsDrop: the collections are gone, and the oplog does not tell that the database is', async () => {
  const name = 'dropDatabaseHangAfterAllCollectionsDrop';
  await asked.ok('n1', { insert: 'c', documents: [{}] }, 'gone');
  const entry = { 'o.dropDatabase': 1, ns: 'gone.$cmd' };
  const told = async () => (await asked.ok('n1', { count: 'oplog.rs', query: entry }, 'local')).n;
  await configure(name, 'alwaysOn');
  const { reply } = asked.send('n1', { dropDatabase: 1 }, 'gone');
  await asked.ok('n1', { waitForFailPoint: name, timesEntered: 1, maxTimeMS: 1000 }, 'admin');
  for (const made of [{ create: 'again' }, { createIndexes: 'again', indexes: [{ key: { a: 1 }, name: 'a' }] }])
    expect(await asked.run('n1', made, 'gone')).toMatchObject({ ok: 0, codeName: 'DatabaseDropPending' });
  const insert = { insert: 'again', documents: [{}] };
  expect(await asked.run('n1', insert, 'gone')).toMatchObject({ n: 0, writeErrors: [{ code: 215 }] });
  await asked.pass(5000);
  expect([reply(), await told()]).toEqual([undefined, 0]);
  expect((await asked.ok('n1', { listCollections: 1 }, 'gone')).cursor.firstBatch).toEqual([]);
  await configure(name, 'off');
  await asked.pass(500);
  expect(reply()).toMatchObject({ ok: 1, dropped: 'gone' });
  expect(await asked.run('n1', insert, 'gone')).toMatchObject({ ok: 1, n: 1 });
  expect(await told()).toBe(1);
});

describe.for<FailPointName>([
  'hangAfterInitializingIndexBuild',
  'hangBeforeBuildingIndex',
  'hangAfterSettingUpIndexBuild',
  'hangAfterStartingIndexBuild',
])('%s', (name) => {
  test('a build has begun, and has scanned nothing', async () => {
    await configure(name, 'alwaysOn');
    const { reply } = asked.send('n1', { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] });
    await asked.ok('n1', { waitForFailPoint: name, timesEntered: 1, maxTimeMS: 1000 }, 'admin');
    await asked.pass(5000);
    expect(reply()).toBeUndefined();
    const { cursor } = await asked.ok('n1', { listIndexes: 'c', includeBuildUUIDs: true });
    expect(cursor.firstBatch.filter((index: Doc) => 'buildUUID' in index)).toHaveLength(1);
    await configure(name, 'off');
    await asked.pass(1000);
    expect(reply()).toMatchObject({ ok: 1 });
  });
});

describe.for<FailPointName>([
  'hangAfterIndexBuildDumpsInsertsFromBulk',
  'hangAfterIndexBuildFirstDrain',
  'hangBeforeVoteCommitIndexBuild',
])('%s', (name) => {
  test('a build has scanned all, and no member counts it as ready', async () => {
    await configure(name, 'alwaysOn');
    const { reply } = asked.send('n1', { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] });
    await asked.ok('n1', { waitForFailPoint: name, timesEntered: 1, maxTimeMS: 1000 }, 'admin');
    await asked.pass(5000);
    expect(reply()).toBeUndefined();
    const votes = { find: 'system.indexBuilds' };
    expect((await asked.ok('n1', votes, 'config')).cursor.firstBatch[0]?.commitReadyMembers ?? []).toEqual([]);
    await configure(name, 'off');
    await asked.pass(1000);
    expect(reply()).toMatchObject({ ok: 1 });
  });
});

test('waitAfterCommandFinishesExecution: it is done, and nobody is told', async () => {
  const insert = { insert: 'c', documents: [{ _id: 4 }] };
  await configure('waitAfterCommandFinishesExecution', 'alwaysOn', { commands: ['insert'], ns: 'app.c' });
  expect(await asked.run('n1', { ...insert, insert: 'other' })).toMatchObject({ ok: 1 });
  const { reply } = asked.send('n1', insert);
  await asked.pass(5000);
  expect(reply()).toBeUndefined();
  expect(await ids()).toEqual([1, 2, 3, 4]);
  await configure('waitAfterCommandFinishesExecution', 'off');
  await asked.pass(100);
  expect(reply()).toMatchObject({ ok: 1, n: 1 });
});

test('hangOplogCapMaintainerThread: the oplog grows beyond its size, and shrinks once it is off', async () => {
  const small = await AskedSet.start([{ name: 'n1', oplogSizeMB: 0.02 }]);
  const point = { configureFailPoint: 'hangOplogCapMaintainerThread' };
  const size = (): number => small.now('n1', { collStats: 'oplog.rs' }, 'local').size;
  const insert = () => small.ok('n1', { insert: 'c', documents: [{ text: 'x'.repeat(10_000) }] });
  await small.ok('n1', { ...point, mode: 'alwaysOn' }, 'admin');
  for (let i = 0; i < 10; i++) await insert();
  await small.pass(120_000);
  await insert();
  expect(size()).toBeGreaterThan(100_000);
  await small.ok('n1', { ...point, mode: 'off' }, 'admin');
  await small.pass(120_000);
  await insert();
  expect(size()).toBeLessThan(50_000);
  await small.set.close();
});

test('hangBeforeListCollections: of one database', async () => {
  const nss = 'app.$cmd.listCollections';
  await configure('hangBeforeListCollections', 'alwaysOn', { nss });
  expect(await asked.run('n1', { listCollections: 1 }, 'other')).toMatchObject({ ok: 1 });
  const { reply } = asked.send('n1', { listCollections: 1 });
  await asked.pass(1000);
  expect(reply()).toBeUndefined();
  await configure('hangBeforeListCollections', 'off');
  await asked.pass(1000);
  expect(reply()).toMatchObject({ ok: 1 });
});

test('skipCappedDeletes: a capped collection grows', async () => {
  await asked.ok('n1', { create: 'few', capped: true, size: 4096, max: 1 });
  await configure('skipCappedDeletes', 'alwaysOn');
  await asked.ok('n1', { insert: 'few', documents: [{ _id: 1 }, { _id: 2 }] });
  expect(await asked.documents('n1', 'few')).toHaveLength(2);
  await configure('skipCappedDeletes', 'off');
  await asked.ok('n1', { insert: 'few', documents: [{ _id: 3 }] });
  expect(await asked.documents('n1', 'few')).toEqual([{ _id: 3 }]);
});

test('pauseCheckpointThread: recovery would begin where it would have begun before', async () => {
  const checkpoint = () => asked.now('n1', { replSetGetStatus: 1 }).lastStableRecoveryTimestamp;
  await configure('pauseCheckpointThread', 'alwaysOn');
  const minutes = async () => {
    for (const _id of [10, 11, 12]) {
      await asked.run('n1', { insert: 'later', documents: [{ _id }] });
      await asked.pass(61_000);
    }
  };
  const before = checkpoint();
  await minutes();
  expect(checkpoint()).toEqual(before);
  await configure('pauseCheckpointThread', 'off');
  await minutes();
  expect(checkpoint().greaterThan(before)).toBe(true);
});

test.for<FailPointName>(['pauseJournalFlusherThread', 'pauseJournalFlusherBeforeFlush'])(
  '%s: what is to be journalled waits',
  async (name) => {
    await configure(name, 'alwaysOn');
    const insert = (_id: number, writeConcern: Doc) =>
      asked.send('n1', { insert: 'c', documents: [{ _id }], writeConcern });
    const [fast, slow] = [insert(21, { w: 1, j: false }), insert(22, { w: 1, j: true })];
    await asked.pass(10_000);
    expect([fast.reply()?.ok, slow.reply()?.ok]).toEqual([1, undefined]);
    await configure(name, 'off');
    await asked.pass(1000);
    expect(slow.reply()).toMatchObject({ ok: 1, n: 1 });
  },
);

test('setMaintenanceModeFailsWithNotSecondary', async () => {
  const two = await AskedSet.start(2);
  try {
    const name = 'setMaintenanceModeFailsWithNotSecondary';
    const secondary = two.primary === 'n2' ? 'n1' : 'n2';
    await two.ok(secondary, { configureFailPoint: name, mode: { times: 1 } }, 'admin');
    expect(await two.run(secondary, { replSetMaintenance: 1 }, 'admin')).toMatchObject({ ok: 0, codeName: 'NotSecondary', errmsg: 'currently running for election' }); // biome-ignore format: one line
    expect(await two.run(secondary, { replSetMaintenance: 1 }, 'admin')).toMatchObject({ ok: 1 });
  } finally {
    await two.set.close();
  }
});

test('setSmallOplogGetMoreMaxTimeMS: a secondary asks for more every 50 ms', async () => {
  const two = await AskedSet.start(2);
  try {
    const secondary = two.primary === 'n2' ? 'n1' : 'n2';
    const asks = () => two.now(secondary, { serverStatus: 1 }).metrics.repl.network.getmores.num;
    await two.pass(20_000);
    const before = asks();
    await two.pass(20_000);
    const slow = asks() - before;
    await two.ok(secondary, { configureFailPoint: 'setSmallOplogGetMoreMaxTimeMS', mode: 'alwaysOn' }, 'admin');
    await two.pass(5_000);
    const then = asks();
    await two.pass(20_000);
    expect(slow).toBeLessThan(20);
    expect(asks() - then).toBeGreaterThan(300);
  } finally {
    await two.set.close();
  }
});
