import { Timestamp, UUID } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet } from '../../../replset/test/askedSet.ts';
import { aggregateOf, insert, Watch, type WatchOptions } from './watchedSet.ts';

// What a change stream may be opened on, and with what.

let asked: AskedSet;
beforeAll(async () => {
  asked = await AskedSet.start(1);
  await asked.ok('n1', { create: 'v', viewOn: 'c' });
});

const tokenOf = (data: string) => ({ _data: data });
const AFTER_DROP = tokenOf(
  '826AAA2A78000000022B042C0100296F14463C6F7065726174696F6E54797065003C64726F704461746162617365000004',
);
const DATABASE_EVENT = tokenOf(AFTER_DROP._data.replace('296F14', '296E14'));
const MARK = tokenOf('82000003E8000000012B0429296E1404');
const cluster = { allChangesForCluster: true };

test.for<[what: string, watch: WatchOptions, code: number]>([
  ['no document', { spec: 1 }, 50808],
  ['an unknown option', { spec: { nope: 1 } }, 40415],
  ['the version of a reader, which routers send', { spec: { version: 'v1' } }, 40415],
  ['what events a router knows', { spec: { supportedEvents: [] } }, 40415],
  ['what routers know of removed shards', { spec: { ignoreRemovedShards: true } }, 40415],
  ['an option of the wrong type', { spec: { fullDocument: 1 } }, 14],
  ...[
    'showExpandedEvents',
    'showSystemEvents',
    'showMigrationEvents',
    'showRawUpdateDescription',
    'allChangesForCluster',
    'allowToRunOnConfigDB',
    'allowToRunOnSystemNS',
  ].map((name): [string, WatchOptions, number] => ['a number for a boolean', { spec: { [name]: 1 } }, 14]),
  ['a token that is none', { spec: { resumeAfter: 1 } }, 14],
  ['an unknown mode', { spec: { fullDocument: 'nope' } }, 2],
  ['an unknown mode', { spec: { fullDocumentBeforeChange: 'default' } }, 2],
  ['the cluster in another database', { of: 1, spec: cluster }, 72],
  ['the cluster with a collection', { db: 'admin', spec: cluster }, 72],
  ['admin', { db: 'admin', of: 1 }, 73],
  ['a collection of admin', { db: 'admin' }, 73],
  ['local', { db: 'local', of: 'oplog.rs' }, 73],
  ['config', { db: 'config', of: 1 }, 73],
  ['a system collection', { of: 'system.profile' }, 73],
  ['two tokens', { spec: { resumeAfter: MARK, startAfter: MARK } }, 50865],
  ['a token and a time', { spec: { resumeAfter: MARK, startAtOperationTime: new Timestamp({ t: 1, i: 1 }) } }, 40674],
  ['resumeAfter an invalidation', { of: 1, spec: { resumeAfter: AFTER_DROP } }, 260],
  ['a collection after an event without UUID', { spec: { startAfter: DATABASE_EVENT } }, 260],
  ['a malformed token', { spec: { resumeAfter: {} } }, 40647],
  [
    'the UUID of a collection',
    { command: { collectionUUID: new UUID('00000000-0000-4000-8000-000000000001') } },
    4928900,
  ],
  ['a view', { of: 'v' }, 166],
  ['read concern local', { command: { readConcern: { level: 'local' } } }, 72],
  ['a start before the oplog', { spec: { startAtOperationTime: new Timestamp({ t: 1, i: 1 }) } }, 0],
  ['a stage that may not follow', { stages: [{ $group: { _id: null } }] }, 20],
  ['a stage that may not follow', { stages: [{ $limit: 1 }] }, 20],
  ['a stage that writes', { stages: [{ $out: 'x' }] }, 20],
  ['a stage that writes, not at the end', { stages: [{ $out: 'x' }, { $match: {} }] }, 20],
  ['a stage that nobody knows', { stages: [{ $nope: 1 }] }, 40324],
  ['splitting in the middle', { stages: [{ $changeStreamSplitLargeEvent: {} }, { $match: {} }] }, 7182802],
  ['splitting with an argument', { stages: [{ $changeStreamSplitLargeEvent: { a: 1 } }] }, 7182800],
])('%s: %o gives %i', async ([, watch, code]) => {
  const reply = await asked.run('n1', aggregateOf(watch), watch.db ?? 'app');
  expect(reply.code ?? 0).toBe(code);
  expect(reply.errorLabels).toBeUndefined();
});

test.for<[spec: object, code: number]>([
  [{ version: 'v1' }, 0],
  [{ version: 'v2' }, 0],
  [{ version: 'v3' }, 2],
  [{ version: '' }, 2],
  [{ version: 1 }, 14],
  [{ supportedEvents: ['namespacePlacementChanged'] }, 0],
  [{ supportedEvents: [''] }, 10498500],
  [{ supportedEvents: ['a', 'b', 'a'] }, 10498500],
  [{ supportedEvents: [1] }, 14],
  [{ supportedEvents: 'a' }, 14],
  [{ ignoreRemovedShards: true }, 0],
  [{ ignoreRemovedShards: 1 }, 14],
])('8.2 takes what routers say: %o gives %i', async ([spec, code]) => {
  const newer = await AskedSet.start(1, { version: '8.2' });
  expect((await newer.run('n1', aggregateOf({ spec }))).code ?? 0).toBe(code);
});

test.for<[pipeline: object[], code: number]>([
  [[{ $match: {} }, { $changeStream: {} }], 40602],
  [[{ $facet: { a: [{ $changeStream: {} }] } }], 40600],
  [[{ $lookup: { from: 'c', pipeline: [{ $changeStream: {} }], as: 'x' } }], 51047],
  [[{ $unionWith: { coll: 'c', pipeline: [{ $changeStream: {} }] } }], 31441],
  [[{ $changeStreamSplitLargeEvent: {} }], 20],
])('%o gives %i', async ([pipeline, code]) => {
  expect(await asked.run('n1', { aggregate: 'c', pipeline, cursor: {} })).toMatchObject({ code });
});

test('not in a view', async () => {
  const reply = await asked.run('n1', { create: 'w', viewOn: 'c', pipeline: [{ $changeStream: {} }] });
  expect(reply).toMatchObject({ code: 167 });
});

test('a name that only begins like one of the system is fine', async () => {
  for (const of of ['systemfoo', 'system_foo']) expect((await Watch.open(asked, { of })).events).toEqual([]);
});

test('on a standalone there is none', async () => {
  const alone = await AskedSet.create({ members: [{ name: 'n1', standalone: true }] });
  expect(await alone.run('n1', aggregateOf({}))).toMatchObject({ code: 40573 });
});

test('3.2 knows none', async () => {
  const old = await AskedSet.start(1, { version: '3.2' });
  expect(await old.run('n1', aggregateOf({}))).toMatchObject({ code: 40324 });
});

test('explain shows the stages', async () => {
  const reply = await asked.ok('n1', { explain: aggregateOf({ stages: [{ $match: {} }] }) });
  expect(reply.stages).toEqual([{ $changeStream: {} }, { $match: {} }]);
});

test('opening makes neither the collection nor its database', async () => {
  await Watch.open(asked, { db: 'nothing' });
  const { databases } = await asked.ok('n1', { listDatabases: 1, nameOnly: true }, 'admin');
  expect(databases).not.toContainEqual({ name: 'nothing' });
});

describe('a stream on', () => {
  test.for<[what: string, watch: WatchOptions, seen: string[], ns: string]>([
    ['a collection', {}, ['app.c'], 'app.c'],
    ['a database', { of: 1 }, ['app.c', 'app.d'], 'app.$cmd.aggregate'],
    ['the cluster', { db: 'admin', of: 1, spec: cluster }, ['app.c', 'app.d', 'other.c'], 'admin.$cmd.aggregate'],
  ])('%s sees its own', async ([, watch, seen, ns]) => {
    const stream = await Watch.open(asked, watch);
    expect(stream.cursor.ns).toBe(ns);
    await insert(asked, [{}], 'c');
    await insert(asked, [{}], 'd');
    await insert(asked, [{}], 'system.js');
    await insert(asked, [{}], 'c', 'other');
    await insert(asked, [{}], 'c', 'admin');
    const events = await stream.next(seen.length);
    expect(events.map(({ ns: { db, coll } }) => `${db}.${coll}`)).toEqual(seen);
    expect(await stream.more()).toEqual([]);
  });
});

test('a read concern that names a time alone is that of a causally consistent session', async () => {
  const { operationTime } = await asked.ok('n1', { insert: 'causal', documents: [{ _id: 1 }] });
  const readConcern = { afterClusterTime: operationTime };
  const stream = await Watch.open(asked, { of: 'causal', command: { readConcern } });
  await insert(asked, [{ _id: 2 }], 'causal');
  expect(await stream.next(1)).toMatchObject([{ documentKey: { _id: 2 } }]);
});
