import { expect, test } from 'vitest';
import type { Doc } from '../../../replset/test/askedSet.ts';
import { expiring, idsOf, logged, runTo, slowDeletes, ttlMetrics } from './slowDeletes.ts';

// What happens to a collection or an index while the monitor deletes from it. Source: upstream's
// jstests/noPassthrough/ttl: ttl_collection_dropped_mid_pass.js, ttl_index_dropped_mid_pass.js, ttl_with_renameCollection.js,
// ttl_with_dropIndex.js, ttl_collMod_expire_during_pass.js.

const RENAMED = { renameCollection: 'app.c', to: 'app.d' };
const PLAIN = { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'at_1' }] };
const TTL = { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 }] };
const DROP_INDEX = { dropIndexes: 'c', index: 'at_1' };

/** Six documents go in batches of two at 62, 64 and 66 s; at 63 s something happens to them. */
test.for<
  [what: string, commands: [command: Doc, db?: string][], left: { ns: string; ids: number[] }, deletedDocuments: number]
>([
  ['nothing', [], { ns: 'c', ids: [] }, 6],
  ['the collection is dropped', [[{ drop: 'c' }]], { ns: 'c', ids: [] }, 0],
  ['the database is dropped', [[{ dropDatabase: 1 }]], { ns: 'c', ids: [] }, 0],
  ['the index is dropped', [[DROP_INDEX]], { ns: 'c', ids: [3, 4, 5, 6] }, 0],
  ['all indexes are dropped', [[{ dropIndexes: 'c', index: '*' }]], { ns: 'c', ids: [3, 4, 5, 6] }, 0],
  ['a plain index takes its place', [[DROP_INDEX], [PLAIN]], { ns: 'c', ids: [3, 4, 5, 6] }, 0],
  ['the collection is renamed', [[RENAMED, 'admin']], { ns: 'd', ids: [] }, 6],
  ['the index is hidden', [[{ collMod: 'c', index: { name: 'at_1', hidden: true } }]], { ns: 'c', ids: [] }, 6],
  [
    'its seconds are changed to a day',
    [[{ collMod: 'c', index: { name: 'at_1', expireAfterSeconds: 86_400 } }]],
    { ns: 'c', ids: [] },
    6,
  ],
])('while the delete has yielded, %s', async ([, commands, left, deletedDocuments]) => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 6);
  await runTo(asked, 63);
  expect(idsOf(asked, 'c')).toEqual([3, 4, 5, 6]);
  for (const [command, db = 'app'] of commands) await asked.ok('n1', command, db);
  await runTo(asked, 100);
  expect(idsOf(asked, left.ns)).toEqual(left.ids);
  // What was committed before the end counts only if the end was a normal one; and nobody hears of the other.
  expect(ttlMetrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments });
  expect(logged(asked, [5400703, 22537])).toEqual([]);
});

test('a batch whose index is dropped before it is committed is lost as a whole', async () => {
  const asked = await slowDeletes({ parameters: { batchedDeletesTargetBatchDocs: 0 } });
  await expiring(asked, 'c', 6);
  await runTo(asked, 63);
  asked.now('n1', DROP_INDEX, 'app');
  await runTo(asked, 100);
  expect(idsOf(asked, 'c')).toEqual([1, 2, 3, 4, 5, 6]);
});

test('the other collections go on when one is dropped in mid-pass', async () => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 6);
  await expiring(asked, 'd', 2);
  await runTo(asked, 63);
  asked.now('n1', { drop: 'c' }, 'app');
  await runTo(asked, 70);
  expect(idsOf(asked, 'd')).toEqual([]);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 1, deletedDocuments: 2 });
});

test.for<[what: string, commands: Doc[]]>([
  ['the collection is dropped', [{ drop: 'd' }]],
  ['the index is dropped', [{ dropIndexes: 'd', index: 'at_1' }]],
  [
    'a plain index takes its place',
    [
      { dropIndexes: 'd', index: 'at_1' },
      { ...PLAIN, createIndexes: 'd' },
    ],
  ],
  ['a later date is chosen', [{ collMod: 'd', index: { name: 'at_1', expireAfterSeconds: 86_400 } }]],
])('before the visit, in the same pass, %s: nothing is deleted, nothing is said', async ([, commands]) => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 2);
  await expiring(asked, 'd', 2);
  await runTo(asked, 61);
  for (const command of commands) await asked.ok('n1', command);
  await runTo(asked, 200);
  expect(idsOf(asked, 'd')).toEqual(commands[0]!.drop ? [] : [1, 2]);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 3, deletedDocuments: 2 });
  expect(logged(asked, [5400703, 22537, 6909100])).toEqual([]);
});

test('renamed before the visit, in the same pass: its documents go under the new name', async () => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 2);
  await expiring(asked, 'd', 2);
  await runTo(asked, 61);
  asked.now('n1', { renameCollection: 'app.d', to: 'app.e' });
  await runTo(asked, 70);
  expect(idsOf(asked, 'e')).toEqual([]);
});

test('renamed onto the collection that is being expired: the old one is dropped, and the new one is expired in its turn', async () => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 6);
  await expiring(asked, 'd', 2);
  await runTo(asked, 63);
  asked.now('n1', { renameCollection: 'app.d', to: 'app.c', dropTarget: true });
  await runTo(asked, 70);
  expect(idsOf(asked, 'c')).toEqual([]);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 1, deletedDocuments: 2 });
});

test('dropped and made again under the same name in mid-pass: the new collection waits for its turn', async () => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 6);
  await runTo(asked, 63);
  await asked.ok('n1', { drop: 'c' });
  await asked.ok('n1', TTL);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 'new', at: new Date(0) }] });
  await runTo(asked, 110);
  expect(idsOf(asked, 'c')).toEqual(['new']);
  await runTo(asked, 130);
  expect(idsOf(asked, 'c')).toEqual([]);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 2, deletedDocuments: 1 });
});

test('dropped, and a plain index of the same name built: forgotten for good, until it is TTL again', async () => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 0);
  for (const command of [DROP_INDEX, PLAIN]) await asked.ok('n1', command);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, at: new Date(0) }] });
  await runTo(asked, 300);
  expect(idsOf(asked, 'c')).toEqual([1]);
  await asked.ok('n1', { collMod: 'c', index: { name: 'at_1', expireAfterSeconds: 60 } });
  await runTo(asked, 370);
  expect(idsOf(asked, 'c')).toEqual([]);
});

test('an index that is made during a pass is visited from the next sub-pass on', async () => {
  const asked = await slowDeletes({ parameters: { ttlIndexDeleteTargetDocs: 2, ttlMonitorSubPassTargetSecs: 4 } });
  await expiring(asked, 'c', 8);
  await runTo(asked, 61);
  await expiring(asked, 'd', 2);
  // Visits of c end at 62 and 64, when the first sub-pass is over; then d has its turn after c.
  await runTo(asked, 67.9);
  expect([idsOf(asked, 'c').length, idsOf(asked, 'd').length]).toEqual([2, 2]);
  await runTo(asked, 68.1);
  expect([idsOf(asked, 'c').length, idsOf(asked, 'd').length]).toEqual([2, 0]);
});
