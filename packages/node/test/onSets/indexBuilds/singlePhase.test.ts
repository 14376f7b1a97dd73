import { describe, expect, test } from 'vitest';
import type { Doc } from '../../../../replset/test/askedSet.ts';
import { A_1, BuildingSet, COSTS } from './building.ts';

/** Index builds of 3.2: the primary builds and says so when it has, and only then do the others build in their turn. */

const BACKGROUND = { ...A_1, background: true };
const B_1 = { key: { b: 1 }, name: 'b_1' };
const LOGGED = { find: 'oplog.rs', filter: { 'o.createIndexes': 'c' }, sort: { $natural: 1 } };
const NEAREST = { $readPreference: { mode: 'nearest' } };

const start = () => BuildingSet.with({ version: '3.2' });

/** The names in a member's `createIndexes` entries, oldest first. */
const logged = (asked: BuildingSet, member: string): string[] =>
  (asked.now(member, { ...LOGGED, ...NEAREST }, 'local').cursor.firstBatch as Doc[]).map(({ o }) => o.name);

const count = (member: string, asked: BuildingSet, collection = 'c', db = 'app') =>
  asked.send(member, { count: collection, ...NEAREST }, db);

describe('who waits for a build on the primary', () => {
  test.for<[what: string, specs: Doc[], waits: boolean]>([
    ['in the foreground', [A_1], true],
    ['in the background', [BACKGROUND], false],
    ['of two in the background', [BACKGROUND, { ...B_1, background: true }], false],
    ['of two, one of them in the foreground', [BACKGROUND, B_1], true],
  ])('a build %s: %o; those of its database wait: %s', async ([, indexes, waits]) => {
    const asked = await start();
    const { reply } = asked.send('n1', { createIndexes: 'c', indexes });
    await asked.pass(300);
    const clients = [
      count('n1', asked),
      count('n1', asked, 'other'),
      asked.send('n1', { insert: 'other', documents: [{}] }),
    ];
    const elsewhere = [count('n1', asked, 'c', 'shop'), count('n2', asked)];
    await asked.pass(300);
    expect(reply()).toBeUndefined();
    expect(clients.map(({ reply }) => reply() === undefined)).toEqual([waits, waits, waits]);
    expect(elsewhere.map(({ reply }) => reply()?.ok)).toEqual([1, 1]);
    await asked.until(() => reply() !== undefined);
    expect(reply()).toMatchObject({ ok: 1, numIndexesBefore: 1, numIndexesAfter: 1 + indexes.length });
    await asked.pass(100);
    expect(clients.map(({ reply }) => reply()?.ok)).toEqual([1, 1, 1]);
  });
});

test('nothing is in the oplog before the primary has built, then an entry for each index; no votes, no record of a build', async () => {
  const asked = await start();
  const { reply } = asked.send('n1', { createIndexes: 'c', indexes: [A_1, B_1] });
  await asked.pass(1000);
  expect(reply()).toBeUndefined();
  expect(asked.operation('n2')).toBeUndefined();
  await asked.until(() => reply() !== undefined);
  expect(logged(asked, 'n1')).toEqual(['a_1', 'b_1']);
  expect(asked.ready('n1')).toEqual(['_id_', 'a_1', 'b_1']);
  await asked.everywhere((member) => asked.ready(member).length === 3);
  for (const member of ['n1', 'n2', 'n3']) {
    expect(asked.entries(member)).toEqual([]);
    const { cursor } = asked.now(member, { find: 'system.indexBuilds', ...NEAREST }, 'config');
    expect(cursor.firstBatch).toEqual([]);
  }
});

test.for<[what: string, spec: Doc, applies: boolean]>([
  ['foreground', A_1, false],
  ['background', BACKGROUND, true],
])('while a secondary builds in the %s, other entries are applied: %o, %s', async ([, spec, applies]) => {
  const asked = await start();
  await asked.ok('n1', { createIndexes: 'c', indexes: [spec] });
  await asked.until(() => asked.operation('n2') !== undefined);
  await asked.ok('n1', { insert: 'other', documents: [{ _id: 1 }], writeConcern: { w: 1 } }, 'shop');
  await asked.pass(300);
  expect(asked.operation('n2')).toBeDefined();
  expect(asked.now('n2', { count: 'other', ...NEAREST }, 'shop').n).toBe(applies ? 1 : 0);
  await asked.everywhere((member) => asked.ready(member).includes('a_1'));
  await asked.until(() => asked.now('n2', { count: 'other', ...NEAREST }, 'shop').n === 1);
});

test('a secondary holds back what would drop a collection that it indexes in the background', async () => {
  const asked = await start();
  await asked.ok('n1', { createIndexes: 'c', indexes: [BACKGROUND] });
  await asked.until(() => asked.operation('n2') !== undefined);
  await asked.ok('n1', { drop: 'c' });
  await asked.pass(300);
  expect(asked.operation('n2')).toBeDefined();
  expect(asked.now('n2', { count: 'c', ...NEAREST }, 'app').n).toBe(100);
  await asked.everywhere((member) => asked.indexes(member).length === 0);
});

describe('a build that does not come to its end on the primary', () => {
  const stepDown = (asked: BuildingSet) => asked.run('n1', { replSetStepDown: 10, force: true }, 'admin');

  test.for<[what: string, spec: Doc, code: number, end: (asked: BuildingSet) => Promise<unknown>]>([
    ['has duplicates', { ...A_1, unique: true }, 11000, () => Promise.resolve()],
    ['in the background has duplicates', { ...BACKGROUND, unique: true }, 11000, () => Promise.resolve()],
    ['loses its primary', A_1, 11602, stepDown],
    ['in the background loses its primary', BACKGROUND, 11602, stepDown],
  ])('a build that %s is known to nobody else', async ([, spec, code, end]) => {
    const asked = await start();
    await asked.ok('n1', { insert: 'c', documents: [{ _id: 'twin', a: 3 }], writeConcern: { w: 3 } });
    const { reply } = asked.build(spec);
    await asked.pass(300);
    await end(asked);
    await asked.until(() => reply() !== undefined);
    expect(reply()).toMatchObject({ ok: 0, code });
    // It ends with its client, within what it has in hand.
    await asked.pass(50);
    expect(asked.operation('n1')).toBeUndefined();
    await asked.pass(5000);
    for (const member of ['n1', 'n2', 'n3']) {
      expect(asked.indexes(member).map(({ name }) => name)).toEqual(['_id_']);
      expect(logged(asked, member)).toEqual([]);
    }
  });

  test.for([A_1, BACKGROUND])('a primary that is killed forgets it: %o', async (spec) => {
    const asked = await start();
    asked.build(spec);
    await asked.pass(500);
    asked.set.kill('n1');
    await asked.set.start('n1');
    await asked.until(() => asked.primaryIfAny() !== undefined);
    await asked.pass(5000);
    await asked.everywhere((member) => asked.indexes(member).length === 1);
  });
});

test.for([A_1, BACKGROUND])('a secondary that is killed while it builds has the index in the end: %o', async (spec) => {
  // Long enough for a checkpoint in the middle, after which the entry of a background build is not applied again.
  const asked = await BuildingSet.with({ version: '3.2', costs: { ...COSTS, indexBuildMicrosPerDocument: 1_000_000 } });
  const { reply } = asked.build(spec);
  await asked.until(() => reply() !== undefined);
  await asked.until(() => asked.operation('n2') !== undefined);
  await asked.pass(70_000);
  expect(asked.operation('n2')).toBeDefined();
  asked.set.kill('n2');
  await asked.pass(1000);
  await asked.set.start('n2');
  await asked.everywhere((member) => asked.ready(member).includes('a_1'));
  const read = { find: 'c', filter: { a: { $gte: 0 } }, hint: 'a_1', batchSize: 1000, ...NEAREST };
  expect(asked.now('n2', read, 'app').cursor.firstBatch).toHaveLength(100);
});
