import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

/**
 * What stands before the message of an error that a plan meets while it runs, by release. Public reports show each: for example
 * growilabs/growi pull 8987 and rd13/jsperf.app pull 58 (aggregations before 8.0), powersync-ja/powersync-service,
 * modules/module-mongodb (8.0), materialsproject/api issue 590 and Automattic/mongoose issue 10177 (finds before 7.0),
 * adrianhajdin/threads issue 99 (findAndModify), percona/percona-link-mongodb tests (getMore).
 * Upstream: find_cmd.cpp, run_aggregate.cpp, getmore_cmd.cpp, write_ops_exec.cpp, plan_executor.cpp.
 */
const NEW_FIND = 'Executor error during find command: app.c :: caused by :: ';
const OLD_FIND = 'Executor error during find command :: caused by :: ';
const OLD_AGGREGATE = 'PlanExecutor error during aggregation :: caused by :: ';
const NEW_AGGREGATE = 'Executor error during aggregate command on namespace: app.c :: caused by :: ';
const SIZE = 'The argument to $size must be an array, but was of type: missing';
const DUPLICATE = 'E11000 duplicate key error collection: app.c index: u_1 dup key: { u: "x" }';

const aggregate = (...pipeline: Doc[]) => ({ aggregate: 'c', pipeline, cursor: {} });
const LATE = { find: 'c', filter: { $expr: { $gt: [{ $size: '$list' }, 0] } }, sort: { _id: 1 }, batchSize: 1 };

type Version = '8.2' | '8.0' | '7.0' | '6.0' | '4.4';
async function started(version: Version): Promise<AskedSet> {
  const asked = await AskedSet.start(1, { version });
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { u: 1 }, name: 'u_1', unique: true, sparse: true }] });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, u: 'x', list: [1] }, { _id: 2 }] });
  await asked.ok('n1', { create: 'v', viewOn: 'c', pipeline: [] });
  return asked;
}

async function refusal(asked: AskedSet, command: Doc): Promise<[code: number, errmsg: string]> {
  const reply = await asked.run('n1', command);
  const error = reply.writeErrors?.[0] ?? reply;
  return [error.code, error.errmsg];
}

describe.for<[Version, find: string, aggregate: string, update: string]>([
  ['8.2', NEW_FIND, NEW_AGGREGATE, 'Plan executor error during update :: caused by :: '],
  ['8.0', NEW_FIND, NEW_AGGREGATE, ''],
  ['7.0', NEW_FIND, OLD_AGGREGATE, ''],
  ['6.0', OLD_FIND, OLD_AGGREGATE, ''],
  ['4.4', OLD_FIND, OLD_AGGREGATE, ''],
])('%s', ([version, find, aggregation, update]) => {
  test('what a plan meets while it runs', async () => {
    const asked = await started(version);
    const where = { q: { _id: 2 }, u: { $set: { u: 'x' } } };
    expect(await refusal(asked, { ...LATE, batchSize: 2 })).toEqual([17124, find + SIZE]);
    expect(await refusal(asked, aggregate({ $project: { n: { $size: '$list' } } }))).toEqual([
      17124,
      aggregation + SIZE,
    ]);
    const { cursor } = await asked.ok('n1', LATE);
    const getMore = { getMore: Long.fromBigInt(BigInt(cursor.id)), collection: 'c' };
    expect(await refusal(asked, getMore)).toEqual([17124, `Executor error during getMore :: caused by :: ${SIZE}`]);
    expect(await refusal(asked, { update: 'c', updates: [where] })).toEqual([11000, update + DUPLICATE]);
    expect(await refusal(asked, { findAndModify: 'c', query: where.q, update: where.u })).toEqual([
      11000,
      `Plan executor error during findAndModify :: caused by :: ${DUPLICATE}`,
    ]);
    expect(await refusal(asked, { distinct: 'c', key: 'a', query: LATE.filter })).toEqual([
      17124,
      find.replace('find', 'distinct') + SIZE,
    ]);
    await asked.set.close();
  });

  // Public: unrecognized time zones, seen of 7.0 and 8.0 by an adapter's tests; a survey of 8.2.11 of what is computed ahead.
  test('what says the same of each document is computed before there is one, and says so', async () => {
    const asked = await started(version);
    const zero = "Failed to optimize pipeline :: caused by :: can't $divide by zero";
    const divide = { $divide: [1, 0] };
    for (const stage of [
      { $project: { a: divide } },
      { $addFields: { a: { b: { $add: ['$_id', divide] } } } },
      { $set: { a: [divide] } },
      { $replaceRoot: { newRoot: { a: divide } } },
      { $replaceWith: { a: divide } },
      { $group: { _id: divide } },
      { $group: { _id: null, a: { $sum: divide } } },
      { $project: { a: { $cond: [true, divide, 1] } } },
      { $project: { a: { $divide: ['$$x', 0] } } },
    ]) {
      expect(await refusal(asked, { ...aggregate(stage), let: { x: 1 } }), JSON.stringify(stage)).toEqual([2, zero]);
      expect(await refusal(asked, { ...aggregate({ $limit: 1 }, stage), let: { x: 1 } })).toEqual([2, zero]);
      expect(await refusal(asked, { ...aggregate(stage), aggregate: 'nope', let: { x: 1 } })).toEqual([2, zero]);
    }
    const zone = { $dateToString: { date: '$$NOW', timezone: 'Mars/Olympus' } };
    const noZone = 'Failed to optimize pipeline :: caused by :: unrecognized time zone identifier: "Mars/Olympus"';
    expect(await refusal(asked, aggregate({ $project: { a: zone } }))).toEqual([40485, noZone]);
    const filter =
      "Failed to optimize pipeline :: caused by :: Failed to optimize expression :: caused by :: can't $divide by zero";
    expect(await refusal(asked, aggregate({ $match: { $or: [{ $expr: divide }] } }))).toEqual([2, filter]);
    await asked.set.close();
  });

  test('what needs a document, chance or a bound variable, or may never be needed, is not', async () => {
    const asked = await started(version);
    const byZero = (a: unknown) => ({ $divide: [a, 0] });
    for (const a of [
      byZero('$_id'),
      { $map: { input: [1], in: byZero('$$this') } },
      { $map: { input: ['$_id'], as: 'x', in: byZero('$$x') } },
    ]) {
      expect(await refusal(asked, aggregate({ $project: { a } }))).toEqual([2, `${aggregation}can't $divide by zero`]);
    }
    for (const a of [{ $cond: ['$_id', 1, byZero(1)] }, { $literal: byZero(1) }, { $or: ['$_id', byZero(1)] }]) {
      await asked.ok('n1', aggregate({ $project: { a } }));
    }
    await asked.set.close();
  });

  test('what is refused before it runs says nothing of a plan', async () => {
    const asked = await started(version);
    for (const [command, message] of [
      [
        aggregate({ $project: { a: { $size: ['$a', 1] } } }),
        /^(Invalid \$project :: caused by :: )?Expression \$size takes exactly 1 arguments\. 2 were/,
      ],
      [
        aggregate({ $facet: { a: [{ $project: { a: { $size: ['$a', 1] } } }] } }),
        /^(Invalid \$project :: caused by :: )?Expression \$size takes exactly/,
      ],
      [
        aggregate({ $lookup: { from: 'c', as: 'a', pipeline: [{ $limit: 'x' }] } }),
        /^invalid argument to \$limit stage/,
      ],
      [{ find: 'c', filter: { a: { $nope: 1 } } }, /^unknown operator/],
      [{ update: 'c', updates: [{ q: {}, u: { $inc: { a: 'x' } } }] }, /^Cannot increment/],
      [{ find: 'c', hint: 'nope' }, /^planner returned error/],
      [{ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, hint: 'nope' }] }, /^planner returned error/],
      [{ findAndModify: 'c', query: {}, remove: true, hint: 'nope' }, /^planner returned error/],
    ] as const) {
      const [, errmsg] = await refusal(asked, command);
      expect(errmsg).toMatch(message);
    }
    await asked.set.close();
  });
});

test('views are read by aggregations, whoever reads them, and streams are aggregations', async () => {
  const asked = await started('8.0');
  const view = NEW_AGGREGATE.replace('app.c', 'app.v');
  expect(await refusal(asked, { ...LATE, find: 'v', batchSize: 2 })).toEqual([17124, view + SIZE]);
  expect(await refusal(asked, { distinct: 'v', key: 'a', query: LATE.filter })).toEqual([17124, view + SIZE]);
  const { cursor } = await asked.ok('n1', aggregate({ $changeStream: {} }));
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 3 }] });
  const next = await asked.ok('n1', { getMore: Long.fromBigInt(BigInt(cursor.id)), collection: 'c' });
  const [{ _id: token }] = next.cursor.nextBatch;
  // The token of an event that this stream does not have.
  await asked.ok('n1', { create: 'd' });
  const elsewhere = { aggregate: 'd', pipeline: [{ $changeStream: { resumeAfter: token } }], cursor: {} };
  expect(await refusal(asked, elsewhere)).toEqual([
    280,
    expect.stringMatching(
      /^Executor error during aggregate command on namespace: app\.d :: caused by :: cannot resume stream/,
    ),
  ]);
  await asked.set.close();
});

test('an operation that runs out of time says where', async () => {
  const asked = await started('8.0');
  await asked.ok('n1', { insert: 'big', documents: Array.from({ length: 20_000 }, (_, _id) => ({ _id })) });
  const reply = await asked.run('n1', { find: 'big', filter: { a: 1 }, maxTimeMS: 1 });
  expect(reply).toMatchObject({ code: 50 });
  expect(reply.errmsg).toBe(`${NEW_FIND.replace('app.c', 'app.big')}operation exceeded time limit`);
  await asked.set.close();
});
