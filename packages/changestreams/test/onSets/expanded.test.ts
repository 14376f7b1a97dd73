import { UUID } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { brief, insert, Watch } from './watchedSet.ts';

// What a set's own commands are to a stream that asks for all that happens to collections.

const expanded = { showExpandedEvents: true };

test('the catalog of a collection', async () => {
  const asked = await AskedSet.start(1);
  const stream = await Watch.open(asked, { spec: expanded });
  const plain = await Watch.open(asked);
  await asked.ok('n1', { create: 'c' });
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', expireAfterSeconds: 60 }] });
  await insert(asked, [{ _id: 1 }]);
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { b: 1 }, name: 'b' }] });
  await asked.ok('n1', { collMod: 'c', index: { name: 'a', expireAfterSeconds: 90 } });
  await asked.ok('n1', { collMod: 'c', validationLevel: 'off' });
  await asked.ok('n1', { collMod: 'c', validator: { a: 1 } });
  await asked.ok('n1', { dropIndexes: 'c', index: 'b' });
  const events = await stream.next(8);
  expect(brief(events)).toEqual([
    'create',
    'createIndexes',
    ['insert', 1],
    'createIndexes',
    'modify',
    'modify',
    'modify',
    'dropIndexes',
  ]);
  const [create, first, , second, index, level, validator, drop] = events as Doc[];
  const { uuid } = (await asked.ok('n1', { listCollections: 1 })).cursor.firstBatch[0].info;
  for (const event of events) expect(event.collectionUUID).toEqual(new UUID(uuid.buffer));
  expect(create!.operationDescription).toEqual({ idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } });
  expect(first!.operationDescription.indexes).toMatchObject([
    { v: 2, key: { a: 1 }, name: 'a', expireAfterSeconds: 60 },
  ]);
  expect(second!.operationDescription.indexes).toMatchObject([{ v: 2, key: { b: 1 }, name: 'b' }]);
  expect(index).toMatchObject({
    operationDescription: { index: { name: 'a', expireAfterSeconds: 90 } },
    stateBeforeChange: { indexOptions: { expireAfterSeconds: 60 } },
  });
  expect(level).toMatchObject({
    operationDescription: { validationLevel: 'off' },
    stateBeforeChange: { collectionOptions: {} },
  });
  expect(validator).toMatchObject({
    operationDescription: { validator: { a: 1 } },
    stateBeforeChange: { collectionOptions: { validationLevel: 'off', validationAction: 'error' } },
  });
  expect(drop!.operationDescription.indexes).toMatchObject([{ v: 2, key: { b: 1 }, name: 'b' }]);
  expect(brief(await plain.next(1))).toEqual([['insert', 1]]);
  const resumed = await Watch.open(asked, { spec: { resumeAfter: create!._id } });
  expect(brief(resumed.events)).toEqual([['insert', 1]]);
  expect((await asked.ok('n1', { serverStatus: 1 }, 'admin')).metrics.changeStreams).toMatchObject({
    showExpandedEvents: 1,
  });
});

test.for([
  ['8.0', expanded, ['createIndexes']],
  ['8.2', expanded, ['createIndexes']],
  ['8.0', { ...expanded, showSystemEvents: true }, ['createIndexes']],
  [
    '8.2',
    { ...expanded, showSystemEvents: true },
    ['startIndexBuild', 'createIndexes', 'startIndexBuild', 'abortIndexBuild'],
  ],
] as const)('%s with %j shows of index builds %j', async ([version, spec, shown]) => {
  const asked = await AskedSet.start(1, { version });
  await insert(asked, [
    { _id: 1, a: 1 },
    { _id: 2, a: 1 },
  ]);
  const stream = await Watch.open(asked, { spec });
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] });
  await asked.run('n1', { createIndexes: 'c', indexes: [{ key: { a: -1 }, name: 'one', unique: true }] });
  const events = await stream.next(shown.length);
  expect(brief([...events, ...(await stream.more())])).toEqual(shown);
  const last = events.at(-1) as Doc;
  expect(last.operationDescription.indexes).toMatchObject([{ name: shown.length > 1 ? 'one' : 'a' }]);
  await asked.set.close();
});

test('views, as a database shows them', async () => {
  const asked = await AskedSet.start(1);
  const stream = await Watch.open(asked, { of: 1, spec: expanded });
  const plain = await Watch.open(asked, { of: 1 });
  await asked.ok('n1', { create: 'v', viewOn: 'c', pipeline: [] });
  await asked.ok('n1', { collMod: 'v', viewOn: 'd', pipeline: [] });
  await asked.ok('n1', { drop: 'v' });
  const events = await stream.next(3);
  expect(brief(events)).toEqual(['create', 'modify', 'drop']);
  expect(events.map(({ ns }) => ns.coll)).toEqual(['v', 'v', 'v']);
  expect(events[1]!.operationDescription).toEqual({ viewOn: 'd', pipeline: [] });
  expect(events[0]).not.toHaveProperty('collectionUUID');
  expect(await plain.more()).toEqual([]);
});

test.for<[version: '7.0' | '8.0' | '8.2', uuid: boolean, nsType: boolean]>([
  ['7.0', false, false],
  ['8.0', false, true],
  ['8.2', true, true],
])('%s shows UUIDs to all: %s, and nsType: %s', async ([version, hasUuid, hasNsType]) => {
  const asked = await AskedSet.start(1, { version });
  const stream = await Watch.open(asked);
  const all = await Watch.open(asked, { spec: expanded });
  await insert(asked, [{ _id: 1 }]);
  const [event] = await stream.next(1);
  expect('collectionUUID' in event!).toBe(hasUuid);
  const [create] = await all.next(2);
  expect(create!.operationType).toBe('create');
  expect('nsType' in create!).toBe(hasNsType);
});

test('an update whose paths can be read in several ways', async () => {
  const asked = await AskedSet.start(1);
  const stream = await Watch.open(asked, { spec: expanded });
  const filler = 'x'.repeat(100);
  await insert(asked, [{ _id: 1, a: { filler } }]);
  await asked.ok('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { 'a.0': 1 } } }] });
  const update = (await stream.next(3))[2];
  expect(update!.updateDescription).toEqual({
    updatedFields: { 'a.0': 1 },
    removedFields: [],
    truncatedArrays: [],
    disambiguatedPaths: { 'a.0': ['a', '0'] },
  });
});

test('a collMod that changes nothing is told all the same', async () => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', { create: 'c' });
  const stream = await Watch.open(asked, { spec: expanded });
  await asked.ok('n1', { collMod: 'c' });
  const [event] = await stream.next(1);
  expect(event).toMatchObject({ operationType: 'modify', operationDescription: {} });
});
