import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// While `fsync` holds its lock a member's data and oplog stand still: what writes waits, and does not fail; reads go on.
// Upstream: fsync.cpp, FSyncLockThread; jstests fsync.js, fsync_deadlock.js, fsync_lock_read_secondaries.js.

const LOCK = { fsync: 1, lock: true };
const UNLOCK = { fsyncUnlock: 1 };
const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];

async function started(
  members: Parameters<typeof AskedSet.start>[0] = MEMBERS,
  options: Parameters<typeof AskedSet.start>[1] = {},
): Promise<AskedSet> {
  const asked = await AskedSet.start(members, options);
  await asked.until(() => asked.primaryIfAny() === 'n1');
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 0, n: 0 }], writeConcern: { w: 3 } });
  return asked;
}

test('locks nest, and as many releases as takes set writes free', async () => {
  const asked = await started();
  const info = 'nothing is written now; db.fsyncUnlock() ends the lock';
  expect(await asked.run('n1', LOCK, 'admin')).toMatchObject({
    info,
    lockCount: 1,
    seeAlso: expect.any(String),
    ok: 1,
  });
  expect(await asked.run('n1', LOCK, 'admin')).toMatchObject({ lockCount: 2, ok: 1 });
  const insert = asked.send('n1', { insert: 'c', documents: [{ _id: 1 }] });
  expect(await asked.run('n1', UNLOCK, 'admin')).toMatchObject({ info: 'fsyncUnlock completed', lockCount: 1, ok: 1 });
  await asked.pass(60_000);
  expect(insert.reply()).toBeUndefined();
  expect(await asked.run('n1', UNLOCK, 'admin')).toMatchObject({ lockCount: 0, ok: 1 });
  await asked.pass(100);
  expect(insert.reply()).toMatchObject({ ok: 1, n: 1 });
  expect(await asked.run('n1', UNLOCK, 'admin')).toMatchObject({ ok: 0, code: 20 });
});

test('fsync without a lock flushes, and stops nothing', async () => {
  const asked = await started();
  expect(await asked.run('n1', { fsync: 1 }, 'admin')).toMatchObject({ numFiles: 1, ok: 1 });
  expect(await asked.run('n1', { fsync: 1 }, 'app')).toMatchObject({ ok: 0, code: 13 });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }] });
});

// Upstream: fsync.idl, `lock` is a safeBool: booleans and numbers.
test.for<[lock: unknown, code: number | undefined, isLocked: boolean]>([
  [true, undefined, true],
  [1, undefined, true],
  [0, undefined, false],
  [false, undefined, false],
  ['x', 14, false],
  [{}, 14, false],
  [[], 14, false],
])('fsync with lock: %j', async ([lock, code, isLocked]) => {
  const asked = await started();
  expect((await asked.run('n1', { fsync: 1, lock }, 'admin')).code).toBe(code);
  expect((await asked.run('n1', UNLOCK, 'admin')).ok).toBe(isLocked ? 1 : 0);
});

test.for<[what: string, command: Doc, db?: string]>([
  ['an insert', { insert: 'c', documents: [{ _id: 1 }] }],
  ['an update', { update: 'c', updates: [{ q: { _id: 0 }, u: { $inc: { n: 1 } } }] }],
  ['a delete', { delete: 'c', deletes: [{ q: { _id: 0 }, limit: 1 }] }],
  ['a findAndModify', { findAndModify: 'c', query: { _id: 0 }, remove: true }],
  ['create', { create: 'd' }],
  ['createIndexes', { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n_1' }] }],
  ['drop', { drop: 'c' }],
  ['dropDatabase', { dropDatabase: 1 }],
  ['a linearizable read, which writes a no-op', { find: 'c', readConcern: { level: 'linearizable' } }],
  ['setUserWriteBlockMode', { setUserWriteBlockMode: 1, global: true }, 'admin'],
  ['a write to local', { insert: 'c', documents: [{ _id: 1 }] }, 'local'],
])('%s waits for the lock to go, and then succeeds', async ([, command, db = 'app']) => {
  const asked = await started();
  await asked.ok('n1', LOCK, 'admin');
  const before = asked.now('n1', { dbHash: 1 }, 'app').md5;
  const { reply } = asked.send('n1', command, db);
  await asked.pass(30_000);
  expect(reply()).toBeUndefined();
  expect(asked.now('n1', { dbHash: 1 }, 'app').md5).toBe(before);
  await asked.ok('n1', UNLOCK, 'admin');
  await asked.pass(1000);
  expect(reply()).toMatchObject({ ok: 1 });
});

test.for<[what: string, command: Doc, db?: string]>([
  ['find', { find: 'c' }],
  ['aggregate', { aggregate: 'c', pipeline: [], cursor: {} }],
  ['count', { count: 'c' }],
  ['listIndexes', { listIndexes: 'c' }],
  ['serverStatus', { serverStatus: 1 }, 'admin'],
  ['setParameter', { setParameter: 1, ttlMonitorSleepSecs: 30 }, 'admin'],
  ['a read at majority', { find: 'c', readConcern: { level: 'majority' } }],
])('%s is answered while nothing can be written', async ([, command, db = 'app']) => {
  const asked = await started();
  await asked.ok('n1', LOCK, 'admin');
  const { reply } = asked.send('n1', command, db);
  await asked.pass(100);
  expect(reply()).toMatchObject({ ok: 1 });
});

test('a write that has begun stops at its next batch, and goes on from there', async () => {
  const asked = await started(MEMBERS, { costs: { insertMicros: 100_000 } });
  const { reply } = asked.send('n1', {
    insert: 'c',
    documents: Array.from({ length: 20 }, (_, i) => ({ _id: i + 1 })),
  });
  await asked.pass(500);
  await asked.ok('n1', LOCK, 'admin');
  const [{ n: before }] = [asked.now('n1', { count: 'c' }, 'app')];
  await asked.pass(60_000);
  expect(asked.now('n1', { count: 'c' }, 'app').n).toBe(before);
  expect(reply()).toBeUndefined();
  await asked.ok('n1', UNLOCK, 'admin');
  await asked.pass(5000);
  expect(reply()).toMatchObject({ ok: 1, n: 20 });
});

test('currentOp tells of the lock and of who waits for it; maxTimeMS and killOp end the waiting', async () => {
  const asked = await started();
  expect(asked.now('n1', { currentOp: 1 })).not.toHaveProperty('fsyncLock');
  await asked.ok('n1', LOCK, 'admin');
  const limited = asked.send('n1', { insert: 'c', documents: [{ _id: 1 }], maxTimeMS: 500 });
  const killed = asked.send('n1', { insert: 'c', documents: [{ _id: 2 }] });
  await asked.pass(10);
  const { inprog, fsyncLock, info } = asked.now('n1', { currentOp: 1, waitingForLock: true }, 'admin');
  expect([inprog.length, fsyncLock]).toEqual([2, true]);
  expect(info).toContain('fsyncUnlock');
  await asked.pass(500);
  expect(limited.reply()).toMatchObject({ ok: 0, code: 50 });
  expect(killed.reply()).toBeUndefined();
  await asked.ok('n1', { killOp: 1, op: inprog[1].opid }, 'admin');
  expect(killed.reply()).toMatchObject({ ok: 0, code: 11601 });
  await asked.ok('n1', UNLOCK, 'admin');
  await asked.pass(1000);
  expect(await asked.documents('n1', 'c')).toHaveLength(1);
});

test('a locked secondary applies nothing, sends heartbeats, and catches up', async () => {
  const asked = await started();
  await asked.ok('n2', LOCK, 'admin');
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 2 } });
  await asked.pass(60_000);
  expect(asked.now('n1', { replSetGetStatus: 1 }).members.map(({ health }: Doc) => health)).toEqual([1, 1, 1]);
  expect(await asked.documents('n2', 'c')).toHaveLength(1);
  expect(await asked.documents('n3', 'c')).toHaveLength(2);
  await asked.ok('n2', UNLOCK, 'admin');
  await asked.pass(1000);
  expect(await asked.documents('n2', 'c')).toHaveLength(2);
});

test('a locked primary writes no periodic no-ops either', async () => {
  const asked = await started();
  await asked.ok('n1', LOCK, 'admin');
  const last = () => asked.now('n1', { replSetGetStatus: 1 }).optimes.appliedOpTime.ts;
  const before = last();
  await asked.pass(60_000);
  expect(last()).toEqual(before);
});

test('a locked primary does not step down on command: LockTimeout, and it is primary still', async () => {
  const asked = await started();
  await asked.ok('n1', LOCK, 'admin');
  const waiting = asked.send('n1', { insert: 'c', documents: [{ _id: 1 }] });
  const stepDown = { replSetStepDown: 60, secondaryCatchUpPeriodSecs: 10 };
  expect(await asked.run('n1', stepDown, 'admin')).toMatchObject({ ok: 0, code: 24, codeName: 'LockTimeout' });
  expect(waiting.reply()).toMatchObject({ ok: 0, code: 11602 });
  expect(asked.now('n1', { hello: 1 }).isWritablePrimary).toBe(true);
  const later = asked.send('n1', stepDown, 'admin');
  await asked.pass(2000);
  await asked.ok('n1', UNLOCK, 'admin');
  await asked.pass(1000);
  expect(later.reply()).toMatchObject({ ok: 1 });
});

test.for([
  ['n3', 'the other needs its vote'],
  ['n2', 'it can keep no vote for itself'],
] as const)('while %s is locked nobody is elected: %s', async ([locked]) => {
  const asked = await started([...MEMBERS.slice(0, 2), { name: 'n3', config: { priority: 0 } }]);
  await asked.ok(locked, LOCK, 'admin');
  asked.set.kill('n1');
  await asked.pass(60_000);
  expect(asked.now('n2', { replSetGetStatus: 1 }).myState).toBe(2);
  await asked.ok(locked, UNLOCK, 'admin');
  await asked.until(() => asked.primaryIfAny() === 'n2');
});

test('what was written before the lock is applied after it', async () => {
  const asked = await started();
  asked.set.hold('n2', 'apply');
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } });
  await asked.pass(500);
  await asked.ok('n2', LOCK, 'admin');
  asked.set.release('n2', 'apply');
  await asked.pass(10_000);
  expect(await asked.documents('n2', 'c')).toHaveLength(1);
  await asked.ok('n2', UNLOCK, 'admin');
  await asked.pass(100);
  expect(await asked.documents('n2', 'c')).toHaveLength(2);
});

test('the log reminds every minute; a shutdown ends the lock', async () => {
  const asked = await started();
  await asked.ok('n2', LOCK, 'admin');
  const ids = () => asked.now('n2', { getLog: 'global' }).log.map((line: string) => JSON.parse(line).id);
  expect(ids()).toContain(20462);
  await asked.pass(125_000);
  expect(ids().filter((id: number) => id === 20471)).toHaveLength(2);
  asked.send('n2', { shutdown: 1, force: true, timeoutSecs: 0 }, 'admin');
  await asked.until(() => !asked.set.status('n2').running);
});

test('a locked primary that is told to end by a signal hands over first, and loses nothing', async () => {
  const asked = await started();
  await asked.ok('n1', LOCK, 'admin');
  const waiting = asked.send('n1', { insert: 'c', documents: [{ _id: 1 }] });
  await asked.pass(100);
  asked.set.shutdown('n1');
  await asked.until(() => !asked.set.status('n1').running);
  await asked.until(() => asked.primaryIfAny() !== undefined, 5000);
  expect(waiting.reply()).toMatchObject({ ok: expect.any(Number) });
});
