import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// What the helpers of mongosh send, in its words, and what they look for in the answers.

/** As a shell that is connected to one member sends it. */
const DIRECT = { $readPreference: { mode: 'primaryPreferred' } };

let asked: AskedSet;
let primary: string;
let secondary: string;
beforeAll(async () => {
  asked = await AskedSet.start(3);
  primary = asked.primary;
  secondary = asked.set.memberNames.find((name) => name !== primary)!;
  await asked.ok(primary, { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], writeConcern: { w: 3 } });
  await asked.pass(5000);
});
afterAll(() => asked.set.close());

const run = (member: string, command: Doc, db = 'admin') => asked.run(member, { ...command, ...DIRECT }, db);

async function raw(member: string, command: Doc, db = 'admin'): Promise<Doc> {
  const pending = asked.set.send(member, encodeDocument({ ...command, ...DIRECT, $db: db }));
  await asked.until(() => pending.reply !== undefined);
  return decodeDocument(pending.reply!);
}

async function firstBatch(member: string, command: Doc, db: string): Promise<Doc[]> {
  const { ok, errmsg, cursor } = await run(member, command, db);
  expect([ok, errmsg]).toEqual([1, undefined]);
  return cursor.firstBatch;
}

describe('on start', () => {
  test('the shell asks what it talks to, and lives with every refusal', async () => {
    const { version, versionArray, modules, gitVersion } = await run(primary, { buildInfo: 1 });
    expect([version, versionArray.length, modules, gitVersion.length]).toEqual(['8.0.15', 4, [], 40]);
    const pipeline = [
      { $match: { managedClusterType: 'atlasCliLocalDevCluster' } },
      { $group: { _id: 1, n: { $sum: 1 } } },
    ];
    expect(await firstBatch(primary, { aggregate: 'atlascli', pipeline, cursor: {} }, 'admin')).toEqual([]);
    expect((await run(primary, { getParameter: 'foo' })).code).toBe(72);
    expect((await run(primary, { atlasVersion: 1 })).code).toBe(59);
    const { featureCompatibilityVersion } = await run(primary, { getParameter: 1, featureCompatibilityVersion: 1 });
    expect(featureCompatibilityVersion.version).toBe('8.0');
    expect(Array.isArray((await run(primary, { getLog: 'startupWarnings' })).log)).toBe(true);
  });

  test('completion asks for names', async () => {
    const { databases } = await run(secondary, { listDatabases: 1, nameOnly: true });
    expect(databases.map(({ name }: Doc) => name)).toEqual(expect.arrayContaining(['app', 'local']));
    const command = { listCollections: 1, filter: {}, cursor: {}, nameOnly: true, authorizedCollections: true };
    expect(await firstBatch(secondary, command, 'app')).toEqual([{ name: 'c', type: 'collection' }]);
  });
});

describe('rs.status()', () => {
  test.for(['primary', 'secondary'] as const)('of a %s has every field that the shell prints', async (role) => {
    const status = await raw(role === 'primary' ? primary : secondary, { replSetGetStatus: 1 });
    // biome-ignore format: a list
    expect(Object.keys(status)).toEqual(expect.arrayContaining(['set', 'date', 'myState', 'term', 'syncSourceHost', 'syncSourceId',
      'heartbeatIntervalMillis', 'majorityVoteCount', 'writeMajorityCount', 'votingMembersCount', 'writableVotingMembersCount',
      'optimes', role === 'primary' ? 'electionCandidateMetrics' : 'electionParticipantMetrics', 'members']));
    // biome-ignore format: a list
    expect(Object.keys(status.optimes)).toEqual(expect.arrayContaining(['lastCommittedOpTime', 'lastCommittedWallTime',
      'readConcernMajorityOpTime', 'appliedOpTime', 'durableOpTime', 'lastAppliedWallTime', 'lastDurableWallTime']));
    for (const { self, ...member } of status.members) {
      expect([member.state, member._id]).toEqual([expect.any(Int32), expect.any(Int32)]);
      expect([member.health, member.optime.ts, member.optime.t]).toEqual([
        expect.any(Double),
        expect.any(Timestamp),
        expect.any(Long),
      ]);
      expect(member.optimeDate).toBeInstanceOf(Date);
      // biome-ignore format: a list
      expect(Object.keys(member)).toEqual(expect.arrayContaining(['name', 'stateStr', 'uptime', 'lastAppliedWallTime',
        'lastDurableWallTime', 'syncSourceHost', 'syncSourceId', 'infoMessage', 'lastHeartbeatMessage', 'configVersion', 'configTerm']));
      if (self) continue;
      // biome-ignore format: a list
      expect(Object.keys(member)).toEqual(expect.arrayContaining(['optimeDurable', 'lastHeartbeat', 'lastHeartbeatRecv', 'pingMs']));
    }
    const leader = status.members.find(({ state }: Doc) => Number(state) === 1);
    expect([leader.electionTime, leader.electionDate]).toEqual([expect.any(Timestamp), expect.any(Date)]);
  });
});

test('rs.conf()', async () => {
  const { config } = await raw(secondary, { replSetGetConfig: 1 });
  expect([config.version, config.members[0]._id]).toEqual([expect.any(Int32), expect.any(Int32)]);
  expect(config.settings.replicaSetId).toBeInstanceOf(ObjectId);
});

test.for(['primary', 'secondary'] as const)('rs.printReplicationInfo() on a %s', async (role) => {
  const member = role === 'primary' ? primary : secondary;
  const listed = await firstBatch(member, { listCollections: 1, filter: {}, cursor: {}, nameOnly: false }, 'local');
  expect(listed.map(({ name }) => name)).toContain('oplog.rs');
  const pipeline = [{ $collStats: { storageStats: { scale: 1 } } }];
  const [{ storageStats }] = (await firstBatch(member, { aggregate: 'oplog.rs', pipeline, cursor: {} }, 'local')) as [
    Doc,
  ];
  expect(storageStats.maxSize).toBeGreaterThan(0);
  expect(storageStats.size).toBeGreaterThan(0);
  const config = { find: 'collections', filter: { _id: 'local.oplog.rs' } };
  expect(await firstBatch(member, config, 'config')).toEqual([]);
  const oldest = await endOfOplog(member, 1);
  const newest = await endOfOplog(member, -1);
  expect(oldest.ts.lessThan(newest.ts)).toBe(true);
});

async function endOfOplog(member: string, $natural: number): Promise<Doc> {
  const command = { find: 'oplog.rs', filter: {}, sort: { $natural }, limit: 1 };
  const [entry] = await firstBatch(member, command, 'local');
  return entry!;
}

test('rs.printSecondaryReplicationInfo()', async () => {
  const pipeline = [{ $match: {} }, { $group: { _id: 1, n: { $sum: 1 } } }];
  const counted = await firstBatch(primary, { aggregate: 'system.replset', pipeline, cursor: {} }, 'local');
  expect(counted).toEqual([{ _id: 1, n: 1 }]);
});

test('db.c.stats()', async () => {
  const pipeline = [{ $collStats: { storageStats: { scale: 1024 } } }];
  const [stats] = await firstBatch(secondary, { aggregate: 'c', pipeline, cursor: {} }, 'app');
  // biome-ignore format: a list
  expect(Object.keys(stats!.storageStats)).toEqual(expect.arrayContaining(['size', 'count', 'avgObjSize', 'storageSize',
    'freeStorageSize', 'capped', 'nindexes', 'indexBuilds', 'totalIndexSize', 'totalSize', 'indexSizes', 'scaleFactor']));
  expect(stats).toMatchObject({ ns: 'app.c', storageStats: { count: 2, storageSize: 4, scaleFactor: 1024 } });
});

test('db.serverStatus().metrics.ttl has int64s', async () => {
  const { metrics } = await raw(primary, { serverStatus: 1 });
  expect(metrics.ttl).toMatchObject({ passes: expect.any(Long), deletedDocuments: expect.any(Long) });
});

test('show dbs, show collections, db.c.drop()', async () => {
  const { databases, totalSize } = await run(primary, { listDatabases: 1, nameOnly: false });
  expect(databases.every(({ sizeOnDisk }: Doc) => sizeOnDisk > 0)).toBe(true);
  expect(totalSize).toBe(databases.reduce((sum: number, { sizeOnDisk }: Doc) => sum + sizeOnDisk, 0));
  await asked.ok(primary, { create: 'gone' });
  const command = { listCollections: 1, filter: { name: 'gone' }, cursor: {}, nameOnly: false };
  const [{ info, idIndex }] = (await firstBatch(primary, command, 'app')) as [Doc];
  expect([info.readOnly, idIndex.name]).toEqual([false, '_id_']);
  expect(await asked.ok(primary, { drop: 'gone' })).toMatchObject({ ns: 'app.gone', nIndexesWas: 1 });
  expect(await firstBatch(primary, command, 'app')).toEqual([]);
});

test('listCollections is filtered by any field', async () => {
  await asked.ok(primary, { create: 'capped', capped: true, size: 1000 });
  await asked.ok(primary, { create: 'view', viewOn: 'c', pipeline: [] });
  const named = async (filter: Doc) =>
    (await firstBatch(primary, { listCollections: 1, filter, cursor: {} }, 'app')).map(({ name }) => name);
  expect(await named({ type: 'view' })).toEqual(['view']);
  expect(await named({ 'options.capped': true })).toEqual(['capped']);
  expect(await named({ 'info.readOnly': true })).toEqual(['view']);
  expect(await named({ 'idIndex.name': '_id_', name: /^c/ })).toEqual(['c', 'capped']);
  const { cursor } = await run(primary, { listCollections: 1, cursor: { batchSize: 1 } }, 'app');
  expect(cursor.firstBatch).toHaveLength(1);
  const more = await run(primary, { getMore: Long.fromValue(cursor.id), collection: '$cmd.listCollections' }, 'app');
  expect(more.cursor).toMatchObject({ ns: 'app.$cmd.listCollections', id: 0 });
  expect(more.cursor.nextBatch.length).toBeGreaterThan(1);
});

test('the oplog can be validated', async () => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }] });
  const { n } = await asked.ok('n1', { count: 'oplog.rs' }, 'local');
  const reply = await asked.ok('n1', { validate: 'oplog.rs' }, 'local');
  expect(reply).toMatchObject({ ns: 'local.oplog.rs', nrecords: n, nIndexes: 0, valid: true, errors: [] });
  await asked.set.close();
});
