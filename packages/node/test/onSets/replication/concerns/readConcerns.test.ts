import { Long, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../../replset/test/askedSet.ts';

// What reads of each level see, wait for and are refused with, on a real set. The drivers' read preference "nearest" lets
// a secondary answer.

const NEAREST = { $readPreference: { mode: 'nearest' } };
const find = (readConcern: Doc, more: Doc = {}): Doc => ({
  find: 'c',
  sort: { _id: 1 },
  readConcern,
  ...NEAREST,
  ...more,
});
const insert = (_id: number, writeConcern: Doc): Doc => ({ insert: 'c', documents: [{ _id }], writeConcern });
const ids = (reply: Doc): number[] => reply.cursor.firstBatch.map(({ _id }: Doc) => _id);
const later = (ts: Timestamp, secs: number): Timestamp => new Timestamp({ t: ts.high + secs, i: 1 });

/** Three members, n1 primary; document 1 is everywhere and known to be committed. */
async function started(options: Doc = {}): Promise<AskedSet> {
  const asked = await AskedSet.start(
    [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }],
    options,
  );
  await asked.ok('n1', insert(1, { w: 3 }));
  await asked.pass(3000);
  return asked;
}

/** n1 is cut off and has written document 2, which nobody else has. */
async function isolated(options: Doc = {}): Promise<AskedSet> {
  const asked = await started(options);
  asked.set.partition([['n1'], ['n2', 'n3']]);
  await asked.ok('n1', insert(2, { w: 1 }));
  return asked;
}

describe.for(['n1', 'n2', 'standalone'])('on %s', (where) => {
  const expected: Record<string, Record<string, number>> = {
    n1: {},
    n2: { linearizable: 10107 },
    standalone: { linearizable: 123, snapshot: 123 },
  };
  test.for(['local', 'available', 'majority', 'linearizable', 'snapshot'])('level %s', async (level) => {
    const asked = await started();
    const member = where === 'standalone' ? 'n3' : where;
    if (where === 'standalone') {
      await asked.pass(60_000);
      asked.set.shutdown(member);
      await asked.until(() => !asked.set.status(member).running);
      await asked.set.start(member, { as: 'standalone' });
    }
    const code = expected[where]![level];
    const reply = await asked.run(member, find({ level }));
    expect(reply.code).toBe(code);
    if (code === undefined) expect(ids(reply)).toEqual([1]);
    await asked.set.close();
  });
});

test.for<[level: string, seen: number[]]>([
  ['local', [1, 2]],
  ['available', [1, 2]],
  ['majority', [1]],
  ['snapshot', [1]],
])('what only a cut-off primary holds: %s sees %o', async ([level, seen]) => {
  const asked = await isolated();
  expect(ids(await asked.ok('n1', find({ level })))).toEqual(seen);
  await asked.set.close();
});

test('a linearizable read on a cut-off primary ends with maxTimeMS and never answers', async () => {
  const asked = await isolated();
  const start = asked.set.nowMicros;
  const reply = await asked.run('n1', find({ level: 'linearizable' }, { maxTimeMS: 1000 }));
  expect(reply).toMatchObject({ ok: 0, code: 50, codeName: 'MaxTimeMSExpired' });
  expect(asked.set.nowMicros - start).toBe(1_000_000);
  // Without a limit it is killed when the member learns that it is primary no more.
  const { reply: waiting } = asked.send('n1', find({ level: 'linearizable' }));
  await asked.until(() => waiting() !== undefined);
  expect(waiting()).toMatchObject({ ok: 0, code: 11602, topologyVersion: {} });
  await asked.set.close();
});

test('a member that is behind reads the old committed data, and its newest by local', async () => {
  const asked = await started();
  asked.set.partition([['n1', 'n2'], ['n3']]);
  await asked.ok('n1', insert(2, { w: 'majority' }));
  expect(ids(await asked.ok('n3', find({ level: 'majority' })))).toEqual([1]);
  expect(ids(await asked.ok('n3', find({ level: 'local' })))).toEqual([1]);
  asked.set.heal('all');
  await asked.pass(10_000);
  expect(ids(await asked.ok('n3', find({ level: 'majority' })))).toEqual([1, 2]);
  await asked.set.close();
});

describe('afterClusterTime', () => {
  test.for(['local', 'majority', 'snapshot'])(
    'level %s waits on a secondary for what the client has written',
    async (level) => {
      const asked = await started();
      asked.set.link('n1', 'n2', { latencyMs: [400, 400] });
      asked.set.link('n2', 'n1', { latencyMs: [400, 400] });
      const { operationTime, $clusterTime } = await asked.ok('n1', insert(2, { w: 1 }));
      expect(ids(await asked.ok('n2', find({ level: 'local' })))).toEqual([1]);
      const start = asked.set.nowMicros;
      const reply = await asked.ok('n2', find({ level, afterClusterTime: operationTime }, { $clusterTime }));
      expect(ids(reply)).toEqual([1, 2]);
      expect(asked.set.nowMicros - start).toBeGreaterThan(100_000);
      await asked.set.close();
    },
  );

  test('the wait ends with maxTimeMS', async () => {
    const asked = await started();
    asked.set.partition([['n1', 'n3'], ['n2']]);
    const { operationTime, $clusterTime } = await asked.ok('n1', insert(2, { w: 1 }));
    const command = find({ level: 'local', afterClusterTime: operationTime }, { $clusterTime, maxTimeMS: 500 });
    expect((await asked.run('n2', command)).code).toBe(50);
    await asked.set.close();
  });

  test('an idle primary reaches a time that it heard of with its periodic no-op', async () => {
    const asked = await started();
    const { operationTime } = await asked.ok('n1', insert(2, { w: 1 }));
    const ahead = later(operationTime, 3);
    const $clusterTime = { clusterTime: ahead, signature: { keyId: 0 } };
    const start = asked.set.nowMicros;
    expect(ids(await asked.ok('n1', find({ afterClusterTime: ahead }, { $clusterTime })))).toEqual([1, 2]);
    expect((asked.set.nowMicros - start) / 1_000_000).toBeLessThan(20);
    await asked.set.close();
  });
});

describe('atClusterTime', () => {
  test('reads what was then, and tells when that was', async () => {
    const asked = await started();
    const first = await asked.ok('n1', find({ level: 'snapshot' }));
    const { atClusterTime } = first.cursor;
    await asked.ok('n1', insert(2, { w: 3 }));
    await asked.pass(3000);
    const again = await asked.ok('n1', find({ level: 'snapshot', atClusterTime }));
    expect(ids(again)).toEqual([1]);
    expect(again.cursor.atClusterTime).toEqual(atClusterTime);
    const { values, atClusterTime: of } = await asked.ok('n1', {
      distinct: 'c',
      key: '_id',
      readConcern: { level: 'snapshot' },
    });
    expect(values).toEqual([1, 2]);
    expect(of.greaterThan(atClusterTime)).toBe(true);
    await asked.set.close();
  });
});

test('a member that does not know yet what is committed: majority waits, snapshot fails', async () => {
  const asked = await started();
  for (const name of ['n1', 'n2', 'n3']) asked.set.kill(name);
  await asked.set.start('n2');
  await asked.pass(100);
  expect(await asked.run('n2', find({ level: 'snapshot' }))).toMatchObject({ ok: 0, code: 246 });
  expect((await asked.run('n2', find({ level: 'majority' }, { maxTimeMS: 1000 }))).code).toBe(50);
  expect(ids(await asked.ok('n2', find({ level: 'local' })))).toEqual([1]);
  const { reply } = asked.send('n2', find({ level: 'majority' }));
  await asked.set.start('n1');
  await asked.until(() => reply() !== undefined);
  expect(ids(reply()!)).toEqual([1]);
  await asked.set.close();
});

const T = new Timestamp({ t: 1, i: 1 });
const FUTURE = new Timestamp({ t: 4_000_000_000, i: 1 });
const OP_TIME = { ts: T, t: 1 };

test.for<[readConcern: unknown, code: number]>([
  ['majority', 14],
  [{ level: 5 }, 14],
  [{ level: 'nope' }, 9],
  [{ nope: 1 }, 72],
  [{ afterClusterTime: 5 }, 14],
  [{ afterClusterTime: new Timestamp({ t: 0, i: 0 }) }, 72],
  [{ afterClusterTime: FUTURE }, 72],
  [{ level: 'available', afterClusterTime: T }, 72],
  [{ level: 'linearizable', afterClusterTime: T }, 72],
  [{ level: 'local', atClusterTime: T }, 72],
  [{ level: 'majority', atClusterTime: T }, 72],
  [{ level: 'snapshot', atClusterTime: new Timestamp({ t: 0, i: 0 }) }, 72],
  [{ level: 'snapshot', atClusterTime: FUTURE }, 72],
  [{ level: 'snapshot', atClusterTime: T }, 239],
  [{ level: 'snapshot', atClusterTime: T, afterClusterTime: T }, 72],
  [{ afterClusterTime: T, afterOpTime: OP_TIME }, 72],
  [{ level: 'linearizable', afterOpTime: OP_TIME }, 9],
  [{ level: 'snapshot', afterOpTime: OP_TIME }, 9],
  [{ afterOpTime: 1 }, 14],
  [{ afterOpTime: { t: 1 } }, 40414],
])('readConcern %o is refused with %i', async ([readConcern, code]) => {
  const asked = await AskedSet.start(1);
  const reply = await asked.run('n1', { find: 'c', readConcern });
  expect([reply.ok, reply.code]).toEqual([0, code]);
  await asked.set.close();
});

test.for<[command: Doc, level: string, code: number | undefined]>([
  [{ count: 'c' }, 'majority', undefined],
  [{ count: 'c' }, 'snapshot', 72],
  [{ distinct: 'c', key: 'a' }, 'snapshot', undefined],
  [{ aggregate: 'c', pipeline: [], cursor: {} }, 'snapshot', undefined],
  [{ aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }, 'linearizable', 72],
  [{ aggregate: 'c', pipeline: [{ $merge: 'd' }], cursor: {} }, 'linearizable', 72],
  [{ insert: 'c', documents: [{}] }, 'majority', 72],
  [{ insert: 'c', documents: [{}] }, 'local', undefined],
  [{ listCollections: 1 }, 'majority', 72],
  [{ ping: 1 }, 'snapshot', 72],
])('%o with level %s: %s', async ([command, level, code]) => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, a: 1 }] });
  expect((await asked.run('n1', { ...command, readConcern: { level } })).code).toBe(code);
  await asked.set.close();
});

test('a standalone knows no cluster time', async () => {
  const asked = await AskedSet.start(1);
  asked.set.kill('n1');
  await asked.set.start('n1', { as: 'standalone' });
  expect((await asked.run('n1', { find: 'c', readConcern: { afterClusterTime: T } })).code).toBe(20);
  await asked.set.close();
});

test('a cluster time too far ahead of the clock is not taken over', async () => {
  const asked = await AskedSet.start(1);
  const ping = (clusterTime: Timestamp) => ({ ping: 1, $clusterTime: { clusterTime, signature: { keyId: 0 } } });
  const { $clusterTime } = await asked.ok('n1', { ping: 1 });
  const year = 365 * 24 * 3600;
  const reply = await asked.run('n1', ping(later($clusterTime.clusterTime, year + 10)));
  expect(reply).toMatchObject({ ok: 0, code: 205, codeName: 'ClusterTimeFailsRateLimiter' });
  const near = later($clusterTime.clusterTime, year - 100);
  expect((await asked.ok('n1', ping(near))).$clusterTime.clusterTime).toEqual(near);
  await asked.set.close();
});

// Upstream: service_entry_point_shard_role.cpp, waitForReadConcern, before any command; CommandInvocation::allowsAfterClusterTime.
describe('afterClusterTime of any command', () => {
  const at = (t: number) => ({ readConcern: { afterClusterTime: new Timestamp({ t, i: 1 }) } });
  const FUTURE = 2_000_000_000;
  const COMMANDS: readonly [command: Doc, db?: string][] = [
    [{ find: 'c' }],
    [{ count: 'c' }],
    [{ aggregate: 'c', pipeline: [], cursor: {} }],
    [{ listIndexes: 'c' }],
    [{ listCollections: 1 }],
    [{ listDatabases: 1 }, 'admin'],
    [{ dbStats: 1 }],
    [{ collStats: 'c' }],
    [{ listCommands: 1 }, 'admin'],
    [{ ping: 1 }],
    [{ hello: 1 }],
    [{ buildInfo: 1 }],
    [{ replSetGetStatus: 1 }, 'admin'],
    [{ getParameter: '*' }, 'admin'],
    [{ insert: 'c', documents: [{}] }],
    [{ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }] }],
    [{ create: 'd' }],
  ];

  test.for(COMMANDS)('%j', async ([command, db = 'app']) => {
    const asked = await started();
    const { operationTime } = await asked.ok('n1', { ping: 1 });
    expect(await asked.run('n1', { ...command, ...at(FUTURE) }, db)).toMatchObject({ ok: 0, code: 72 });
    expect(await asked.run('n1', { ...command, readConcern: { afterClusterTime: operationTime } }, db)).toMatchObject({
      ok: 1,
    });
    await asked.set.close();
  });

  test.for<[command: Doc, db?: string]>([
    [{ serverStatus: 1 }, 'admin'],
    [{ currentOp: 1 }, 'admin'],
    [{ dbHash: 1 }],
    [{ getMore: Long.fromNumber(5), collection: 'c' }],
    [{ killCursors: 'c', cursors: [Long.fromNumber(5)] }],
  ])('%j takes none, of whatever time', async ([command, db = 'app']) => {
    const asked = await started();
    const reply = await asked.run('n1', { ...command, ...at(1) }, db);
    expect(reply).toMatchObject({ ok: 0, code: 72, errmsg: 'afterClusterTime is not allowed for this command' });
    await asked.set.close();
  });

  test('a member that is behind waits, whatever is asked', async () => {
    const asked = await started();
    asked.set.hold('n2', 'apply');
    const { operationTime } = await asked.ok('n1', { create: 'made' });
    const waiting = asked.send('n2', {
      listCollections: 1,
      readConcern: { afterClusterTime: operationTime },
      ...NEAREST,
    });
    await asked.pass(1000);
    expect(waiting.reply()).toBeUndefined();
    asked.set.release('n2', 'apply');
    await asked.until(() => waiting.reply() !== undefined);
    expect(
      waiting
        .reply()
        ?.cursor.firstBatch.map(({ name }: Doc) => name)
        .sort(),
    ).toEqual(['c', 'made']);
    await asked.set.close();
  });

  test('an arbiter has no time to speak of, a standalone no set', async () => {
    const asked = await AskedSet.start([{ name: 'n1' }, { name: 'n2', config: { arbiterOnly: true, priority: 0 } }]);
    expect(await asked.run('n2', { listCommands: 1, ...at(1) }, 'admin')).toMatchObject({ ok: 0, code: 72 });
    asked.set.kill('n1');
    await asked.set.start('n1', { as: 'standalone' });
    expect(await asked.run('n1', { listCollections: 1, ...at(1) })).toMatchObject({ ok: 0, code: 20 });
    await asked.set.close();
  });
});

// Upstream: wiredtiger_util.cpp, useTableLogging; read_concern_mongod.cpp has no exception for them.
test.for(['majority', 'snapshot', 'local', 'linearizable'])(
  'level %s shows what only this member has',
  async (level) => {
    const asked = await started();
    await asked.ok('n1', { profile: 2 });
    await asked.ok('n1', { insert: 'own', documents: [{ _id: 1 }] }, 'local');
    await asked.ok('n1', { find: 'c' });
    const seen = async (collection: string, db: string) =>
      (await asked.ok('n1', { ...find({ level }), find: collection }, db)).cursor.firstBatch.length;
    expect(await seen('own', 'local')).toBe(1);
    expect(await seen('system.replset', 'local')).toBe(1);
    // Capped collections have no snapshots.
    if (level !== 'snapshot') expect(await seen('startup_log', 'local')).toBe(1);
    if (level !== 'snapshot') expect(await seen('system.profile', 'app')).toBeGreaterThan(0);
    const aggregate = { aggregate: 'own', pipeline: [], cursor: {}, readConcern: { level } };
    expect((await asked.ok('n1', aggregate, 'local')).cursor.firstBatch).toEqual([{ _id: 1 }]);
    await asked.set.close();
  },
);

test.for([
  { find: 'c', batchSize: 1 },
  { aggregate: 'c', pipeline: [], cursor: { batchSize: 1 } },
])('each batch of a snapshot tells its time: %j', async (command) => {
  const asked = await started();
  await asked.ok('n1', insert(2, { w: 'majority' }));
  await asked.ok('n1', insert(3, { w: 'majority' }));
  const { cursor } = await asked.ok('n1', { ...command, readConcern: { level: 'snapshot' } });
  await asked.ok('n1', insert(4, { w: 'majority' }));
  const { cursor: next } = await asked.ok('n1', { getMore: cursor.id, collection: 'c', batchSize: 1 });
  expect(next.nextBatch).toHaveLength(1);
  expect(next.atClusterTime).toEqual(cursor.atClusterTime);
  const last = await asked.ok('n1', { getMore: cursor.id, collection: 'c' });
  expect(last.cursor).toMatchObject({ nextBatch: [{ _id: 3 }], id: 0, atClusterTime: cursor.atClusterTime });
  await asked.set.close();
});

// Upstream: jstests/replsets, read_concern_uninitated_set.
test.for<[readConcern: Doc, code: number | undefined]>([
  [{ level: 'majority' }, 94],
  [{ level: 'snapshot' }, 94],
  [{ afterClusterTime: new Timestamp({ t: 1, i: 1 }) }, 13436],
  [{ level: 'local' }, undefined],
])('a member of no set yet answers %j at once', async ([readConcern, code]) => {
  const asked = await AskedSet.create({ members: [{ name: 'n1' }], initiate: false });
  await asked.pass(1000);
  expect((await asked.run('n1', find(readConcern), 'local')).code).toBe(code);
  await asked.set.close();
});
