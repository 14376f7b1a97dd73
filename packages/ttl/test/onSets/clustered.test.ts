import { BsonWriter, encodeDocument, encodeName, findField, RawValue } from '@replsim/protocol';
import { compareValues } from '@replsim/query';
import { Long, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';

/** Running members with collections that are clustered by `_id` and expire by it. */

const EPOCH_MS = Date.UTC(2025, 0, 1);
const HOUR_MS = 3_600_000;
/** When the first pass of a standalone begins: a minute and a millisecond after the start. */
const PASS_MS = EPOCH_MS + 60_001;
const LIMIT_MS = PASS_MS - HOUR_MS;
const clusteredIndex = { key: { _id: 1 }, unique: true };

/** What the bson package cannot hold. */
function date(ms: bigint): RawValue {
  const writer = new BsonWriter();
  writer.date('v', ms);
  return new RawValue(findField(writer.finish(), encodeName('v'))!);
}

describe('which documents expire', () => {
  const ROWS: readonly [what: string, _id: unknown, expires: boolean, expireAfterSeconds?: unknown][] = [
    ['a date at the limit', new Date(LIMIT_MS), true],
    ['a date a millisecond past the limit', new Date(LIMIT_MS + 1), false],
    ['the first millisecond of 1970', new Date(0), true],
    ['the last millisecond of 1969', new Date(-1), false],
    ['the smallest date', date(-(2n ** 63n)), false],
    ['the largest date', date(2n ** 63n - 1n), false],
    ['an ObjectId of 1970', new ObjectId('000000000000000000000000'), false],
    ['an ObjectId of 2020', new ObjectId('5e0be1000000000000000000'), false],
    ['a BSON Timestamp of 1970', new Timestamp({ t: 1, i: 1 }), false],
    ['milliseconds', Long.fromNumber(LIMIT_MS - HOUR_MS), false],
    ['a string', '1999-01-01T00:00:00Z', false],
    ['null', null, false],
    ['true, just below dates', true, false],
    ['a document that holds a date', { at: new Date(0) }, false],
    ['0 seconds, at the date itself', new Date(PASS_MS), true, 0],
    ['0 seconds, a millisecond too early', new Date(PASS_MS + 1), false, 0],
    ['a fraction of a second is dropped', new Date(PASS_MS - 4000), true, 4.9],
    ['NaN means 0', new Date(PASS_MS), true, Number.NaN],
    ['as long as since 1970, not quite', new Date(60_002), false, EPOCH_MS / 1000],
    ['as long as since 1970', new Date(60_001), true, EPOCH_MS / 1000],
  ];

  let asked: AskedSet;
  beforeAll(async () => {
    asked = await AskedSet.start([{ name: 'n1', standalone: true }], { version: '8.2', initiate: false });
    for (const [i, [, _id, , expireAfterSeconds = HOUR_MS / 1000]] of ROWS.entries()) {
      await asked.ok('n1', { create: `c${i}`, clusteredIndex, expireAfterSeconds });
      await asked.ok('n1', { insert: `c${i}`, documents: [{ _id }] });
    }
    await asked.set.advanceTo(65_000_000);
  });

  test.for(ROWS.map((row, i) => [...row, i] as const).map((row) => [row[0], row[2], row.at(-1) as number] as const))(
    '%s: %s',
    async ([, expires, i]) => {
      expect(await asked.documents('n1', `c${i}`)).toHaveLength(expires ? 0 : 1);
    },
  );

  test('what went is counted, and nothing was passed over', () => {
    const { ttl } = asked.now('n1', { serverStatus: 1 }).metrics;
    const expired = ROWS.filter(([, , expires]) => expires).length;
    expect(ttl).toMatchObject({ passes: 1, subPasses: 1, deletedDocuments: expired, invalidTTLIndexSkips: 0 });
  });
});

/** A set of one, or a standalone's like, with one clustered collection whose documents are `minutes` old. */
async function start(
  minutes: readonly number[],
  options: Parameters<typeof AskedSet.start>[1] = {},
): Promise<AskedSet> {
  const asked = await AskedSet.start(1, options);
  await asked.ok('n1', { create: 'c', clusteredIndex, expireAfterSeconds: HOUR_MS / 1000 });
  const documents = minutes.map((minute) => ({ _id: new Date(EPOCH_MS - minute * 60_000), minute }));
  if (documents.length > 0) await asked.ok('n1', { insert: 'c', documents });
  return asked;
}

const minutesOf = async (asked: AskedSet, collection = 'c') =>
  (await asked.documents('n1', collection)).map(({ minute }) => minute).reverse();

/** Deletes in the oplog: each entry's, oldest entry first. */
async function deletions(asked: AskedSet): Promise<number[][]> {
  const filter = { $or: [{ op: 'd', ns: 'app.c' }, { 'o.applyOps.0.ns': 'app.c' }] };
  const { cursor } = await asked.ok('n1', { find: 'oplog.rs', filter }, 'local');
  return cursor.firstBatch.map(({ o }: Doc) =>
    (o.applyOps ?? [{ o }]).map((each: Doc) => Math.round((EPOCH_MS - +each.o._id) / 60_000)),
  );
}

describe('how they go', () => {
  const due = Array.from({ length: 13 }, (_, i) => 61 + i);
  const newestFirst = due;
  const oldestFirst = due.toReversed();

  test.for([
    ['8.0', true, [oldestFirst.slice(0, 10), oldestFirst.slice(10)]],
    ['8.2', true, [oldestFirst.slice(0, 10).reverse(), oldestFirst.slice(10).reverse()]],
    ['8.0', false, oldestFirst.map((minute) => [minute])],
  ] as const)('%s, batched %s', async ([version, ttlMonitorBatchDeletes, expected]) => {
    const asked = await start([...newestFirst, 10], { version, parameters: { ttlMonitorBatchDeletes } });
    await asked.pass(62_000);
    expect(await deletions(asked)).toEqual(expected);
    expect(await minutesOf(asked)).toEqual([10]);
    const { metrics, batchedDeletes } = asked.now('n1', { serverStatus: 1 });
    expect(metrics.ttl).toMatchObject({ passes: 1, deletedDocuments: 13 });
    expect(batchedDeletes.docs).toBe(ttlMonitorBatchDeletes ? 13 : 0);
  });

  test('a target ends the visit, and the round comes back', async () => {
    const asked = await start(due, { parameters: { ttlIndexDeleteTargetDocs: 5, batchedDeletesTargetBatchDocs: 5 } });
    await asked.pass(62_000);
    expect((await deletions(asked)).map((batch) => batch.length)).toEqual([5, 5, 3]);
    expect(asked.now('n1', { serverStatus: 1 }).metrics.ttl).toMatchObject({ passes: 1, subPasses: 1 });
  });

  test.for([
    ['8.0', 2],
    ['8.2', 1],
  ] as const)('%s: what comes due while a pass lasts: %i visits move the limit', async ([version, gone]) => {
    // The second is due a second into the pass, which takes that long with the first.
    const parameters = { ttlIndexDeleteTargetDocs: 1, batchedDeletesTargetBatchDocs: 1 };
    const asked = await start([], { version, parameters, costs: { deleteMicros: 3_000_000 } });
    const at = (ms: number) => new Date(EPOCH_MS + 60_001 - HOUR_MS + ms);
    await asked.ok('n1', { insert: 'c', documents: [{ _id: at(0) }, { _id: at(1500) }] });
    await asked.pass(70_000);
    expect(await asked.documents('n1', 'c')).toHaveLength(2 - gone);
  });
});

describe('what changes meanwhile', () => {
  const costs = { deleteMicros: 1_000_000 };
  const slow = { parameters: { batchedDeletesTargetBatchDocs: 1, ttlIndexDeleteTargetTimeMS: 0 }, costs };

  test('a visit under way keeps the limit it began with, "off" or not', async () => {
    const asked = await start([61, 62, 63], slow);
    await asked.until(() => asked.now('n1', { count: 'c' }, 'app').n === 2);
    await asked.ok('n1', { collMod: 'c', expireAfterSeconds: 'off' });
    await asked.pass(10_000);
    expect(await minutesOf(asked)).toEqual([]);
    await asked.ok('n1', { insert: 'c', documents: [{ _id: new Date(0), minute: -1 }] });
    await asked.pass(130_000);
    expect(await minutesOf(asked)).toEqual([-1]);
  });

  test('a document that was deleted and came again young stays', async () => {
    const asked = await start([61, 62], slow);
    const kept = new Date(EPOCH_MS - 61 * 60_000);
    await asked.until(() => asked.now('n1', { count: 'c' }, 'app').n === 1);
    await asked.ok('n1', { delete: 'c', deletes: [{ q: { _id: kept }, limit: 1 }] });
    await asked.ok('n1', { insert: 'c', documents: [{ _id: new Date(EPOCH_MS), minute: 0 }] });
    await asked.pass(10_000);
    expect(await minutesOf(asked)).toEqual([0]);
  });

  test('a collection that is dropped under its visit ends it without a word; one of the same name is another', async () => {
    const asked = await start([61, 62, 63], slow);
    await asked.until(() => asked.now('n1', { count: 'c' }, 'app').n === 2);
    await asked.ok('n1', { drop: 'c' });
    await asked.ok('n1', { create: 'c', clusteredIndex });
    await asked.ok('n1', { insert: 'c', documents: [{ _id: new Date(0), minute: 1 }] });
    await asked.pass(200_000);
    expect(await minutesOf(asked)).toEqual([1]);
    const lines: string[] = asked.now('n1', { getLog: 'global' }).log;
    expect(lines.filter((line) => line.includes('"id":5400703'))).toEqual([]);
    expect(asked.now('n1', { serverStatus: 1 }).metrics.ttl.deletedDocuments).toBe(0);
  });

  test('a new name changes nothing, not even that of another database', async () => {
    const asked = await start([61]);
    await asked.ok('n1', { renameCollection: 'app.c', to: 'app.d' }, 'admin');
    await asked.pass(62_000);
    expect(await minutesOf(asked, 'd')).toEqual([]);
    await asked.ok('n1', { renameCollection: 'app.d', to: 'other.d' }, 'admin');
    await asked.ok('n1', { insert: 'd', documents: [{ _id: new Date(0) }] }, 'other');
    await asked.pass(62_000);
    expect(await asked.documents('n1', 'd', 'other')).toEqual([]);
  });
});

test.for([
  ['8.0', 0],
  ['8.2', 1],
] as const)('%s: a collection in local expires on a secondary too, unreplicated: %i left', async ([version, left]) => {
  const asked = await AskedSet.start(3, { version });
  const secondary = asked.set.memberNames.find((name) => name !== asked.primary)!;
  const writeConcern = { w: 1 };
  await asked.ok(secondary, { create: 'c', clusteredIndex, expireAfterSeconds: 60, writeConcern }, 'local');
  const documents = [{ _id: new Date(EPOCH_MS - HOUR_MS) }];
  await asked.ok(secondary, { insert: 'c', documents, writeConcern }, 'local');
  await asked.pass(65_000);
  expect(await asked.documents(secondary, 'c', 'local')).toHaveLength(left);
});

const ID = encodeName('_id');
const idOf = (_id: unknown) => findField(encodeDocument({ _id }), ID)!;
const byId = (a: Doc, b: Doc) => compareValues(idOf(a._id), idOf(b._id));

test('through crashes and restarts a clustered collection holds what was acknowledged, in order, and expires it', async () => {
  const anyId = fc.oneof(
    fc.integer({ min: 0, max: 6 }),
    fc.constantFrom('a', 'b', null),
    // From two hours before the start to ten minutes after.
    fc.integer({ min: -120, max: 10 }).map((minutes) => new Date(EPOCH_MS + minutes * 60_000)),
  );
  const anyStep = fc.record({
    op: fc.constantFrom('insert', 'insert', 'delete', 'range', 'crash', 'pass'),
    _id: anyId,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
      const asked = await start([], { parameters: { ttlMonitorSleepSecs: 5 } });
      const writeConcern = { w: 1, j: true };
      let model: Doc[] = [];
      const expire = () => {
        const limit = asked.set.nowMicros / 1000 + EPOCH_MS - HOUR_MS;
        // A pass every five seconds: what has been due for longer is gone, what has not may be.
        return (earlyMs: number) =>
          model.filter(({ _id }) => !(_id instanceof Date && +_id >= 0 && +_id <= limit - earlyMs));
      };
      for (const { op, _id } of steps) {
        if (op === 'insert') {
          const reply = await asked.run('n1', { insert: 'c', documents: [{ _id }], writeConcern });
          if (reply.n === 1) model = [...model.filter((each) => byId(each, { _id }) !== 0), { _id }].sort(byId);
          else expect(reply.writeErrors).toMatchObject([{ code: 11000 }]);
        } else if (op === 'delete') {
          await asked.ok('n1', { delete: 'c', deletes: [{ q: { _id }, limit: 1 }], writeConcern });
          model = model.filter((each) => byId(each, { _id }) !== 0);
        } else if (op === 'crash') {
          asked.set.kill('n1');
          asked.set.start('n1');
          await asked.until(() => asked.primaryIfAny() !== undefined);
        } else await asked.pass(op === 'pass' ? 12_000 : 10);
        const command = { find: 'c', ...(op === 'range' && { filter: { _id: { $gte: _id } } }) };
        const found: Doc[] = (await asked.ok('n1', command)).cursor.firstBatch;
        const left = expire();
        const wanted = (documents: Doc[]) =>
          documents.filter((each) => op !== 'range' || (sameType(each._id, _id) && byId(each, { _id }) >= 0));
        const seen = new Set(found.map((each) => JSON.stringify(each)));
        expect(found).toEqual(wanted(model).filter((each) => seen.has(JSON.stringify(each))));
        // At most what is due is missing; what has been due through a whole interval and its pass is missing.
        expect(wanted(left(0)).filter((each) => !seen.has(JSON.stringify(each)))).toEqual([]);
        if (op === 'pass') expect(found).toEqual(wanted(left(6_000)).filter((each) => seen.has(JSON.stringify(each))));
        if (op === 'pass') model = model.filter((each) => seen.has(JSON.stringify(each)));
      }
    }),
    { seed: 3, numRuns: 15 },
  );
});

function sameType(a: unknown, b: unknown): boolean {
  return a instanceof Date
    ? b instanceof Date
    : typeof a === typeof b && (a === null) === (b === null) && !(b instanceof Date);
}
