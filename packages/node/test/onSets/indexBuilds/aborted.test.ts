import { expect, test } from 'vitest';
import { A_1, BuildingSet } from './building.ts';

// How a build ends before it is done, for everybody. Upstream: jstests/noPassthrough/index_drop_*.js, index_killop_*.js.

const UNIQUE = { ...A_1, unique: true };

async function abortedEverywhere(asked: BuildingSet): Promise<void> {
  await asked.everywhere((name) => asked.entries(name).at(-1) === 'abortIndexBuild');
  await asked.pass(2000);
  for (const member of ['n1', 'n2', 'n3']) {
    expect(asked.indexes(member).map(({ name }) => name)).toEqual(['_id_']);
    expect(asked.operation(member)).toBeUndefined();
  }
  expect(asked.now('n1', { count: 'system.indexBuilds' }, 'config').n).toBe(0);
}

test('a value that stands twice ends a unique build at its end, everywhere, and the client is told which', async () => {
  const asked = await BuildingSet.with();
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 'twin', a: 7 }] });
  const { reply } = asked.build(UNIQUE);
  await asked.pass(900);
  expect(reply()).toBeUndefined();
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({
    code: 11000,
    keyPattern: { a: 1 },
    keyValue: { a: 7 },
    errmsg: expect.stringMatching(/^Index build failed: .* app\.c .* E11000 duplicate key error/),
  });
  await abortedEverywhere(asked);
  const filter = { 'o.abortIndexBuild': 'c' };
  const [{ o }] = asked.now('n1', { find: 'oplog.rs', filter }, 'local').cursor.firstBatch;
  expect(o.cause).toMatchObject({ ok: false, code: 11000, codeName: 'DuplicateKey' });
});

test('a value that stood twice and was taken away meanwhile ends nothing', async () => {
  const asked = await BuildingSet.with();
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 'twin', a: 7 }] });
  const { reply } = asked.build(UNIQUE);
  await asked.pass(500);
  await asked.ok('n1', { delete: 'c', deletes: [{ q: { _id: 7 }, limit: 1 }] });
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ ok: 1 });
});

test('a value inserted twice while the index is built ends it, though each insert succeeds', async () => {
  const asked = await BuildingSet.with();
  const { reply } = asked.build(UNIQUE);
  await asked.pass(500);
  await asked.ok('n1', {
    insert: 'c',
    documents: [
      { _id: 'x', a: 'same' },
      { _id: 'y', a: 'same' },
    ],
  });
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ code: 11000 });
  await abortedEverywhere(asked);
});

test('keys that cannot be drawn end a build as soon as the primary meets them', async () => {
  const asked = await BuildingSet.with();
  await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 50 }, u: { $set: { a: [1, 2], b: [1, 2] } } }] });
  const since = asked.set.nowMicros;
  const { reply } = asked.build({ key: { a: 1, b: 1 }, name: 'a_b' });
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ code: 171 });
  expect(asked.set.nowMicros - since).toBeLessThan(700_000);
  await abortedEverywhere(asked);
});

test.for<[what: string, command: Record<string, unknown>]>([
  ['by name', { dropIndexes: 'c', index: 'a_1' }],
  ['by key', { dropIndexes: 'c', index: { a: 1 } }],
  ['in a list', { dropIndexes: 'c', index: ['a_1'] }],
  ['with all others', { dropIndexes: 'c', index: '*' }],
])('dropIndexes %s ends the build of the index', async ([, command]) => {
  const asked = await BuildingSet.with();
  const { reply } = asked.build();
  await asked.pass(300);
  expect(await asked.ok('n1', command)).toMatchObject({ nIndexesWas: 2 });
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ code: 276, codeName: 'IndexBuildAborted' });
  await abortedEverywhere(asked);
});

test('dropIndexes of a ready index leaves the build alone, and of one that a build makes among others is refused', async () => {
  const asked = await BuildingSet.with();
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { z: 1 }, name: 'z_1' }] });
  const { reply } = asked.send('n1', { createIndexes: 'c', indexes: [A_1, { key: { b: 1 }, name: 'b_1' }] });
  await asked.pass(300);
  expect(await asked.run('n1', { dropIndexes: 'c', index: 'a_1' })).toMatchObject({ code: 27 });
  await asked.ok('n1', { dropIndexes: 'c', index: 'z_1' });
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ ok: 1 });
});

test.for<[what: string, command: Record<string, unknown>]>([
  ['drop', { drop: 'c' }],
  ['dropDatabase', { dropDatabase: 1 }],
])('%s ends the build first', async ([, command]) => {
  const asked = await BuildingSet.with();
  const { reply } = asked.build();
  await asked.pass(300);
  await asked.ok('n1', command);
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ code: 276 });
  await asked.everywhere((name) => asked.entries(name).join() === 'startIndexBuild,abortIndexBuild');
  await asked.pass(2000);
  for (const member of ['n1', 'n2', 'n3']) expect(asked.operation(member)).toBeUndefined();
});

test('killOp of the build, and of the client that waits, end it for everybody', async () => {
  for (const victim of ['IndexBuildsCoordinatorMongod-0', 'conn']) {
    const asked = await BuildingSet.with();
    const { reply } = asked.build();
    await asked.pass(300);
    const { inprog } = asked.now('n1', { currentOp: 1, desc: { $regex: `^${victim}` }, ns: 'app.c' });
    await asked.ok('n1', { killOp: 1, op: inprog[0].opid }, 'admin');
    await asked.until(() => reply() !== undefined);
    expect(reply()).toMatchObject({ code: 11601 });
    await abortedEverywhere(asked);
  }
});

test('killOp of the build on a secondary makes the primary end it', async () => {
  const asked = await BuildingSet.with();
  const { reply } = asked.build();
  await asked.pass(300);
  await asked.ok('n3', { killOp: 1, op: asked.operation('n3')!.opid }, 'admin');
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ code: 276, errmsg: expect.stringContaining("received from 'n3:27017'") });
  await abortedEverywhere(asked);
});

test('a member whose request for an abort comes too late asks only once', async () => {
  const asked = await BuildingSet.with({ causes: true });
  const { reply } = asked.build();
  await asked.pass(300);
  asked.set.hold('n3', 'fetch');
  await asked.ok('n1', { killOp: 1, op: asked.operation('n1')!.opid }, 'admin');
  await asked.until(() => reply() !== undefined);
  const told: string[] = [];
  asked.set.onTrace((event) => {
    if (event.type === 'sent' && event.member === 'n3' && event.what === 'voteAbortIndexBuild') told.push(event.peer);
  });
  await asked.ok('n3', { killOp: 1, op: asked.operation('n3')!.opid }, 'admin');
  await asked.pass(5000);
  expect(told).toEqual(['n1:27017']);
  asked.set.release('n3', 'fetch');
  await abortedEverywhere(asked);
});

test('a client whose time is over ends the build', async () => {
  const asked = await BuildingSet.with();
  expect(await asked.run('n1', { createIndexes: 'c', indexes: [A_1], maxTimeMS: 300 })).toMatchObject({ code: 50 });
  await abortedEverywhere(asked);
});

test('after an abort the index can be built', async () => {
  const asked = await BuildingSet.with();
  asked.build();
  await asked.pass(300);
  await asked.ok('n1', { dropIndexes: 'c', index: 'a_1' });
  expect(await asked.ok('n1', { createIndexes: 'c', indexes: [A_1] })).toMatchObject({
    numIndexesBefore: 1,
    numIndexesAfter: 2,
  });
  await asked.everywhere((name) => asked.ready(name).includes('a_1'));
});
