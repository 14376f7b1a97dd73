import { encodeDocument } from '@replsim/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { aggregateOf, insert, Watch, type WatchOptions } from './watchedSet.ts';

// Events that no reply could carry, and what divides them.

const MIB = 1024 * 1024;
const spec = { fullDocument: 'required', fullDocumentBeforeChange: 'required' };
const SPLIT = { $changeStreamSplitLargeEvent: {} };
const dividing: WatchOptions = { spec, stages: [SPLIT] };

let asked: AskedSet;
beforeEach(async () => {
  asked = await AskedSet.start(1);
  await asked.ok('n1', { create: 'c', changeStreamPreAndPostImages: { enabled: true } });
  await insert(asked, [{ _id: 1, big: 'x'.repeat(9 * MIB) }]);
});

const update = (): Promise<Doc> =>
  asked.ok('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { n: 1 } } }], writeConcern: { w: 'majority' } });
const metrics = async (): Promise<Doc> => (await asked.ok('n1', { serverStatus: 1 }, 'admin')).metrics.changeStreams;

test('an update of nine megabytes with both images cannot be shown', async () => {
  const stream = await Watch.open(asked, { spec });
  await update();
  const failed = await stream.failure();
  expect(failed).toMatchObject({ code: 10334, codeName: 'BSONObjectTooLarge' });
  expect(failed.errorLabels).toBeUndefined();
  expect(await metrics()).toMatchObject({ largeEventsFailed: 1, largeEventsSplit: 0 });
});

describe('divided', () => {
  /** The fragments of one update. */
  async function fragments(): Promise<Doc[]> {
    const stream = await Watch.open(asked, dividing);
    await update();
    await insert(asked, [{ _id: 2 }]);
    return stream.next(3);
  }

  test('it comes in two documents, the small fields first, and small events are left alone', async () => {
    const [first, second, small] = (await fragments()) as [Doc, Doc, Doc];
    expect(first.splitEvent).toEqual({ fragment: 1, of: 2 });
    expect(second.splitEvent).toEqual({ fragment: 2, of: 2 });
    expect(first).toMatchObject({ operationType: 'update', documentKey: { _id: 1 }, fullDocument: { n: 1 } });
    expect(Object.keys(second)).toEqual(['_id', 'splitEvent', 'fullDocumentBeforeChange']);
    expect(small).not.toHaveProperty('splitEvent');
    expect(first._id._data < second._id._data && second._id._data < small._id._data).toBe(true);
    expect(await metrics()).toMatchObject({ largeEventsFailed: 0, largeEventsSplit: 1 });
  });

  test('a stream goes on behind either of them', async () => {
    const [first, second] = (await fragments()) as [Doc, Doc];
    const behindFirst = await Watch.open(asked, { ...dividing, spec: { ...spec, resumeAfter: first._id } });
    expect([...behindFirst.events, ...(await behindFirst.more())]).toMatchObject([
      { splitEvent: { fragment: 2, of: 2 } },
      { operationType: 'insert' },
    ]);
    const behindSecond = await Watch.open(asked, { ...dividing, spec: { ...spec, resumeAfter: second._id } });
    expect(behindSecond.events).toMatchObject([{ operationType: 'insert' }]);
  });

  test('an event that no longer falls into parts was not found', async () => {
    const [first] = (await fragments()) as [Doc];
    const reply = await asked.run('n1', aggregateOf({ stages: [SPLIT], spec: { resumeAfter: first._id } }));
    expect(reply).toMatchObject({ code: 280 });
  });

  test('documents of the largest size there is come in three', async () => {
    const big = (letter: string) => letter.repeat(16 * MIB - encodeDocument({ _id: 3, big: '' }).length);
    await insert(asked, [{ _id: 3, big: big('a') }]);
    const stream = await Watch.open(asked, dividing);
    const updates = [{ q: { _id: 3 }, u: { $set: { big: big('b') } } }];
    await asked.ok('n1', { update: 'c', updates, writeConcern: { w: 'majority' } });
    const parts = await stream.next(3);
    expect(parts.map(({ splitEvent }) => splitEvent)).toEqual([1, 2, 3].map((fragment) => ({ fragment, of: 3 })));
  });
});
