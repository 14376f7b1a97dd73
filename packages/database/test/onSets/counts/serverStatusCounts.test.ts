import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';
import { ABSENT, ABSENT_SECTIONS, READ_BY_EXPORTERS, SECTIONS } from './serverStatusFields.ts';

let asked: AskedSet;
afterEach(() => asked.set.close());

function at(document: Doc, path: string): unknown {
  // Names of WiredTiger have no dots in them.
  return path.split('.').reduce<unknown>((value, name) => (value as Doc | undefined)?.[name], document);
}

const isAbsent = (path: string) => Object.keys(ABSENT).some((each) => path === each || path.startsWith(`${each}.`));

describe('what exporters read', () => {
  beforeEach(async () => {
    asked = await AskedSet.start(1);
    await asked.ok('n1', { create: 'c' });
    for (const command of [
      { insert: 'c', documents: [{}] },
      { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] },
      { find: 'c', batchSize: 0 },
      { getMore: 1n, collection: 'c' },
      { aggregate: 'c', pipeline: [], cursor: {} },
      { count: 'c' },
      { distinct: 'c', key: 'a' },
      { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }] },
      { findAndModify: 'c', update: { $set: { a: 1 } } },
      { delete: 'c', deletes: [{ q: {}, limit: 0 }] },
    ])
      await asked.run('n1', command);
  });

  test('each field is there, or is known to be absent and why', () => {
    const status = asked.now('n1', { serverStatus: 1 });
    const missing = READ_BY_EXPORTERS.filter((path) => at(status, path) === undefined);
    expect(missing.filter((path) => !isAbsent(path))).toEqual([]);
    const there = READ_BY_EXPORTERS.filter((path) => isAbsent(path) && at(status, path) !== undefined);
    expect(there).toEqual([]);
  });

  test('the docs say what is absent, and why', () => {
    const page = readFileSync('docs/monitoring.md', 'utf8');
    for (const [path, reason] of Object.entries({ ...ABSENT, ...ABSENT_SECTIONS }))
      expect(page).toContain(`| \`${path}\` | ${reason} |`);
  });

  test('the same run counts the same', async () => {
    const first = asked.now('n1', { serverStatus: 1 });
    await asked.set.close();
    const again = await AskedSet.start(1);
    await again.ok('n1', { create: 'c' });
    asked = again;
    expect(first.metrics.document.inserted).toBe(1);
    expect(again.now('n1', { serverStatus: 1 }).metrics.document.inserted).toBe(0);
  });
});

describe('sections asked for by name', () => {
  beforeEach(async () => {
    asked = await AskedSet.start(1);
  });
  const named = (section: string) => asked.now('n1', { serverStatus: 1, none: 1, [section]: 1 })[section];

  test('each is there, or is known to be absent and why', () => {
    // Locks are there and empty, which is in the other list.
    for (const section of SECTIONS) expect(named(section), section).toEqual(expect.any(Object));
    for (const section of SECTIONS) if (section !== 'locks') expect(named(section), section).not.toEqual({});
    for (const section of Object.keys(ABSENT_SECTIONS)) expect(named(section), section).toBeUndefined();
    const all = asked.now('n1', { serverStatus: 1, all: 1 });
    const sections = Object.keys(all).filter((name) => typeof all[name] === 'object' && !('getTime' in all[name]));
    expect(sections.filter((name) => !SECTIONS.includes(name) && !name.startsWith('$'))).toEqual(['operationTime']);
  });

  test('what the set has for defaults, and which version is in force', async () => {
    expect(named('defaultRWConcern')).toMatchObject({
      defaultReadConcern: { level: 'local' },
      defaultWriteConcern: { w: 'majority', wtimeout: 0 },
      defaultWriteConcernSource: 'implicit',
    });
    await asked.ok('n1', { setDefaultRWConcern: 1, defaultWriteConcern: { w: 1 } }, 'admin');
    expect(named('defaultRWConcern')).toMatchObject({
      defaultWriteConcern: { w: 1 },
      defaultWriteConcernSource: 'global',
    });
    const [major, minor] = String(asked.now('n1', { buildInfo: 1 }).version)
      .split('.')
      .map(Number);
    expect(named('featureCompatibilityVersion')).toEqual({ major, minor, transitioning: 0 });
    const old = await AskedSet.start(1, { version: '4.4' });
    const status = old.now('n1', { serverStatus: 1 });
    expect(status).not.toHaveProperty('featureCompatibilityVersion');
    expect(status).not.toHaveProperty('internalTransactions');
    expect(status.defaultRWConcern).toMatchObject({ defaultReadConcern: { level: 'local' } });
    await old.set.close();
  });
});

describe('metrics', () => {
  beforeEach(async () => {
    asked = await AskedSet.start(3);
    await asked.ok(asked.primary, { create: 'c' });
  });

  /** What some commands add to a part of `metrics`; names in it with nothing to add are left out. */
  async function added(part: string, ...commands: Doc[]): Promise<Doc> {
    const before = at(asked.now(asked.primary, { serverStatus: 1 }).metrics, part) as Doc;
    for (const command of commands) await asked.run(asked.primary, command);
    const after = at(asked.now(asked.primary, { serverStatus: 1 }).metrics, part) as Doc;
    const differences = Object.keys(after).map((name) => [name, Number(after[name]) - Number(before[name])] as const);
    return Object.fromEntries(differences.filter(([, difference]) => difference !== 0));
  }

  const five = { insert: 'c', documents: [1, 2, 3, 4, 5].map((_id) => ({ _id, a: _id % 2 })) };

  test.for<[what: string, commands: Doc[], counts: Doc]>([
    ['inserts', [five], { inserted: 5 }],
    [
      'those before a duplicate alone',
      [{ insert: 'c', documents: [{ _id: 8 }, { _id: 8 }, { _id: 9 }] }],
      { inserted: 1 },
    ],
    ['matches of an update, changed or not', [five, { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] }], { inserted: 5, updated: 5 }], // biome-ignore format: one line
    ['no match for an upsert that inserts', [{ update: 'c', updates: [{ q: { _id: 7 }, u: { $set: { a: 1 } }, upsert: true }] }], {}], // biome-ignore format: one line
    ['deletes of one and of many', [five, { delete: 'c', deletes: [{ q: { a: 1 }, limit: 1 }, { q: {}, limit: 0 }] }], { inserted: 5, deleted: 5 }], // biome-ignore format: one line
    ['findAndModify', [five, { findAndModify: 'c', update: { $inc: { a: 1 } } }, { findAndModify: 'c', remove: true }], { inserted: 5, updated: 1, deleted: 1 }], // biome-ignore format: one line
    ['what find, and what a pipeline returns', [five, { find: 'c', limit: 2 }, { aggregate: 'c', pipeline: [{ $match: { a: 1 } }], cursor: {} }], { inserted: 5, returned: 5 }], // biome-ignore format: one line
  ])('document: %s', async ([, commands, counts]) => {
    expect(await added('document', ...commands)).toEqual(counts);
  });

  test('document: batches of a getMore, and statements of a bulkWrite', async () => {
    await asked.ok(asked.primary, five);
    const before = asked.now(asked.primary, { serverStatus: 1 }).metrics.document;
    const { cursor } = await asked.ok(asked.primary, { find: 'c', batchSize: 2 });
    await asked.ok(asked.primary, { getMore: cursor.id, collection: 'c' });
    const ops = [{ insert: 0, document: { _id: 6 } }, { update: 0, filter: { _id: 6 }, updateMods: { $set: { b: 1 } } }, { delete: 0, filter: { _id: 6 } }]; // biome-ignore format: one line
    await asked.ok(asked.primary, { bulkWrite: 1, ops, nsInfo: [{ ns: 'app.c' }] }, 'admin');
    const { document } = asked.now(asked.primary, { serverStatus: 1 }).metrics;
    expect(document.returned - before.returned).toBe(5 + 3);
    expect(['inserted', 'updated', 'deleted'].map((name) => document[name] - before[name])).toEqual([1, 1, 1]);
  });

  test('document: neither a TTL pass nor what secondaries apply', async () => {
    await asked.ok(asked.primary, {
      createIndexes: 'c',
      indexes: [{ key: { at: 1 }, name: 'at', expireAfterSeconds: 0 }],
    });
    await asked.ok(asked.primary, { insert: 'c', documents: [{ at: new Date(0) }], writeConcern: { w: 3 } });
    await asked.pass(130_000);
    const status = asked.now(asked.primary, { serverStatus: 1 }).metrics;
    expect([status.ttl.deletedDocuments, status.document.deleted, status.document.inserted]).toEqual([1, 0, 1]);
    const secondary = asked.set.memberNames.find((name) => name !== asked.primary)!;
    expect(asked.now(secondary, { serverStatus: 1 }).metrics.document).toMatchObject({ inserted: 0, deleted: 0 });
  });

  test('getLastError: waits, their time, those in vain, and the defaults', async () => {
    const primary = asked.primary;
    const gle = () => asked.now(primary, { serverStatus: 1 }).metrics.getLastError;
    const before = gle();
    const insert = { insert: 'c', documents: [{}] };
    await asked.ok(primary, { ...insert, writeConcern: { w: 1 } });
    expect(gle()).toEqual(before);
    await asked.ok(primary, insert);
    await asked.ok(primary, { ...insert, writeConcern: { w: 3 } });
    expect(gle().wtime.num - before.wtime.num).toBe(2);
    expect(gle().wtime.totalMillis).toBeGreaterThan(before.wtime.totalMillis);
    await asked.run(primary, { ...insert, writeConcern: { w: 9 } });
    for (const name of asked.set.memberNames) if (name !== primary) asked.set.kill(name);
    await asked.run(primary, { ...insert, writeConcern: { w: 3, wtimeout: 700 } });
    const after = gle();
    expect(after.wtimeouts).toBe(1);
    expect(after.default).toEqual({ unsatisfiable: 0, wtimeouts: 0 });
    expect(after.wtime.totalMillis).toBeGreaterThanOrEqual(700);
  });

  test('operation: sorts, and what a time limit ends', async () => {
    expect(await added('operation', five, { find: 'c', sort: { a: 1 } }, { find: 'c', sort: { _id: 1 } })).toEqual({ scanAndOrder: 1 }); // biome-ignore format: one line
    await asked.ok(asked.primary, { configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'alwaysOn' }, 'admin');
    expect(await added('operation', { find: 'c', maxTimeMS: 1000 })).toEqual({ killedDueToMaxTimeMSExpired: 1 });
  });

  test('queryExecutor and queryExecStats: scans of a whole collection, once for each that begins', async () => {
    await asked.ok(asked.primary, { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] });
    const scans = [{ find: 'c', filter: { b: 1 } }, { count: 'c', query: { b: 1 } }, { update: 'c', updates: [{ q: { b: 1 }, u: { $set: { b: 2 } } }] }]; // biome-ignore format: one line
    const looks = [
      { find: 'c', filter: { a: 1 } },
      { find: 'c', filter: { _id: 1 } },
    ];
    await asked.ok(asked.primary, five);
    expect(await added('queryExecutor.collectionScans', ...scans, ...looks)).toEqual({ total: 3, nonTailable: 3 });
    const stats = () => asked.run(asked.primary, { aggregate: 'c', pipeline: [{ $collStats: { queryExecStats: {} } }], cursor: {} }); // biome-ignore format: one line
    expect((await stats()).cursor.firstBatch[0].queryExecStats).toEqual({
      collectionScans: { total: 3, nonTailable: 3 },
    });
    await asked.ok(asked.primary, { create: 'capped', capped: true, size: 4096 });
    await asked.ok(asked.primary, { insert: 'capped', documents: [{}] });
    expect(await added('queryExecutor.collectionScans', { find: 'capped', tailable: true })).toEqual({ total: 1 });
    await asked.ok(asked.primary, { drop: 'c' });
    await asked.ok(asked.primary, { create: 'c' });
    expect((await stats()).cursor.firstBatch[0].queryExecStats).toEqual({
      collectionScans: { total: 0, nonTailable: 0 },
    });
  });

  test('aggStageCounters: stages of pipelines, of those inside them, and of updates', async () => {
    const pipeline = [{ $match: {} }, { $facet: { a: [{ $limit: 1 }], b: [{ $limit: 1 }] } }, { $lookup: { from: 'c', as: 'x', pipeline: [{ $skip: 1 }] } }]; // biome-ignore format: one line
    const update = { update: 'c', updates: [{ q: {}, u: [{ $set: { a: 1 } }] }] };
    expect(await added('aggStageCounters', { aggregate: 'c', pipeline, cursor: {} }, update)).toEqual({ $match: 1, $facet: 1, $limit: 2, $lookup: 1, $skip: 1, $set: 1 }); // biome-ignore format: one line
  });

  test('dotsAndDollarsFields: names with a dot or a dollar', async () => {
    const odd = [{ insert: 'c', documents: [{ 'a.b': 1 }, { x: { $y: 1 } }, { plain: 'a.b $' }] }, { update: 'c', updates: [{ q: { plain: { $exists: true } }, u: { 'c.d': 1 } }] }]; // biome-ignore format: one line
    expect(await added('dotsAndDollarsFields', ...odd)).toEqual({ inserts: 2, updates: 1 });
  });

  test('query: writes by what they are for', async () => {
    const writes = [
      {
        update: 'c',
        updates: [
          { q: {}, u: { $set: { a: 1 } }, multi: true },
          { q: {}, u: { $set: { a: 1 } } },
        ],
      },
      {
        delete: 'c',
        deletes: [
          { q: {}, limit: 0 },
          { q: {}, limit: 1 },
        ],
      },
      { findAndModify: 'c', remove: true },
    ];
    expect(await added('query', ...writes)).toMatchObject({
      updateManyCount: 1,
      updateOneUnshardedCount: 1,
      deleteManyCount: 1,
      deleteOneUnshardedCount: 1,
      findAndModifyUnshardedCount: 1,
    });
  });

  test('cursor.lifespan: how long cursors lived that were kept', async () => {
    await asked.ok(asked.primary, five);
    const open = async () => (await asked.ok(asked.primary, { find: 'c', batchSize: 1 })).cursor.id;
    const [short, long] = [await open(), await open()];
    await asked.ok(asked.primary, { killCursors: 'c', cursors: [short] });
    await asked.pass(20_000);
    await asked.ok(asked.primary, { killCursors: 'c', cursors: [long] });
    const { lifespan } = asked.now(asked.primary, { serverStatus: 1 }).metrics.cursor;
    expect(lifespan).toMatchObject({ lessThan1Second: 1, lessThan30Seconds: 1, lessThan5Seconds: 0 });
  });

  test('a request chooses among the parts', () => {
    const chosen = (metrics: Doc) => asked.now(asked.primary, { serverStatus: 1, metrics });
    const { document, cursor, commands } = chosen({ commands: false, document: true, cursor: { open: false } }).metrics;
    expect([commands, Object.keys(document).length, cursor.open]).toEqual([undefined, 4, undefined]);
    expect(cursor.lifespan).toBeDefined();
    expect(chosen({ document: 5 })).toMatchObject({ ok: 0, code: 22 });
  });
});

describe('sections', () => {
  beforeEach(async () => {
    asked = await AskedSet.start(1);
    await asked.ok('n1', { create: 'c', capped: true, size: 4096 });
    await asked.ok('n1', { create: 'v', viewOn: 'c', pipeline: [] });
    await asked.ok('n1', { create: 'ts', timeseries: { timeField: 't' } });
    await asked.ok('n1', { create: 'cl', clusteredIndex: { key: { _id: 1 }, unique: true } });
  });

  test('catalogStats', () => {
    const { catalogStats } = asked.now('n1', { serverStatus: 1 });
    expect(catalogStats).toMatchObject({ collections: 2, capped: 1, clustered: 1, timeseries: 1, views: 1, internalViews: 0 }); // biome-ignore format: one line
    expect(catalogStats.internalCollections).toBeGreaterThan(3);
  });

  test('indexStats', async () => {
    await asked.ok('n1', { insert: 'd', documents: [{ a: 1 }] });
    await asked.ok('n1', { createIndexes: 'd', indexes: [{ key: { a: 1 }, name: 'a', expireAfterSeconds: 5 }, { key: { a: 1, b: 1 }, name: 'ab', unique: true }, { key: { p: '2dsphere' }, name: 'p' }] }); // biome-ignore format: one line
    await asked.ok('n1', { find: 'd', filter: { a: 1 }, hint: 'a' });
    const { features, count } = asked.now('n1', { serverStatus: 1 }).indexStats;
    expect(count).toBe(5);
    expect(features).toMatchObject({ ttl: { count: 1, accesses: 1 }, single: { count: 2, accesses: 1 }, compound: { count: 1 }, unique: { count: 1 }, '2dsphere': { count: 1 }, id: { count: 2 } }); // biome-ignore format: one line
  });

  test('opLatencies with histograms: each bucket by where it begins, and what is slow in one', async () => {
    await asked.ok('n1', { insert: 'd', documents: [{}] });
    const latencies = (opLatencies: unknown) => asked.now('n1', { serverStatus: 1, opLatencies }).opLatencies.writes;
    expect(Object.keys(latencies(1))).toEqual(['latency', 'ops']);
    const { histogram, ops } = latencies({ histograms: true });
    expect(histogram.reduce((sum: number, { count }: Doc) => sum + count, 0)).toBe(ops);
    await asked.ok('n1', { profile: 0, slowms: 0 }, 'admin');
    expect(latencies({ histograms: true, slowBuckets: true }).histogram).toHaveLength(1);
    const stage = { $collStats: { latencyStats: { histograms: true } } };
    const { cursor } = await asked.ok('n1', { aggregate: 'd', pipeline: [stage], cursor: {} });
    expect(cursor.firstBatch[0].latencyStats).toMatchObject({
      writes: { ops: 1 },
      reads: { ops: 0 },
      transactions: { ops: 0 },
    });
  });

  test('some are there only for those who ask', async () => {
    const names = (command: Doc) => Object.keys(asked.now('n1', { serverStatus: 1, ...command }));
    expect(names({})).not.toContain('mirroredReads');
    expect(names({ all: 1 })).toEqual(expect.arrayContaining(['mirroredReads', 'oplog', 'asserts']));
    expect(names({ none: 1, mirroredReads: 1 }).slice(8)).toEqual([
      'mirroredReads',
      'ok',
      '$clusterTime',
      'operationTime',
    ]);
    await asked.ok('n1', { find: 'c' });
    expect(asked.now('n1', { serverStatus: 1, mirroredReads: 1 }).mirroredReads).toMatchObject({ seen: 1, sent: 0 });
  });

  test('security: each mechanism', () => {
    const { mechanisms } = asked.now('n1', { serverStatus: 1 }).security.authentication;
    expect(Object.keys(mechanisms)).toEqual(['MONGODB-X509', 'SCRAM-SHA-1', 'SCRAM-SHA-256']);
    expect(mechanisms['SCRAM-SHA-256'].authenticate).toEqual({ received: 0, successful: 0 });
  });
});
