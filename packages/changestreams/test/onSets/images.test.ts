import { encodeDocument } from '@replsim/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { aggregateOf, brief, insert, Watch } from './watchedSet.ts';

// What streams show of documents before and after they were changed, and how long members keep it.

const enabled = { changeStreamPreAndPostImages: { enabled: true } };
const NEAREST = { $readPreference: { mode: 'nearest' } };

/** A set with a collection that keeps images. */
async function started(members: number | object[] = 1): Promise<AskedSet> {
  const asked = await AskedSet.start(members as number);
  await asked.ok(asked.primary, { create: 'c', ...enabled });
  return asked;
}

const images = async (asked: AskedSet, member = asked.primary): Promise<Doc[]> =>
  (await asked.ok(member, { find: 'system.preimages', sort: { _id: 1 }, ...NEAREST }, 'config')).cursor.firstBatch;

/** An insert, an update, a replacement, a delete. */
async function changes(asked: AskedSet): Promise<void> {
  await insert(asked, [{ _id: 1, a: 1 }]);
  for (const u of [{ $set: { a: 2 } }, { a: 3 }])
    await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 1 }, u }] });
  await asked.ok('n1', { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }], writeConcern: { w: 'majority' } });
}

describe('with images', () => {
  test.for<[spec: Doc, shown: unknown[][]]>([
    [{}, [[{ a: 1 }], [], [{ a: 3 }], []]],
    [{ fullDocument: 'whenAvailable' }, [[{ a: 1 }], [{ a: 2 }], [{ a: 3 }], []]],
    [{ fullDocument: 'required' }, [[{ a: 1 }], [{ a: 2 }], [{ a: 3 }], []]],
    [{ fullDocument: 'updateLookup' }, [[{ a: 1 }], [null], [{ a: 3 }], []]],
    [
      { fullDocumentBeforeChange: 'whenAvailable' },
      [[{ a: 1 }], [undefined, { a: 1 }], [{ a: 3 }, { a: 2 }], [undefined, { a: 3 }]],
    ],
    [
      { fullDocumentBeforeChange: 'required' },
      [[{ a: 1 }], [undefined, { a: 1 }], [{ a: 3 }, { a: 2 }], [undefined, { a: 3 }]],
    ],
    [
      { fullDocument: 'required', fullDocumentBeforeChange: 'required' },
      [[{ a: 1 }], [{ a: 2 }, { a: 1 }], [{ a: 3 }, { a: 2 }], [undefined, { a: 3 }]],
    ],
  ])('%o', async ([spec, shown]) => {
    const asked = await started();
    const stream = await Watch.open(asked, { spec });
    await changes(asked);
    const events = await stream.next(4);
    const withId = (image: unknown) => (image ? { _id: 1, ...image } : image);
    expect(events.map((event) => [event.fullDocument, event.fullDocumentBeforeChange])).toEqual(
      shown.map(([after, before]) => [withId(after), withId(before)]),
    );
    expect('fullDocumentBeforeChange' in events[0]!).toBe(false);
  });
});

describe('without images', () => {
  test.for<[spec: Doc, what: string]>([
    [{ fullDocument: 'whenAvailable' }, 'fullDocument'],
    [{ fullDocumentBeforeChange: 'whenAvailable' }, 'fullDocumentBeforeChange'],
  ])('%o is null', async ([spec, what]) => {
    const asked = await AskedSet.start(1);
    const stream = await Watch.open(asked, { spec });
    await changes(asked);
    const [first, update] = await stream.next(4);
    expect(update![what]).toBeNull();
    if (what !== 'fullDocument') expect(first).not.toHaveProperty(what);
  });

  test.for([{ fullDocument: 'required' }, { fullDocumentBeforeChange: 'required' }])(
    '%o fails for good',
    async (spec) => {
      const asked = await AskedSet.start(1);
      const stream = await Watch.open(asked, { spec });
      await changes(asked);
      const failed = await stream.failure();
      expect(failed).toMatchObject({ code: 47, codeName: 'NoMatchingDocument' });
      expect(failed.errorLabels).toBeUndefined();
    },
  );

  test('an event that a $match leaves out needs none', async () => {
    const asked = await AskedSet.start(1);
    const spec = { fullDocumentBeforeChange: 'required' };
    const stages = [{ $match: { operationType: 'insert' } }];
    const stream = await Watch.open(asked, { spec, stages });
    await changes(asked);
    await insert(asked, [{ _id: 2 }]);
    expect(brief(await stream.next(2))).toEqual([
      ['insert', 1],
      ['insert', 2],
    ]);
    const looking = await Watch.open(asked, { spec, stages: [{ $match: { 'fullDocumentBeforeChange.a': 1 } }] });
    await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { a: 1 } } }] });
    expect(await looking.failure()).toMatchObject({ code: 47 });
  });
});

describe('updateLookup', () => {
  test('shows the newest committed version, wherever the collection is', async () => {
    const asked = await AskedSet.start(1);
    const stream = await Watch.open(asked, { spec: { fullDocument: 'updateLookup' } });
    await insert(asked, [{ _id: 1 }]);
    for (const n of [1, 2])
      await asked.ok('n1', { update: 'c', updates: [{ q: {}, u: { $set: { n } } }], writeConcern: { w: 'majority' } });
    const [, first, second] = await stream.next(3);
    expect([first!.fullDocument, second!.fullDocument]).toEqual([
      { _id: 1, n: 2 },
      { _id: 1, n: 2 },
    ]);
  });

  test('of a collection that has another name by now there is none', async () => {
    const asked = await AskedSet.start(1);
    await insert(asked, [{ _id: 1 }]);
    const stream = await Watch.open(asked, { spec: { fullDocument: 'updateLookup' } });
    await asked.ok('n1', { update: 'c', updates: [{ q: {}, u: { $set: { n: 1 } } }] });
    await asked.ok('n1', { renameCollection: 'app.c', to: 'app.d' }, 'admin');
    const [update] = await stream.next(1);
    expect(update!.fullDocument).toBeNull();
  });
});

describe('config.system.preimages', () => {
  test('has the same on every member, under the time of the entry', async () => {
    const asked = await started(3);
    await changes(asked);
    const kept = await images(asked, 'n1');
    expect(kept.map(({ preImage }) => preImage)).toEqual([
      { _id: 1, a: 1 },
      { _id: 1, a: 2 },
      { _id: 1, a: 3 },
    ]);
    const entries = (
      await asked.ok('n1', { find: 'oplog.rs', filter: { op: { $in: ['u', 'd'] }, ns: 'app.c' } }, 'local')
    ).cursor.firstBatch;
    expect(kept.map(({ _id, operationTime }) => [_id, operationTime])).toEqual(
      entries.map(({ ts, ui, wall }: Doc) => [{ nsUUID: ui, ts, applyOpsIndex: 0 }, wall]),
    );
    await asked.pass(3000);
    expect(await images(asked, 'n2')).toEqual(kept);
    expect(await images(asked, 'n3')).toEqual(kept);
    const inOplog = { find: 'oplog.rs', filter: { ns: 'config.system.preimages', op: 'i' } };
    expect((await asked.ok('n1', inOplog, 'local')).cursor.firstBatch).toEqual([]);
  });

  test('goes with what is rolled back', async () => {
    const asked = await started([{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }]);
    await insert(asked, [{ _id: 1 }]);
    await asked.pass(3000);
    asked.set.partition([['n1'], ['n2', 'n3']]);
    await asked.ok('n1', { update: 'c', updates: [{ q: {}, u: { $set: { n: 1 } } }], writeConcern: { w: 1 } });
    expect(await images(asked, 'n1')).toHaveLength(1);
    await asked.until(() => ['n2', 'n3'].some((name) => asked.now(name, { hello: 1 }).isWritablePrimary));
    asked.set.heal('all');
    await asked.until(() => asked.state('n1') === 9);
    await asked.untilState('n1', 2);
    expect(await images(asked, 'n1')).toEqual([]);
  });

  test('is there again after a crash', async () => {
    const asked = await started(3);
    await changes(asked);
    await asked.pass(3000);
    const kept = await images(asked, 'n2');
    asked.set.kill('n2');
    await asked.set.start('n2');
    await asked.untilState('n2', 2);
    expect(await images(asked, 'n2')).toEqual(kept);
  });

  test('a member that has copied its data lacks what was before', async () => {
    const asked = await started([{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }]);
    await changes(asked);
    await asked.pass(3000);
    asked.set.kill('n3');
    await asked.set.start('n3', { wipe: true });
    await asked.untilState('n3', 2);
    expect(await images(asked, 'n3')).toEqual([]);
    const stream = await Watch.open(asked);
    await changes(asked);
    await asked.pass(3000);
    expect(await images(asked, 'n3')).toHaveLength(3);
    const spec = { resumeAfter: stream.token, fullDocumentBeforeChange: 'required' };
    expect((await Watch.open(asked, { member: 'n3', spec })).events).toHaveLength(4);
  });

  test('a delete of many, and TTL, keep one for each', async () => {
    const asked = await started();
    await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 1 }] });
    await insert(asked, [{ _id: 1 }, { _id: 2 }, { _id: 3, at: new Date(0) }, { _id: 4, at: new Date(0) }]);
    const stream = await Watch.open(asked, { spec: { fullDocumentBeforeChange: 'required' } });
    await asked.ok('n1', { delete: 'c', deletes: [{ q: { _id: { $lt: 3 } }, limit: 0 }] });
    await asked.pass(61_000);
    const events = await stream.next(4);
    expect(events.map(({ fullDocumentBeforeChange: { _id } }) => _id)).toEqual([1, 2, 3, 4]);
    expect(new Set(events.map(({ clusterTime }) => String(clusterTime))).size).toBe(4);
  });
});

describe('images expire', () => {
  test('after the seconds of changeStreamOptions, on every member by itself', async () => {
    const asked = await started(3);
    await changes(asked);
    await asked.pass(15_000);
    expect(await images(asked, 'n2')).toHaveLength(3);
    const expireAfterSeconds = 30;
    await asked.ok(
      'n1',
      { setClusterParameter: { changeStreamOptions: { preAndPostImages: { expireAfterSeconds } } } },
      'admin',
    );
    await asked.pass(10_000);
    expect(await images(asked, 'n2')).toHaveLength(3);
    await asked.pass(20_000);
    for (const member of ['n1', 'n2', 'n3']) expect(await images(asked, member)).toEqual([]);
    expect(new Set(['n1', 'n2', 'n3'].map((member) => asked.now(member, { dbHash: 1 }, 'app').md5)).size).toBe(1);
  });

  test('with the entry that they belong to', async () => {
    const asked = await AskedSet.start([{ name: 'n1', oplogSizeMB: 0.02 }]);
    await asked.ok('n1', { create: 'c', ...enabled });
    await changes(asked);
    await asked.pass(15_000);
    expect(await images(asked)).toHaveLength(3);
    for (let turn = 0; turn < 3; turn++) {
      await insert(
        asked,
        Array.from({ length: 100 }, () => ({ filler: 'x'.repeat(100) })),
        'other',
      );
      await asked.pass(61_000);
    }
    expect(await images(asked)).toEqual([]);
  });

  test('as often as is looked', async () => {
    const parameters = { expiredChangeStreamPreImageRemovalJobSleepSecs: 60 };
    const asked = await AskedSet.start(1, { parameters });
    await asked.ok('n1', { create: 'c', ...enabled });
    await asked.ok(
      'n1',
      { setClusterParameter: { changeStreamOptions: { preAndPostImages: { expireAfterSeconds: 1 } } } },
      'admin',
    );
    await changes(asked);
    await asked.pass(15_000);
    expect(await images(asked)).toHaveLength(3);
    await asked.pass(60_000);
    expect(await images(asked)).toEqual([]);
  });
});

describe('serverStatus().changeStreamPreImages', () => {
  const section = (asked: AskedSet, member: string): Doc =>
    asked.now(member, { serverStatus: 1 }).changeStreamPreImages;

  test('tells on every member what there is, and what has been removed', async () => {
    const asked = await AskedSet.start(2);
    await asked.ok(asked.primary, { create: 'c', ...enabled });
    expect(Object.keys(section(asked, 'n1').purgingJob)).toEqual([
      ...['totalPass', 'docsDeleted', 'bytesDeleted', 'scannedCollections', 'scannedInternalCollections'],
      ...['maxStartWallTimeMillis', 'timeElapsedMillis'],
    ]);
    await changes(asked);
    await asked.pass(1000);
    const kept = await images(asked);
    // `applyOpsIndex` is a long, which is four bytes more than what is encoded again.
    const totalBytes = kept.reduce((sum, image) => sum + encodeDocument(image as never).length + 4, 0);
    const newest = Math.max(...kept.map(({ operationTime }) => operationTime.getTime()));
    for (const member of ['n1', 'n2']) {
      const { purgingJob, ...counted } = section(asked, member);
      expect(counted).toMatchObject({ numDocs: 3, totalBytes, docsInserted: 3, freeStorageSize: 0 });
      expect(counted).toMatchObject({ avgDocSize: Math.floor(totalBytes / 3), storageSize: 4096 });
      expect(counted).not.toHaveProperty('expireAfterSeconds');
      expect(purgingJob).toMatchObject({ docsDeleted: 0, bytesDeleted: 0, maxStartWallTimeMillis: 0 });
    }
    const changeStreamOptions = { preAndPostImages: { expireAfterSeconds: 1 } };
    await asked.ok(asked.primary, { setClusterParameter: { changeStreamOptions } }, 'admin');
    await asked.pass(15_000);
    for (const member of ['n1', 'n2']) {
      const { purgingJob, ...counted } = section(asked, member);
      expect(counted).toMatchObject({ expireAfterSeconds: 1, numDocs: 0, totalBytes: 0, docsInserted: 3 });
      expect(counted).not.toHaveProperty('avgDocSize');
      expect(purgingJob).toMatchObject({ docsDeleted: 3, bytesDeleted: totalBytes, maxStartWallTimeMillis: newest });
      expect(purgingJob.totalPass).toBeGreaterThanOrEqual(purgingJob.scannedCollections);
      expect(purgingJob.scannedInternalCollections).toBeGreaterThan(0);
    }
  });

  test('7.0 tells of the job alone, 3.2 of nothing', async () => {
    const older = await AskedSet.start(1, { version: '7.0' });
    await older.ok('n1', { create: 'c', ...enabled });
    expect(Object.keys(section(older, 'n1'))).toEqual(['purgingJob']);
    expect(section(await AskedSet.start(1, { version: '3.2' }), 'n1')).toBeUndefined();
  });
});

describe('collMod', () => {
  let asked: AskedSet;
  beforeAll(async () => {
    asked = await AskedSet.start(3);
    await asked.ok('n1', { create: 'm' });
    await asked.ok('n1', { create: 'v', viewOn: 'm' });
    await asked.ok('n1', { create: 'series', timeseries: { timeField: 't' } });
  });

  const optionsOf = async (member: string): Promise<Doc> =>
    (await asked.ok(member, { listCollections: 1, filter: { name: 'm' }, ...NEAREST })).cursor.firstBatch[0].options;

  test('switches them on and off, on all members', async () => {
    for (const on of [true, false, true]) {
      await asked.ok('n1', { collMod: 'm', changeStreamPreAndPostImages: { enabled: on }, writeConcern: { w: 3 } });
      await asked.pass(1000);
      for (const member of ['n1', 'n3']) {
        expect(await optionsOf(member)).toEqual(on ? enabled : {});
      }
    }
    const { cursor } = await asked.ok('n1', { find: 'oplog.rs', filter: { 'o.collMod': 'm' }, limit: 1 }, 'local');
    expect(cursor.firstBatch[0].o).toEqual({ collMod: 'm', ...enabled });
  });

  test.for<[command: Doc, code: number, db?: string]>([
    [{ collMod: 'm', changeStreamPreAndPostImages: true }, 14],
    [{ collMod: 'm', changeStreamPreAndPostImages: {} }, 40414],
    [{ collMod: 'm', changeStreamPreAndPostImages: { enabled: true, x: 1 } }, 40415],
    [{ collMod: 'v', ...enabled }, 72],
    [{ collMod: 'series', ...enabled }, 72],
    [{ collMod: 'transactions', ...enabled }, 72, 'config'],
  ])('%o gives %i', async ([command, code, db]) => {
    expect(await asked.run('n1', command, db)).toMatchObject({ code });
  });
});

test('3.2 knows no such option of collMod', async () => {
  const asked = await AskedSet.start(1, { version: '3.2' });
  await asked.ok('n1', { create: 'c' });
  expect(await asked.run('n1', { collMod: 'c', ...enabled })).toMatchObject({ code: 72 });
  expect(await asked.run('n1', aggregateOf({}))).toMatchObject({ code: 40324 });
});
