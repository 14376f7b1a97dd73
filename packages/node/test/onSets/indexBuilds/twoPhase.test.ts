import { expect, test } from 'vitest';
import type { Doc } from '../../../../replset/test/askedSet.ts';
import { A_1, BuildingSet, COSTS, DOCUMENTS } from './building.ts';

// How an index is built by a set, as mongod does it from 4.4 on. Upstream: index_builds_coordinator.cpp; jstests/noPassthrough/index_*.js.

test('a build takes documents × indexes × what one costs, and its reply tells the counts', async () => {
  const asked = await BuildingSet.with();
  const since = asked.set.nowMicros;
  const reply = await asked.ok('n1', { createIndexes: 'c', indexes: [A_1, { key: { b: 1 }, name: 'b_1' }] });
  expect(reply).toMatchObject({
    numIndexesBefore: 1,
    numIndexesAfter: 3,
    createdCollectionAutomatically: false,
    commitQuorum: 'votingMembers',
  });
  const seconds = (asked.set.nowMicros - since) / 1e6;
  expect(seconds).toBeGreaterThanOrEqual((2 * DOCUMENTS * COSTS.indexBuildMicrosPerDocument) / 1e6);
  expect(seconds).toBeLessThan(3);
  await asked.everywhere((name) => asked.ready(name).length === 3);
});

test('the oplog of a build: the quorum, the start, the votes, the commit; one build of two indexes is one entry', async () => {
  const asked = await BuildingSet.with();
  await asked.ok('n1', { createIndexes: 'c', indexes: [A_1, { key: { b: 1 }, name: 'b_1' }] });
  await asked.pass(1000);
  const filter = { $or: [{ 'o.indexBuildUUID': { $exists: true } }, { ns: 'config.system.indexBuilds' }] };
  const { cursor } = asked.now('n1', { find: 'oplog.rs', filter }, 'local');
  const entries = cursor.firstBatch as Doc[];
  expect(entries.map(({ op, o }) => (op === 'c' ? Object.keys(o)[0] : op))).toEqual([
    'i',
    'startIndexBuild',
    'u',
    'u',
    'u',
    'commitIndexBuild',
    'd',
  ]);
  const [entry, start] = entries;
  expect(entry!.o).toMatchObject({ commitQuorum: 'votingMembers', indexNames: ['a_1', 'b_1'] });
  expect(start).toMatchObject({
    ns: 'app.$cmd',
    o: { startIndexBuild: 'c', indexes: [{ v: 2, ...A_1 }, { name: 'b_1' }] },
  });
  expect(start!.o.indexBuildUUID).toEqual(entry!.o._id);
  expect(start!.ui).toEqual(entry!.o.collectionUUID);
});

test('an empty collection, and one made on the way, get their indexes at once and by createIndexes entries', async () => {
  const asked = await BuildingSet.with();
  await asked.ok('n1', { create: 'empty' });
  const reply = await asked.ok('n1', { createIndexes: 'empty', indexes: [A_1] });
  expect(reply).toMatchObject({ numIndexesAfter: 2, commitQuorum: 'votingMembers' });
  await asked.ok('n1', { createIndexes: 'implicit', indexes: [A_1] });
  expect(asked.entries('n1')).toEqual([]);
});

test('a standalone builds for as long, writes no oplog and knows no quorum', async () => {
  const asked = new BuildingSet((await BuildingSet.with({ members: [{ name: 'n1' }] })).set);
  expect(asked.now('n1', { createIndexes: 'c', indexes: [A_1], commitQuorum: -1 }, 'app')).toMatchObject({ code: 9 });
  asked.set.kill('n1');
  await asked.set.start('n1', { as: 'standalone' });
  await asked.ok('n1', { insert: 'own', documents: Array.from({ length: DOCUMENTS }, (_, a) => ({ a })) });
  expect(await asked.run('n1', { createIndexes: 'own', indexes: [A_1], commitQuorum: 1 })).toMatchObject({ code: 2 });
  const since = asked.set.nowMicros;
  const reply = await asked.ok('n1', { createIndexes: 'own', indexes: [A_1] });
  expect(reply).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 2 });
  expect(reply).not.toHaveProperty('commitQuorum');
  expect(asked.set.nowMicros - since).toBeGreaterThanOrEqual(DOCUMENTS * COSTS.indexBuildMicrosPerDocument);
});

test('while it is built, an index is listed, counted and named, and serves nobody', async () => {
  const asked = await BuildingSet.with();
  asked.build();
  await asked.pass(500);
  for (const member of ['n1', 'n2', 'n3']) {
    expect(asked.indexes(member).map(({ name }) => name)).toEqual(['_id_', 'a_1']);
    const [id, a] = asked.indexes(member, { includeBuildUUIDs: true });
    expect(id).toEqual({ spec: { v: 2, key: { _id: 1 }, name: '_id_' } });
    expect(a).toMatchObject({ spec: { name: 'a_1' }, buildUUID: expect.anything() });
    const [ready, building] = asked.indexes(member, { includeIndexBuildInfo: true });
    expect(ready).not.toHaveProperty('indexBuildInfo');
    expect(building!.indexBuildInfo).toMatchObject({
      buildUUID: a!.buildUUID,
      method: 'Hybrid',
      phaseStr: 'collection scan',
    });
    const stats = asked.now(member, { collStats: 'c', $readPreference: { mode: 'nearest' } }, 'app');
    expect(stats).toMatchObject({ nindexes: 2, indexBuilds: ['a_1'] });
  }
  const hinted = asked.now('n1', { find: 'c', filter: { a: 5 }, hint: 'a_1' }, 'app');
  expect(hinted).toMatchObject({ ok: 0, code: 2 });
  await asked.everywhere((name) => asked.ready(name).includes('a_1'));
  expect(asked.now('n1', { collStats: 'c' }, 'app')).toMatchObject({ nindexes: 2, indexBuilds: [] });
  expect(asked.now('n1', { find: 'c', filter: { a: 5 }, hint: 'a_1' }, 'app').cursor.firstBatch).toHaveLength(1);
});

test('currentOp shows the build on every member, and the client that waits', async () => {
  const asked = await BuildingSet.with();
  asked.build();
  await asked.pass(310);
  expect(asked.operation('n1')).toMatchObject({
    desc: 'IndexBuildsCoordinatorMongod-0',
    op: 'command',
    ns: 'app.c',
    command: { createIndexes: 'c', indexes: [{ v: 2, ...A_1 }] },
    msg: 'Index Build: scanning collection Index Build: scanning collection: 30/100 30%',
    progress: { done: 30, total: 100 },
  });
  expect(asked.operation('n2')?.progress.done).toBeGreaterThan(0);
  const { inprog } = asked.now('n1', { currentOp: 1 });
  expect((inprog as Doc[]).map(({ msg }) => msg)).toContain('waiting for indexBuild');
});

test.for<[quorum: unknown, goesOn: boolean]>([
  [0, true],
  [1, true],
  [2, true],
  ['majority', true],
  [3, false],
  ['votingMembers', false],
  [undefined, false],
])('with one secondary that hangs, a build of commitQuorum %s is committed: %s', async ([commitQuorum, goesOn]) => {
  const asked = await BuildingSet.with();
  await asked.hang('n3');
  const { reply } = asked.build(A_1, commitQuorum === undefined ? {} : { commitQuorum });
  await asked.pass(5000);
  expect(reply() !== undefined).toBe(goesOn);
  if (goesOn) expect(reply()).toMatchObject({ ok: 1, commitQuorum });
  // Whoever is not ready applies nothing beyond the commit.
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 'later' }], writeConcern: { w: 2 } });
  await asked.pass(1000);
  const later = { count: 'c', query: { _id: 'later' }, $readPreference: { mode: 'secondary' } };
  expect(asked.now('n3', later, 'app').n).toBe(goesOn ? 0 : 1);
  await asked.release('n3');
  await asked.everywhere((name) => asked.ready(name).includes('a_1'));
  await asked.until(() => asked.now('n3', later, 'app').n === 1);
});

test('a quorum by tags', async () => {
  const members = [
    { name: 'n1', config: { priority: 2, tags: { dc: 'east' } } },
    { name: 'n2', config: { tags: { dc: 'east' } } },
    { name: 'n3', config: { tags: { dc: 'west' } } },
  ];
  const settings = { getLastErrorModes: { everywhere: { dc: 2 } } };
  const asked = await BuildingSet.with({ members, settings } as never);
  await asked.hang('n3');
  const { reply } = asked.build(A_1, { commitQuorum: 'everywhere' });
  await asked.pass(5000);
  expect(reply()).toBeUndefined();
  await asked.release('n3');
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ ok: 1 });
});

test.for<[quorum: unknown, code: number]>([
  [4, 278],
  ['noSuchMode', 79],
  [-1, 9],
  [51, 9],
  [{ dc: 1 }, 9],
])('commitQuorum %o is refused: %i', async ([commitQuorum, code]) => {
  const asked = await BuildingSet.with();
  expect(await asked.run('n1', { createIndexes: 'c', indexes: [A_1], commitQuorum })).toMatchObject({ ok: 0, code });
  expect(asked.entries('n1')).toEqual([]);
});

// Upstream: jstests/replsets/buildindexes.js, buildindexes_false_commit_quorum.js.
test('a voter that builds no indexes blocks a commit quorum, except on an empty collection, where nobody votes', async () => {
  const members = [
    { name: 'n1', config: { priority: 2 } },
    { name: 'n2' },
    { name: 'n3', config: { priority: 0, buildIndexes: false } },
  ];
  const asked = await BuildingSet.with({ members } as never);
  const create = (c: string, commitQuorum?: unknown) =>
    asked.run('n1', { createIndexes: c, indexes: [A_1], ...(commitQuorum !== undefined && { commitQuorum }) });
  expect(await create('empty')).toMatchObject({ ok: 1 });
  expect(await create('empty2', 3)).toMatchObject({ ok: 1 });
  expect(await create('c')).toMatchObject({ ok: 0, code: 278 });
  expect(await create('c', 3)).toMatchObject({ ok: 0, code: 278 });
  expect(await create('c', 'majority')).toMatchObject({ ok: 1 });
});

test('setIndexCommitQuorum lets a build go that waits for a member which does not come', async () => {
  const asked = await BuildingSet.with();
  asked.set.kill('n3');
  const { reply } = asked.build();
  await asked.pass(5000);
  expect(reply()).toBeUndefined();
  const change = (names: string[], commitQuorum: unknown) =>
    asked.run('n1', { setIndexCommitQuorum: 'c', indexNames: names, commitQuorum });
  expect(await change(['b_1'], 2)).toMatchObject({ code: 27 });
  expect(await change(['a_1'], 4)).toMatchObject({ code: 278 });
  expect(await change(['a_1'], 0)).toMatchObject({ code: 2 });
  expect(await asked.run('n2', { setIndexCommitQuorum: 'c', indexNames: ['a_1'], commitQuorum: 2 })).toMatchObject({
    code: 10107,
  });
  expect(await change(['a_1'], 2)).toMatchObject({ ok: 1 });
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ ok: 1 });
});

test('the same index asked for twice is built once, and both clients are told when it is there', async () => {
  const asked = await BuildingSet.with();
  const first = asked.build();
  await asked.pass(300);
  const second = asked.build();
  expect(await asked.run('n1', { createIndexes: 'c', indexes: [{ key: { b: 1 }, name: 'a_1' }] })).toMatchObject({
    code: 86,
  });
  expect(await asked.run('n1', { createIndexes: 'c', indexes: [{ ...A_1, name: 'other' }] })).toMatchObject({
    code: 85,
  });
  expect(await asked.run('n1', { createIndexes: 'c', indexes: [{ ...A_1, expireAfterSeconds: 5 }] })).toMatchObject({
    code: 85,
  });
  await asked.until(() => second.reply() !== undefined);
  expect(first.reply()).toMatchObject({ ok: 1, numIndexesAfter: 2 });
  expect(second.reply()).toMatchObject({ ok: 1, numIndexesBefore: 2, numIndexesAfter: 2, note: expect.anything() });
  expect(asked.entries('n1')).toEqual(['startIndexBuild', 'commitIndexBuild']);
});

test('three builds run at once, and a fourth waits for one to end', async () => {
  const asked = await BuildingSet.with();
  const builds = ['a', 'b', 'c', 'd'].map((field) => asked.build({ key: { [field]: 1 }, name: field }));
  await asked.pass(500);
  expect(asked.entries('n1')).toHaveLength(3);
  await asked.until(() => builds.every(({ reply }) => reply() !== undefined));
  expect(builds[3]!.reply()).toMatchObject({ ok: 1, numIndexesAfter: 5 });
});

test.for<[what: string, command: Doc, db: string]>([
  ['collMod', { collMod: 'c', index: { name: 'b_1', expireAfterSeconds: 5 } }, 'app'],
  ['convertToCapped', { convertToCapped: 'c', size: 4096 }, 'app'],
  ['renameCollection', { renameCollection: 'app.c', to: 'app.d' }, 'admin'],
  ['renameCollection onto it', { renameCollection: 'app.other', to: 'app.c', dropTarget: true }, 'admin'],
])('%s is refused while an index is being built', async ([, command, db]) => {
  const asked = await BuildingSet.with();
  await asked.ok('n1', { create: 'other' });
  const { reply } = asked.build();
  await asked.pass(300);
  expect(await asked.run('n1', command, db)).toMatchObject({ ok: 0, code: 12587 });
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject({ ok: 1 });
});

test('writes go on meanwhile, and the index holds them', async () => {
  const asked = await BuildingSet.with();
  const { reply } = asked.build();
  await asked.pass(400);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 'new', a: 3 }], writeConcern: { w: 3 } });
  await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 5 }, u: { $set: { a: 3 } } }], writeConcern: { w: 3 } });
  await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 95 }, u: { $set: { a: 3 } } }], writeConcern: { w: 3 } });
  await asked.ok('n1', { delete: 'c', deletes: [{ q: { _id: { $in: [6, 96] } }, limit: 0 }], writeConcern: { w: 3 } });
  expect(reply()).toBeUndefined();
  await asked.everywhere((name) => asked.ready(name).includes('a_1'));
  for (const member of ['n1', 'n2', 'n3']) {
    const read = { find: 'c', hint: 'a_1', sort: { _id: 1 }, $readPreference: { mode: 'nearest' } };
    const found = asked.now(member, { ...read, filter: { a: 3 } }, 'app').cursor.firstBatch as Doc[];
    expect(found.map(({ _id }) => _id)).toEqual([3, 5, 95, 'new']);
    expect(
      asked.now(member, { ...read, filter: { a: { $gte: 0 } }, batchSize: 1000 }, 'app').cursor.firstBatch,
    ).toHaveLength(99);
  }
});
