import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AskedSet } from '../../../../replset/test/askedSet.ts';
import { shapeOf } from '../../../../replset/test/shapeOf.ts';

const SERVER_STATUS = { serverStatus: 1 };
const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
const CALLED = ['called long', 'successful long'];
const TIMER = ['num int', 'totalMillis int'];

describe('serverStatus of a set', () => {
  let set: AskedSet;
  beforeAll(async () => {
    set = await AskedSet.create({ members: MEMBERS });
    await set.untilPrimary('n1');
    await set.run('n1', { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], writeConcern: { w: 3 } }, 'app');
    await set.run('n1', { insert: 'c', documents: [{ _id: 3 }], $db: 'app', nonsense: 1 }, 'app');
    await set.pass(5000);
  });
  afterAll(() => set.set.close());

  test('what comes first, and the sections in order', () => {
    expect(shapeOf(set.typed('n1', SERVER_STATUS))).toEqual([
      ...['host string', 'version string', 'process string', 'pid long'],
      ...['uptime double', 'uptimeMillis long', 'uptimeEstimate long', 'localTime date'],
      ...['asserts object', 'batchedDeletes object', 'catalogStats object', 'changeStreamPreImages object'],
      ...['connections object', 'defaultRWConcern object', 'electionMetrics object'],
      ...[
        'extra_info object',
        'featureCompatibilityVersion object',
        'flowControl object',
        'globalLock object',
        'indexBuilds object',
        'indexStats object',
        'internalTransactions object',
        'locks object',
      ],
      ...[
        'logicalSessionRecordCache object',
        'mem object',
        'network object',
        'opLatencies object',
        'opcounters object',
      ],
      ...['opcountersRepl object', 'oplogTruncation object', 'queues object'],
      ...['readConcernCounters object', 'repl object', 'security object', 'storageEngine object'],
      ...['transactions object', 'wiredTiger object'],
      ...['metrics object', 'ok double', '$clusterTime object', 'operationTime timestamp'],
    ]);
  });

  test.for<[section: string, fields: string[]]>([
    ['asserts', ['regular int', 'warning int', 'msg int', 'user int', 'tripwire int', 'rollovers int']],
    [
      'network',
      [
        ...['bytesIn long', 'bytesOut long', 'physicalBytesIn long', 'physicalBytesOut long'],
        ...['numSlowDNSOperations long', 'numSlowSSLOperations long', 'numRequests long'],
      ],
    ],
    ['opcounters', ['insert long', 'query long', 'update long', 'delete long', 'getmore long', 'command long']],
    ['opcountersRepl', ['insert long', 'query long', 'update long', 'delete long', 'getmore long', 'command long']],
    [
      'oplogTruncation',
      [
        ...['totalTimeProcessingMicros long', 'processingMethod string'],
        ...['totalTimeTruncatingMicros long', 'truncateCount long'],
      ],
    ],
    [
      'connections',
      [
        ...['current int', 'available int', 'totalCreated int', 'rejected int', 'active int', 'threaded int'],
        ...['exhaustIsMaster long', 'exhaustHello long', 'awaitingTopologyChanges long', 'loadBalanced long'],
      ],
    ],
    [
      'repl',
      [
        ...['topologyVersion object', 'hosts array', 'setName string', 'setVersion int', 'isWritablePrimary bool'],
        ...['secondary bool', 'primary string', 'me string', 'electionId objectId', 'lastWrite object'],
        ...['primaryOnlyServices object', 'rbid int', 'userWriteBlockMode int'],
      ],
    ],
    [
      'electionMetrics',
      [
        ...['stepUpCmd', 'priorityTakeover', 'catchUpTakeover', 'electionTimeout', 'freezeTimeout'].map(
          (name) => `${name} object`,
        ),
        ...['numStepDownsCausedByHigherTerm long', 'numCatchUps long', 'numCatchUpsSucceeded long'],
        ...['numCatchUpsAlreadyCaughtUp long', 'numCatchUpsSkipped long', 'numCatchUpsTimedOut long'],
        ...['numCatchUpsFailedWithError long', 'numCatchUpsFailedWithNewTerm long'],
        ...['numCatchUpsFailedWithReplSetAbortPrimaryCatchUpCmd long', 'averageCatchUpOps double'],
      ],
    ],
  ])('%s', ([section, fields]) => {
    expect(shapeOf(set.typed('n1', SERVER_STATUS)[section])).toEqual(fields);
  });

  test.for<[path: string, fields: string[]]>([
    [
      '',
      ['apply', 'write', 'buffer', 'initialSync', 'network', 'reconfig', 'stateTransition', 'syncSource'].map(
        (name) => `${name} object`,
      ),
    ],
    ['apply', ['attemptsToBecomeSecondary long', 'batchSize long', 'batches object', 'ops long']],
    ['apply.batches', TIMER],
    ['write', ['batchSize long', 'batches object']],
    ['write.batches', TIMER],
    ['buffer', ['write object', 'apply object']],
    ['buffer.write', ['count long', 'sizeBytes long', 'maxSizeBytes long']],
    ['buffer.apply', ['count long', 'sizeBytes long', 'maxSizeBytes long', 'maxCount long']],
    ['initialSync', ['completed long', 'failedAttempts long', 'failures long']],
    [
      'network',
      [
        ...['bytes long', 'getmores object', 'notPrimaryLegacyUnacknowledgedWrites long'],
        ...['notPrimaryUnacknowledgedWrites long', 'oplogGetMoresProcessed object', 'ops long', 'readersCreated long'],
        'replSetUpdatePosition object',
      ],
    ],
    ['network.getmores', [...TIMER, 'numEmptyBatches long']],
    ['network.oplogGetMoresProcessed', TIMER],
    ['network.replSetUpdatePosition', ['num long']],
    ['reconfig', ['numAutoReconfigsForRemovalOfNewlyAddedFields long']],
    ['stateTransition', ['lastStateTransition string', 'totalOperationsKilled long', 'totalOperationsRunning long']],
    [
      'syncSource',
      [
        ...['numSelections long', 'numTimesChoseSame long', 'numTimesChoseDifferent long', 'numTimesCouldNotFind long'],
        'numSyncSourceChangesDueToSignificantlyCloserNode long',
      ],
    ],
  ])('metrics.repl.%s', ([path, fields]) => {
    let document = set.typed('n2', SERVER_STATUS).metrics.repl;
    for (const name of path.split('.')) if (name !== '') document = document[name];
    expect(shapeOf(document)).toEqual(fields);
  });

  test('what it counts', () => {
    const { opcounters, electionMetrics, asserts, network, metrics } = set.now('n1', SERVER_STATUS);
    expect(opcounters.insert).toBe(2);
    expect(electionMetrics.electionTimeout).toEqual({ called: 1, successful: 1 });
    expect(shapeOf(set.typed('n1', SERVER_STATUS).electionMetrics.electionTimeout)).toEqual(CALLED);
    expect(asserts.user).toBe(1);
    expect(network.numRequests).toBeGreaterThanOrEqual(3);
    expect(network.bytesOut).toBeGreaterThan(100);
    expect(metrics.repl.stateTransition.lastStateTransition).toBe('stepUp');
    const { apply, write, network: fetched, initialSync, syncSource } = set.now('n2', SERVER_STATUS).metrics.repl;
    expect(apply).toMatchObject({ attemptsToBecomeSecondary: 1, batchSize: apply.ops });
    expect(write.batchSize).toBe(apply.batchSize);
    expect(fetched.ops).toBe(apply.ops);
    expect(
      Math.min(apply.ops, apply.batches.num, write.batches.num, fetched.bytes, fetched.getmores.num),
    ).toBeGreaterThan(0);
    expect(fetched.replSetUpdatePosition.num).toBeGreaterThan(0);
    expect(initialSync).toEqual({ completed: 1, failedAttempts: 0, failures: 0 });
    expect(syncSource.numSelections).toBe(syncSource.numTimesCouldNotFind + syncSource.numTimesChoseDifferent);
    expect(metrics.repl.network.oplogGetMoresProcessed.num).toBeGreaterThan(0);
    // Two documents of ours, and the two keys of a new set.
    expect(set.now('n2', SERVER_STATUS).opcountersRepl.insert).toBe(4);
    expect(set.now('n2', SERVER_STATUS).opcounters.insert).toBe(0);
  });

  test('sections by request', () => {
    expect(set.typed('n1', { ...SERVER_STATUS, repl: 0, metrics: false })).not.toHaveProperty('repl');
    expect(set.typed('n1', { ...SERVER_STATUS, repl: 0, metrics: false })).not.toHaveProperty('metrics');
    expect(shapeOf(set.typed('n1', { ...SERVER_STATUS, none: 1, opcounters: 1 })).slice(7, 9)).toEqual([
      'localTime date',
      'opcounters object',
    ]);
    expect(set.now('n1', SERVER_STATUS)).not.toHaveProperty('oplog');
    const { oplog } = set.typed('n1', { ...SERVER_STATUS, oplog: 1 });
    expect(shapeOf(oplog)).toEqual(['latestOptime timestamp', 'earliestOptime timestamp']);
  });

  test('replicationProgress, for those who ask', () => {
    const { replicationProgress } = set.typed('n1', { ...SERVER_STATUS, repl: 1 }).repl;
    expect(replicationProgress.map(shapeOf)).toEqual(
      MEMBERS.map(() => [
        ...['host string', 'optime object', 'lastAppliedOpTime object', 'lastWrittenOpTime object'],
        ...['heartbeatAppliedOpTime object', 'heartbeatWrittenOpTime object', 'heartbeatDurableOpTime object'],
        'memberId int',
      ]),
    );
    expect(set.now('n1', { ...SERVER_STATUS, repl: true }).repl.replicationProgress).toHaveLength(3);
    expect(set.now('n1', SERVER_STATUS).repl).not.toHaveProperty('replicationProgress');
  });

  test('uptime', () => {
    const { uptime, uptimeMillis, uptimeEstimate } = set.now('n1', SERVER_STATUS);
    expect(uptimeMillis).toBe(Math.floor(set.set.nowMicros / 1000));
    expect([uptime, uptimeEstimate]).toEqual([Math.floor(uptimeMillis / 1000), Math.floor(uptimeMillis / 1000)]);
  });
});

test('before 8.0 there is one buffer and no writer, and a step-down kills user operations', async () => {
  const set = await AskedSet.create({ members: MEMBERS, version: '7.0' });
  await set.untilPrimary('n1');
  const { repl } = set.typed('n2', SERVER_STATUS).metrics;
  expect(Object.keys(repl)).not.toContain('write');
  expect(shapeOf(repl.buffer)).toEqual(['count long', 'maxSizeBytes long', 'sizeBytes long']);
  expect(Object.keys(repl.stateTransition)).toEqual(['lastStateTransition', 'userOperationsKilled', 'userOperationsRunning']); // biome-ignore format: one line
  await set.set.close();
});

test('a standalone has no sections of replication, an arbiter no oplog', async () => {
  const set = await AskedSet.create({
    members: [
      { name: 'n1' },
      { name: 'n2', config: { arbiterOnly: true, priority: 0 } },
      { name: 'n3', standalone: true },
    ],
  });
  await set.untilPrimary('n1');
  const standalone = set.now('n3', SERVER_STATUS);
  for (const section of ['repl', 'electionMetrics', 'oplogTruncation']) expect(standalone).not.toHaveProperty(section);
  expect(set.now('n2', SERVER_STATUS)).not.toHaveProperty('oplogTruncation');
  expect(set.now('n2', SERVER_STATUS).repl).toMatchObject({ arbiterOnly: true, rbid: 1 });
  await set.set.close();
});

test('a rollback is the last change of state, and counts', async () => {
  const set = await AskedSet.create({ members: MEMBERS });
  await set.untilPrimary('n1');
  await set.pass(5000);
  set.set.partition([['n1'], ['n2', 'n3']]);
  await set.run('n1', { insert: 'c', documents: [{ _id: 'lost' }], writeConcern: { w: 1 } }, 'app');
  await set.until(() => ['n2', 'n3'].some((name) => set.now(name, { hello: 1 }).isWritablePrimary));
  await set.untilState('n1', 2);
  expect(set.now('n1', SERVER_STATUS).metrics.repl.stateTransition.lastStateTransition).toBe('stepDown');
  set.set.heal('all');
  await set.until(() => set.now('n1', SERVER_STATUS).repl.rbid === 2);
  expect(set.now('n1', SERVER_STATUS).metrics.repl.stateTransition.lastStateTransition).toBe('rollback');
  expect(set.now('n1', { replSetGetRBID: 1 })).toMatchObject({ ok: 1, rbid: 2 });
  await set.set.close();
});
