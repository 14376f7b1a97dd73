import { decodeDocument } from '@replsim/protocol';
import { Double, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { CommandStats } from '../../../operations/src/counts/commandStats.ts';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: 5 }, { _id: 2, a: 6 }, { _id: 3, a: 7 });
});

/** The reply with its numbers as they came. */
function raw(command: object): Doc {
  const running = member.start(command);
  running.finish();
  return decodeDocument(running.bytes!);
}

describe('dbStats', () => {
  test('fields, in mongod order and types', () => {
    member.ok({ create: 'v', viewOn: 'c', pipeline: [] });
    const reply = raw({ dbStats: 1, freeStorage: 1 });
    const { db, $marker, ok, ...numbers } = reply;
    expect(Object.keys(numbers)).toEqual(['collections', 'views', 'objects', 'avgObjSize', 'dataSize', 'storageSize',
      'freeStorageSize', 'indexes', 'indexSize', 'indexFreeStorageSize', 'totalSize', 'totalFreeStorageSize', 'scaleFactor',
      'fsUsedSize', 'fsTotalSize']); // biome-ignore format: a list
    const longs = Object.keys(numbers).filter((name) => numbers[name] instanceof Long);
    expect(longs).toEqual(['collections', 'views', 'objects', 'indexes', 'scaleFactor']);
    expect(Object.values(numbers).filter((value) => value instanceof Double)).toHaveLength(10);
    expect(db).toBe('app');
  });

  test('sizes are those on disk, in units of scale', () => {
    const whole = member.ok({ dbStats: 1 });
    expect(whole).toMatchObject({ storageSize: 4096, indexSize: 4096, totalSize: 8192, dataSize: 63, scaleFactor: 1 });
    expect(whole.fsUsedSize).toBeGreaterThanOrEqual(whole.totalSize);
    expect(whole.fsTotalSize).toBeGreaterThan(whole.fsUsedSize);
    expect(Object.keys(whole)).not.toContain('freeStorageSize');
    expect(member.ok({ dbStats: 1, scale: 1024.9 })).toMatchObject({
      totalSize: 8,
      dataSize: 63 / 1024,
      scaleFactor: 1024,
    });
  });

  test('a database that is not there has nothing, and no disk', () => {
    expect(member.run({ dbStats: 1 }, 'zzz')).toMatchObject({
      collections: 0,
      objects: 0,
      avgObjSize: 0,
      fsTotalSize: 0,
    });
  });
});

describe('collStats', () => {
  test('an index that grows takes more blocks', () => {
    member.insert('big', ...Array.from({ length: 1000 }, (_, _id) => ({ _id, text: 'x'.repeat(100) })));
    const { size, storageSize, totalIndexSize, totalSize, indexSizes } = member.ok({ collStats: 'big' });
    expect(storageSize % 4096).toBe(0);
    expect(storageSize - size).toBeLessThan(4096);
    expect(indexSizes).toEqual({ _id_: 16_384 });
    expect(totalSize).toBe(storageSize + totalIndexSize);
  });

  test('each index has its details, as scripts of support walk through them', () => {
    member.ok({
      createIndexes: 'c',
      indexes: [
        { key: { a: 1 }, name: 'a', unique: true },
        { key: { a: -1 }, name: 'd' },
      ],
    });
    const { cursor } = member.ok({ aggregate: 'c', pipeline: [{ $collStats: { storageStats: {} } }], cursor: {} });
    const { indexSizes, indexDetails } = cursor.firstBatch[0].storageStats;
    expect(member.ok({ collStats: 'c' }).indexDetails).toEqual(indexDetails);
    expect(Object.keys(indexDetails)).toEqual(['_id_', 'a', 'd']);
    expect(new Set(Object.values<Doc>(indexDetails).map(({ uri }) => uri)).size).toBe(3);
    for (const [name, formatVersion] of [
      ['_id_', 8],
      ['a', 14],
      ['d', 8],
    ] as const) {
      // biome-ignore format: a table
      expect(indexDetails[name]).toMatchObject({
        metadata: { formatVersion },
        uri: expect.stringMatching(/^statistics:table:index-/),
        'block-manager': { 'file size in bytes': indexSizes[name] },
        cache: { 'bytes currently in the cache': indexSizes[name] },
      });
    }
  });

  test('of a collection that is not there: the same by the command and by the stage', () => {
    const zeros = { size: 0, count: 0, numOrphanDocs: 0, storageSize: 0, totalSize: 0, nindexes: 0, totalIndexSize: 0 };
    const none = { ...zeros, indexDetails: {}, indexSizes: {}, scaleFactor: 1024 };
    const { $marker: _, ...reply } = member.ok({ collStats: 'zzz', scale: 1024 });
    expect(reply).toEqual({ ns: 'app.zzz', ...none, ok: 1 });
    expect(Object.keys(reply)).toEqual(['ns', ...Object.keys(none), 'ok']);
    const pipeline = [{ $collStats: { storageStats: { scale: 1024 } } }];
    const { cursor } = member.ok({ aggregate: 'zzz', pipeline, cursor: {} });
    expect(cursor.firstBatch).toMatchObject([{ storageStats: none }]);
  });
});

describe('dataSize', () => {
  test('all, a range, an estimate', () => {
    const all = { estimate: false, size: 63, numObjects: 3, millis: 0 };
    expect(member.ok({ dataSize: 'app.c' })).toMatchObject(all);
    const range = { dataSize: 'app.c', keyPattern: { _id: 1 }, min: { _id: 1 }, max: { _id: 3 } };
    expect(member.ok(range)).toMatchObject({ size: 42, numObjects: 2 });
    expect(member.ok({ ...range, estimate: true })).toMatchObject({ estimate: true, size: 42, numObjects: 2 });
    expect(member.ok({ dataSize: 'app.zzz' })).toMatchObject({ size: 0, numObjects: 0 });
  });

  test.for([
    [{ maxObjects: 1 }, { size: 42, numObjects: 2, maxReached: true }],
    [{ maxSize: 21 }, { size: 42, numObjects: 2, maxReached: true }],
    [
      { maxSize: 63, maxObjects: 3 },
      { size: 63, numObjects: 3 },
    ],
    [
      { maxSize: 0, maxObjects: 0 },
      { size: 63, numObjects: 3 },
    ],
    [
      { maxObjects: 1, estimate: true },
      { size: 63, numObjects: 3 },
    ],
    [
      { maxObjects: 1, min: { _id: 1 }, max: { _id: 9 } },
      { size: 42, numObjects: 2, maxReached: true },
    ],
  ] as const)('ends with the document that goes beyond a limit: %j', ([limits, measured]) => {
    const { estimate, millis, ok, $marker, ...reply } = member.ok({ dataSize: 'app.c', ...limits });
    expect(reply).toEqual(measured);
  });

  test('a descending index runs from the greater limit to the smaller', () => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { a: -1 }, name: 'a' }] });
    expect(member.ok({ dataSize: 'app.c', min: { a: 7 }, max: { a: 5 } })).toMatchObject({ numObjects: 2 });
  });
});

describe('top', () => {
  const ended = (name: string, ns: string, micros: number, code = 0) =>
    member.counters.commands.ended({ name, ns, micros, code, debug: { keysExamined: 1, docsExamined: 2 } });
  const totals = (): Doc => member.ok({ top: 1 }, 'admin').totals;

  test('counts and times by collection', () => {
    ended('find', 'app.c', 10);
    ended('insert', 'app.c', 30);
    ended('insert', 'app.c', 5);
    ended('findAndModify', 'app.c', 7);
    ended('aggregate', 'app.c', 2);
    const none = { time: 0, count: 0 };
    expect(totals()['app.c']).toEqual({
      total: { time: 54, count: 5 },
      readLock: { time: 12, count: 2 },
      writeLock: { time: 42, count: 3 },
      queries: { time: 10, count: 1 },
      getmore: none,
      insert: { time: 35, count: 2 },
      update: none,
      remove: none,
      commands: { time: 9, count: 2 },
    });
    expect(totals().note).toBe('all times in microseconds');
  });

  test('what failed, has no collection, or is gone is not shown', () => {
    ended('find', 'app.c', 10, 13435);
    ended('ping', 'app.$cmd', 10);
    ended('find', 'app.zzz', 10);
    expect(Object.keys(totals())).toEqual(['note']);
    ended('find', 'app.c', 10);
    ended('drop', 'app.c', 1);
    ended('insert', 'app.c', 1);
    expect(totals()['app.c'].total.count).toBe(1);
    member.ok({ dropDatabase: 1 });
    member.insert('c', { _id: 1 });
    expect(Object.keys(totals())).toEqual(['note']);
  });
});

describe('serverStatus', () => {
  test('counts commands by name, and how long they took', () => {
    const stats = member.counters.commands;
    const debug = { keysExamined: 3, docsExamined: 4 };
    stats.ended({ name: 'find', ns: 'app.c', micros: 10, code: 0, debug });
    stats.ended({ name: 'find', ns: 'app.c', micros: 10, code: 2, debug });
    stats.ended({ name: 'insert', ns: 'app.c', micros: 30, code: 0, debug });
    stats.ended({ name: 'nope', ns: 'app.$cmd', micros: 1, code: 59, debug });
    const { metrics, opLatencies } = member.ok({ serverStatus: 1 });
    expect(metrics).toMatchObject({
      commands: { '<UNKNOWN>': 1, find: { total: 2, failed: 1 }, insert: { total: 1, failed: 0 } },
      queryExecutor: { scanned: 12, scannedObjects: 16 },
    });
    expect(Object.keys(metrics.commands)).not.toContain('nope');
    expect(opLatencies).toMatchObject({
      reads: { latency: 20, ops: 2 },
      writes: { latency: 30, ops: 1 },
      commands: { ops: 1 },
    });
  });

  test('sections are there unless they are not wanted', () => {
    // biome-ignore format: a list
    const names = ['asserts', 'connections', 'extra_info', 'flowControl', 'globalLock', 'locks', 'mem', 'metrics', 'network',
      'opLatencies', 'opcounters', 'opcountersRepl', 'storageEngine', 'transactions'];
    expect(Object.keys(member.ok({ serverStatus: 1 }))).toEqual(expect.arrayContaining(names));
    const without = member.ok({ serverStatus: 1, metrics: 0, mem: false });
    expect(Object.keys(without)).not.toEqual(expect.arrayContaining(['metrics']));
    expect(Object.keys(without)).not.toEqual(expect.arrayContaining(['mem']));
    const alone = Object.keys(member.ok({ serverStatus: 1, none: 1, mem: 1 }));
    expect(alone.filter((name) => names.includes(name))).toEqual(['mem']);
  });
});

test('a command without a name, which is no BSON, is not counted', () => {
  const stats = new CommandStats();
  stats.ended({ name: '', ns: '', micros: 1, code: 22, debug: { keysExamined: 0, docsExamined: 0 } });
  expect([stats.byName.size, stats.unknown]).toEqual([0, 0]);
});

test('what stands on no collection is counted by its name alone', () => {
  const stats = new CommandStats();
  for (const ns of ['app.$cmd', 'app.$cmd.aggregate', 'app.c'])
    stats.ended({ name: 'aggregate', ns, micros: 1, code: 0, debug: { keysExamined: 0, docsExamined: 0 } });
  expect(stats.usage(() => true).map(([ns]) => ns)).toEqual(['app.c']);
});
