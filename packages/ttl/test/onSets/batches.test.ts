import type { MongodVersion } from '@replsim/protocol';
import { Binary } from 'bson';
import { expect, test } from 'vitest';
import type { AskedSet, Doc } from '../../../replset/test/askedSet.ts';
import {
  backlog,
  batchedDeletes,
  deleteEntries,
  expiring,
  idsOf,
  logged,
  runTo,
  slowDeletes,
  ttlMetrics,
} from './slowDeletes.ts';

// One visit on a running member: targets, batches, what is looked at again before a deletion. Source:
// batched_delete_stage.cpp; upstream's jstests batched_multi_deletes_*.js, ttl_batch_deletes.js.

const INSTANT = { deleteMicros: 0 };

/** Visits of the only index, by the debug line with which each begins. */
function visits(asked: AskedSet): number {
  return logged(asked, [22533]).length;
}

/** How many deletions each applyOps holds; the entries themselves may be too large to look at. */
async function groupSizes(asked: AskedSet): Promise<number[]> {
  const pipeline = [{ $match: { 'o.applyOps.op': 'd' } }, { $project: { size: { $size: '$o.applyOps' } } }];
  const reply = await asked.ok('n1', { aggregate: 'oplog.rs', pipeline, cursor: {} }, 'local');
  return reply.cursor.firstBatch.map(({ size }: Doc) => size);
}

async function talkative(asked: AskedSet): Promise<void> {
  await asked.ok('n1', { setParameter: 1, logComponentVerbosity: { index: { verbosity: 3 } } }, 'admin');
}

test.for<[what: string, parameters: Doc, documents: number, visits: number, deletedInTheFirst: number]>([
  [
    'a target between two batches overshoots',
    { batchedDeletesTargetBatchDocs: 10, ttlIndexDeleteTargetDocs: 25 },
    70,
    3,
    30,
  ],
  [
    'three times the target takes a fourth visit',
    { batchedDeletesTargetBatchDocs: 10, ttlIndexDeleteTargetDocs: 20 },
    60,
    4,
    20,
  ],
  ['a target below the batch', { batchedDeletesTargetBatchDocs: 10, ttlIndexDeleteTargetDocs: 1 }, 25, 3, 10],
  [
    'the end of the range in the last batch',
    { batchedDeletesTargetBatchDocs: 10, ttlIndexDeleteTargetDocs: 20 },
    15,
    1,
    15,
  ],
  ['no target', { batchedDeletesTargetBatchDocs: 10 }, 100, 1, 100],
  ['no batches, so no target either', { ttlMonitorBatchDeletes: false, ttlIndexDeleteTargetDocs: 5 }, 100, 1, 100],
])('%s', async ([, parameters, documents, expected, first]) => {
  const asked = await slowDeletes({ parameters, costs: INSTANT });
  await talkative(asked);
  await expiring(asked, 'c', documents);
  await runTo(asked, 61);
  expect(idsOf(asked, 'c')).toEqual([]);
  expect(visits(asked)).toBe(expected);
  const [done] = logged(asked, [5479200]);
  expect(done?.attr).toMatchObject({ namespace: 'app.c', index: 'at_1', numDeleted: first });
  expect(ttlMetrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: documents });
});

test('the time target is looked at after a batch, and deletes take time', async () => {
  const asked = await slowDeletes({
    parameters: { batchedDeletesTargetBatchDocs: 4, ttlIndexDeleteTargetTimeMS: 5000 },
  });
  await talkative(asked);
  await expiring(asked, 'c', 20);
  await runTo(asked, 100);
  // Batches end after 4 and 8 s: eight documents a visit.
  const done = logged(asked, [5479200]).map(({ attr }) => [attr.numDeleted, attr.durationMillis]);
  expect(done).toEqual([
    [8, 8000],
    [8, 8000],
    [4, 4000],
  ]);
});

test.for<[what: string, parameters: Doc, batches: number[]]>([
  ['documents', { batchedDeletesTargetBatchDocs: 3 }, [3, 3, 2]],
  ['no limit', { batchedDeletesTargetBatchDocs: 0 }, [8]],
  ['time', { batchedDeletesTargetBatchDocs: 0, batchedDeletesTargetBatchTimeMS: 2000 }, [2, 2, 2, 2]],
  [
    'time that falls between two documents',
    { batchedDeletesTargetBatchDocs: 0, batchedDeletesTargetBatchTimeMS: 2001 },
    [3, 3, 2],
  ],
  // Each document, { _id: int, at: date }, has 26 bytes.
  ['bytes', { batchedDeletesTargetBatchDocs: 0, batchedDeletesTargetStagedDocBytes: 100 }, [4, 4]],
])('a batch ends by %s', async ([, parameters, batches]) => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters });
  await expiring(asked, 'c', 8);
  await asked.pass(90_000);
  const entries = await deleteEntries(asked);
  expect(entries.map(({ o }) => o.applyOps?.length ?? 1)).toEqual(batches);
});

test('what a cut by time leaves in the buffer is read again, and goes before anything else is found', async () => {
  const parameters = { batchedDeletesTargetBatchDocs: 6, batchedDeletesTargetBatchTimeMS: 2000 };
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters });
  await expiring(asked, 'c', 8);
  await asked.pass(90_000);
  const sizes = (await deleteEntries(asked)).map(({ o }) => o.applyOps.map(({ o: { _id } }: Doc) => _id));
  expect(sizes).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
  ]);
  expect(batchedDeletes(asked)).toMatchObject({ batches: 4, docs: 8, refetchesDueToYield: 4 });
});

test('a batch that is cut down to one document is still one applyOps; a document that was staged alone is a plain entry', async () => {
  const parameters = { batchedDeletesTargetBatchDocs: 3, batchedDeletesTargetBatchTimeMS: 1000 };
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters });
  await expiring(asked, 'c', 4);
  await asked.pass(90_000);
  const forms = (await deleteEntries(asked)).map(({ op, o }) => `${op} ${o.applyOps?.length ?? 1}`);
  expect(forms).toEqual(['c 1', 'c 1', 'd 1', 'd 1']);
});

test.for<[version: MongodVersion, ids: number[][]]>([
  [
    '7.0',
    [
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ],
  ],
  [
    '8.0',
    [
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ],
  ],
  [
    '8.2',
    [
      [3, 2, 1],
      [6, 5, 4],
      [8, 7],
    ],
  ],
])('%s deletes within a batch in the order of %o', async ([version, ids]) => {
  const asked = await slowDeletes({
    version,
    members: [{ name: 'n1' }],
    parameters: { batchedDeletesTargetBatchDocs: 3 },
  });
  await expiring(asked, 'c', 8);
  await asked.pass(90_000);
  const found = (await deleteEntries(asked)).map(({ o }) => o.applyOps.map(({ o: { _id } }: Doc) => _id));
  expect(found).toEqual(ids);
});

test('8.2 deletes from the end of its buffer, also when time cuts the batch', async () => {
  const parameters = { batchedDeletesTargetBatchDocs: 5, batchedDeletesTargetBatchTimeMS: 2000 };
  const asked = await slowDeletes({ version: '8.2', members: [{ name: 'n1' }], parameters });
  await expiring(asked, 'c', 5);
  await asked.pass(90_000);
  const found = (await deleteEntries(asked)).map(({ o }) => o.applyOps?.map(({ o: { _id } }: Doc) => _id) ?? o._id);
  expect(found).toEqual([[5, 4], [3, 2], 1]);
});

test('a descending index is gone through from its end: the oldest go first', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }] });
  await expiring(asked, 'c', 4, { key: { at: -1 } });
  await asked.pass(90_000);
  const found = (await deleteEntries(asked)).map(({ o }) => o.applyOps.map(({ o: { _id } }: Doc) => _id));
  expect(found).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('one document with several dates that are due is staged and deleted once', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }] });
  await expiring(asked, 'c', 0);
  const [first, second] = backlog(asked, 2).map(({ at }) => at);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, at: [first, second, first] }] });
  await asked.pass(90_000);
  expect((await deleteEntries(asked)).map(({ op }) => op)).toEqual(['d']);
  expect(ttlMetrics(asked)).toMatchObject({ deletedDocuments: 1 });
});

// The first batch, of 1 and 2, is under way from 60 to 62 s; at 61 s somebody writes.
test.for<[what: string, write: Doc, left: Doc[], deletedDocuments: number]>([
  ['an update gives a later date', { u: { $currentDate: { at: true } } }, [{ _id: 2 }], 5],
  ['an update takes the date away', { u: { $unset: { at: 1 } } }, [{ _id: 2 }], 5],
  ['an update leaves the date as it is', { u: { $set: { n: 1 } } }, [], 6],
  ['an update gives another date that is due', { u: { $set: { at: new Date(5) } } }, [], 6],
  ['a client deletes it', { limit: 1 }, [], 5],
])('between finding and deleting, %s', async ([, write, left, deletedDocuments]) => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 6);
  await runTo(asked, 61);
  const statement = { q: { _id: 2 }, ...write };
  const command = write.u ? { update: 'c', updates: [statement] } : { delete: 'c', deletes: [statement] };
  expect(asked.now('n1', command, 'app')).toMatchObject({ ok: 1, n: 1 });
  await runTo(asked, 100);
  expect(idsOf(asked, 'c')).toEqual(left.map(({ _id }) => _id));
  expect(ttlMetrics(asked)).toMatchObject({ passes: 1, deletedDocuments });
  // The batch was undone and done again, which took its time once more.
  const conflicting = write.limit ? 1 : left.length;
  expect(batchedDeletes(asked)).toMatchObject({ batches: 3, docs: 6 - conflicting, refetchesDueToYield: 2 });
});

test('the same without batches: the refreshed document stays, and the next ones go', async () => {
  const asked = await slowDeletes({ parameters: { ttlMonitorBatchDeletes: false } });
  await expiring(asked, 'c', 3);
  await runTo(asked, 60.5);
  asked.now('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { $currentDate: { at: true } } }] }, 'app');
  await runTo(asked, 100);
  expect(idsOf(asked, 'c')).toEqual([1]);
  expect(batchedDeletes(asked)).toEqual({
    batches: 0,
    docs: 0,
    stagedSizeBytes: 0,
    timeInBatchMillis: 0,
    refetchesDueToYield: 0,
  });
});

test('write conflicts have the batch done again, at first at once, then after a wait', async () => {
  const asked = await slowDeletes();
  await expiring(asked, 'c', 2);
  const name = 'throwWriteConflictExceptionInBatchedDeleteStage';
  await asked.ok('n1', { configureFailPoint: name, mode: { times: 6 } }, 'admin');
  // The conflict comes before the first document, so that a failed attempt costs nothing but the waits: 3 × 0, 3 × 1 ms.
  await runTo(asked, 62.003_9);
  expect(idsOf(asked, 'c')).toEqual([1, 2]);
  await runTo(asked, 62.004_1);
  expect(idsOf(asked, 'c')).toEqual([]);
  expect(ttlMetrics(asked)).toMatchObject({ deletedDocuments: 2 });
  expect(batchedDeletes(asked)).toMatchObject({ batches: 1, docs: 2, refetchesDueToYield: 2 });
});

test('with conflicts for ever the pass never ends, and the member lives', async () => {
  const asked = await slowDeletes({ costs: INSTANT });
  await expiring(asked, 'c', 2);
  const name = 'throwWriteConflictExceptionInBatchedDeleteStage';
  await asked.ok('n1', { configureFailPoint: name, mode: 'alwaysOn' }, 'admin');
  await runTo(asked, 300);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 0 });
  await asked.ok('n1', { configureFailPoint: name, mode: 'off' }, 'admin');
  await asked.pass(200);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 1, deletedDocuments: 2 });
});

test('batchedDeleteStageSleepAfterNDocuments sleeps after that many, and after each one more', async () => {
  const asked = await slowDeletes({ costs: INSTANT, parameters: { batchedDeletesTargetBatchDocs: 10 } });
  await expiring(asked, 'c', 5);
  await expiring(asked, 'd', 5);
  const data = { ns: 'app.d', nDocs: 3, sleepMs: 1000 };
  await asked.ok(
    'n1',
    { configureFailPoint: 'batchedDeleteStageSleepAfterNDocuments', mode: 'alwaysOn', data },
    'admin',
  );
  await runTo(asked, 62.9);
  expect([idsOf(asked, 'c').length, idsOf(asked, 'd').length]).toEqual([0, 5]);
  await runTo(asked, 63.1);
  expect(idsOf(asked, 'd')).toEqual([]);
});

test('a batch whose oplog entry would be too large is cut by the size of the ids', async () => {
  const parameters = { batchedDeletesTargetBatchDocs: 0, batchedDeletesTargetStagedDocBytes: 0 };
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters, costs: INSTANT });
  await expiring(asked, 'c', 0);
  const at = new Date(0);
  // Five ids of 5 MB: three fit below 16 MiB.
  for (let i = 0; i < 5; i++) {
    const _id = new Binary(new Uint8Array(5 * 1024 * 1024).fill(i));
    await asked.ok('n1', { insert: 'c', documents: [{ _id, at }] });
  }
  await asked.pass(90_000);
  expect(await groupSizes(asked)).toEqual([3, 2]);
});

test('about 63,000 plain documents make an entry', async () => {
  const parameters = { batchedDeletesTargetBatchDocs: 0, batchedDeletesTargetStagedDocBytes: 0 };
  const asked = await slowDeletes({ members: [{ name: 'n1' }], parameters, costs: INSTANT });
  await expiring(asked, 'c', 0);
  for (let i = 0; i < 7; i++) {
    const documents = Array.from({ length: 10_000 }, (_, j) => ({ _id: i * 10_000 + j, at: new Date(0) }));
    await asked.ok('n1', { insert: 'c', documents });
  }
  await asked.pass(90_000);
  // An element { _id: int } is 9 bytes: 256 + n (256 + 9) ≤ 16,777,216.
  expect(await groupSizes(asked)).toEqual([63_309, 70_000 - 63_309]);
});

test('a stepdown in the middle: what is committed stays and is not counted; the rest is left to others', async () => {
  const asked = await slowDeletes({ members: [{ name: 'n1' }] });
  await expiring(asked, 'c', 6);
  await runTo(asked, 63);
  expect(idsOf(asked, 'c')).toEqual([3, 4, 5, 6]);
  await asked.ok('n1', { replSetStepDown: 30, force: true }, 'admin');
  await runTo(asked, 90);
  expect(idsOf(asked, 'c')).toEqual([3, 4, 5, 6]);
  expect(ttlMetrics(asked)).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: 0 });
  const [interrupted] = logged(asked, [22537]);
  expect(interrupted).toMatchObject({
    s: 'W',
    c: 'INDEX',
    ctx: 'TTLMonitor',
    attr: { interruption: { code: 11602, codeName: 'InterruptedDueToReplStateChange' }, waitMillis: 60_000 },
  });
  expect(batchedDeletes(asked)).toMatchObject({ batches: 1, docs: 2 });
});
