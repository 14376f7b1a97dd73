import { expect, test } from 'vitest';
import type { AskedSet, Doc } from '../../../replset/test/askedSet.ts';
import { backlog, expiring, idsOf, runTo, slowDeletes, ttlMetrics } from './slowDeletes.ts';

// Which indexes a member's monitor knows, and since when. Source: ttl_collection_cache.h; upstream's
// ttl_with_restart.js, ttl_dropDatabase_clears_info_map.js, ttl_changes_are_immediate.js.

const INSTANT = { deleteMicros: 0 };
const PLAIN = { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'at_1' }] };
const TO_TTL = { collMod: 'c', index: { name: 'at_1', expireAfterSeconds: 60 } };
const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3', config: { priority: 0 } }];

async function setOfThree(): Promise<AskedSet> {
  const parameters = { ttlMonitorSleepSecs: 10 };
  const asked = await slowDeletes({ members: MEMBERS, costs: INSTANT, parameters });
  await asked.until(() => asked.primaryIfAny() === 'n1');
  return asked;
}

async function insert(asked: AskedSet, member = 'n1'): Promise<void> {
  await asked.ok(member, { insert: 'c', documents: backlog(asked, 3), writeConcern: { w: 'majority' } });
}

test('a collMod that makes an index TTL is seen at the next pass', async () => {
  const asked = await slowDeletes({ costs: INSTANT });
  await asked.ok('n1', PLAIN);
  await asked.ok('n1', { insert: 'c', documents: backlog(asked, 3) });
  await runTo(asked, 61);
  expect(idsOf(asked, 'c')).toHaveLength(3);
  await asked.ok('n1', TO_TTL);
  await runTo(asked, 121);
  expect(idsOf(asked, 'c')).toEqual([]);
});

test.for<[what: string, make: Doc[]]>([
  [
    'an index made on the primary',
    [{ createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 }] }],
  ],
  ['an index turned TTL by collMod on the primary', [PLAIN, TO_TTL]],
])('a new primary knows %s', async ([, make]) => {
  const asked = await setOfThree();
  for (const command of make) await asked.ok('n1', { ...command, writeConcern: { w: 3 } });
  asked.set.kill('n1');
  await asked.until(() => asked.primaryIfAny() !== undefined && asked.primaryIfAny() !== 'n1');
  const { primary } = asked;
  await insert(asked, primary);
  await asked.until(() => idsOf(asked, 'c', primary).length === 0, 12_000);
});

test('a member that was restarted knows the indexes of its catalog; its counters and parameters begin anew', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], costs: INSTANT });
  await expiring(asked, 'c', 3);
  await asked.pass(61_000);
  await asked.ok('n1', { setParameter: 1, ttlMonitorSleepSecs: 5 }, 'admin');
  asked.set.kill('n1');
  await asked.set.start('n1');
  const startedMicros = asked.set.nowMicros;
  await asked.until(() => asked.primaryIfAny() === 'n1');
  expect(ttlMetrics(asked)).toMatchObject({ passes: 0, deletedDocuments: 0 });
  expect(asked.now('n1', { getParameter: 1, ttlMonitorSleepSecs: 1 }).ttlMonitorSleepSecs).toBe(60);
  await asked.ok('n1', { insert: 'c', documents: backlog(asked, 3) });
  await asked.until(() => ttlMetrics(asked).deletedDocuments === 3);
  expect((asked.set.nowMicros - startedMicros) / 1e6).toBeGreaterThan(60);
});

test('a member that copied its data by initial sync knows the indexes it copied', async () => {
  const asked = await setOfThree();
  await expiring(asked, 'c', 0);
  asked.set.kill('n2');
  await asked.set.start('n2', { wipe: true });
  const state = () => asked.now('n2', { replSetGetStatus: 1 }).myState;
  await asked.until(() => asked.set.status('n2').running && state() === 2);
  await asked.ok('n1', { replSetStepDown: 120 }, 'admin');
  await asked.until(() => asked.primaryIfAny() === 'n2');
  await insert(asked, 'n2');
  await asked.until(() => idsOf(asked, 'c', 'n2').length === 0, 12_000);
});

test('renamed, a collection is expired on: entries go by UUID', async () => {
  const asked = await slowDeletes({ costs: INSTANT });
  await expiring(asked, 'c', 2);
  await asked.ok('n1', { renameCollection: 'app.c', to: 'other.d' }, 'admin');
  await runTo(asked, 61);
  expect(asked.now('n1', { count: 'd' }, 'other').n).toBe(0);
  expect(ttlMetrics(asked)).toMatchObject({ deletedDocuments: 2 });
});

test('dropped and made again, a collection is a new entry', async () => {
  const asked = await slowDeletes({ costs: INSTANT });
  await expiring(asked, 'c', 2);
  await asked.ok('n1', { drop: 'c' });
  await expiring(asked, 'c', 2);
  await runTo(asked, 61);
  expect(ttlMetrics(asked)).toMatchObject({ deletedDocuments: 2, passes: 1, subPasses: 1 });
});
