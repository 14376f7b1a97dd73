import { describe, expect } from 'vitest';
import { useServedSet } from '../clients/servedSets.ts';
import { directly, testAll } from './asking.ts';
import type { Asked } from './mongosh.ts';

const UUID = { $binary: { base64: expect.any(String), subType: '04' } };

const collections: Asked[] = [
  { name: 'createCollection', js: "db.createCollection('plain')", gives: { ok: 1 } },
  { name: 'createCollection again', js: "db.createCollection('plain')", gives: { ok: 1 } },
  ...[
    'capped: true, size: 1000, max: 3',
    "timeseries: { timeField: 't', granularity: 'hours' }, expireAfterSeconds: 100",
    'clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds: 100',
    "validator: { $jsonSchema: { required: ['a'] } }, validationLevel: 'moderate', collation: { locale: 'de' }",
    'changeStreamPreAndPostImages: { enabled: true }',
    "viewOn: 'plain', pipeline: [{ $match: { a: 1 } }], collation: { locale: 'de' }",
  ].map((options) => ({
    name: `createCollection twice with ${options}`,
    before: `const twice = db.getSiblingDB('twice'); twice.createCollection('c', { ${options} });`,
    js: `[twice.createCollection('c', { ${options} }).ok, twice.getCollectionInfos({ name: 'c' }).length, twice.dropDatabase().ok]`,
    gives: [1, 1, 1],
  })),
  {
    name: 'createCollection otherwise',
    js: "db.createCollection('plain', { capped: true, size: 100 })",
    throws: { codeName: 'NamespaceExists' },
  },
  {
    name: 'createCollection with a validator',
    before: "db.createCollection('checked', { validator: { $jsonSchema: { required: ['a'] } } });",
    js: 'db.checked.insertOne({ b: 1 })',
    throws: { code: 121, message: 'Document failed validation' },
  },
  {
    name: 'createCollection capped',
    before:
      "db.createCollection('capped', { capped: true, size: 4096, max: 3 }); db.capped.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }, { _id: 4 }]);",
    js: '[db.capped.isCapped(), db.capped.find().toArray()]',
    gives: [true, [{ _id: 2 }, { _id: 3 }, { _id: 4 }]],
  },
  {
    name: 'createCollection for a time series',
    before:
      "db.createCollection('series', { timeseries: { timeField: 't', metaField: 'm', granularity: 'seconds' }, expireAfterSeconds: 3600 }); db.series.insertOne({ t: new Date(), m: 1, v: 2 });",
    js: '[db.series.countDocuments({ m: 1 }), db.series.stats().timeseries.bucketCount]',
    gives: [1, 1],
  },
  {
    name: 'createCollection clustered',
    js: "db.createCollection('clustered', { clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds: 60 })",
    gives: { ok: 1 },
  },
  {
    name: 'createView',
    before:
      "db.plain.insertMany([{ _id: 1, n: 1 }, { _id: 2, n: 2 }]); db.createView('view', 'plain', [{ $match: { n: 2 } }]);",
    js: 'db.view.find().toArray()',
    gives: [{ _id: 2, n: 2 }],
  },
  { name: 'explain of a view', js: 'db.view.find().explain().ok', gives: 1 },
  { name: 'stats of a view', js: 'db.view.stats()', throws: { message: expect.stringMatching(/view/) } },
  {
    name: 'getCollectionNames',
    js: 'db.getCollectionNames().sort()',
    gives: ['capped', 'checked', 'clustered', 'plain', 'series', 'system.buckets.series', 'system.views', 'view'],
  },
  {
    name: 'getCollectionInfos',
    js: "db.getCollectionInfos({ name: 'plain' })",
    gives: [
      {
        name: 'plain',
        type: 'collection',
        options: {},
        info: { readOnly: false, uuid: UUID },
        idIndex: { name: '_id_' },
      },
    ],
  },
  { name: 'exists', js: 'db.plain.exists()', gives: { name: 'plain' } },
  {
    name: 'stats',
    js: 'db.plain.stats()',
    gives: {
      ok: 1,
      ns: 'admins.plain',
      count: 2,
      nindexes: 1,
      capped: false,
      sharded: false,
      indexSizes: { _id_: expect.any(Number) },
    },
  },
  { name: 'stats with a scale', js: 'db.plain.stats({ scale: 1024, indexDetails: true }).scaleFactor', gives: 1024 },
  {
    name: 'sizes',
    js: '[db.plain.dataSize(), db.plain.storageSize() > 0, db.plain.totalIndexSize() > 0, db.plain.totalSize() > 0]',
    gives: [expect.any(Number), true, true, true],
  },
  {
    name: 'latencyStats',
    js: 'db.plain.latencyStats()',
    gives: [{ ns: 'admins.plain', latencyStats: { reads: { latency: expect.any(Number), ops: expect.any(Number) } } }],
  },
  { name: '$indexStats', js: 'db.plain.aggregate([{ $indexStats: {} }]).toArray()', gives: [{ name: '_id_' }] },
  {
    name: 'validate',
    js: 'db.plain.validate({ full: true })',
    gives: { valid: true, ns: 'admins.plain', nrecords: 2 },
  },
  {
    name: 'the stats of a database',
    js: 'db.stats()',
    // A time series is a view of its buckets.
    gives: { db: 'admins', views: 2, objects: expect.any(Number), ok: 1 },
  },
  { name: 'the stats of a database, scaled', js: 'db.stats(1024).scaleFactor', gives: 1024 },
  {
    name: 'renameCollection',
    before: "db.plain.renameCollection('renamed');",
    js: 'db.renamed.countDocuments({})',
    gives: 2,
  },
  {
    name: 'renameCollection onto another',
    js: "db.renamed.renameCollection('checked')",
    throws: { codeName: 'NamespaceExists' },
  },
  { name: 'convertToCapped', js: 'db.renamed.convertToCapped(4096)', gives: { ok: 1 } },
  { name: 'drop', js: '[db.renamed.drop(), db.renamed.drop()]', gives: [true, true] },
  {
    name: 'printCollectionStats',
    js: 'db.printCollectionStats().value',
    gives: { checked: { ns: 'admins.checked', count: 0 } },
  },
  {
    name: 'dropDatabase',
    js: "db.getSiblingDB('gone').dropDatabase()",
    before: "db.getSiblingDB('gone').c.insertOne({});",
    gives: { ok: 1, dropped: 'gone' },
  },
];

const indexes: Asked[] = [
  { name: 'createIndex', js: 'db.ix.createIndex({ a: 1 })', gives: 'a_1' },
  {
    name: 'createIndex with expireAfterSeconds',
    js: "db.ix.createIndex({ seen: 1 }, { expireAfterSeconds: 60, name: 'ttl' })",
    gives: 'ttl',
  },
  {
    name: 'createIndexes',
    js: 'db.ix.createIndexes([{ b: 1 }, { c: -1, d: 1 }], { sparse: true })',
    gives: ['b_1', 'c_-1_d_1'],
  },
  {
    name: 'createIndex otherwise',
    js: "db.ix.createIndex({ seen: 1 }, { expireAfterSeconds: 90, name: 'ttl' })",
    throws: { code: 85 },
  },
  {
    name: 'createIndex with a bad option',
    js: "db.ix.createIndex({ seen: 1 }, { expireAfterSeconds: 'x' })",
    throws: { codeName: 'CannotCreateIndex', message: expect.stringContaining("its type is 'string'") },
  },
  {
    name: 'getIndexes',
    js: 'db.ix.getIndexes()',
    gives: [
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { key: { a: 1 } },
      { name: 'ttl', expireAfterSeconds: 60 },
      { sparse: true },
      { sparse: true },
    ],
  },
  {
    name: 'getIndexKeys',
    js: 'db.ix.getIndexKeys()',
    gives: [{ _id: 1 }, { a: 1 }, { seen: 1 }, { b: 1 }, { c: -1, d: 1 }],
  },
  { name: 'hideIndex', js: "db.ix.hideIndex('a_1')", gives: { hidden_old: false, hidden_new: true, ok: 1 } },
  { name: 'unhideIndex', js: 'db.ix.unhideIndex({ a: 1 })', gives: { hidden_old: true, hidden_new: false, ok: 1 } },
  {
    name: 'collMod',
    js: "db.runCommand({ collMod: 'ix', index: { name: 'ttl', expireAfterSeconds: 30 } })",
    gives: { expireAfterSeconds_old: 60, expireAfterSeconds_new: 30, ok: 1 },
  },
  { name: 'dropIndex', js: "db.ix.dropIndex('b_1')", gives: { nIndexesWas: 5, ok: 1 } },
  { name: 'dropIndex of none', js: "db.ix.dropIndex('none')", throws: { codeName: 'IndexNotFound' } },
  {
    name: 'dropIndexes',
    js: 'db.ix.dropIndexes()',
    gives: { nIndexesWas: 4, msg: 'non-_id indexes dropped for collection', ok: 1 },
  },
  { name: 'reIndex', js: 'db.ix.reIndex()', throws: { message: expect.any(String) } },
  { name: 'getPlanCache', js: '[db.ix.getPlanCache().list(), db.ix.getPlanCache().clear().ok]', gives: [[], 1] },
  { name: 'getSearchIndexes', js: 'db.ix.getSearchIndexes()', throws: { message: expect.any(String) } },
  {
    name: 'createSearchIndex',
    js: "db.ix.createSearchIndex('x', { mappings: { dynamic: true } })",
    throws: { message: expect.any(String) },
  },
];

const server: Asked[] = [
  { name: 'version', js: '[db.version(), version()]', gives: ['8.0.15', '2.12.0'] },
  {
    name: 'serverBuildInfo',
    js: 'db.serverBuildInfo()',
    gives: { version: '8.0.15', maxBsonObjectSize: 16777216, ok: 1 },
  },
  { name: 'serverBits', js: 'db.serverBits()', gives: 64 },
  { name: 'hostInfo', js: 'db.hostInfo()', gives: { system: { hostname: expect.any(String) }, ok: 1 } },
  {
    name: 'serverCmdLineOpts',
    js: 'db.serverCmdLineOpts()',
    gives: { parsed: { replication: { replSet: 'rs0' } }, ok: 1 },
  },
  { name: 'hello', js: 'db.hello()', gives: { isWritablePrimary: true, setName: 'rs0' } },
  { name: 'isMaster', js: 'db.isMaster()', gives: { ismaster: true } },
  {
    name: 'serverStatus',
    js: 'db.serverStatus()',
    gives: {
      version: '8.0.15',
      process: 'mongod',
      repl: { setName: 'rs0' },
      connections: { current: expect.any(Number) },
      ok: 1,
    },
  },
  { name: 'serverStatus without a section', js: "'repl' in db.serverStatus({ repl: 0 })", gives: false },
  {
    name: 'the TTL monitor, as serverStatus has it',
    js: 'Object.entries(db.serverStatus().metrics.ttl).map(([name, n]) => [name, n.constructor.name])',
    gives: [
      ['collSubpassesIncreasedPriority', 'Long'],
      ['deletedDocuments', 'Long'],
      ['passes', 'Long'],
      ['subPasses', 'Long'],
    ],
  },
  { name: 'getLogComponents', js: 'db.getLogComponents().replication', gives: { verbosity: -1 } },
  {
    name: 'setLogLevel',
    before: "db.setLogLevel(2, 'replication.election');",
    js: 'db.getLogComponents().replication.election.verbosity',
    gives: 2,
  },
  { name: 'getProfilingStatus', js: 'db.getProfilingStatus()', gives: { was: 0, slowms: 100, sampleRate: 1, ok: 1 } },
  {
    name: 'setProfilingLevel',
    js: '[db.setProfilingLevel(2).was, db.getProfilingStatus().was, db.prof.insertOne({ _id: 1 }).acknowledged, db.system.profile.find({ op: "insert" }).toArray().length, db.setProfilingLevel(0).was]',
    gives: [0, 2, true, 1, 2],
  },
  {
    name: 'fsyncLock',
    js: '[db.fsyncLock().lockCount, db.adminCommand({ currentOp: 1 }).fsyncLock, db.fsyncUnlock().lockCount]',
    gives: [1, true, 0],
  },
  { name: 'fsyncUnlock without a lock', js: 'db.fsyncUnlock()', throws: { message: expect.any(String) } },
  {
    name: 'listCommands',
    before: 'const commands = db.listCommands().value;',
    js: '[commands.find.requiresAuth, commands.insert.adminOnly, commands.replSetGetStatus.adminOnly]',
    gives: [true, false, true],
  },
  { name: 'commandHelp', js: "db.commandHelp('find')", gives: 'help for: find finds documents' },
  {
    name: 'currentOp',
    js: 'db.currentOp()',
    gives: {
      inprog: expect.arrayContaining([expect.objectContaining({ type: 'op', op: 'command', active: true })]),
      ok: 1,
    },
  },
  {
    name: 'currentOp of its own',
    js: "db.currentOp({ 'command.aggregate': 1 }).inprog",
    gives: [{ type: 'op', ns: 'admin.$cmd.aggregate', opid: expect.any(Number), active: true }],
  },
  { name: 'currentOp of all', js: 'db.currentOp(true).inprog.length >= db.currentOp().inprog.length', gives: true },
  { name: 'killOp', js: 'db.killOp(999999)', gives: { info: expect.stringContaining('kill op'), ok: 1 } },
  {
    name: 'getParameter',
    js: 'db.adminCommand({ getParameter: 1, ttlMonitorSleepSecs: 1 })',
    gives: { ttlMonitorSleepSecs: 60, ok: 1 },
  },
  {
    name: 'setParameter',
    js: 'db.adminCommand({ setParameter: 1, ttlMonitorSleepSecs: 30 })',
    gives: { was: 60, ok: 1 },
  },
  {
    name: 'setParameter of none',
    js: 'db.adminCommand({ setParameter: 1, noSuch: 1 })',
    throws: { codeName: 'InvalidOptions' },
  },
  {
    name: 'configureFailPoint',
    js: "[db.adminCommand({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands: ['ping'], errorCode: 96 } }).ok, db.adminCommand({ ping: 1 })]",
    // Not one of a shutdown, after which the shell's driver takes the member for gone until its next look.
    throws: { code: 96, codeName: 'OperationFailed' },
  },
  {
    name: 'an unknown command',
    js: 'db.runCommand({ nope: 1 })',
    throws: { code: 59, codeName: 'CommandNotFound', message: "no such command: 'nope'" },
  },
  { name: 'an unknown option', js: "db.runCommand({ find: 'c', nope: 1 })", throws: { code: 40415 } },
  { name: 'an unknown stage', js: 'db.c.aggregate([{ $nope: 1 }]).toArray()', throws: { code: 40324 } },
  {
    name: 'an unknown operator',
    js: 'db.c.find({ a: { $nope: 1 } }).toArray()',
    throws: { code: 2, message: 'unknown operator: $nope' },
  },
  {
    name: 'getReplicationInfo',
    js: 'db.getReplicationInfo()',
    gives: { configuredLogSizeMB: 990, tFirst: expect.any(String) },
  },
  {
    name: 'connectionStatus',
    js: 'db.runCommand({ connectionStatus: 1 }).authInfo',
    gives: { authenticatedUsers: [], authenticatedUserRoles: [] },
  },
  {
    name: 'whatsmyuri',
    js: 'db.adminCommand({ whatsmyuri: 1 }).you',
    gives: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  },
  { name: 'getUsers', js: 'db.getUsers().users', gives: [] },
  { name: 'getUser', js: "db.getUser('x')", gives: null },
  { name: 'getRoles', js: 'db.getRoles().roles', gives: [] },
  { name: 'getRole', js: "db.getRole('x')", gives: null },
  {
    name: 'createUser',
    js: "db.createUser({ user: 'u', pwd: 'p', roles: [] })",
    gives: { ok: 1 },
  },
  {
    name: 'createRole',
    js: "db.createRole({ role: 'r', privileges: [], roles: [] })",
    gives: { ok: 1 },
  },
  { name: 'dropUser', js: "db.dropUser('u')", gives: { ok: 1 } },
  { name: 'auth', js: "db.auth('u', 'p')", throws: { message: expect.any(String) } },
  { name: 'logout', js: 'db.logout()', gives: { ok: 1 } },
  { name: 'rotateCertificates', js: 'db.rotateCertificates()', throws: { message: expect.any(String) } },
  { name: 'getLastError', js: 'db.getLastErrorObj().codeName', gives: 'CommandNotFound' },
  { name: 'printShardingStatus', js: 'db.printShardingStatus()', throws: { message: expect.any(String) } },
  { name: 'getShardDistribution', js: 'db.ix.getShardDistribution()', throws: { message: expect.any(String) } },
  { name: 'getShardVersion', js: 'db.ix.getShardVersion()', throws: { message: expect.any(String) } },
  { name: 'analyzeShardKey', js: 'db.ix.analyzeShardKey({ a: 1 })', throws: { message: expect.any(String) } },
  {
    name: 'configureQueryAnalyzer',
    js: "db.ix.configureQueryAnalyzer({ mode: 'off' })",
    throws: { message: expect.any(String) },
  },
  { name: 'checkMetadataConsistency', js: 'db.checkMetadataConsistency()', throws: { message: expect.any(String) } },
];

const connection: Asked[] = [
  {
    name: 'getDBNames',
    js: 'db.getMongo().getDBNames()',
    gives: expect.arrayContaining(['admins', 'config', 'local']),
  },
  { name: 'getDBs', js: 'db.getMongo().getDBs().totalSize > 0', gives: true },
  { name: 'getURI', js: 'db.getMongo().getURI()', gives: expect.stringContaining('directConnection=true') },
  { name: 'Mongo()', js: "new Mongo(db.getMongo().getURI()).getDB('admins').ix.getFullName()", gives: 'admins.ix' },
  { name: 'connect()', js: "connect(db.getMongo().getURI().replace('/?', '/other?')).getName()", gives: 'other' },
  {
    name: 'a connection of its own writes',
    js: "new Mongo(db.getMongo().getURI()).getDB('admins').own.insertOne({ _id: 1 })",
    gives: { insertedId: 1 },
  },
  {
    name: 'the defaults of a connection',
    before:
      "const m = new Mongo(db.getMongo().getURI()); m.setReadPref('secondaryPreferred'); m.setReadConcern('majority'); m.setWriteConcern('majority');",
    js: '[m.getReadPrefMode(), m.getReadConcern(), m.getWriteConcern().w]',
    gives: ['secondaryPreferred', 'majority', 'majority'],
  },
  { name: 'use', js: "use('elsewhere')", gives: 'switched to db elsewhere' },
  { name: 'the database is that', js: 'db.getName()', gives: 'elsewhere' },
];

describe("mongosh's helpers of administration", () => {
  const served = useServedSet({ seed: 12 });
  testAll(
    () => directly(served()),
    [
      { name: 'use first', js: "use('admins')", gives: 'switched to db admins' },
      ...collections,
      ...indexes,
      ...server,
      ...connection,
    ],
  );
});
