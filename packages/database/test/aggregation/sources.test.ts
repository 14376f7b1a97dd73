import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...[1, 2, 3].map((_id) => ({ _id, k: _id % 2 })));
});

const aggregate = (pipeline: object[], collection = 'c'): Doc[] =>
  member.ok({ aggregate: collection, pipeline, cursor: {} }).cursor.firstBatch;

test('$collStats', () => {
  const [stats] = aggregate([{ $collStats: { latencyStats: { histograms: true }, count: {}, storageStats: {} } }]);
  expect(stats).toMatchObject({ ns: 'app.c', count: 3, storageStats: { count: 3 } });
  expect(stats!.latencyStats.reads).toEqual({ histogram: [], latency: 0, ops: 0 });
  expect(member.run({ aggregate: 'c', pipeline: [{ $collStats: { nope: 1 } }], cursor: {} }).code).toBe(40415);
  expect(member.run({ aggregate: 'c', pipeline: [{ $collStats: 5 }], cursor: {} }).code).toBe(5447000);
  for (const count of [5, { a: 1 }])
    expect(member.run({ aggregate: 'c', pipeline: [{ $collStats: { count } }], cursor: {} }).code).toBe(40480);
});

test.for<[spec: object, collection: string, code: number | undefined]>([
  [{ count: {} }, 'nope', 26],
  [{ storageStats: {}, count: {} }, 'nope', 26],
  [{ storageStats: {} }, 'nope', undefined],
  [{ latencyStats: {} }, 'nope', undefined],
  [{ count: {} }, 'c', undefined],
  [{ count: {} }, 'series', undefined],
  [{ latencyStats: {} }, 'view', undefined],
  [{ latencyStats: { histograms: true } }, 'view', undefined],
  [{ latencyStats: {}, count: {} }, 'view', 166],
  [{ count: {} }, 'view', 166],
  [{ storageStats: {} }, 'view', 166],
  [{ queryExecStats: {} }, 'view', 166],
])('collStats stage %j of %s', ([spec, collection, code]) => {
  member.ok({ create: 'view', viewOn: 'c', pipeline: [] });
  member.ok({ create: 'series', timeseries: { timeField: 't' } });
  expect(member.run({ aggregate: collection, pipeline: [{ $collStats: spec }], cursor: {} }).code).toBe(code);
});

test('a find that brings settings of plans is refused, as they would do nothing', () => {
  expect(member.run({ find: 'c', querySettings: { queryFramework: 'classic' } }).code).toBe(115);
});

test('$planCacheStats has none', () => {
  expect(aggregate([{ $planCacheStats: {} }])).toEqual([]);
  expect(member.run({ aggregate: 'c', pipeline: [{ $planCacheStats: { a: 1 } }], cursor: {} }).code).toBe(9);
});

test('a view is aggregated, counted and looked through for values', () => {
  member.ok({ create: 'odd', viewOn: 'c', pipeline: [{ $match: { k: 1 } }, { $addFields: { twice: { $add: ['$_id', '$_id'] } } }] }); // biome-ignore format: one line
  expect(aggregate([{ $match: { twice: { $gt: 2 } } }, { $group: { _id: 1, n: { $sum: 1 } } }], 'odd')).toEqual([{ _id: 1, n: 1 }]); // biome-ignore format: one line
  expect(aggregate([{ $sort: { _id: -1 } }, { $limit: 1 }], 'odd')).toEqual([{ _id: 3, k: 1, twice: 6 }]);
  expect(member.ok({ count: 'odd' }).n).toBe(2);
  expect(member.ok({ distinct: 'odd', key: 'twice' }).values).toEqual([2, 6]);
  const lookup = { from: 'odd', localField: '_id', foreignField: '_id', as: 'found' };
  expect(aggregate([{ $lookup: lookup }, { $project: { n: { $size: '$found' } } }]).map(({ n }) => n)).toEqual([
    1, 0, 1,
  ]);
});

test('$listSessions is for the collection of sessions alone', () => {
  expect(member.run({ aggregate: 'c', pipeline: [{ $listSessions: {} }], cursor: {} }).code).toBe(73);
});

test.for<[stage: object, code: number | undefined]>([
  [{ $listLocalSessions: 1 }, 14],
  [{ $listLocalSessions: { allUsers: true, users: [{ user: 'u', db: 'd' }] } }, 12],
  [{ $listLocalSessions: { allUsers: true, users: [] } }, undefined],
  [{ $listSessions: 1 }, 14],
  [{ $listSessions: { allUsers: true, users: [{ user: 'u', db: 'd' }] } }, 12],
])('which sessions are listed is said in one way: %j', ([stage, code]) => {
  const [target, db] = '$listSessions' in stage ? ['system.sessions', 'config'] : [1, 'app'];
  expect(member.run({ aggregate: target, pipeline: [stage], cursor: {} }, db as string).code).toBe(code);
});

describe.for([{ $currentOp: {} }, { $listLocalSessions: {} }])('%j', (stage) => {
  const command = { aggregate: 1, pipeline: [stage], cursor: {} };

  test.for(['available', 'majority', 'linearizable', 'snapshot'])('is not read with read concern %s', (level) => {
    expect(member.run({ ...command, readConcern: { level } }, 'admin').code).toBe(72);
  });

  test('is local, whatever the default of the set', () => {
    vi.spyOn(member.defaults, 'readConcern', 'get').mockReturnValue({ level: 'majority', provenance: 'customDefault' });
    for (const more of [{}, { readConcern: {} }, { readConcern: { level: 'local' } }]) {
      expect(member.run({ ...command, ...more }, 'admin')).toMatchObject({ ok: 1 });
    }
    expect(member.readConcerns.map(({ level }) => level)).toEqual(['local', 'local', 'local']);
  });
});

test('there is no $$CLUSTER_TIME where there is no set', () => {
  const project = { $project: { t: '$$CLUSTER_TIME' } };
  expect(member.run({ aggregate: 'c', pipeline: [project], cursor: {} }).code).toBe(17276);
});
