import { UUID } from 'bson';
import { expect, test } from 'vitest';
import type { AskedSet, Doc } from '../../../replset/test/askedSet.ts';
import { backlog, deleteEntries, expiring, idsOf, slowDeletes, ttlMetrics } from './slowDeletes.ts';

// What a TTL deletion is in the oplog, and what others make of it. Source: upstream's
// batched_multi_deletes_oplog.js, ttl_deletes_not_targeting_orphaned_documents.js, ttl_replicates.js.

const INSTANT = { deleteMicros: 0 };
const TEN = { batchedDeletesTargetBatchDocs: 10 };

async function threeMembers(parameters: Doc = TEN): Promise<AskedSet> {
  const members = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
  const asked = await slowDeletes({ members, parameters, costs: INSTANT });
  await asked.until(() => asked.primaryIfAny() === 'n1');
  return asked;
}

async function uuidOf(asked: AskedSet, name: string): Promise<UUID> {
  const { cursor } = await asked.ok('n1', { listCollections: 1, filter: { name } });
  return new UUID(cursor.firstBatch[0].info.uuid.buffer);
}

test.for<[documents: number, forms: string[]]>([
  [1, ['d']],
  [2, ['c 2']],
  [10, ['c 10']],
  [11, ['c 10', 'd']],
  [21, ['c 10', 'c 10', 'd']],
  [25, ['c 10', 'c 10', 'c 5']],
])('%d documents become %o', async ([documents, forms]) => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters: TEN, costs: INSTANT });
  await expiring(asked, 'c', documents);
  await asked.pass(61_000);
  const entries = await deleteEntries(asked);
  expect(entries.map(({ op, o }) => (op === 'c' ? `c ${o.applyOps.length}` : op))).toEqual(forms);
});

test('document by document, and in 3.2, each deletion is an entry of its own', async () => {
  for (const options of [{ parameters: { ttlMonitorBatchDeletes: false } }, { version: '3.2' } as const]) {
    const asked = await slowDeletes({ members: [{ name: 'n1' }], costs: INSTANT, ...options });
    await expiring(asked, 'c', 5);
    await asked.pass(61_000);
    expect((await deleteEntries(asked)).map(({ op, o }) => [op, o._id])).toEqual(
      [1, 2, 3, 4, 5].map((id) => ['d', id]),
    );
  }
});

test('the fields of a plain entry, and no others', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], costs: INSTANT });
  await expiring(asked, 'c', 1);
  await asked.pass(61_000);
  const [entry] = await deleteEntries(asked);
  expect(Object.keys(entry!).sort()).toEqual(['ns', 'o', 'op', 't', 'ts', 'ui', 'v', 'wall']);
  expect(entry).toMatchObject({ op: 'd', ns: 'app.c', o: { _id: 1 }, t: 1, v: 2, wall: expect.any(Date) });
  expect(entry!.o).toEqual({ _id: 1 });
  expect(new UUID(entry!.ui.buffer).equals(await uuidOf(asked, 'c'))).toBe(true);
});

test('the fields of a grouped entry, and no others', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], costs: INSTANT });
  await expiring(asked, 'c', 2);
  await asked.pass(61_000);
  const [entry] = await deleteEntries(asked);
  expect(Object.keys(entry!).sort()).toEqual(['ns', 'o', 'op', 't', 'ts', 'v', 'wall']);
  expect(entry).toMatchObject({ op: 'c', ns: 'admin.$cmd', t: 1, v: 2, wall: expect.any(Date) });
  expect(Object.keys(entry!.o)).toEqual(['applyOps']);
  const uuid = await uuidOf(asked, 'c');
  expect(entry!.o.applyOps).toHaveLength(2);
  for (const [i, operation] of entry!.o.applyOps.entries()) {
    expect(Object.keys(operation)).toEqual(['op', 'ns', 'ui', 'o']);
    expect(operation).toMatchObject({ op: 'd', ns: 'app.c', o: { _id: i + 1 } });
    expect(new UUID(operation.ui.buffer).equals(uuid)).toBe(true);
  }
});

test('a group reserves an optime for each of its operations, and stands at the first', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters: TEN, costs: INSTANT });
  await expiring(asked, 'c', 25);
  await asked.pass(61_000);
  const slots = (await deleteEntries(asked)).map(({ ts }) => ts);
  const [first] = slots;
  expect(slots.map((ts) => ts.t - first.t)).toEqual([0, 0, 0]);
  expect(slots.map((ts) => ts.i - first.i)).toEqual([0, 10, 20]);
});

test('a batch none of whose documents is left to delete writes nothing', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters: TEN });
  await expiring(asked, 'c', 2);
  await asked.until(() => asked.now('n1', { currentOp: 1, desc: 'TTLMonitor' }).inprog.length > 0);
  await asked.ok('n1', { update: 'c', updates: [{ q: {}, u: { $currentDate: { at: true } }, multi: true }] });
  await asked.pass(61_000);
  expect(await deleteEntries(asked)).toEqual([]);
  expect(idsOf(asked, 'c')).toEqual([1, 2]);
});

test('a batch of which one document is left is still a group', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters: TEN });
  await expiring(asked, 'c', 2);
  await asked.until(() => asked.now('n1', { currentOp: 1, desc: 'TTLMonitor' }).inprog.length > 0);
  await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { $currentDate: { at: true } } }] });
  await asked.pass(10_000);
  expect((await deleteEntries(asked)).map(({ op, o }) => [op, o.applyOps.map(({ o }: Doc) => o._id)])).toEqual([
    ['c', [2]],
  ]);
});

test('a standalone, and an index in local, leave no trace in an oplog', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], costs: INSTANT });
  const indexes = [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 }];
  await asked.ok('n1', { createIndexes: 'c', indexes }, 'local');
  await asked.ok('n1', { insert: 'c', documents: backlog(asked, 5) }, 'local');
  await asked.pass(61_000);
  expect(ttlMetrics(asked).deletedDocuments).toBe(5);
  expect(await deleteEntries(asked)).toEqual([]);
});

test('a secondary shows a batch at once, never a part of it', async () => {
  const asked = await threeMembers({ batchedDeletesTargetBatchDocs: 50 });
  await expiring(asked, 'c', 100);
  await asked.until(() => idsOf(asked, 'c', 'n2').length === 100);
  const seen = new Set<number>();
  await asked.until(() => {
    seen.add(idsOf(asked, 'c', 'n2').length);
    return seen.has(0);
  });
  expect([...seen].filter((count) => count % 50 !== 0)).toEqual([]);
  const { opcountersRepl } = asked.now('n2', { serverStatus: 1 });
  expect(Number(opcountersRepl.delete)).toBe(100);
});
