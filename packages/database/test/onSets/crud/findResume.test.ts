import { Binary, Long, Timestamp } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// `find` with `$_requestResumeToken`, by which tools copy a collection and go on after a break, as initial sync does.
// Upstream: query_request_helper.cpp, collection_scan.cpp; jstests find_with_resume_after_param.js and resume tests of clustered ones.

const SCAN = { hint: { $natural: 1 }, $_requestResumeToken: true };
const DOCUMENTS = [1, 2, 3, 4, 5].map((_id) => ({ _id, a: _id % 2 }));

async function started(options: Doc = {}): Promise<AskedSet> {
  const asked = await AskedSet.start(1, options);
  await asked.ok('n1', { insert: 'c', documents: DOCUMENTS });
  return asked;
}

const ids = (batch: Doc[]) => batch.map(({ _id }) => _id);

test('each batch ends with where the scan is; another goes on from there, and the last one says null', async () => {
  const asked = await started();
  const first = await asked.ok('n1', { find: 'c', ...SCAN, batchSize: 2 });
  expect(first.cursor).toMatchObject({ firstBatch: [{ _id: 1 }, { _id: 2 }], postBatchResumeToken: { $recordId: 2 } });
  const next = await asked.ok('n1', { getMore: first.cursor.id, collection: 'c', batchSize: 2 });
  expect(next.cursor).toMatchObject({ nextBatch: [{ _id: 3 }, { _id: 4 }], postBatchResumeToken: { $recordId: 4 } });
  const resumed = await asked.ok('n1', { find: 'c', ...SCAN, $_resumeAfter: { $recordId: Long.fromNumber(4) } });
  expect(resumed.cursor).toMatchObject({ firstBatch: [{ _id: 5 }], id: 0, postBatchResumeToken: { $recordId: null } });
  const empty = await asked.ok('n1', { find: 'c', ...SCAN, batchSize: 0 });
  expect(empty.cursor).toMatchObject({ firstBatch: [], postBatchResumeToken: { $recordId: null } });
  expect((await asked.ok('n1', { find: 'nope', ...SCAN })).cursor).not.toHaveProperty('postBatchResumeToken');
  await asked.set.close();
});

test('with a filter, a projection, a limit and the record ids, which agree with the tokens', async () => {
  const asked = await started();
  const more = { filter: { a: 1 }, projection: { _id: 1 }, showRecordId: true, limit: 2 };
  const { cursor } = await asked.ok('n1', { find: 'c', ...SCAN, ...more });
  expect(cursor.firstBatch).toEqual([
    { _id: 1, $recordId: 1 },
    { _id: 3, $recordId: 3 },
  ]);
  expect(cursor.postBatchResumeToken).toEqual({ $recordId: 3 });
  await asked.set.close();
});

test('a document that does not fit stays behind, and so does the token', async () => {
  const asked = await AskedSet.start(1);
  const big = 'x'.repeat(9 * 1024 * 1024);
  for (const _id of [1, 2]) await asked.ok('n1', { insert: 'big', documents: [{ _id, big }] });
  const { cursor } = await asked.ok('n1', { find: 'big', ...SCAN });
  expect([ids(cursor.firstBatch), cursor.postBatchResumeToken]).toEqual([[1], { $recordId: 1 }]);
  const next = await asked.ok('n1', { getMore: Long.fromBigInt(BigInt(cursor.id)), collection: 'big' });
  expect([ids(next.cursor.nextBatch), next.cursor.postBatchResumeToken]).toEqual([[2], { $recordId: null }]);
  await asked.set.close();
});

test('a record that is gone: an error after it, none from it on', async () => {
  const asked = await started();
  await asked.ok('n1', { delete: 'c', deletes: [{ q: { _id: 3 }, limit: 1 }] });
  const token = { $recordId: Long.fromNumber(3) };
  const reply = await asked.run('n1', { find: 'c', ...SCAN, $_resumeAfter: token });
  expect(reply).toMatchObject({ ok: 0, code: 211, codeName: 'KeyNotFound' });
  expect(reply.errmsg).toMatch(
    /^Executor error during find command: app\.c :: caused by :: Failed to resume collection scan: the recordId .* RecordId\(3\)$/,
  );
  const tolerant = await asked.ok('n1', { find: 'c', ...SCAN, $_startAt: token });
  expect(ids(tolerant.cursor.firstBatch)).toEqual([4, 5]);
  const there = await asked.ok('n1', { find: 'c', ...SCAN, $_startAt: { $recordId: Long.fromNumber(2) } });
  expect(ids(there.cursor.firstBatch)).toEqual([4, 5]);
  expect(await asked.run('n1', { find: 'c', ...SCAN, $_resumeAfter: { $recordId: null } })).toMatchObject({
    code: 211,
  });
  await asked.set.close();
});

test('a clustered collection goes by its keys', async () => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', { create: 'k', clusteredIndex: { key: { _id: 1 }, unique: true } });
  await asked.ok('n1', { insert: 'k', documents: [{ _id: 'b' }, { _id: 'a' }, { _id: 'c' }] });
  const first = await asked.ok('n1', { find: 'k', ...SCAN, batchSize: 2, showRecordId: true });
  const { firstBatch, postBatchResumeToken } = first.cursor;
  expect(ids(firstBatch)).toEqual(['a', 'b']);
  expect(postBatchResumeToken.$recordId).toEqual(firstBatch[1].$recordId);
  const rest = await asked.ok('n1', {
    find: 'k',
    ...SCAN,
    $_resumeAfter: { $recordId: new Binary(postBatchResumeToken.$recordId.buffer) },
  });
  expect(ids(rest.cursor.firstBatch)).toEqual(['c']);
  const wrong = { find: 'k', ...SCAN, $_resumeAfter: { $recordId: Long.ONE } };
  expect(await asked.run('n1', wrong)).toMatchObject({ code: 7738600 });
  await asked.set.close();
});

test('a member that copied its data says by which copy, and takes no token of another', async () => {
  const asked = await AskedSet.start([{ name: 'n1' }, { name: 'n2', config: { priority: 0, votes: 0 } }]);
  await asked.ok('n1', { insert: 'c', documents: DOCUMENTS, writeConcern: { w: 2 } });
  asked.set.kill('n2');
  await asked.set.start('n2', { wipe: true });
  await asked.untilState('n2', 2);
  const ON_SECONDARY = { $readPreference: { mode: 'secondary' } };
  const { cursor } = await asked.ok('n2', { find: 'c', ...SCAN, batchSize: 2, ...ON_SECONDARY });
  expect(cursor.postBatchResumeToken).toMatchObject({ $recordId: 2, $initialSyncId: expect.anything() });
  const after = (token: Doc) => ({ find: 'c', ...SCAN, $_resumeAfter: token, ...ON_SECONDARY });
  const sent = { $recordId: Long.fromNumber(2), $initialSyncId: cursor.postBatchResumeToken.$initialSyncId };
  expect(ids((await asked.ok('n2', after(sent))).cursor.firstBatch)).toEqual([3, 4, 5]);
  const other = { ...sent, $initialSyncId: new Binary(new Uint8Array(16), 4) };
  expect(await asked.run('n2', after(other))).toMatchObject({ code: 8132701 });
  await asked.set.close();
});

const one = { $recordId: Long.ONE };
test.for<[command: Doc, code: number, phrase: RegExp, db?: string]>([
  [{ ...SCAN, hint: '_id_' }, 2, /^hint must be \{\$natural:1\} if 'requestResumeToken' is enabled/],
  [{ $_requestResumeToken: true }, 2, /^hint must be/],
  [{ ...SCAN, hint: { $natural: -1 } }, 2, /^hint must be/],
  [{ ...SCAN, sort: { a: 1 } }, 2, /^sort must be unset or \{\$natural:1\}/],
  [{ $_resumeAfter: one }, 2, /^'requestResumeToken' must be true if 'resumeAfter' is specified/],
  [{ $_startAt: one }, 2, /^'requestResumeToken' must be true if 'startAt' is specified/],
  [{ ...SCAN, $_resumeAfter: one, $_startAt: one }, 2, /^Cannot set both '\$_resumeAfter' and '\$_startAt'/],
  [
    { ...SCAN, $_resumeAfter: { $recordId: 'x' } },
    2,
    /^Malformed resume token: the '_resumeAfter' object must contain/,
  ],
  [{ ...SCAN, $_resumeAfter: { $recordId: 1 } }, 2, /^Malformed resume token/],
  [{ ...SCAN, $_resumeAfter: { a: 1 } }, 2, /^Malformed resume token/],
  [{ ...SCAN, $_resumeAfter: { ...one, b: 1 } }, 2, /^Malformed resume token/],
  [{ ...SCAN, $_resumeAfter: { $recordId: new Binary(new Uint8Array(5)) } }, 7738600, /must match collection type/],
  [{ ...SCAN, $_resumeAfter: 1 }, 14, /wrong type/],
  [{ ...SCAN, $_requestResumeToken: 1 }, 14, /wrong type/],
  [{ find: 'v', ...SCAN }, 168, /^Option \$_requestResumeToken not supported in aggregation/],
])('refused: %j: %i', async ([more, code, phrase]) => {
  const asked = await started();
  await asked.ok('n1', { create: 'v', viewOn: 'c', pipeline: [] });
  const reply = await asked.run('n1', { find: 'c', ...more });
  expect([reply.code, reply.errmsg]).toEqual([code, expect.stringMatching(phrase)]);
  await asked.set.close();
});

test.for([
  ['8.2', { $_startAt: one }, undefined],
  ['7.0', { $_startAt: one }, 40415],
  ['7.0', { $_resumeAfter: one }, undefined],
  ['4.4', { $_resumeAfter: one }, undefined],
  ['3.2', {}, 40415],
] as const)('%s: %j', async ([version, more, code]) => {
  const asked = await started({ version });
  const reply = await asked.run('n1', { find: 'c', ...SCAN, ...more });
  expect(reply.code).toBe(code);
  await asked.set.close();
});

// Upstream: jstests/replsets/resume_after_against_oplog.js.
test.for(['8.2', '8.0', '6.0', '4.4'] as const)(
  'of the oplog a token is a time up to which was looked (%s)',
  async (version) => {
    const asked = await started({ version });
    const ofData = { filter: { op: 'i', ns: 'app.c' }, ...SCAN };
    const find = (more: Doc) => asked.run('n1', { find: 'oplog.rs', ...ofData, ...more }, 'local');
    const tokenOf = ({ cursor }: Doc) => cursor.postBatchResumeToken;
    const NULL_TS = { ts: new Timestamp(0n) };

    const first = await find({ batchSize: 1 });
    const [entry] = first.cursor.firstBatch;
    expect(tokenOf(first)).toEqual({ ts: entry.ts });
    const second = await find({ filter: { ...ofData.filter, ts: { $gt: entry.ts } }, batchSize: 1 });
    expect(second.cursor.firstBatch[0].o._id).toBe(2);
    expect(tokenOf(second).ts.greaterThan(entry.ts)).toBe(true);
    expect(tokenOf(await find({ batchSize: 0 }))).toEqual(NULL_TS);
    expect((await find({ $_requestResumeToken: false })).cursor).not.toHaveProperty('postBatchResumeToken');

    // Nothing found: it has looked at all there is, and a tail at what comes.
    const nothing = { filter: { op: 'i', ns: 'app.nope' } };
    const [{ ts: newest }] = (await find({ filter: {}, $_requestResumeToken: false })).cursor.firstBatch.slice(-1);
    expect(tokenOf(await find(nothing)).ts.greaterThanOrEqual(newest)).toBe(true);
    const tail = await find({ ...nothing, tailable: true, awaitData: true });
    const getMore = { getMore: Long.fromBigInt(BigInt(tail.cursor.id)), collection: 'oplog.rs', maxTimeMS: 100 };
    await asked.ok('n1', { insert: 'other', documents: [{}] });
    const later = await asked.ok('n1', getMore, 'local');
    expect(later.cursor.nextBatch).toEqual([]);
    expect(tokenOf(later).ts.greaterThan(tokenOf(tail).ts)).toBe(true);

    // Who goes on asks for what is later.
    expect(await find({ $_resumeAfter: tokenOf(first) })).toMatchObject({ ok: 0, code: 2 });
    expect(await find({ $_resumeAfter: { $recordId: Long.ONE } })).toMatchObject({ ok: 0, code: 115 });
    if (version.startsWith('8')) expect(await find({ $_startAt: tokenOf(first) })).toMatchObject({ ok: 0, code: 2 });
    await asked.set.close();
  },
);
