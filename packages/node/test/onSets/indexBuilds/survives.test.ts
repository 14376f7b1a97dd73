import { expect, test } from 'vitest';
import { A_1, BuildingSet } from './building.ts';

// What becomes of a build when its member changes its role or its data, or dies. Upstream: jstests/noPassthrough/index_stepdown_*.js,
// jstests/replsets/index_build_*.js, startup_recovery*.js.

const readyEverywhere = (asked: BuildingSet) => asked.everywhere((name) => asked.ready(name).includes('a_1'));

test('a step-down ends the wait of the client, and not the build, which the next primary commits', async () => {
  const asked = await BuildingSet.with();
  const { reply } = asked.build();
  await asked.pass(300);
  await asked.run('n1', { replSetStepDown: 60, force: true }, 'admin');
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ code: 11602, errmsg: expect.stringMatching(/^Index build failed: /) });
  await readyEverywhere(asked);
  expect(asked.primary).not.toBe('n1');
  expect(asked.entries(asked.primary)).toEqual(['startIndexBuild', 'commitIndexBuild']);
  const filter = { 'o.commitIndexBuild': 'c' };
  const [commit] = asked.now(asked.primary, { find: 'oplog.rs', filter }, 'local').cursor.firstBatch;
  expect(Number(commit.t)).toBe(2);
});

test('votes that the old primary was given are known to the new one', async () => {
  const asked = await BuildingSet.with();
  await asked.hang('n1');
  asked.build();
  await asked.pass(3000);
  const [entry] = asked.now('n2', { find: 'system.indexBuilds', $readPreference: { mode: 'nearest' } }, 'config').cursor
    .firstBatch;
  expect([...entry.commitReadyMembers].sort()).toEqual(['n2:27017', 'n3:27017']);
  await asked.run('n1', { replSetStepDown: 60, force: true }, 'admin');
  await asked.until(() => asked.primaryIfAny() !== undefined && asked.primary !== 'n1');
  await asked.pass(3000);
  expect(asked.entries(asked.primary)).toEqual(['startIndexBuild']);
  await asked.release('n1');
  await readyEverywhere(asked);
});

test('a primary that steps down when the quorum is there leaves the commit to the next', async () => {
  const asked = await BuildingSet.with();
  await asked.hang('n1', 'hangIndexBuildBeforeCommit');
  asked.build();
  await asked.pass(3000);
  expect(asked.entries('n1')).toEqual(['startIndexBuild']);
  await asked.run('n1', { replSetStepDown: 60, force: true }, 'admin');
  await asked.until(() => asked.ready('n2').includes('a_1'));
  await asked.release('n1', 'hangIndexBuildBeforeCommit');
  await readyEverywhere(asked);
});

test('a member that is killed begins its build anew, and holds the quorum until it is done', async () => {
  const asked = await BuildingSet.with();
  const { reply } = asked.build();
  await asked.pass(500);
  asked.set.kill('n3');
  await asked.pass(5000);
  expect(reply()).toBeUndefined();
  await asked.set.start('n3');
  expect(asked.ready('n3')).toEqual(['_id_']);
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ ok: 1 });
  await readyEverywhere(asked);
  const { log } = asked.now('n3', { getLog: 'global' });
  expect((log as string[]).filter((line) => JSON.parse(line).id === 20660)).toHaveLength(1);
});

test('a primary that is killed leaves the build to the others, and joins in when it is back', async () => {
  const asked = await BuildingSet.with();
  asked.build();
  await asked.pass(500);
  asked.set.kill('n1');
  await asked.until(() => asked.primaryIfAny() !== undefined);
  await asked.pass(5000);
  expect(asked.entries(asked.primary)).toEqual(['startIndexBuild']);
  await asked.set.start('n1');
  await readyEverywhere(asked);
});

test('a primary that shuts down while a member tells it to be ready ends nothing but its own part', async () => {
  const asked = await BuildingSet.with();
  await asked.hang('n3');
  asked.build();
  await asked.pass(500);
  // What it writes down of the vote is known to nobody else, so that it does not answer yet.
  for (const member of ['n2', 'n3']) asked.set.hold(member, 'fetch');
  await asked.pass(5000);
  asked.set.shutdown('n1');
  await asked.until(() => !asked.set.status('n1').running);
  await asked.pass(5000);
  expect(asked.operation('n2')).toMatchObject({ ns: 'app.c' });
  for (const member of ['n2', 'n3']) asked.set.release(member, 'fetch');
  await asked.set.start('n1');
  await asked.release('n3');
  await readyEverywhere(asked);
});

test('a checkpoint keeps what is being built, a clean shutdown among them', async () => {
  const asked = await BuildingSet.with();
  await asked.hang('n3');
  asked.build();
  // Two checkpoints later nothing of the start is in the journal that has to be read.
  await asked.pass(130_000);
  asked.set.kill('n3');
  await asked.set.start('n3');
  await readyEverywhere(asked);
  await asked.hang('n3');
  asked.build({ key: { b: 1 }, name: 'b_1' });
  await asked.pass(2000);
  asked.set.shutdown('n3');
  await asked.until(() => !asked.set.status('n3').running);
  await asked.set.start('n3');
  await asked.everywhere((name) => asked.ready(name).includes('b_1'));
});

test('a commit that a killed member had applied stays applied, and one that it missed is made up for', async () => {
  const asked = await BuildingSet.with();
  await asked.ok('n1', { createIndexes: 'c', indexes: [A_1], writeConcern: { w: 3 } });
  for (const member of ['n2', 'n3']) asked.set.kill(member);
  await asked.set.start('n2');
  expect(asked.ready('n2')).toContain('a_1');
  await asked.set.start('n3');
  await readyEverywhere(asked);
});

test('a start that is rolled back is forgotten, and a client may ask again', async () => {
  const asked = await BuildingSet.with();
  asked.set.partition([['n1'], ['n2', 'n3']]);
  asked.build();
  await asked.until(
    () => asked.now('n2', { hello: 1 }).isWritablePrimary || asked.now('n3', { hello: 1 }).isWritablePrimary,
  );
  expect(asked.entries('n1')).toEqual(['startIndexBuild']);
  await asked.pass(5000);
  asked.set.heal('all');
  await asked.until(() => Number(asked.now('n1', { replSetGetRBID: 1 }).rbid) === 2);
  await asked.pass(5000);
  expect(asked.entries('n1')).toEqual([]);
  for (const member of ['n1', 'n2', 'n3']) expect(asked.indexes(member).map(({ name }) => name)).toEqual(['_id_']);
  expect(asked.operation('n1')).toBeUndefined();
  await asked.ok(asked.primary, { createIndexes: 'c', indexes: [A_1] });
  await readyEverywhere(asked);
});

test('a commit that is rolled back makes the index unready again, and its build begins anew', async () => {
  const asked = await BuildingSet.with();
  // All have voted, and the commit reaches nobody.
  await asked.hang('n1', 'hangIndexBuildBeforeCommit');
  asked.build();
  await asked.pass(3000);
  asked.set.partition([['n1'], ['n2', 'n3']]);
  await asked.release('n1', 'hangIndexBuildBeforeCommit');
  await asked.pass(500);
  expect(asked.ready('n1')).toContain('a_1');
  expect(asked.ready('n2')).not.toContain('a_1');
  await asked.until(
    () => asked.now('n2', { hello: 1 }).isWritablePrimary || asked.now('n3', { hello: 1 }).isWritablePrimary,
  );
  await asked.until(() => asked.ready('n2').includes('a_1'));
  asked.set.heal('all');
  await asked.until(() => Number(asked.now('n1', { replSetGetRBID: 1 }).rbid) === 2);
  await readyEverywhere(asked);
});

test('a member that rolls back in the middle of a build begins it anew, and votes', async () => {
  const asked = await BuildingSet.with();
  await asked.hang('n1');
  asked.build();
  await asked.pass(5000);
  asked.set.partition([['n1'], ['n2', 'n3']]);
  await asked.ok('n1', { insert: 'other', documents: [{ _id: 1 }], writeConcern: { w: 1 } });
  await asked.until(() => ['n2', 'n3'].some((name) => asked.now(name, { hello: 1 }).isWritablePrimary));
  asked.set.heal('all');
  await asked.until(() => Number(asked.now('n1', { replSetGetRBID: 1 }).rbid) === 2);
  await asked.untilState('n1', 2);
  expect(asked.operation('n1')).toMatchObject({ ns: 'app.c' });
  await asked.release('n1');
  await readyEverywhere(asked);
});

test('an initial sync in the middle of a build begins it too, and ends with the index ready', async () => {
  const asked = await BuildingSet.with();
  await asked.hang('n2');
  const { reply } = asked.build();
  await asked.pass(500);
  asked.set.kill('n3');
  await asked.set.start('n3', { wipe: true });
  await asked.until(() => asked.now('n3', { replSetGetStatus: 1 }).myState === 2);
  expect(asked.ready('n3')).toEqual(['_id_']);
  expect(asked.indexes('n3')).toHaveLength(2);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 'x', a: 1 }], writeConcern: { w: 3 } });
  await asked.release('n2');
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ ok: 1 });
  await readyEverywhere(asked);
});

test('an initial sync that copies a ready index passes over the entries that made it', async () => {
  const asked = await BuildingSet.with();
  asked.set.kill('n3');
  await asked.set.start('n3', { wipe: true });
  asked.build();
  await asked.until(() => asked.now('n3', { replSetGetStatus: 1 }).myState === 2);
  await readyEverywhere(asked);
});

test('shutdown is refused while an index is being built, unless it is forced', async () => {
  const asked = await BuildingSet.with();
  asked.build();
  await asked.pass(300);
  for (const member of ['n1', 'n2']) {
    expect(await asked.run(member, { shutdown: 1 }, 'admin')).toMatchObject({ code: 117 });
  }
  asked.send('n2', { shutdown: 1, force: true, timeoutSecs: 1 }, 'admin');
  await asked.until(() => !asked.set.status('n2').running);
  await asked.set.start('n2');
  await readyEverywhere(asked);
  expect(asked.set.status('n2').running).toBe(true);
});

test('a standalone that dies has not built; replica-set data that it opens keep what was being built', async () => {
  const asked = await BuildingSet.with();
  await asked.hang('n3');
  asked.build();
  await asked.pass(2000);
  asked.set.shutdown('n3');
  await asked.until(() => !asked.set.status('n3').running);
  await asked.set.start('n3', { as: 'standalone' });
  await asked.pass(5000);
  expect(asked.ready('n3')).toEqual(['_id_']);
  expect(asked.indexes('n3')).toHaveLength(2);
  // It would wait for ever, as only the set ends the build.
  const again = asked.build(A_1, {}, 'n3');
  await asked.pass(1000);
  const errmsg = expect.stringMatching(/^'app.c' has the index 'a_1' unfinished, .*Start it as a member of the set/);
  expect(again.reply()).toMatchObject({ ok: 0, code: 67, errmsg });
  asked.set.kill('n3');
  await asked.set.start('n3', { as: { replSet: 'rs0' } });
  await readyEverywhere(asked);
});

test('the monitor takes an index up when it is committed, on each member, and a new primary goes by it', async () => {
  const asked = await BuildingSet.with({ parameters: { ttlMonitorSleepSecs: 1 } });
  const old = new Date(asked.set.epochMs - 3_600_000);
  await asked.ok('n1', {
    update: 'c',
    updates: [{ q: {}, u: { $set: { at: old } }, multi: true }],
    writeConcern: { w: 3 },
  });
  await asked.hang('n3');
  asked.build({ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 });
  await asked.pass(10_000);
  expect(asked.now('n1', { count: 'c' }, 'app').n).toBe(100);
  await asked.run('n1', { replSetStepDown: 60, force: true }, 'admin');
  await asked.until(() => asked.primaryIfAny() !== undefined);
  await asked.release('n3');
  await asked.everywhere(
    (name) => asked.now(name, { count: 'c', $readPreference: { mode: 'nearest' } }, 'app').n === 0,
  );
});
