import type { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../../replset/test/askedSet.ts';

// What snapshot reads see of the past, how far back, and what a member forgets.

const find = (atClusterTime?: Timestamp, more: Doc = {}): Doc => ({
  find: 'c',
  sort: { _id: 1 },
  readConcern: { level: 'snapshot', ...(atClusterTime && { atClusterTime }) },
  $readPreference: { mode: 'nearest' },
  batchSize: 100_000,
  ...more,
});
const documents = (reply: Doc): Doc[] => reply.cursor.firstBatch;
const insert = (...list: Doc[]): Doc => ({ insert: 'c', documents: list, writeConcern: { w: 3 } });
const update = (q: Doc, u: Doc): Doc => ({ update: 'c', updates: [{ q, u, multi: true }], writeConcern: { w: 3 } });

/** Three members, n1 primary, with documents 1 and 2. */
async function started(options: Doc = {}): Promise<AskedSet> {
  const members = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
  const asked = await AskedSet.start(members, options);
  await asked.ok('n1', insert({ _id: 1, v: 1 }, { _id: 2, v: 1 }));
  await asked.pass(3000);
  return asked;
}

/** The time of a snapshot that a first read was given. */
const snapshotOn = async (asked: AskedSet, member: string): Promise<Timestamp> =>
  (await asked.ok(member, find())).cursor.atClusterTime;

describe.for(['n1', 'n2'])('on %s', (member) => {
  test('the second read of a snapshot session sees the first one again, whatever was written since', async () => {
    const asked = await started();
    const at = await snapshotOn(asked, member);
    await asked.ok('n1', insert({ _id: 3, v: 1 }));
    await asked.ok('n1', update({ _id: 1 }, { $set: { v: 2 } }));
    await asked.ok('n1', { delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }], writeConcern: { w: 3 } });
    await asked.pass(3000);
    const then = [
      { _id: 1, v: 1 },
      { _id: 2, v: 1 },
    ];
    expect(documents(await asked.ok(member, find(at)))).toEqual(then);
    expect(documents(await asked.ok(member, find(at, { filter: { v: 1 }, hint: '_id_' })))).toEqual(then);
    expect(documents(await asked.ok(member, find()))).toEqual([
      { _id: 1, v: 2 },
      { _id: 3, v: 1 },
    ]);
    await asked.set.close();
  });

  test('a collection and an index that have gone since are there then, and one that is new is not', async () => {
    const asked = await started();
    const at = await snapshotOn(asked, member);
    await asked.ok('n1', { drop: 'c' });
    await asked.ok('n1', insert({ _id: 9 }));
    await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { v: 1 }, name: 'v' }] });
    await asked.pass(3000);
    expect(documents(await asked.ok(member, find(at)))).toHaveLength(2);
    expect(documents(await asked.ok(member, find()))).toEqual([{ _id: 9 }]);
    expect((await asked.run(member, find(at, { hint: 'v' }))).code).toBe(2);
    await asked.set.close();
  });

  test('it ends with minSnapshotHistoryWindowInSeconds', async () => {
    const asked = await started();
    const at = await snapshotOn(asked, member);
    await asked.ok('n1', insert({ _id: 3, v: 1 }));
    await asked.pass(285_000);
    expect(documents(await asked.ok(member, find(at)))).toHaveLength(2);
    await asked.pass(35_000);
    expect(await asked.run(member, find(at))).toMatchObject({ ok: 0, code: 239, codeName: 'SnapshotTooOld' });
    const { wiredTiger } = await asked.ok(member, { serverStatus: 1 });
    expect(wiredTiger['snapshot-window-settings']).toMatchObject({
      'total number of SnapshotTooOld errors': 1,
      'minimum target snapshot window size in seconds': 300,
      'current available snapshot window size in seconds': 300,
      'latest majority snapshot timestamp available': expect.stringMatching(/^Jan {2}1 00:0\d:\d\d:\d+$/),
    });
    await asked.set.close();
  });

  test('a shorter window is shorter at once, and a longer one does not bring back what is gone', async () => {
    const asked = await started();
    const at = await snapshotOn(asked, member);
    await asked.ok('n1', insert({ _id: 3, v: 1 }));
    await asked.pass(30_000);
    const windowOf = (secs: number) =>
      asked.ok(member, { setParameter: 1, minSnapshotHistoryWindowInSeconds: secs }, 'admin');
    expect(documents(await asked.ok(member, find(at)))).toHaveLength(2);
    await windowOf(5);
    expect((await asked.run(member, find(at))).code).toBe(239);
    await windowOf(300);
    expect((await asked.run(member, find(at))).code).toBe(239);
    const { wiredTiger } = await asked.ok(member, { serverStatus: 1 });
    const current = 'current available snapshot window size in seconds';
    expect(wiredTiger['snapshot-window-settings'][current]).toBeLessThan(10);
    await asked.set.close();
  });

  test('every moment of thousands of writes can be read, whether its version was kept or not', async () => {
    const asked = await started({ parameters: { replBatchLimitOperations: 50 } });
    const moments: [at: Timestamp, sum: number, count: number][] = [];
    let [sum, count] = [2, 2];
    for (let i = 0; i < 60; i++) {
      const added = Array.from({ length: 50 }, (_, k) => ({
        insert: 'c',
        documents: [{ _id: 100 + 50 * i + k, v: 1 }],
      }));
      for (const each of added.slice(0, -1)) asked.send('n1', each);
      const { operationTime } = await asked.ok('n1', added.at(-1)!);
      sum += 50;
      count += 50;
      moments.push([operationTime, sum, count]);
      const changed = await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { v: 1 } } }] });
      sum += 1;
      moments.push([changed.operationTime, sum, count]);
    }
    await asked.pass(5000);
    const pipeline = [{ $group: { _id: null, sum: { $sum: '$v' }, count: { $sum: 1 } } }];
    for (const [atClusterTime, sum, count] of moments) {
      const { readConcern, $readPreference } = find(atClusterTime);
      const reply = await asked.ok(member, { aggregate: 'c', pipeline, cursor: {}, readConcern, $readPreference });
      expect(documents(reply)).toEqual([{ _id: null, sum, count }]);
    }
    await asked.set.close();
  });
});

test('a cursor goes on in its snapshot', async () => {
  const asked = await started();
  const { cursor } = await asked.ok('n1', find(undefined, { batchSize: 1 }));
  await asked.ok('n1', { delete: 'c', deletes: [{ q: {}, limit: 0 }], writeConcern: { w: 3 } });
  await asked.pass(100_000);
  const next = (batchSize: number) => asked.run('n1', { getMore: cursor.id, collection: 'c', batchSize });
  expect((await next(1)).cursor.nextBatch).toEqual([{ _id: 2, v: 1 }]);
  await asked.set.close();
});

test('a restarted member begins its history anew, one that copied its data with the end of the copy', async () => {
  const asked = await started();
  const at = await snapshotOn(asked, 'n2');
  await asked.pass(70_000);
  await asked.ok('n1', insert({ _id: 3, v: 1 }));
  asked.set.kill('n2');
  await asked.set.start('n2');
  asked.set.kill('n3');
  await asked.set.start('n3', { wipe: true });
  await asked.pass(30_000);
  for (const member of ['n2', 'n3']) {
    expect((await asked.run(member, find(at))).code).toBe(239);
    const fresh = await snapshotOn(asked, member);
    expect(documents(await asked.ok(member, find(fresh)))).toHaveLength(3);
  }
  expect(documents(await asked.ok('n1', find(at)))).toHaveLength(2);
  await asked.set.close();
});

test('a copy knows no time before its end, though its oplog does', async () => {
  const asked = await started();
  asked.set.kill('n3');
  await asked.set.start('n3', { wipe: true });
  const hang = (mode: string) => asked.now('n3', { configureFailPoint: 'initialSyncHangBeforeCopyingDatabases', mode });
  hang('alwaysOn');
  await asked.pass(10_000);
  const { operationTime: during } = await asked.ok('n1', { ...insert({ _id: 3, v: 1 }), writeConcern: { w: 2 } });
  await asked.ok('n1', { ...insert({ _id: 4, v: 1 }), writeConcern: { w: 2 } });
  hang('off');
  await asked.until(() => asked.state('n3') === 2);
  await asked.pass(25_000);
  const oplog = { find: 'oplog.rs', filter: { ts: during }, $readPreference: { mode: 'nearest' } };
  expect(documents(await asked.ok('n3', oplog, 'local'))).toHaveLength(1);
  expect(await asked.run('n3', find(during))).toMatchObject({ ok: 0, code: 239, codeName: 'SnapshotTooOld' });
  expect(documents(await asked.ok('n2', find(during)))).toHaveLength(3);
  expect(documents(await asked.ok('n3', find(await snapshotOn(asked, 'n3'))))).toHaveLength(4);
  const { wiredTiger } = await asked.ok('n3', { serverStatus: 1 });
  expect(
    wiredTiger['snapshot-window-settings']['current available snapshot window size in seconds'],
  ).toBeLessThanOrEqual(25);
  await asked.set.close();
});

test('what was copied before a majority had it is read only once it has', async () => {
  const asked = await AskedSet.start([
    { name: 'n1', config: { priority: 2 } },
    { name: 'n2' },
    { name: 'n3', config: { priority: 0, votes: 0 } },
  ]);
  asked.set.hold('n2', 'fetch');
  const { operationTime: at } = await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } });
  asked.set.kill('n3');
  await asked.set.start('n3', { wipe: true });
  await asked.until(() => asked.state('n3') === 2);
  expect(await asked.run('n3', find(at, { maxTimeMS: 5000 }))).toMatchObject({ ok: 0, code: 50 });
  const { reply } = asked.send('n3', find(at));
  asked.set.release('n2', 'fetch');
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ ok: 1 });
  await asked.set.close();
});

test('what a rollback undid is in no snapshot, and what was before it still is', async () => {
  const asked = await started();
  const at = await snapshotOn(asked, 'n1');
  await asked.ok('n1', insert({ _id: 3, v: 1 }));
  await asked.pass(3000);
  asked.set.partition([['n1'], ['n2', 'n3']]);
  const lost = await asked.ok('n1', { insert: 'c', documents: [{ _id: 4, v: 1 }], writeConcern: { w: 1 } });
  await asked.until(() =>
    asked.set.memberNames.some((name) => name !== 'n1' && asked.now(name, { hello: 1 }).isWritablePrimary),
  );
  asked.set.heal('all');
  await asked.pass(60_000);
  await asked.ok(asked.primary, insert({ _id: 5, v: 1 }));
  await asked.pass(3000);
  expect(documents(await asked.ok('n1', find(at)))).toHaveLength(2);
  expect(documents(await asked.ok('n1', find(lost.operationTime)))).toHaveLength(3);
  expect(documents(await asked.ok('n1', find())).map(({ _id }) => _id)).toEqual([1, 2, 3, 5]);
  await asked.set.close();
});

test('a read is refused where the oplog no longer has all that it needs', async () => {
  const asked = await AskedSet.start([{ name: 'n1', oplogSizeMB: 0.2 }]);
  for (let _id = 1; _id < 2500; _id++) asked.send('n1', { insert: 'c', documents: [{ _id }] });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 2500 }] });
  // Until what does not fit is truncated. Of the versions of the first 2,000 some are kept, so between them the oplog is needed.
  await asked.pass(70_000);
  const query = { find: 'oplog.rs', filter: { op: 'i', 'o._id': { $gte: 1 } }, batchSize: 2500 };
  const entries = documents(await asked.ok('n1', query, 'local'));
  const seen = async ({ ts }: Doc) => {
    const reply = await asked.run('n1', find(ts));
    return reply.ok === 1 ? documents(reply).length : reply.code;
  };
  expect(await seen(entries[0]!)).toBe(239);
  for (const entry of entries.filter((_, i) => i % 100 === 0)) expect([239, entry.o._id]).toContain(await seen(entry));
  expect(await seen(entries.at(-1)!)).toBe(2500);
  await asked.set.close();
});

test('after a restart, a read between the checkpoint and the end of the journal is answered if only documents have changed, and refused otherwise', async () => {
  const asked = await AskedSet.start([{ name: 'n1' }]);
  await asked.pass(70_000);
  const journaled = async (_id: number): Promise<Timestamp> => {
    const writeConcern = { w: 1, j: true };
    return (await asked.ok('n1', { insert: 'c', documents: [{ _id }], writeConcern })).operationTime;
  };
  await asked.ok('n1', { create: 'c' });
  await asked.pass(70_000);
  const before = await journaled(1);
  const { operationTime: created } = await asked.ok('n1', { create: 'd' });
  const behind = await journaled(2);
  const last = await journaled(3);
  asked.set.kill('n1');
  await asked.set.start('n1');
  await asked.until(() => asked.now('n1', { hello: 1 }).isWritablePrimary);
  await asked.pass(5000);
  expect(documents(await asked.ok('n1', find(before)))).toHaveLength(1);
  for (const at of [created, behind]) {
    expect(await asked.run('n1', find(at))).toMatchObject({ ok: 0, code: 246, codeName: 'SnapshotUnavailable' });
  }
  expect(documents(await asked.ok('n1', find(last)))).toHaveLength(3);
  await asked.set.close();
});
