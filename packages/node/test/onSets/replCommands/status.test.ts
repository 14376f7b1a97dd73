import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AskedSet } from '../../../../replset/test/askedSet.ts';
import { shapeOf } from '../../../../replset/test/shapeOf.ts';

const STATUS = { replSetGetStatus: 1 };

/** `replSetGetStatus`, field by field; what only some members show is put in where it belongs. */
const TOP = [
  'set string',
  'date date',
  'myState int',
  'term long',
  'syncSourceHost string',
  'syncSourceId int',
  'heartbeatIntervalMillis long',
  'majorityVoteCount int',
  'writeMajorityCount int',
  'votingMembersCount int',
  'writableVotingMembersCount int',
  'optimes object',
  'lastStableRecoveryTimestamp timestamp',
];
const REST = ['members array', 'ok double', '$clusterTime object', 'operationTime timestamp'];
const OPTIMES = [
  'lastCommittedOpTime object',
  'lastCommittedWallTime date',
  'readConcernMajorityOpTime object',
  'appliedOpTime object',
  'durableOpTime object',
  'writtenOpTime object',
  'lastAppliedWallTime date',
  'lastDurableWallTime date',
  'lastWrittenWallTime date',
];
const HEAD = ['_id int', 'name string', 'health double', 'state int', 'stateStr string', 'uptime int'];
const WALLS = ['lastAppliedWallTime date', 'lastDurableWallTime date', 'lastWrittenWallTime date'];
const SELF_OPTIMES = ['optime object', 'optimeDate date', 'optimeWritten object', 'optimeWrittenDate date', ...WALLS];
const OTHER_OPTIMES = [
  ...['optime object', 'optimeDurable object', 'optimeWritten object'],
  ...['optimeDate date', 'optimeDurableDate date', 'optimeWrittenDate date'],
  ...WALLS,
];
const SOURCE = ['syncSourceHost string', 'syncSourceId int'];
const HEARTBEAT = ['lastHeartbeat date', 'lastHeartbeatRecv date', 'pingMs long', 'lastHeartbeatMessage string'];
const ELECTION = ['electionTime timestamp', 'electionDate date'];
const CONFIG = ['configVersion int', 'configTerm int'];
const SELF_END = [...CONFIG, 'self bool', 'lastHeartbeatMessage string'];

describe('a set with an arbiter and a member that is down', () => {
  let set: AskedSet;
  beforeAll(async () => {
    set = await AskedSet.create({
      members: [
        { name: 'n1', config: { priority: 5 } },
        { name: 'n2' },
        { name: 'n3' },
        { name: 'n4', config: { arbiterOnly: true, priority: 0 } },
        { name: 'n5', config: { priority: 0 } },
      ],
    });
    await set.untilPrimary('n1');
    await set.run('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 4 } }, 'app');
    await set.pass(1000);
    set.set.kill('n5');
    await set.pass(20_000);
  });
  afterAll(() => set.set.close());

  test('a primary', () => {
    const status = set.typed('n1', STATUS);
    const metrics = ['electionCandidateMetrics object'];
    expect(shapeOf(status).filter((field) => !field.startsWith('electionParticipant'))).toEqual([...TOP, ...metrics, ...REST]); // biome-ignore format: one line
    expect(shapeOf(status.optimes)).toEqual(OPTIMES);
    expect(shapeOf(status.members[0])).toEqual([
      ...HEAD,
      ...SELF_OPTIMES,
      ...SOURCE,
      'infoMessage string',
      ...ELECTION,
      ...SELF_END,
    ]);
    expect(set.now('n1', STATUS)).toMatchObject({
      set: 'rs0',
      myState: 1,
      term: 1,
      syncSourceHost: '',
      syncSourceId: -1,
      heartbeatIntervalMillis: 2000,
      majorityVoteCount: 3,
      writeMajorityCount: 3,
      votingMembersCount: 5,
      writableVotingMembersCount: 4,
    });
  });

  test('a secondary', () => {
    const status = set.typed('n2', STATUS);
    expect(shapeOf(status)).toEqual([...TOP, 'electionParticipantMetrics object', ...REST]);
    expect(shapeOf(status.members[1])).toEqual([
      ...HEAD,
      ...SELF_OPTIMES,
      ...SOURCE,
      'infoMessage string',
      ...SELF_END,
    ]);
    expect(shapeOf(status.members[0])).toEqual([
      ...[...HEAD, ...OTHER_OPTIMES, ...HEARTBEAT, ...SOURCE],
      ...['infoMessage string', ...ELECTION, ...CONFIG],
    ]);
    expect(status.members[1].syncSourceHost).toMatch(/^n\d:27017$/);
  });

  test('an arbiter has no optimes, seen from itself and from others', () => {
    const seen = set.typed('n1', STATUS).members[3];
    expect(shapeOf(seen)).toEqual([...HEAD, ...HEARTBEAT, ...SOURCE, 'infoMessage string', ...CONFIG]);
    const own = set.typed('n4', STATUS).members[3];
    expect(shapeOf(own)).toEqual([...HEAD, ...SOURCE, 'infoMessage string', ...SELF_END]);
    expect(own.stateStr).toBe('ARBITER');
  });

  test('a member that is down shows zeros; what is tracked of it stays', () => {
    const typed = set.typed('n1', STATUS).members[4];
    expect(shapeOf(typed)).toEqual([
      ...[...HEAD, ...OTHER_OPTIMES, ...HEARTBEAT, ...SOURCE],
      ...['infoMessage string', ...CONFIG],
    ]);
    const down = set.now('n1', STATUS).members[4];
    expect(down).toMatchObject({ health: 0, state: 8, stateStr: '(not reachable/healthy)', uptime: 0 });
    for (const name of ['optime', 'optimeDurable', 'optimeWritten']) {
      expect(down[name]).toMatchObject({ t: -1 });
      expect(down[name].ts.toString()).toBe('0');
      expect(down[`${name}Date`]).toEqual(new Date(0));
    }
    expect(down.lastAppliedWallTime.getTime()).toBeGreaterThan(Date.UTC(2025, 0, 1));
    expect(down.lastHeartbeatMessage).not.toBe('');
    expect(down.lastHeartbeat.getTime()).toBeGreaterThan(down.lastHeartbeatRecv.getTime());
    const { replicationProgress } = set.now('n1', { serverStatus: 1, repl: 1 }).repl;
    expect(replicationProgress[4].lastAppliedOpTime.t).toBe(1);
    expect(replicationProgress[4].heartbeatAppliedOpTime.t).toBe(-1);
  });

  test('uptime counts from when a member was last seen coming up', async () => {
    await set.set.start('n5');
    await set.until(() => set.now('n1', STATUS).members[4].state === 2);
    await set.pass(5500);
    const { uptime } = set.now('n1', STATUS).members[4];
    expect([5, 6, 7, 8]).toContain(uptime);
    expect(set.now('n1', STATUS).members[0].uptime).toBeGreaterThan(20);
    set.set.kill('n5');
  });
});

test('before 8.0 nobody knows of written opTimes', async () => {
  const set = await AskedSet.create({ members: [{ name: 'n1' }, { name: 'n2' }], version: '7.0' });
  await set.untilPrimary();
  await set.pass(5000);
  for (const name of ['n1', 'n2']) {
    const status = set.typed(name, STATUS);
    expect(JSON.stringify(status)).not.toMatch(/[wW]ritten/);
    expect(shapeOf(status.optimes)).toEqual(OPTIMES.filter((field) => !/[wW]ritten/.test(field)));
  }
  await set.set.close();
});

test('a member that was never heard of is neither up nor down', async () => {
  const set = await AskedSet.create({ members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3', spare: true }] });
  await set.untilPrimary('n1');
  set.set.partition([['n1', 'n2'], ['n3']]);
  const { config } = set.now('n1', { replSetGetConfig: 1 });
  const members = [...config.members, { _id: 7, host: 'n3:27017', priority: 0, votes: 0 }];
  set.send('n1', { replSetReconfig: { ...config, version: 2, members } }, 'admin');
  await set.until(() => set.now('n1', STATUS).members.length === 3);
  const unknown = set.now('n1', STATUS).members[2];
  expect(unknown).toMatchObject({ _id: 7, health: -1, state: 6, stateStr: 'UNKNOWN', uptime: 0 });
  expect(unknown.lastHeartbeat).toEqual(new Date(0));
  expect(unknown.lastHeartbeatRecv).toEqual(new Date(0));
  await set.set.close();
});

test('a member in initial sync, and what is left to tell of it', async () => {
  const set = await AskedSet.create({
    members: [{ name: 'n1' }, { name: 'n2', spare: true }],
    costs: { initialSyncMicrosPerDocument: 100_000 },
  });
  await set.untilPrimary('n1');
  await set.run('n1', { insert: 'c', documents: Array.from({ length: 30 }, (_, _id) => ({ _id })) }, 'app');
  const { config } = set.now('n1', { replSetGetConfig: 1 });
  const members = [...config.members, { _id: 1, host: 'n2:27017', priority: 0, votes: 0 }];
  set.send('n1', { replSetReconfig: { ...config, version: config.version + 1, members } }, 'admin');
  await set.until(() => set.now('n2', STATUS).initialSyncStatus?.databases?.app?.['app.c']?.documentsCopied === 0);
  await set.pass(1000);
  const overall = [
    ...['method string', 'failedInitialSyncAttempts int', 'maxFailedInitialSyncAttempts int', 'initialSyncStart date'],
    ...['totalInitialSyncElapsedMillis int', 'initialSyncAttempts array'],
  ];
  const copied = ['approxTotalDataSize int', 'approxTotalBytesCopied int'];
  const progress = ['appliedOps int', 'initialSyncOplogStart timestamp'];
  const end = ['totalTimeUnreachableMillis long', 'databases object'];
  const under = set.typed('n2', STATUS);
  expect(shapeOf(under)).toEqual([...TOP, 'initialSyncStatus object', ...REST]);
  const fields = shapeOf(under.initialSyncStatus);
  expect(fields.filter((field) => !field.startsWith('remaining'))).toEqual([
    ...overall,
    ...copied,
    ...progress,
    ...end,
  ]);
  expect(shapeOf(under.initialSyncStatus.databases).slice(0, 2)).toEqual([
    'databasesToClone int',
    'databasesCloned int',
  ]);
  expect(shapeOf(under.initialSyncStatus.databases.app)).toEqual([
    ...['collections int', 'clonedCollections int', 'start date', 'elapsedMillis int', 'app.c object'],
  ]);
  expect(set.now('n2', STATUS).members[1]).toMatchObject({ state: 5, stateStr: 'STARTUP2', self: true });
  expect(set.now('n2', { ...STATUS, initialSync: 0 })).not.toHaveProperty('initialSyncStatus');
  expect(set.now('n2', { ...STATUS, initialSync: 'x' })).toMatchObject({ ok: 0, code: 14 });
  await set.untilState('n2', 2);
  expect(set.now('n2', STATUS)).not.toHaveProperty('initialSyncStatus');
  const { initialSyncStatus: over } = set.typed('n2', { ...STATUS, initialSync: 1 });
  expect(shapeOf(over)).toEqual([
    ...[...overall.slice(0, 4), 'initialSyncEnd date', ...overall.slice(4)],
    ...[...copied, 'remainingInitialSyncEstimatedMillis int', ...progress, 'initialSyncOplogEnd timestamp', ...end],
  ]);
  expect(shapeOf(over.initialSyncAttempts[0])).toEqual([
    ...['durationMillis int', 'status string', 'syncSource string', 'rollBackId int'],
    ...['operationsRetried int', 'totalTimeUnreachableMillis int'],
  ]);
  expect(shapeOf(over.databases.app['app.c'])).toEqual([
    ...['documentsToCopy int', 'documentsCopied int', 'indexes int', 'fetchedBatches int', 'bytesToCopy int'],
    ...['approxBytesCopied int', 'start date', 'end date', 'elapsedMillis int', 'receivedBatches int'],
  ]);
  const told = set.now('n2', { ...STATUS, initialSync: 1 }).initialSyncStatus;
  expect(told.databases.app['app.c']).toMatchObject({ documentsToCopy: 30, documentsCopied: 30 });
  expect(told.approxTotalDataSize).toBe(told.approxTotalBytesCopied);
  expect(told.remainingInitialSyncEstimatedMillis).toBe(0);
  expect(told.initialSyncAttempts).toMatchObject([{ status: 'OK', syncSource: 'n1:27017', rollBackId: 1 }]);
  expect(set.now('n1', { ...STATUS, initialSync: 1 })).not.toHaveProperty('initialSyncStatus');
  await set.set.close();
});

test('a member that rolls back', async () => {
  const set = await AskedSet.create({
    members: [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }],
  });
  await set.untilPrimary('n1');
  await set.pass(5000);
  set.set.partition([['n1'], ['n2', 'n3']]);
  await set.run('n1', { insert: 'c', documents: [{ _id: 'lost' }], writeConcern: { w: 1 } }, 'app');
  await set.until(() => ['n2', 'n3'].some((name) => set.now(name, { hello: 1 }).isWritablePrimary));
  set.set.heal('all');
  await set.untilState('n1', 9);
  expect(set.now('n1', STATUS).members[0]).toMatchObject({ state: 9, stateStr: 'ROLLBACK', health: 1 });
  await set.untilState('n1', 2);
  // The id is on the disk as an int32, and a plain number again in the next process, or others would see another one.
  const found: unknown[] = [];
  set.set.onTrace((event) => {
    if (event.type === 'processStarted') found.push(event.rbid);
  });
  set.set.kill('n1');
  await set.set.start('n1');
  await set.pass(1000);
  expect(found).toEqual([2]);
  await set.set.close();
});

test('a member that its config does not contain', async () => {
  const set = await AskedSet.create({
    members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3', config: { priority: 0 } }],
  });
  const primary = await set.untilPrimary();
  expect(set.now('n3', STATUS).ok).toBe(1);
  const { config } = set.now(primary, { replSetGetConfig: 1 });
  const members = config.members.filter(({ host }: { host: string }) => host !== 'n3:27017');
  await set.run(primary, { replSetReconfig: { ...config, version: config.version + 1, members } }, 'admin');
  await set.untilState('n3', 10);
  const reply = set.typed('n3', STATUS);
  expect(set.now('n3', STATUS)).toMatchObject({ ok: 0, code: 93, codeName: 'InvalidReplicaSetConfig', state: 10 });
  expect(
    shapeOf(reply).filter((field) => !/^(ok|errmsg|code|codeName|\$clusterTime|operationTime) /.test(field)),
  ).toEqual([
    ...['state int', 'stateStr string', 'uptime int', 'optime object', 'optimeWritten object'],
    ...['optimeDate date', 'optimeWrittenDate date', 'lastHeartbeatMessage string', ...SOURCE, 'infoMessage string'],
  ]);
  await set.set.close();
});

test('a member without config, and a process without set', async () => {
  const set = await AskedSet.create({ members: [{ name: 'n1' }, { name: 'n2', standalone: true }], initiate: false });
  await set.pass(1000);
  const commands = [
    ...['replSetGetStatus', 'replSetGetRBID', 'replSetGetConfig', 'replSetReconfig', 'replSetSyncFrom'],
    ...['replSetStepDown', 'replSetStepUp', 'replSetFreeze', 'replSetMaintenance', 'replSetAbortPrimaryCatchUp'],
  ];
  for (const command of commands) {
    const refused = await set.run('n1', { [command]: 1 }, 'admin');
    expect(refused, command).toMatchObject({ code: 94, errmsg: 'no replset config has been received' });
    expect(refused, command).not.toHaveProperty('info');
    expect(await set.run('n2', { [command]: 1 }, 'admin'), command).toMatchObject({
      code: 76,
      codeName: 'NoReplicationEnabled',
    });
  }
  await set.set.close();
});
