import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// What `setUserWriteBlockMode` stops, whom it spares, and that it is data: replicated, durable, rolled back.
// Upstream: jstests set_user_write_block_mode*.js, ttl_user_write_blocking.js, user_write_block_mode_op_observer_test.cpp.

const BLOCK = { setUserWriteBlockMode: 1, global: true };
const UNBLOCK = { setUserWriteBlockMode: 1, global: false };
const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
const BLOCKED = { code: 371, errmsg: 'User writes blocked' };

async function started(options: Parameters<typeof AskedSet.start>[1] = {}): Promise<AskedSet> {
  const asked = await AskedSet.start(MEMBERS, options);
  await asked.until(() => asked.primaryIfAny() === 'n1');
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 0, n: 0 }], writeConcern: { w: 3 } });
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 }] });
  return asked;
}

const mode = (asked: AskedSet, member: string) => asked.now(member, { serverStatus: 1 }).repl.userWriteBlockMode;
const metrics = (asked: AskedSet, member = 'n1') => asked.now(member, { serverStatus: 1 }).metrics.ttl;

test.for<[what: string, command: Doc]>([
  ['create', { create: 'd' }],
  ['createIndexes', { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n_1' }] }],
  ['createIndexes on a new collection', { createIndexes: 'd', indexes: [{ key: { n: 1 }, name: 'n_1' }] }],
  ['collMod', { collMod: 'c', index: { name: 'ttl', expireAfterSeconds: 5 } }],
  ['dropIndexes', { dropIndexes: 'c', index: 'ttl' }],
  ['drop', { drop: 'c' }],
  ['dropDatabase', { dropDatabase: 1 }],
  ['findAndModify', { findAndModify: 'c', query: { _id: 0 }, remove: true }],
])('%s fails with UserWritesBlocked 371, and works again afterwards', async ([, command]) => {
  const asked = await started();
  await asked.ok('n1', BLOCK, 'admin');
  const before = asked.now('n1', { dbHash: 1 }, 'app').md5;
  // findAndModify says before it where that came about.
  const errmsg = expect.stringMatching(
    /^(Plan executor error during findAndModify :: caused by :: )?User writes blocked$/,
  );
  expect(await asked.run('n1', command)).toMatchObject({ ok: 0, codeName: 'UserWritesBlocked', ...BLOCKED, errmsg });
  expect(asked.now('n1', { dbHash: 1 }, 'app').md5).toBe(before);
  await asked.ok('n1', UNBLOCK, 'admin');
  await asked.ok('n1', command);
});

test.for<[what: string, command: Doc]>([
  ['an insert', { insert: 'c', documents: [{ _id: 1 }] }],
  ['an insert into a new collection', { insert: 'd', documents: [{ _id: 1 }] }],
  ['an update', { update: 'c', updates: [{ q: { _id: 0 }, u: { $inc: { n: 1 } } }] }],
  ['an upsert', { update: 'c', updates: [{ q: { _id: 9 }, u: { $set: { n: 1 } }, upsert: true }] }],
  ['a delete', { delete: 'c', deletes: [{ q: { _id: 0 }, limit: 1 }] }],
])('%s is refused as a statement', async ([, command]) => {
  const asked = await started();
  await asked.ok('n1', BLOCK, 'admin');
  expect(await asked.run('n1', command)).toMatchObject({ ok: 1, n: 0, writeErrors: [{ index: 0, ...BLOCKED }] });
  await asked.ok('n1', UNBLOCK, 'admin');
  await asked.ok('n1', command);
});

test.for(['admin', 'config', 'local'])('%s may still be written', async (db) => {
  const asked = await started();
  await asked.ok('n1', BLOCK, 'admin');
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }] }, db);
});

test('reads go on; asking twice is no error; the mode is told', async () => {
  const asked = await started();
  expect(mode(asked, 'n1')).toBe(1);
  await asked.ok('n1', BLOCK, 'admin');
  await asked.ok('n1', BLOCK, 'admin');
  expect(await asked.documents('n1', 'c')).toHaveLength(1);
  expect(mode(asked, 'n1')).toBe(2);
  await asked.pass(1000);
  expect(mode(asked, 'n3')).toBe(2);
  await asked.ok('n1', UNBLOCK, 'admin');
  await asked.ok('n1', UNBLOCK, 'admin');
  expect(mode(asked, 'n1')).toBe(1);
});

test('the block is a document in config, which a new primary and a restart find', async () => {
  const asked = await started();
  await asked.ok('n1', BLOCK, 'admin');
  expect(await asked.documents('n1', 'user_writes_critical_sections', 'config')).toEqual([
    { _id: '', blockNewUserShardedDDL: false, blockUserWrites: true },
  ]);
  asked.set.kill('n1');
  await asked.until(() => ['n2', 'n3'].includes(asked.primaryIfAny() ?? ''));
  const insert = { insert: 'c', documents: [{ _id: 1 }] };
  expect(await asked.run(asked.primary, insert)).toMatchObject({ writeErrors: [BLOCKED] });
  await asked.set.start('n1');
  await asked.until(() => asked.primaryIfAny() === 'n1');
  expect(await asked.run('n1', insert)).toMatchObject({ writeErrors: [BLOCKED] });
});

test('a block that nobody else has is rolled back, and writes are free again', async () => {
  const asked = await started();
  asked.set.partition([['n1'], ['n2', 'n3']]);
  const { reply } = asked.send('n1', BLOCK, 'admin');
  await asked.pass(5000);
  expect(reply()).toBeUndefined();
  expect(mode(asked, 'n1')).toBe(2);
  await asked.pass(30_000);
  asked.set.heal('all');
  await asked.until(() => asked.primaryIfAny() === 'n1');
  expect(mode(asked, 'n1')).toBe(1);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }] });
});

test.for<[what: string, version: '8.2' | '8.0' | '3.2', command: Doc, error: Doc]>([
  ['no such field', '8.0', { ...BLOCK, reason: 'Unspecified' }, { code: 40415 }],
  ['no `global`', '8.0', { setUserWriteBlockMode: 1 }, { code: 40414 }],
  ['no boolean', '8.0', { setUserWriteBlockMode: 1, global: 1 }, { code: 14 }],
  ['no such reason', '8.2', { ...BLOCK, reason: 'Because' }, { code: 2 }],
  ['no such command', '3.2', BLOCK, { code: 59 }],
])('%s in %s', async ([, version, command, error]) => {
  const asked = await AskedSet.start(1, { version });
  expect(await asked.run('n1', command, 'admin')).toMatchObject({ ok: 0, ...error });
});

test('8.2 names a reason, and wants the same one to unblock', async () => {
  const asked = await AskedSet.start(1, { version: '8.2' });
  const reason = 'DiskUseThresholdExceeded';
  await asked.ok('n1', { ...BLOCK, reason }, 'admin');
  const errmsg = 'User writes blocked, reason: DiskUseThresholdExceeded';
  expect(await asked.run('n1', { create: 'c' })).toMatchObject({ code: 371, errmsg });
  expect(await asked.run('n1', BLOCK, 'admin')).toMatchObject({ ok: 0, code: 20 });
  expect(await asked.run('n1', UNBLOCK, 'admin')).toMatchObject({ ok: 0, code: 20 });
  await asked.ok('n1', { ...UNBLOCK, reason }, 'admin');
  await asked.ok('n1', { create: 'c' });
});

test('a secondary and a standalone refuse it', async () => {
  const asked = await started();
  expect(await asked.run('n2', BLOCK, 'admin')).toMatchObject({ ok: 0, code: 10107 });
  const alone = await AskedSet.start([{ name: 'n1', standalone: true }]);
  expect(await alone.run('n1', BLOCK, 'admin')).toMatchObject({ ok: 0, code: 20 });
});

test('an index build that is under way is aborted', async () => {
  const asked = await started({ costs: { indexBuildMicrosPerDocument: 1e6 } });
  const documents = Array.from({ length: 60 }, (_, i) => ({ _id: i + 1, n: i }));
  await asked.ok('n1', { insert: 'c', documents, writeConcern: { w: 3 } });
  const { reply } = asked.send('n1', { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n_1' }] });
  await asked.pass(5000);
  await asked.ok('n1', BLOCK, 'admin');
  await asked.pass(1000);
  expect(reply()).toMatchObject({ ok: 0, codeName: 'IndexBuildAborted' });
  await asked.pass(120_000);
  for (const member of ['n1', 'n2', 'n3']) {
    const { cursor } = await asked.ok(member, { listIndexes: 'c', $readPreference: { mode: 'nearest' } });
    expect(cursor.firstBatch.map(({ name }: Doc) => name)).toEqual(['_id_', 'ttl']);
  }
});

test('TTL: passes go on and are counted; only the internal databases shrink; afterwards the rest goes', async () => {
  const asked = await started({ parameters: { ttlMonitorSleepSecs: 5 } });
  const index = { key: { at: 1 }, name: 'ttl', expireAfterSeconds: 0 };
  await asked.ok('n1', { setParameter: 1, ttlMonitorEnabled: false }, 'admin');
  for (const db of ['app', 'admin', 'config', 'local']) {
    await asked.ok('n1', { createIndexes: 't', indexes: [index] }, db);
    await asked.ok('n1', { insert: 't', documents: [{ _id: 1, at: new Date(0) }] }, db);
  }
  await asked.ok('n1', BLOCK, 'admin');
  await asked.ok('n1', { setParameter: 1, ttlMonitorEnabled: true }, 'admin');
  const { passes } = metrics(asked);
  await asked.pass(20_000);
  expect(metrics(asked).passes).toBeGreaterThanOrEqual(passes + 3);
  expect(await asked.documents('n1', 't', 'app')).toHaveLength(1);
  for (const db of ['admin', 'config', 'local']) expect(await asked.documents('n1', 't', db)).toHaveLength(0);
  const lines = asked
    .now('n1', { getLog: 'global' })
    .log.map((line: string) => JSON.parse(line))
    .filter(({ id }: Doc) => id === 5400703);
  expect(lines.length).toBeGreaterThanOrEqual(3);
  expect(lines[0].attr).toMatchObject({
    namespace: 'app.t',
    error: { code: 371, codeName: 'UserWritesBlocked', errmsg: expect.stringContaining('User writes blocked') },
  });
  expect(metrics(asked).deletedDocuments).toBe(3);
  await asked.ok('n1', UNBLOCK, 'admin');
  await asked.pass(6000);
  expect(await asked.documents('n1', 't', 'app')).toHaveLength(0);
});
