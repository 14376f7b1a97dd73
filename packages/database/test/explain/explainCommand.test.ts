import { VERSIONS } from '@replsim/protocol';
import { Long, ObjectId, Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

const START_MS = 1_735_689_600_000;
const at = (secs: number) => new Date(START_MS + secs * 1000);

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...Array.from({ length: 10 }, (_, _id) => ({ _id, at: at(_id), user: _id % 2 })));
  index({ at: 1 }, { name: 'ttl', expireAfterSeconds: 3600 });
});

function index(key: object, more: object = {}): void {
  const name = Object.entries(key)
    .map(([path, direction]) => `${path}_${direction}`)
    .join('_');
  member.ok({ createIndexes: 'c', indexes: [{ key, name, ...more }] });
}

const explain = (command: object, verbosity = 'executionStats'): Doc => member.ok({ explain: command, verbosity });
const planOf = (command: object): Doc => explain(command, 'queryPlanner').queryPlanner.winningPlan;
/** The names of a plan's stages, the last on top first. */
const stagesOf = (plan: Doc): string[] => [plan.stage, ...(plan.inputStage ? stagesOf(plan.inputStage) : [])];
const scanOf = (plan: Doc): Doc => (plan.inputStage ? scanOf(plan.inputStage) : plan);
const totals = ({ executionStats: { nReturned, totalKeysExamined, totalDocsExamined } }: Doc) => [
  nReturned,
  totalKeysExamined,
  totalDocsExamined,
];

describe('find', () => {
  test('a list of many values is looked up value by value, not by a walk through the whole index', () => {
    member.insert('many', ...Array.from({ length: 5000 }, (_, _id) => ({ _id })));
    const $in = Array.from({ length: 1200 }, (_, i) => 4 * i);
    const [found, keys] = totals(explain({ find: 'many', filter: { _id: { $in } } }));
    expect(found).toBe(1200);
    expect(keys).toBeLessThan(2 * 1200 + 2);
  });

  test('the TTL index serves a range: bounds as mongod writes them, and counts', () => {
    const reply = explain({ find: 'c', filter: { at: { $gte: at(3), $lt: at(7) } } });
    expect(reply).toMatchObject({
      explainVersion: '1',
      queryPlanner: {
        namespace: 'app.c',
        parsedQuery: { $and: [{ at: { $lt: at(7) } }, { at: { $gte: at(3) } }] },
        indexFilterSet: false,
        winningPlan: {
          isCached: false,
          stage: 'FETCH',
          inputStage: {
            stage: 'IXSCAN',
            keyPattern: { at: 1 },
            indexName: 'ttl',
            isMultiKey: false,
            multiKeyPaths: { at: [] },
            isUnique: false,
            isSparse: false,
            isPartial: false,
            indexVersion: 2,
            direction: 'forward',
            indexBounds: { at: ['[new Date(1735689603000), new Date(1735689607000))'] },
          },
        },
        rejectedPlans: [],
      },
      executionStats: {
        executionSuccess: true,
        executionStages: { nReturned: 4, works: 5, advanced: 4, needTime: 0, isEOF: 1, docsExamined: 4 },
      },
      command: { find: 'c', $db: 'app' },
      serverInfo: { host: 'n1', port: 27017, version: '8.0.15' },
      ok: 1,
    });
    expect(totals(reply)).toEqual([4, 4, 4]);
    expect(scanOf(reply.executionStats.executionStages)).toMatchObject({ keysExamined: 4, seeks: 1, dupsTested: 0 });
  });

  // Source: interval.cpp and bsonelement.cpp, toString.
  test.for([
    [{ $gt: at(3) }, ['(new Date(1735689603000), new Date(9223372036854775807)]']],
    [{ $lte: at(3) }, ['[new Date(-9223372036854775808), new Date(1735689603000)]']],
    [{ $lt: 5.5 }, ['[-inf.0, 5.5)']],
    [{ $gte: 5 }, ['[5, inf.0]']],
    [{ $gt: 'a' }, ['("a", {})']],
    [{ $lt: 'a' }, ['["", "a")']],
    [{ $gt: true }, []],
    [{ $gte: false }, ['[false, true]']],
    [{ $gt: new Timestamp({ t: 5, i: 1 }) }, ['(Timestamp(5, 1), Timestamp(4294967295, 4294967295)]']],
    [{ $lt: new ObjectId('5'.repeat(24)) }, [`[ObjectId('${'0'.repeat(24)}'), ObjectId('${'5'.repeat(24)}'))`]],
    [{ $in: [3, 1, 3] }, ['[1, 1]', '[3, 3]']],
    [null, ['[undefined, undefined]', '[null, null]']],
    [{ $exists: false }, ['[undefined, undefined]', '[null, null]']],
    [{ $exists: true }, ['[MinKey, MaxKey]']],
    [Long.fromNumber(7), ['[7, 7]']],
    [/^ab/, ['["ab", "ac")', '[/^ab/, /^ab/]']],
    [/b/i, ['["", {})', '[/b/i, /b/i]']],
    [{ $gt: 1, $gte: 2, $lt: 9 }, ['[2, 9)']],
    [{ $gt: 5, $lt: 3 }, []],
    [{ x: 1 }, ['[{ x: 1 }, { x: 1 }]']],
  ] as const)('%o has the bounds %o', ([condition, bounds]) => {
    expect(scanOf(planOf({ find: 'c', filter: { at: condition } })).indexBounds).toEqual({ at: bounds });
  });

  test('a part that descends, or an index walked backwards, turns the bounds round', () => {
    index({ user: -1, at: -1 });
    const filter = { user: { $in: [0, 1] }, at: { $gt: at(2) } };
    expect(scanOf(planOf({ find: 'c', filter })).indexBounds).toEqual({
      user: ['[1, 1]', '[0, 0]'],
      at: ['[new Date(9223372036854775807), new Date(1735689602000))'],
    });
    const backwards = scanOf(planOf({ find: 'c', filter: { user: 1, at: { $gt: at(2) } }, sort: { at: 1 } }));
    expect(backwards).toMatchObject({
      direction: 'backward',
      indexBounds: { user: ['[1, 1]'], at: ['(new Date(1735689602000), new Date(9223372036854775807)]'] },
    });
  });

  test.for([
    [{ sort: { at: 1 } }, ['FETCH', 'IXSCAN'], 'forward'],
    [{ sort: { at: -1 } }, ['FETCH', 'IXSCAN'], 'backward'],
    [{ sort: { at: -1 }, limit: 3 }, ['LIMIT', 'FETCH', 'IXSCAN'], 'backward'],
    [{ sort: { at: 1, user: 1 } }, ['SORT', 'COLLSCAN'], 'forward'],
    [{ sort: { user: 1 }, limit: 3, skip: 1 }, ['SKIP', 'SORT', 'COLLSCAN'], 'forward'],
    [{ sort: { $natural: -1 } }, ['COLLSCAN'], 'backward'],
    [{ hint: { $natural: -1 } }, ['COLLSCAN'], 'backward'],
    [{ hint: 'ttl' }, ['FETCH', 'IXSCAN'], 'forward'],
    [{ hint: { at: 1 }, sort: { user: 1 } }, ['SORT', 'FETCH', 'IXSCAN'], 'forward'],
    [{ filter: { user: 1 }, projection: { user: 1 } }, ['PROJECTION_SIMPLE', 'COLLSCAN'], 'forward'],
    [{ projection: { 'at.x': 1 } }, ['PROJECTION_DEFAULT', 'COLLSCAN'], 'forward'],
  ] as const)('%o is carried out as %o %s', ([more, stages, direction]) => {
    const plan = planOf({ find: 'c', ...more });
    expect(stagesOf(plan)).toEqual(stages);
    expect(scanOf(plan).direction).toBe(direction);
  });

  test('documents are not fetched where keys hold what is shown; a missing field has to be looked for', () => {
    const covered = { find: 'c', filter: { at: { $gte: at(8) } }, projection: { _id: 0, at: 1 } };
    const reply = explain(covered);
    expect(stagesOf(reply.queryPlanner.winningPlan)).toEqual(['PROJECTION_COVERED', 'IXSCAN']);
    expect(totals(reply)).toEqual([2, 2, 0]);
    expect(member.ok(covered).cursor.firstBatch).toEqual([{ at: at(8) }, { at: at(9) }]);
    const all = { find: 'c', hint: 'ttl', projection: { _id: 0, at: 1 } };
    expect(stagesOf(planOf(all))).toEqual(['PROJECTION_SIMPLE', 'FETCH', 'IXSCAN']);
  });

  test('equality on _id goes round the planner: EXPRESS_IXSCAN from 8.0 on, IDHACK before', () => {
    const byId = { find: 'c', filter: { _id: 5 } };
    const express = { isCached: false, stage: 'EXPRESS_IXSCAN', keyPattern: '{ _id: 1 }', indexName: '_id_' };
    expect(planOf(byId)).toEqual(express);
    expect(totals(explain(byId))).toEqual([1, 1, 1]);
    member.traits = VERSIONS['7.0'];
    expect(planOf(byId)).toEqual({ stage: 'IDHACK' });
  });

  test('of several indexes the one with more single values wins, the others are shown', () => {
    index({ user: 1 });
    index({ user: 1, at: 1 });
    const { queryPlanner } = explain({ find: 'c', filter: { user: 1, at: { $gt: at(5) } } }, 'allPlansExecution');
    expect(scanOf(queryPlanner.winningPlan).indexName).toBe('user_1_at_1');
    expect(queryPlanner.rejectedPlans.map((plan: Doc) => scanOf(plan).indexName)).toEqual(['user_1', 'ttl']);
    expect(queryPlanner.rejectedPlans[0].filter).toEqual({ at: { $gt: at(5) } });
  });

  test('bounds behind a range choose among its keys', () => {
    index({ at: 1, user: 1 });
    const reply = explain({ find: 'c', filter: { at: { $gte: at(2) }, user: 1 }, hint: 'at_1_user_1' });
    expect(scanOf(reply.queryPlanner.winningPlan).indexBounds.user).toEqual(['[1, 1]']);
    expect(totals(reply)).toEqual([4, 8, 4]);
  });

  test('a multikey index takes one of two limits, and meets a document once', () => {
    member.insert('c', { _id: 'tags', at: [at(1), at(20)] });
    const reply = explain({ find: 'c', filter: { at: { $gt: at(0), $lt: at(30) } } });
    const scan = scanOf(reply.executionStats.executionStages);
    expect(scan).toMatchObject({ isMultiKey: true, multiKeyPaths: { at: ['at'] }, dupsDropped: 1 });
    expect(reply.queryPlanner.winningPlan.filter).toEqual({ at: { $gt: at(0) } });
    expect(reply.executionStats.nReturned).toBe(10);
  });

  test('no index is used that may not hold every match, or that is hidden', () => {
    index({ user: 1 }, { sparse: true });
    index({ at: -1 }, { name: 'old', partialFilterExpression: { at: { $lt: at(5) } } });
    const nameFor = (filter: object) => scanOf(planOf({ find: 'c', filter })).indexName;
    expect(nameFor({ user: 1 })).toBe('user_1');
    expect(nameFor({ user: null })).toBeUndefined();
    member.ok({ collMod: 'c', index: { name: 'ttl', hidden: true } });
    expect(nameFor({ at: { $lt: at(4) } })).toBe('old');
    expect(nameFor({ at: { $lt: at(6) } })).toBeUndefined();
    expect(member.run({ explain: { find: 'c', hint: 'ttl' } }).code).toBe(2);
  });

  test('min and max are limits and no bounds', () => {
    const limits = { find: 'c', hint: 'ttl', min: { at: at(2) }, max: { at: at(5) } };
    const reply = explain(limits);
    expect(scanOf(reply.queryPlanner.winningPlan).indexBounds).toEqual({});
    expect(totals(reply)).toEqual([3, 3, 3]);
    expect(member.ok({ ...limits, returnKey: true }).cursor.firstBatch[0]).toEqual({ at: at(2) });
    expect(member.ok({ ...limits, showRecordId: true, projection: { _id: 1 } }).cursor.firstBatch[0]).toEqual({
      _id: 2,
      $recordId: 3,
    });
  });

  test('what is not there, and who asks wrongly', () => {
    expect(planOf({ find: 'nope', filter: { a: 1 } })).toEqual({ isCached: false, stage: 'EOF' });
    expect(totals(explain({ find: 'nope' }))).toEqual([0, 0, 0]);
    const code = (command: object) => member.run(command).code;
    expect(code({ explain: { find: 'c' }, verbosity: 'loud' })).toBe(9);
    expect(code({ explain: { insert: 'c', documents: [{}] } })).toBe(20);
    expect(code({ explain: { ping: 1 } })).toBe(20);
    expect(code({ explain: { fnid: 'c' } })).toBe(59);
    expect(code({ explain: { find: 'c', hint: 'nope' } })).toBe(2);
    expect(code({ explain: { find: 'c', filter: { $nope: 1 } } })).toBe(2);
    expect(code({ explain: { find: 'c', nope: 1 } })).toBe(40415);
    expect(code({ explain: 5 })).toBe(14);
  });

  test('of an old release, without the fields that are new', () => {
    member.traits = VERSIONS['3.2'];
    const reply = explain({ find: 'c', filter: { at: at(1) } });
    expect(Object.keys(reply)).not.toContain('explainVersion');
    expect(reply.queryPlanner.plannerVersion).toBe(1);
    expect(stagesOf(reply.queryPlanner.winningPlan)).toEqual(['FETCH', 'IXSCAN']);
  });
});

describe('other commands', () => {
  test('count', () => {
    expect(planOf({ count: 'c' })).toEqual({ isCached: false, stage: 'RECORD_STORE_FAST_COUNT' });
    const reply = explain({ count: 'c', query: { at: { $gt: at(3) } }, skip: 2, limit: 3 });
    expect(reply.executionStats.executionStages).toMatchObject({ stage: 'COUNT', nCounted: 3, nSkipped: 2 });
    expect(scanOf(reply.queryPlanner.winningPlan)).toMatchObject({
      stage: 'COUNT_SCAN',
      indexBounds: { startKey: { at: at(3) }, startKeyInclusive: false, endKeyInclusive: true },
    });
    expect(totals(reply)).toEqual([0, 5, 0]);
    expect(stagesOf(planOf({ count: 'c', query: { user: 1 } }))).toEqual(['COUNT', 'COLLSCAN']);
  });

  test('distinct', () => {
    expect(totals(explain({ distinct: 'c', key: 'user', query: { at: { $gt: at(5) } } }))).toEqual([4, 4, 4]);
  });

  test('writes change nothing and tell what they would', () => {
    const before = member.writes.log.length;
    const execution = (command: object): Doc => explain(command).executionStats.executionStages;
    const q = { at: { $lt: at(4) } };
    expect(execution({ delete: 'c', deletes: [{ q, limit: 0 }] })).toMatchObject({
      stage: 'BATCHED_DELETE',
      nWouldDelete: 4,
    });
    expect(execution({ delete: 'c', deletes: [{ q, limit: 1 }] })).toMatchObject({ stage: 'DELETE', nWouldDelete: 1 });
    expect(execution({ update: 'c', updates: [{ q, u: { $set: { user: 1 } }, multi: true }] })).toMatchObject({
      stage: 'UPDATE',
      nMatched: 4,
      nWouldModify: 2,
      nWouldUpsert: 0,
      inputStage: { stage: 'FETCH' },
    });
    expect(
      execution({ update: 'c', updates: [{ q: { user: 9 }, u: { $set: { x: 1 } }, upsert: true }] }),
    ).toMatchObject({
      nMatched: 0,
      nWouldUpsert: 1,
    });
    expect(execution({ findAndModify: 'c', query: q, sort: { at: -1 }, remove: true })).toMatchObject({
      stage: 'DELETE',
      inputStage: { stage: 'FETCH', inputStage: { direction: 'backward' } },
    });
    expect(planOf({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }).stage).toBe('EXPRESS_DELETE');
    expect(member.writes.log).toHaveLength(before);
    expect(member.engine.collection('app.c')!.count).toBe(10);
    expect(member.run({ explain: { delete: 'c', deletes: [] } }).code).toBe(16);
  });

  test('aggregate: a query is shown as one, other stages behind it', () => {
    const command = (...pipeline: object[]) => ({ aggregate: 'c', pipeline, cursor: {} });
    const front = explain(command({ $match: { at: { $gt: at(3) } } }, { $sort: { at: -1 } }, { $limit: 2 }));
    expect(stagesOf(front.queryPlanner.winningPlan)).toEqual(['LIMIT', 'FETCH', 'IXSCAN']);
    expect(totals(front)).toEqual([2, 2, 2]);
    const { stages } = explain(
      command({ $match: { at: { $gt: at(3) } } }, { $group: { _id: '$user', n: { $sum: 1 } } }),
    );
    expect(stages[0].$cursor.executionStats.totalKeysExamined).toBe(6);
    expect(stages.map(({ nReturned }: Doc) => nReturned)).toEqual([6, 2]);
    const asked = member.ok({ aggregate: 'c', pipeline: [{ $match: { _id: 3 } }], explain: true });
    expect(asked.queryPlanner.winningPlan.stage).toBe('EXPRESS_IXSCAN');
  });

  test('an order or a limit at the front of a pipeline is the query’s: it looks no further', () => {
    const before = member.debug.keysExamined;
    const found = member.ok({
      aggregate: 'c',
      pipeline: [{ $sort: { at: -1 } }, { $skip: 1 }, { $limit: 2 }],
      cursor: {},
    });
    expect(found.cursor.firstBatch.map(({ _id }: Doc) => _id)).toEqual([8, 7]);
    expect(member.debug.keysExamined - before).toBe(3);
  });
});

test('$indexStats counts the queries that used an index, explain and the collection scans not among them', () => {
  member.find('c', { at: { $gt: at(3) } });
  member.find('c', {}, { sort: { at: 1 } });
  member.ok({ delete: 'c', deletes: [{ q: { at: at(1) }, limit: 1 }] });
  member.find('c', { user: 1 });
  explain({ find: 'c', filter: { at: at(1) } });
  const stats = member.ok({ aggregate: 'c', pipeline: [{ $indexStats: {} }], cursor: {} }).cursor.firstBatch;
  const ops = Object.fromEntries(stats.map(({ name, accesses }: Doc) => [name, accesses.ops]));
  expect(ops).toEqual({ _id_: 0, ttl: 3 });
});
