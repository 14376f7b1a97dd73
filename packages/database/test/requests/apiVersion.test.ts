import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1 });
});

const STRICT = { apiVersion: '1', apiStrict: true };
const aggregate = (...pipeline: object[]) => member.run({ aggregate: 'c', pipeline, cursor: {}, ...STRICT });

// Upstream: jstests/core/api/api_version_pipeline_stages.js.
test.for([
  [{ $currentOp: {} }],
  [{ $indexStats: {} }],
  [{ $listLocalSessions: {} }],
  [{ $listSessions: {} }],
  [{ $planCacheStats: {} }],
  [{ $search: {} }],
  [{ $unionWith: { coll: 'd', pipeline: [{ $indexStats: {} }] } }],
  [{ $lookup: { from: 'd', as: 'x', pipeline: [{ $match: {} }, { $facet: { a: [{ $indexStats: {} }] } }] } }],
  [{ $facet: { a: [], b: [{ $indexStats: {} }] } }],
])('%j is not in version 1, in a view neither', (pipeline) => {
  const refused = {
    code: 323,
    errmsg: expect.stringMatching(/^\$\w+ is not allowed with 'apiStrict: true' in API Version 1$/),
  };
  expect(aggregate(...pipeline)).toMatchObject(refused);
  expect(member.run({ create: 'v', viewOn: 'c', pipeline, ...STRICT })).toMatchObject(refused);
});

test.for(['showExpandedEvents', 'showRawUpdateDescription', 'showSystemEvents'])(
  'a change stream may not have %s',
  (name) => {
    for (const value of [true, false]) expect(aggregate({ $changeStream: { [name]: value } }).code).toBe(323);
    expect(aggregate({ $changeStream: { fullDocument: 'default' } }).code).not.toBe(323);
  },
);

test('$collStats may count, as drivers have it do, and nothing else', () => {
  expect(aggregate({ $collStats: { count: {} } }, { $group: { _id: 1, n: { $sum: '$count' } } }).ok).toBe(1);
  expect(aggregate({ $collStats: {} }).ok).toBe(1);
  for (const more of ['latencyStats', 'storageStats', 'queryExecStats']) {
    expect(aggregate({ $collStats: { count: {}, [more]: {} } })).toMatchObject({
      code: 323,
      errmsg: "only the 'count' option to $collStats is supported in API Version 1",
    });
  }
});

test('a pipeline that makes no sense is told so', () => {
  expect(aggregate({ $nope: 1 }).code).toBe(40324);
  expect(member.run({ aggregate: 'c', pipeline: 1, cursor: {}, ...STRICT }).code).toBe(14);
});

test.for([
  [{ find: 'c', showRecordId: true }, 'find.showRecordId'],
  [{ find: 'c', collectionUUID: 1 }, 'find.collectionUUID'],
  [{ find: 'c', tailable: false }, 'find.tailable'],
  [{ create: 'd', capped: true, size: 1000 }, 'create.capped'],
  [{ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', sparse: true }] }, 'createIndexes.indexes.sparse'],
] as const)('%j has a field that may change its meaning', ([command, field]) => {
  expect(member.run({ ...command, ...STRICT })).toMatchObject({
    code: 323,
    errmsg: `BSON field '${field}' is not allowed with apiStrict:true.`,
  });
  expect(member.run({ ...command, apiVersion: '1' }).code).not.toBe(323);
});

describe('the second version, which is for the tests of drivers', () => {
  beforeEach(() => member.parameters.set('acceptApiVersion2', true));

  test.for([
    ['testVersion2', ['2'], []],
    ['testVersions1And2', ['1', '2'], []],
    ['testDeprecationInVersion2', ['1', '2'], ['2']],
    ['testDeprecation', ['1'], ['1']],
    ['testRemoval', ['1'], []],
    ['ping', ['1'], []],
    ['serverStatus', [], []],
  ] as const)('%s', ([name, has, deprecates]) => {
    for (const apiVersion of ['1', '2'] as const) {
      const ok = (more: object) => member.run({ [name]: 1, apiVersion, ...more }).code ?? 0;
      expect(ok({})).toBe(0);
      expect(ok({ apiStrict: true })).toBe((has as readonly string[]).includes(apiVersion) ? 0 : 323);
      expect(ok({ apiDeprecationErrors: true })).toBe((deprecates as readonly string[]).includes(apiVersion) ? 324 : 0);
    }
  });

  test('tells what it was asked', () => {
    const parameters = { apiVersion: '2', apiStrict: true, apiDeprecationErrors: false };
    expect(member.ok({ testVersion2: 1, ...parameters })).toMatchObject(parameters);
  });
});
