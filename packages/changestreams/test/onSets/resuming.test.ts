import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { aggregateOf, brief, insert, Watch } from './watchedSet.ts';

// Where a stream begins, what its tokens say, and how it goes on from each of them.

const started = (options: Doc = {}) => AskedSet.start(1, options);
const several = (count: number): Doc[] => Array.from({ length: count }, (_, i) => ({ _id: i + 1 }));
const ids = (events: readonly Doc[]) => events.map(({ documentKey }) => documentKey._id);
const isMark = ({ _data }: Doc) => /^82.{16}2B0429/.test(_data);

test('events come in order, with just these fields', async () => {
  const asked = await started();
  const stream = await Watch.open(asked);
  await insert(asked, [{ _id: 1, a: 1 }]);
  await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 2 }, $unset: { b: 1 } } }] });
  await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { z: 1 } }] });
  await asked.ok('n1', { delete: 'c', deletes: [{ q: {}, limit: 1 }] });
  const events = await stream.next(4);
  const ns = { db: 'app', coll: 'c' };
  const common = { _id: { _data: expect.any(String) }, clusterTime: expect.any(Timestamp), wallTime: expect.any(Date) };
  const key = { ns, documentKey: { _id: 1 } };
  expect(events).toEqual([
    { ...common, operationType: 'insert', fullDocument: { _id: 1, a: 1 }, ...key },
    {
      ...common,
      operationType: 'update',
      ...key,
      updateDescription: { updatedFields: { a: 2 }, removedFields: [], truncatedArrays: [] },
    },
    { ...common, operationType: 'replace', fullDocument: { _id: 1, z: 1 }, ...key },
    { ...common, operationType: 'delete', ...key },
  ]);
  expect(Object.keys(events[0]!)).toEqual([
    '_id',
    'operationType',
    'clusterTime',
    'wallTime',
    'fullDocument',
    'ns',
    'documentKey',
  ]);
});

test('a stream begins behind what is applied, or just at the time that it is given', async () => {
  const asked = await started();
  await insert(asked, [{ _id: 1 }]);
  const stream = await Watch.open(asked);
  expect(isMark(stream.token)).toBe(true);
  await insert(asked, [{ _id: 2 }]);
  const [second] = await stream.next(1);
  expect(brief([second!])).toEqual([['insert', 2]]);
  const { clusterTime } = second!;
  const again = await Watch.open(asked, { spec: { startAtOperationTime: clusterTime } });
  expect(ids(again.events)).toEqual([2]);
  const later = new Timestamp({ t: clusterTime.high, i: clusterTime.low + 1 });
  expect((await Watch.open(asked, { spec: { startAtOperationTime: later } })).events).toEqual([]);
});

test('a stream may begin in the future, and shows nothing of before', async () => {
  const asked = await started();
  const { operationTime } = await asked.ok('n1', { ping: 1 });
  const startAtOperationTime = new Timestamp({ t: operationTime.high + 5, i: 1 });
  const stream = await Watch.open(asked, { spec: { startAtOperationTime } });
  await insert(asked, [{ _id: 1 }]);
  expect(await stream.more()).toEqual([]);
  await asked.pass(6000);
  await insert(asked, [{ _id: 2 }]);
  expect(ids(await stream.next(1))).toEqual([2]);
});

describe('tokens of batches', () => {
  test('a batch that is cut ends with the token of its last event, one at the end with how far was looked', async () => {
    const asked = await started();
    const stream = await Watch.open(asked);
    await insert(asked, several(3));
    const first = await stream.more({ batchSize: 2 });
    expect(ids(first)).toEqual([1, 2]);
    expect(stream.token).toEqual(first[1]!._id);
    const second = await stream.more({ batchSize: 2 });
    expect(stream.token).toEqual(second[0]!._id);
    await insert(asked, several(1), 'other');
    expect(await stream.more()).toEqual([]);
    expect(isMark(stream.token)).toBe(true);
    expect(stream.token._data > second[0]!._id._data).toBe(true);
    const resumed = await Watch.open(asked, { spec: { resumeAfter: stream.token } });
    expect(resumed.events).toEqual([]);
    expect(resumed.token).toEqual(stream.token);
  });

  test('a quiet collection: its token goes on with the no-ops', async () => {
    const asked = await started();
    const stream = await Watch.open(asked);
    const { token } = stream;
    await asked.pass(25_000);
    expect(await stream.more()).toEqual([]);
    expect(isMark(stream.token)).toBe(true);
    expect(stream.token._data > token._data).toBe(true);
  });

  test('what a $match leaves out is looked at all the same', async () => {
    const asked = await started();
    const stream = await Watch.open(asked, { stages: [{ $match: { operationType: 'delete' } }] });
    const { token } = stream;
    await insert(asked, several(1));
    expect(await stream.more()).toEqual([]);
    expect(stream.token._data > token._data).toBe(true);
  });

  test('the first reply may be empty because nothing was asked for', async () => {
    const asked = await started();
    const { operationTime } = await asked.ok('n1', { ping: 1 });
    await insert(asked, several(2));
    const spec = { startAtOperationTime: operationTime };
    const stream = await Watch.open(asked, { spec, cursor: { batchSize: 0 } });
    expect(stream.events).toEqual([]);
    expect(isMark(stream.token)).toBe(true);
    expect(ids(await stream.more())).toEqual([1, 2]);
  });

  test('documents that do not fit into one reply are kept for the next', async () => {
    const asked = await started();
    const stream = await Watch.open(asked);
    const big = 'x'.repeat(9 * 1024 * 1024);
    await insert(asked, [{ _id: 1, big }]);
    await insert(asked, [{ _id: 2, big }]);
    const [first] = await stream.more();
    expect(stream.events).toHaveLength(1);
    expect(stream.token).toEqual(first!._id);
    expect(ids(await stream.more())).toEqual([2]);
  });
});

describe('from any token on', () => {
  test.for(['resumeAfter', 'startAfter'])('%s goes on behind its event', async (how) => {
    const asked = await started();
    const stream = await Watch.open(asked);
    await insert(asked, several(5));
    const events = await stream.next(5);
    for (const [i, { _id }] of events.entries()) {
      const resumed = await Watch.open(asked, { spec: { [how]: _id } });
      expect(ids(resumed.events)).toEqual([1, 2, 3, 4, 5].slice(i + 1));
      if (resumed.events.length === 0) expect(resumed.token).toEqual(_id);
    }
  });

  test('also within a group, whose events have one time', async () => {
    const asked = await started();
    await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 1 }] });
    await insert(
      asked,
      several(4).map((document) => ({ ...document, at: new Date(0) })),
    );
    const stream = await Watch.open(asked);
    await asked.pass(61_000);
    const events = await stream.next(4);
    expect(events.map(({ operationType }) => operationType)).toEqual(Array(4).fill('delete'));
    expect(new Set(events.map(({ clusterTime }) => String(clusterTime))).size).toBe(1);
    expect(events[0]).not.toHaveProperty('lsid');
    for (const [i, { _id }] of events.entries()) {
      const resumed = await Watch.open(asked, { spec: { resumeAfter: _id } });
      expect(ids(resumed.events)).toEqual(ids(events).slice(i + 1));
    }
  });

  test('a $match that excludes the resume point does no harm', async () => {
    const asked = await started();
    const stream = await Watch.open(asked);
    await insert(asked, several(2));
    const [first] = await stream.next(2);
    const stages = [{ $match: { 'documentKey._id': 2 } }];
    expect(ids((await Watch.open(asked, { spec: { resumeAfter: first!._id }, stages })).events)).toEqual([2]);
  });

  test('a token of an event that does not occur ends with the first one behind it', async () => {
    const asked = await started();
    const stream = await Watch.open(asked, { of: 'other' });
    await insert(asked, several(1), 'other');
    const [{ _id: resumeAfter }] = (await stream.next(1)) as [Doc];
    const lost = await Watch.open(asked, { spec: { resumeAfter } });
    await insert(asked, several(1));
    expect(await lost.failure()).toMatchObject({ code: 280, errorLabels: ['NonResumableChangeStreamError'] });
    expect(await lost.failure()).toMatchObject({ code: 43 });
    expect(await asked.run('n1', aggregateOf({ spec: { resumeAfter } }))).toMatchObject({
      code: 280,
      errorLabels: ['NonResumableChangeStreamError'],
    });
  });

  test('one of 4.4 is compared in its own version, until it is passed', async () => {
    const asked = await started();
    const command = { $_generateV2ResumeTokens: false };
    const stream = await Watch.open(asked, { command });
    await insert(asked, several(3));
    const events = await stream.next(3);
    expect(events.every(({ _id }) => /^82.{16}2B02/.test(_id._data))).toBe(true);
    const resumed = await Watch.open(asked, { spec: { resumeAfter: events[0]!._id } });
    expect(ids(resumed.events)).toEqual([2, 3]);
    expect(resumed.events.every(({ _id }) => /^82.{16}2B04/.test(_id._data))).toBe(true);
  });
});

describe('what is gone', () => {
  /** A short oplog that has lost its beginning, and a token from before. */
  async function truncated(): Promise<{ asked: AskedSet; token: Doc; open: Watch }> {
    const asked = await AskedSet.start([{ name: 'n1', oplogSizeMB: 0.02 }]);
    const open = await Watch.open(asked, { of: 'quiet' });
    const stream = await Watch.open(asked);
    await insert(asked, several(1));
    const [{ _id: token }] = (await stream.next(1)) as [Doc];
    for (let turn = 0; turn < 4; turn++) {
      await insert(
        asked,
        Array.from({ length: 100 }, () => ({ filler: 'x'.repeat(100) })),
      );
      await asked.pass(61_000);
    }
    return { asked, token, open };
  }

  test('a start before the oplog', async () => {
    const { asked, token } = await truncated();
    for (const spec of [{ resumeAfter: token }, { startAtOperationTime: new Timestamp({ t: 1, i: 1 }) }]) {
      expect(await asked.run('n1', aggregateOf({ spec }))).toMatchObject({
        code: 286,
        codeName: 'ChangeStreamHistoryLost',
        errorLabels: ['NonResumableChangeStreamError'],
      });
    }
    const { global } = {
      global: (await asked.ok('n1', { getLog: 'global' }, 'admin')).log.map((line: string) => JSON.parse(line)),
    };
    expect(global.filter(({ id }: Doc) => id === 6663107)).toHaveLength(2);
  });

  test('an open stream whose next entry has gone', async () => {
    const { open } = await truncated();
    expect(await open.failure()).toMatchObject({ code: 136 });
  });
});

describe('the pipeline behind', () => {
  test('shapes events', async () => {
    const asked = await started();
    const stages = [{ $match: { 'fullDocument.a': 1 } }, { $project: { operationType: 1, x: '$fullDocument.a' } }];
    const stream = await Watch.open(asked, { stages });
    await insert(asked, [
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
    expect(await stream.next(1)).toEqual([{ _id: expect.anything(), operationType: 'insert', x: 1 }]);
    expect(await stream.more()).toEqual([]);
  });

  test.for([[{ $unset: '_id' }], [{ $set: { _id: 1 } }], [{ $project: { _id: 0 } }], [{ $replaceWith: {} }]])(
    'may not change tokens: %o',
    async (stages) => {
      const asked = await started();
      const stream = await Watch.open(asked, { stages });
      await insert(asked, several(1));
      const errmsg = expect.stringMatching(/ Only transformations that retain the unmodified _id field are allowed\.$/);
      const labels = { errorLabels: ['NonResumableChangeStreamError'] };
      expect(await stream.failure()).toMatchObject({ code: 280, errmsg, ...labels });
    },
  );

  test('a collation holds for its strings, that of the collection does not', async () => {
    const asked = await started();
    const collation = { locale: 'en', strength: 2 };
    await asked.ok('n1', { create: 'c', collation });
    const stages = [{ $match: { 'fullDocument.s': 'A' } }];
    const plain = await Watch.open(asked, { stages });
    const folded = await Watch.open(asked, { stages, command: { collation } });
    await insert(asked, [{ _id: 1, s: 'a' }]);
    expect(ids(await folded.next(1))).toEqual([1]);
    expect(await plain.more()).toEqual([]);
  });
});

test.for<[code: number, labels: string[] | undefined]>([
  ...[6, 7, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436].map(
    (code): [number, string[]] => [code, ['ResumableChangeStreamError']],
  ),
  [43, undefined],
  [237, undefined],
  [280, ['NonResumableChangeStreamError']],
  [286, ['NonResumableChangeStreamError']],
])('a getMore that fails with %i has the labels %o', async ([errorCode, labels]) => {
  const asked = await started({ parameters: { enableTestCommands: true } });
  const stream = await Watch.open(asked);
  const { cursor } = await asked.ok('n1', { find: 'oplog.rs', tailable: true, awaitData: true }, 'local');
  const configureFailPoint = 'failGetMoreAfterCursorCheckout';
  await asked.ok('n1', { configureFailPoint, mode: { times: 2 }, data: { errorCode } }, 'admin');
  const failed = await stream.failure();
  expect(failed.code).toBe(errorCode);
  expect(failed.errorLabels).toEqual(labels);
  const other = await asked.run('n1', { getMore: BigInt(cursor.id), collection: 'oplog.rs' }, 'local');
  // That a stream is over goes by the code alone; that it may be resumed, by the command too.
  expect(other.errorLabels).toEqual(errorCode === 280 || errorCode === 286 ? labels : undefined);
});

test('a fail point before a getMore has its cursor knows of no stream', async () => {
  const asked = await started();
  const stream = await Watch.open(asked);
  const data = { errorCode: 6, failCommands: ['getMore', 'aggregate'] };
  await asked.ok('n1', { configureFailPoint: 'failCommand', mode: { times: 2 }, data }, 'admin');
  expect((await stream.failure()).errorLabels).toBeUndefined();
  const opening = await asked.run('n1', aggregateOf({}));
  expect(opening).toMatchObject({ code: 6, errorLabels: ['ResumableChangeStreamError'] });
});
