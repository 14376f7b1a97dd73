import { lookup } from 'node:dns/promises';
import { hostname, networkInterfaces } from 'node:os';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Serving, serve } from '../../packages/cli/test/serving.ts';
import { directUri, useServedSet } from '../clients/servedSets.ts';
import { directly, testAll } from './asking.ts';
import type { Asked } from './mongosh.ts';

const HOST = expect.stringMatching(/^127\.0\.0\.1:\d+$/);
const DATE = { $date: expect.any(String) };
const TS = { $timestamp: { t: expect.any(Number), i: expect.any(Number) } };
const OP_TIME = { ts: TS, t: 1 };
const UTC = expect.stringMatching(/^\w{3} \w{3} \d{2} 20\d\d [\d:]{8} GMT\+0000 \(Coordinated Universal Time\)$/);

const advance = (duration: string) => `db.adminCommand({ replsimAdvance: '${duration}' });`;
/** The member that `rs.add()` adds. */
const SPARE = 'const spare = db.adminCommand({ replsimStatus: 1 }).members[3].host;';
const PRIMARY_AT_REST = {
  health: 1,
  state: 1,
  stateStr: 'PRIMARY',
  optime: OP_TIME,
  optimeDate: DATE,
  electionTime: TS,
  electionDate: DATE,
  configVersion: 1,
  configTerm: 1,
  self: true,
};
const SECONDARY_AT_REST = {
  health: 1,
  state: 2,
  stateStr: 'SECONDARY',
  uptime: expect.any(Number),
  optime: OP_TIME,
  optimeDurable: OP_TIME,
  optimeDate: DATE,
  optimeDurableDate: DATE,
  lastAppliedWallTime: DATE,
  lastDurableWallTime: DATE,
  lastHeartbeat: DATE,
  lastHeartbeatRecv: DATE,
  pingMs: expect.any(Number),
  lastHeartbeatMessage: '',
  syncSourceHost: HOST,
  syncSourceId: 0,
  infoMessage: '',
  configVersion: 1,
  configTerm: 1,
};
const memberOf = (_id: number) => ({
  _id,
  host: HOST,
  arbiterOnly: false,
  buildIndexes: true,
  hidden: false,
  priority: 1,
  tags: {},
  secondaryDelaySecs: 0,
  votes: 1,
});

const looking: Asked[] = [
  {
    name: 'rs.status()',
    // So that heartbeats have told of the election.
    before: advance('10s'),
    js: 'rs.status()',
    gives: {
      set: 'rs0',
      date: DATE,
      myState: 1,
      term: 1,
      heartbeatIntervalMillis: 2000,
      majorityVoteCount: 2,
      writeMajorityCount: 2,
      votingMembersCount: 3,
      writableVotingMembersCount: 3,
      optimes: {
        lastCommittedOpTime: OP_TIME,
        lastCommittedWallTime: DATE,
        readConcernMajorityOpTime: OP_TIME,
        appliedOpTime: OP_TIME,
        durableOpTime: OP_TIME,
        lastAppliedWallTime: DATE,
        lastDurableWallTime: DATE,
      },
      electionCandidateMetrics: { lastElectionReason: 'electionTimeout', numVotesNeeded: 2 },
      members: [PRIMARY_AT_REST, SECONDARY_AT_REST, SECONDARY_AT_REST],
      ok: 1,
    },
  },
  {
    name: 'rs.conf()',
    js: 'rs.conf()',
    gives: {
      _id: 'rs0',
      version: 1,
      term: 1,
      members: [memberOf(0), memberOf(1), memberOf(2)],
      settings: { electionTimeoutMillis: 10000, replicaSetId: { $oid: expect.any(String) } },
    },
  },
  { name: 'rs.config()', js: 'rs.config().members.length', gives: 3 },
  { name: 'types', js: "[rs.status().term, rs.conf().term, rs.conf().version, rs.status().members[1].state].map((n) => n.constructor.name)", gives: ['Long', 'Long', 'Number', 'Number'] }, // biome-ignore format: one line
  {
    name: 'rs.hello()',
    js: 'rs.hello()',
    gives: { isWritablePrimary: true, secondary: false, hosts: [HOST, HOST, HOST] },
  },
  { name: 'rs.isMaster()', js: 'rs.isMaster()', gives: { ismaster: true, primary: HOST } },
  {
    name: 'db.getReplicationInfo()',
    js: 'db.getReplicationInfo()',
    gives: { configuredLogSizeMB: 990, logSizeMB: 990, usedMB: expect.any(Number), timeDiff: expect.any(Number), tFirst: UTC, tLast: UTC }, // biome-ignore format: one line
  },
  {
    name: 'rs.printReplicationInfo()',
    js: 'rs.printReplicationInfo().value',
    gives: { 'configured oplog size': '990 MB', 'oplog first event time': UTC, 'oplog last event time': UTC },
  },
  {
    name: 'rs.printSecondaryReplicationInfo()',
    js: 'Object.values(rs.printSecondaryReplicationInfo().value)',
    gives: Array.from({ length: 2 }, () => ({
      syncedTo: UTC,
      replLag: expect.stringMatching(/^\d+ secs \(0 hrs\) behind the primary $/),
    })),
  },
  {
    name: 'rs.printSecondaryReplicationInfo() of one that is down',
    before: `db.adminCommand({ replsimFault: { kill: 'n3' } }); ${advance('15s')} const info = rs.printSecondaryReplicationInfo().value; db.adminCommand({ replsimFault: { start: 'n3' } }); ${advance('15s')}`, // biome-ignore format: one line
    js: 'Object.values(info)',
    gives: [{ syncedTo: UTC }, { 'no replication info, yet.  State': '(not reachable/healthy)' }],
  },
  {
    name: 'what the heartbeats said of it',
    before: `db.adminCommand({ replsimFault: { kill: 'n3' } }); ${advance('15s')} const [, , member] = rs.status().members; db.adminCommand({ replsimFault: { start: 'n3' } }); ${advance('15s')}`, // biome-ignore format: one line
    js: 'member',
    gives: {
      health: 0,
      state: 8,
      stateStr: '(not reachable/healthy)',
      uptime: 0,
      // The last heartbeat's, or that of the liveness timer, whichever of them the shell's clock let come last.
      lastHeartbeatMessage: expect.stringMatching(/^(Connection refused|no response within election timeout period)$/),
    },
  },
];

const changing: Asked[] = [
  { name: 'rs.add()', before: SPARE, js: 'rs.add(spare)', gives: { ok: 1 } },
  {
    name: 'rs.add() again',
    before: SPARE,
    js: 'rs.add(spare)',
    throws: { codeName: 'NewReplicaSetConfigurationIncompatible', message: expect.stringContaining('same host field') },
  },
  {
    name: 'the new member has caught up',
    before: advance('10s'),
    js: 'rs.status().members.map(({ _id, stateStr, lastHeartbeatMessage }) => [_id, stateStr, lastHeartbeatMessage])',
    gives: [
      [0, 'PRIMARY', ''],
      [1, 'SECONDARY', ''],
      [2, 'SECONDARY', ''],
      [3, 'SECONDARY', ''],
    ],
  },
  {
    name: 'rs.reconfig()',
    before:
      "const config = rs.conf(); Object.assign(config.members[3], { priority: 0, hidden: true, tags: { dc: 'x' } });",
    js: 'rs.reconfig(config)',
    gives: { ok: 1 },
  },
  {
    name: 'its outcome',
    js: '[rs.conf().members[3], rs.hello().hosts.length, rs.hello().passives]',
    gives: [{ _id: 3, priority: 0, hidden: true, tags: { dc: 'x' } }, 3, null],
  },
  {
    name: 'rs.reconfig() of nonsense',
    before: 'const config = rs.conf(); config.members[3].priority = -1;',
    js: 'rs.reconfig(config)',
    throws: { codeName: 'InvalidReplicaSetConfig', message: expect.stringContaining('between 0 and 1000') },
  },
  {
    name: 'rs.reconfig() of more than one vote',
    before: 'const config = rs.conf(); Object.assign(config.members[2], { votes: 0, priority: 0 }); Object.assign(config.members[1], { votes: 0, priority: 0 });', // biome-ignore format: one line
    js: 'rs.reconfig(config)',
    throws: { codeName: 'NewReplicaSetConfigurationIncompatible' },
  },
  {
    name: 'rs.reconfig() by force',
    before: 'const was = rs.conf().version; const config = rs.conf(); config.settings.heartbeatTimeoutSecs = 5;',
    js: '[rs.reconfig(config, { force: true }).ok, rs.conf().version > was + 1, rs.conf().settings.heartbeatTimeoutSecs]',
    gives: [1, true, 5],
  },
  { name: 'rs.remove()', before: SPARE, js: '[rs.remove(spare).ok, rs.conf().members.length]', gives: [1, 3] },
  {
    name: 'rs.remove() of none',
    js: "rs.remove('127.0.0.1:1')",
    throws: { message: expect.stringContaining('Is 127.0.0.1:1 a member of this replset?') },
  },
  {
    name: 'rs.addArb() to three',
    js: "rs.addArb('127.0.0.1:1')",
    throws: { message: expect.stringContaining('change the implicit default write concern') },
  },
  { name: 'rs.initiate() again', js: 'rs.initiate()', throws: { codeName: 'AlreadyInitialized' } },
  { name: 'rs.freeze() of the primary', js: 'rs.freeze(1)', throws: { codeName: 'NotSecondary' } },
  {
    name: 'rs.syncFrom() of the primary',
    js: 'rs.syncFrom(rs.hello().hosts[1])',
    throws: { codeName: 'NotSecondary' },
  },
];

const steppingDown: Asked[] = [
  {
    name: 'rs.stepDown() while nobody can follow',
    before: `db.adminCommand({ replsimFault: { hold: { on: ['n2', 'n3'], part: 'fetch' } } }); db.left.insertOne({ _id: 1 }, { writeConcern: { w: 1 } });`, // biome-ignore format: one line
    js: 'rs.stepDown(30, 5)',
    throws: { codeName: 'ExceededTimeLimit', message: expect.stringContaining('caught up') },
  },
  {
    name: 'rs.stepDown()',
    before: "db.adminCommand({ replsimFault: { release: 'all' } });",
    js: '[rs.stepDown(30, 10).ok, rs.hello().isWritablePrimary]',
    gives: [1, false],
  },
  { name: 'rs.stepDown() of a secondary', js: 'rs.stepDown()', throws: { codeName: 'NotWritablePrimary' } },
  {
    name: 'somebody follows',
    before: "const { primary } = db.adminCommand({ replsimUntilPrimary: 1, within: '60s' });",
    js: "[['n2', 'n3'].includes(primary), db.left.find().toArray()]",
    gives: [true, [{ _id: 1 }]],
  },
];

describe('mongosh on the primary', () => {
  const served = useServedSet({ seed: 31, spares: 1 });
  testAll(() => directly(served(), 'n1'), [...looking, ...changing, ...steppingDown]);
});

const resolves = (name: string) =>
  lookup(name).then(
    () => true,
    () => false,
  );
const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
/** By any of these a member finds itself. */
const SPELLINGS = new Set([
  'localhost',
  '127.0.0.1',
  ...(hasIPv6 ? ['[::1]'] : []),
  ...((await resolves('127.0.1.1')) ? ['127.0.1.1'] : []),
  hostname().toLowerCase(),
  hostname().toUpperCase(),
]);

describe.for([...SPELLINGS])('mongosh and members that %s names', (spelling) => {
  const served = useServedSet({ seed: 33, initiate: false });
  const hosts = `const hosts = db.adminCommand({ replsimStatus: 1 }).members.map(({ host }) => '${spelling}:' + host.split(':').at(-1));`;
  const initiating = (...more: string[]) =>
    `rs.initiate({ _id: 'rs0', members: [${['hosts[0]', ...more].map((host, _id) => `{ _id: ${_id}, host: ${host} }`)}] })`;
  const nobody = { codeName: 'NodeNotFound', message: expect.stringContaining(`${spelling}:1 failed with Connection refused`) }; // biome-ignore format: one line

  testAll(
    () => directly(served(), 'n1'),
    [
      { name: 'rs.initiate() where nobody listens', before: hosts, js: initiating(`'${spelling}:1'`), throws: nobody },
      { name: 'rs.initiate()', before: hosts, js: initiating(), gives: { ok: 1 } },
      {
        name: 'the config keeps the name, and the member answers with it',
        before: `${hosts} db.adminCommand({ replsimUntilPrimary: 1 }); const { me, primary, hosts: all } = db.hello();`,
        js: '[rs.conf().members[0].host, me, primary, ...all].map((host) => host === hosts[0])',
        gives: [true, true, true, true],
      },
      // A new member has no vote until it answers, so that nobody's answer is wanted.
      {
        name: 'rs.add() where nobody listens',
        before: `const added = rs.add('${spelling}:1'); ${advance('5s')} const [, { name, lastHeartbeatMessage }] = rs.status().members;`,
        js: `[added.ok, name, lastHeartbeatMessage, rs.remove('${spelling}:1').ok]`,
        gives: [1, `${spelling}:1`, 'Connection refused', 1],
      },
      { name: 'rs.add()', before: hosts, js: 'rs.add(hosts[1])', gives: { ok: 1 } },
      {
        name: 'rs.addArb()',
        before: `${hosts} ${advance('10s')} db.adminCommand({ setDefaultRWConcern: 1, defaultWriteConcern: { w: 1 } });`,
        js: 'rs.addArb(hosts[2])',
        gives: { ok: 1 },
      },
      {
        name: 'all of them are there by that name',
        before: `${hosts} ${advance('10s')} const config = rs.conf();`,
        js: 'rs.status().members.map(({ name, stateStr }, i) => [name === hosts[i], config.members[i].host === name, stateStr])',
        gives: [
          [true, true, 'PRIMARY'],
          [true, true, 'SECONDARY'],
          [true, true, 'ARBITER'],
        ],
      },
      {
        name: 'hello of all',
        before: `${hosts} const { hosts: all, arbiters } = db.hello();`,
        js: '[...all, ...arbiters].map((host, i) => host === hosts[i])',
        gives: [true, true, true],
      },
      {
        name: 'rs.remove()',
        before: hosts,
        js: '[rs.remove(hosts[2]).ok, rs.remove(hosts[1]).ok, rs.conf().members.length]',
        gives: [1, 1, 1],
      },
    ],
  );
});

describe('mongosh and a set that nobody has initiated', () => {
  const served = useServedSet({ seed: 34, members: 1, initiate: false });
  testAll(
    () => directly(served(), 'n1'),
    [
      { name: 'rs.conf()', js: 'rs.conf()', throws: { codeName: 'NotYetInitialized' } },
      {
        name: 'rs.initiate() without a config',
        js: 'rs.initiate()',
        gives: { info2: 'no configuration specified. Using a default configuration for the set', me: HOST, ok: 1 },
      },
      {
        name: 'it has one member, itself',
        before: 'db.adminCommand({ replsimUntilPrimary: 1 });',
        js: '[rs.conf()._id, rs.conf().members.map(({ host }) => host), db.hello().me, db.hello().isWritablePrimary]',
        gives: ['rs0', [HOST], HOST, true],
      },
    ],
  );
});

describe('mongosh and an operation that waits', () => {
  const served = useServedSet({ seed: 32 });
  let client: MongoClient | undefined;
  let stuck: Promise<unknown>;
  beforeAll(async () => {
    const primary = served().primary!;
    for (const member of served().set.memberNames)
      if (member !== primary) await served().act({ type: 'hold', member, part: 'fetch' });
    client = new MongoClient(directUri(served(), primary), { retryWrites: false });
    stuck = client
      .db('test')
      .collection('stuck')
      .insertOne({}, { writeConcern: { w: 3 } });
    stuck.catch(() => {});
    const waits = { currentOp: 1, ns: 'test.stuck', msg: { $exists: true } };
    while (((await served().command(primary, waits)).inprog as unknown[]).length === 0);
  });
  afterAll(() => client?.close());

  testAll(
    () => directly(served()),
    [
      {
        name: 'db.currentOp()',
        js: "db.currentOp({ ns: 'test.stuck' }).inprog",
        gives: [
          { op: 'insert', ns: 'test.stuck', msg: 'waiting for writeConcern', active: true, opid: expect.any(Number) },
        ],
      },
      {
        name: 'db.killOp()',
        before: "const [{ opid }] = db.currentOp({ ns: 'test.stuck' }).inprog;",
        js: "[db.killOp(opid).ok, db.currentOp({ ns: 'test.stuck' }).inprog]",
        gives: [1, []],
      },
    ],
  );

  test('the client hears of it', async () => {
    await expect(stuck).rejects.toMatchObject({ code: 11601 });
  });
});

describe('mongosh on a secondary of `replsim serve`', () => {
  let serving: Serving | undefined;
  beforeAll(async () => {
    serving = await serve('--port', '0', '--seed', '1');
  });
  afterAll(() => serving?.interrupt());

  const where = () => {
    const [, host] = /^n2 (\S+)$/m.exec(serving!.out().split('\n')[1]!.replaceAll(', ', '\n'))!;
    return [`mongodb://${host}/app`];
  };

  testAll(where, [
    { name: 'it is n2', js: 'rs.hello().secondary', gives: true },
    { name: 'rs.status()', js: '[rs.status().myState, rs.status().syncSourceHost]', gives: [2, HOST] },
    { name: 'rs.freeze()', js: 'rs.freeze(30)', gives: { ok: 1 } },
    { name: 'rs.freeze(0)', js: 'rs.freeze(0)', gives: { ok: 1, info: 'unfreezing' } },
    {
      name: 'rs.syncFrom()',
      js: 'rs.syncFrom(rs.conf().members[2].host)',
      gives: { ok: 1, syncFromRequested: HOST, prevSyncTarget: HOST },
    },
    { name: 'a write', js: 'db.c.insertOne({})', throws: { codeName: 'NotWritablePrimary' } },
    { name: 'a read', js: 'db.c.find().toArray()', gives: [] },
    {
      name: 'rs.printReplicationInfo()',
      js: 'rs.printReplicationInfo().value',
      gives: { 'configured oplog size': '990 MB', 'oplog first event time': UTC },
    },
    {
      name: 'the TTL monitor of the primary deletes when the clock is turned',
      before: `const { primary } = rs.hello(); const c = new Mongo('mongodb://' + primary + '/?directConnection=true').getDB('app').sessions;
        c.createIndex({ seen: 1 }, { expireAfterSeconds: 60 }); c.insertMany([{ seen: new Date() }, { seen: new Date(Date.now() + 3600_000) }], { writeConcern: { w: 3 } });
        const before = db.sessions.countDocuments(); ${advance('2m')}
        const { ttl } = c.getDB().serverStatus().metrics;`,
      js: '[before, db.sessions.countDocuments(), ttl.deletedDocuments, ttl.passes > 1]',
      gives: [2, 1, 1, true],
    },
    { name: 'replsimUntilTtlPass', js: 'db.adminCommand({ replsimUntilTtlPass: 1 })', gives: { primary: 'n1', ok: 1 } },
    {
      name: 'replsimStatus',
      js: 'db.adminCommand({ replsimStatus: 1 })',
      gives: {
        set: 'rs0',
        seed: 1,
        primary: 'n1',
        members: [{ name: 'n1', host: HOST, running: true }, {}, {}],
        ok: 1,
      },
    },
    { name: 'replsimLedger', js: 'db.adminCommand({ replsimLedger: 1 }).lost', gives: [] },
    { name: 'replsimSpeed', js: 'db.adminCommand({ replsimSpeed: 0 })', gives: { was: 1, ok: 1 } },
    {
      name: 'replsimAdvance tells where time is',
      before: `const was = db.adminCommand({ replsimStatus: 1 }).nowMicros; ${advance('61s')}`,
      js: 'db.adminCommand({ replsimStatus: 1 }).nowMicros - was >= 61_000_000',
      gives: true,
    },
    {
      name: 'replsimAdvance of nonsense',
      js: "db.adminCommand({ replsimAdvance: 'soon' })",
      throws: { codeName: 'BadValue', message: expect.stringContaining('soon') },
    },
    {
      name: 'replsimAdvance elsewhere',
      js: 'db.runCommand({ replsimAdvance: 1 })',
      throws: { codeName: 'Unauthorized' },
    },
    {
      name: 'replsimStepDown',
      js: "['n2', 'n3'].includes(db.adminCommand({ replsimStepDown: 1 }).primary)",
      gives: true,
    },
    {
      name: 'replsimFault',
      before: "db.adminCommand({ replsimFault: { kill: 'n1' } }); const [n1] = db.adminCommand({ replsimStatus: 1 }).members; db.adminCommand({ replsimFault: { start: 'n1' } });", // biome-ignore format: one line
      js: '[n1.running, db.adminCommand({ replsimStatus: 1 }).members[0].running]',
      gives: [false, true],
    },
    {
      name: 'replsimFault of nonsense',
      js: 'db.adminCommand({ replsimFault: { nope: 1 } })',
      throws: { message: expect.stringContaining('nope') },
    },
    { name: 'replsimSpeed again', js: 'db.adminCommand({ replsimSpeed: 1 })', gives: { was: 0, ok: 1 } },
    {
      name: 'db.shutdownServer()',
      js: "db.getSiblingDB('admin').shutdownServer({ force: true, timeoutSecs: 0 })",
      throws: { message: expect.stringMatching(/^connection \d+ to 127\.0\.0\.1:\d+ closed$/) },
    },
  ]);

  test('the member that was shut down has ended', () => {
    expect(serving!.out()).toMatch(/n2 has shut down/);
  });
});
