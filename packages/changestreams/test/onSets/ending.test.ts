import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { aggregateOf, brief, insert, Watch, type WatchOptions } from './watchedSet.ts';

// What ends a stream, and how it is begun again behind its end.

interface Ending {
  readonly what: string;
  readonly watch?: WatchOptions;
  readonly command: Doc;
  readonly db?: string;
  /** The events before the invalidation. */
  readonly events: readonly string[];
}

const rename = (from: string, to: string): Doc => ({ renameCollection: from, to, dropTarget: true });

async function started(): Promise<AskedSet> {
  const asked = await AskedSet.start(1);
  await insert(asked, [{ _id: 1 }]);
  await insert(asked, [{ _id: 1 }], 'd');
  return asked;
}

const endings: Ending[] = [
  { what: 'a drop', command: { drop: 'c' }, events: ['drop'] },
  { what: 'a rename', command: rename('app.c', 'app.e'), db: 'admin', events: ['rename'] },
  { what: 'a rename onto it', command: rename('app.d', 'app.c'), db: 'admin', events: ['rename'] },
  { what: 'dropDatabase, by the drop', command: { dropDatabase: 1 }, events: ['drop'] },
  {
    what: 'dropDatabase of a database',
    watch: { of: 1 },
    command: { dropDatabase: 1 },
    events: ['drop', 'drop', 'dropDatabase'],
  },
];

describe.for(endings)('$what', ({ watch, command, db, events }) => {
  test('is told, then the invalidation, then the end', async () => {
    const asked = await started();
    const stream = await Watch.open(asked, watch);
    await asked.ok('n1', command, db);
    const seen = await stream.more();
    expect(brief(seen)).toEqual([...events, 'invalidate']);
    const [cause, invalidate] = seen.slice(-2) as [Doc, Doc];
    expect(invalidate.clusterTime).toEqual(cause.clusterTime);
    expect(invalidate).not.toHaveProperty('ns');
    expect(invalidate._id._data).toBe(cause._id._data.replace('296E', '296F'));
    expect(Number(stream.cursor.id)).toBe(0);
    expect(stream.cursor.invalidated).toBe(true);
    expect(stream.token).toEqual(invalidate._id);
  });

  test('resumeAfter the invalidation is refused, startAfter goes on behind it', async () => {
    const asked = await started();
    const stream = await Watch.open(asked, watch);
    await asked.ok('n1', command, db);
    const [cause, invalidate] = (await stream.more()).slice(-2) as [Doc, Doc];
    expect(await asked.run('n1', aggregateOf({ ...watch, spec: { resumeAfter: invalidate._id } }))).toMatchObject({
      code: 260,
    });
    await insert(asked, [{ _id: 7 }]);
    const anew = await Watch.open(asked, { ...watch, spec: { startAfter: invalidate._id } });
    expect(brief(anew.events)).toContainEqual(['insert', 7]);
    expect(brief(anew.events)).not.toContain('invalidate');
    for (const how of ['resumeAfter', 'startAfter']) {
      const after = await Watch.open(asked, { ...watch, spec: { [how]: cause._id } });
      expect(brief(after.events)).toEqual(['invalidate']);
      expect(Number(after.cursor.id)).toBe(0);
    }
  });
});

test('the end comes with the next reply if the batch is full', async () => {
  const asked = await started();
  const stream = await Watch.open(asked);
  await asked.ok('n1', { drop: 'c' });
  expect(brief(await stream.more({ batchSize: 1 }))).toEqual(['drop']);
  expect(brief(await stream.more({ batchSize: 1 }))).toEqual(['invalidate']);
  expect(Number(stream.cursor.id)).not.toBe(0);
  expect(await stream.more({ batchSize: 1 })).toEqual([]);
  expect(Number(stream.cursor.id)).toBe(0);
});

test('a $match does not keep a stream alive', async () => {
  const asked = await started();
  const stream = await Watch.open(asked, { stages: [{ $match: { operationType: 'insert' } }] });
  await asked.ok('n1', { drop: 'c' });
  expect(await stream.more()).toEqual([]);
  expect(stream.cursor).toMatchObject({ invalidated: true });
  expect(stream.token._data).toContain('296F');
});

test('a stream on what does not exist goes on when it is made', async () => {
  const asked = await started();
  const stream = await Watch.open(asked, { of: 'later' });
  await insert(asked, [{ _id: 1 }], 'later');
  expect(brief(await stream.next(1))).toEqual([['insert', 1]]);
});

test('a stream on the cluster never ends', async () => {
  const asked = await started();
  const stream = await Watch.open(asked, { db: 'admin', of: 1, spec: { allChangesForCluster: true } });
  await asked.ok('n1', { dropDatabase: 1 });
  expect(brief(await stream.more())).toEqual(['drop', 'drop', 'dropDatabase']);
  await insert(asked, [{ _id: 1 }]);
  expect(brief(await stream.next(1))).toEqual([['insert', 1]]);
});
