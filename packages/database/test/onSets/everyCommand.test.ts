import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { Binary, Double, Int32, Long, Timestamp } from 'bson';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { COMMAND_NAMES } from './commandShapes.ts';

// Every command once, in its least form, on a set of one: it is answered, and in the types that drivers and mongosh rely on.

type Row = [command: Doc, code?: number, db?: string];

const UUID = new Binary(new Uint8Array(16), 4);
const A = 'admin';
const ROLES = ['read'];
const PRIVILEGES = [{ resource: { db: 'app', collection: 'c' }, actions: ['find'] }];

/** In this order: later rows need what earlier ones made. */
const ROWS: readonly Row[] = [
  [{ ping: 1 }],
  [{ hello: 1 }, 0, A],
  [{ isMaster: 1 }, 0, A],
  [{ buildInfo: 1 }, 0, A],
  [{ hostInfo: 1 }, 0, A],
  [{ features: 1 }],
  [{ connectionStatus: 1 }],
  [{ whatsmyuri: 1 }],
  [{ listCommands: 1 }],
  [{ getCmdLineOpts: 1 }, 0, A],
  [{ getLog: 'global' }, 0, A],
  [{ getParameter: '*' }, 0, A],
  [{ setParameter: 1, logLevel: 0 }, 0, A],
  [{ serverStatus: 1 }, 0, A],
  [{ top: 1 }, 0, A],
  [{ lockInfo: 1 }, 0, A],
  [{ _isSelf: 1 }, 0, A],
  [{ connPoolStats: 1 }, 0, A],
  [{ logRotate: 1 }, 0, A],
  [{ getDiagnosticData: 1 }, 115, A],
  [{ refreshLogicalSessionCacheNow: 1 }, 0, A],
  [{ reapLogicalSessionCacheNow: 1 }, 0, A],
  [{ create: 'made' }],
  [{ insert: 'c', documents: [{ _id: 1, a: 1 }] }],
  [{ update: 'c', updates: [{ q: {}, u: { $set: { a: 2 } } }] }],
  [{ findAndModify: 'c', query: { _id: 1 }, update: { $set: { a: 3 } } }],
  [{ delete: 'c', deletes: [{ q: { _id: 9 }, limit: 1 }] }],
  [{ bulkWrite: 1, ops: [{ insert: 0, document: { _id: 5 } }], nsInfo: [{ ns: 'app.c' }] }, 0, A],
  [{ find: 'c' }],
  [{ count: 'c' }],
  [{ distinct: 'c', key: 'a' }],
  [{ aggregate: 'c', pipeline: [], cursor: {} }],
  [{ explain: { find: 'c' } }],
  [{ getMore: Long.fromNumber(77), collection: 'c' }, 43],
  [{ killCursors: 'c', cursors: [Long.fromNumber(77)] }],
  [{ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] }],
  [{ setIndexCommitQuorum: 'c', indexNames: ['a_1'], commitQuorum: 1 }, 27],
  [{ listIndexes: 'c' }],
  [{ listCollections: 1 }],
  [{ listDatabases: 1 }, 0, A],
  [{ validate: 'c' }],
  [{ collStats: 'c' }],
  [{ dbStats: 1 }],
  [{ dbHash: 1 }],
  [{ dataSize: 'app.c' }],
  [{ collMod: 'c', index: { name: 'a_1', hidden: true } }],
  [{ dropIndexes: 'c', index: 'a_1' }],
  [{ compact: 'c', force: true }],
  [{ reIndex: 'c' }, 20],
  [{ planCacheClear: 'c' }],
  [{ planCacheListFilters: 'c' }],
  [{ planCacheClearFilters: 'c' }],
  [{ planCacheSetFilter: 'c', query: {}, indexes: [{ a: 1 }] }, 115],
  [{ profile: -1 }],
  [{ cloneCollectionAsCapped: 'c', toCollection: 'capped', size: 1000 }],
  [{ convertToCapped: 'made', size: 1000 }],
  [{ renameCollection: 'app.made', to: 'app.named' }, 0, A],
  [{ drop: 'named' }],
  [{ dropDatabase: 1 }, 0, 'other'],
  [{ currentOp: 1 }, 0, A],
  [{ killOp: 1, op: 99_999 }, 0, A],
  [{ startSession: 1 }],
  [{ refreshSessions: [{ id: UUID }] }],
  [{ endSessions: [{ id: UUID }] }],
  [{ killSessions: [] }],
  [{ killAllSessions: [] }],
  [{ killAllSessionsByPattern: [] }],
  [{ commitTransaction: 1 }, 125, A],
  [{ abortTransaction: 1 }, 125, A],
  [{ prepareTransaction: 1 }, 203, A],
  [{ coordinateCommitTransaction: 1, participants: [] }, 203, A],
  [{ usersInfo: 1 }],
  [{ rolesInfo: 1 }],
  [{ logout: 1 }],
  [{ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: '' }, 18, A],
  [{ saslContinue: 1, conversationId: 1, payload: '' }, 18, A],
  [{ authenticate: 1, mechanism: 'MONGODB-X509' }, 18, A],
  [{ testDeprecation: 1 }],
  [{ testDeprecationInVersion2: 1 }],
  [{ testRemoval: 1 }],
  [{ testVersion2: 1 }],
  [{ testVersions1And2: 1 }],
  [{ mapReduce: 'c', map: 'm', reduce: 'r', out: 'o' }, 115],
  [{ createSearchIndexes: 'c', indexes: [] }, 31_082],
  [{ listSearchIndexes: 'c' }, 31_082],
  [{ updateSearchIndex: 'c', name: 's', definition: {} }, 31_082],
  [{ dropSearchIndex: 'c', name: 's' }, 31_082],
  [{ createUser: 'u', pwd: 'p', roles: [] }],
  [{ updateUser: 'u', pwd: 'q' }],
  [{ grantRolesToUser: 'u', roles: ROLES }],
  [{ revokeRolesFromUser: 'u', roles: ROLES }],
  [{ dropUser: 'u' }],
  [{ dropAllUsersFromDatabase: 1 }],
  [{ createRole: 'r', privileges: [], roles: [] }],
  [{ updateRole: 'r', roles: [] }],
  [{ grantPrivilegesToRole: 'r', privileges: PRIVILEGES }],
  [{ revokePrivilegesFromRole: 'r', privileges: PRIVILEGES }],
  [{ grantRolesToRole: 'r', roles: ROLES }],
  [{ revokeRolesFromRole: 'r', roles: ROLES }],
  [{ dropRole: 'r' }],
  [{ dropAllRolesFromDatabase: 1 }],
  [{ invalidateUserCache: 1 }],
  [{ configureFailPoint: 'failCommand', mode: 'off' }, 0, A],
  [{ waitForFailPoint: 'failCommand', timesEntered: 0, maxTimeMS: 1000 }, 0, A],
  [{ setFeatureCompatibilityVersion: '8.0', confirm: true }, 0, A],
  [{ getDefaultRWConcern: 1 }, 0, A],
  [{ getClusterParameter: '*' }, 0, A],
  [{ setClusterParameter: { defaultMaxTimeMS: { readOperations: 0 } } }, 0, A],
  [{ setDefaultRWConcern: 1, defaultReadConcern: { level: 'local' } }, 0, A],
  [{ setUserWriteBlockMode: 1, global: false }, 0, A],
  [{ fsync: 1 }, 0, A],
  [{ fsyncUnlock: 1 }, 20, A],
  [{ applyOps: [{ op: 'i', ns: 'app.c', o: { _id: 77 } }] }],
  [{ appendOplogNote: 1, data: { said: 1 } }, 0, A],
  [{ replSetGetStatus: 1 }, 0, A],
  [{ replSetGetConfig: 1 }, 0, A],
  [{ replSetGetRBID: 1 }, 0, A],
  [{ replSetHeartbeat: 'rs0', configVersion: 1, from: '', term: 1 }, 0, A],
  [{ replSetRequestVotes: 1 }, 4, A],
  [{ replSetInitiate: {} }, 23, A],
  [{ replSetReconfig: {} }, 93, A],
  [{ replSetResizeOplog: 1, size: 990 }, 0, A],
  [{ replSetSyncFrom: 'n1:27017' }, 95, A],
  [{ replSetFreeze: 0 }, 95, A],
  [{ replSetMaintenance: false }, 95, A],
  [{ replSetAbortPrimaryCatchUp: 1 }, 20, A],
  [{ replSetStepUp: 1 }, 0, A],
  [{ replsimRollbackFiles: 1 }, 0, A],
  [{ replSetStepDown: 1, force: true }, 0, A],
  // There is no answer: the connection is closed.
  [{ shutdown: 1, force: true }, 6, A],
];

const nameOf = ([command]: Row): string => Object.keys(command)[0]!;

/** The reply, its numbers in the types in which they came. */
async function rawReply(asked: AskedSet, command: Doc, db: string): Promise<Doc> {
  const pending = asked.set.send('n1', encodeDocument({ ...command, $db: db }));
  await asked.until(() => pending.reply !== undefined);
  return decodeDocument(pending.reply!);
}

test('the table has every command', () => {
  expect(ROWS.map(nameOf).sort()).toEqual([...COMMAND_NAMES].sort());
});

describe('each in its least form', () => {
  let asked: AskedSet;
  beforeAll(async () => {
    asked = await AskedSet.start(1);
  });
  afterAll(() => asked.set.close());

  test.for(ROWS)('%j', async ([command, code = 0, db = 'app']) => {
    const reply = await rawReply(asked, command, db);
    expect([Number(reply.code ?? 0), reply.errmsg]).toEqual([code, code === 0 ? undefined : expect.any(String)]);
    expect(Number(reply.ok)).toBe(code === 0 ? 1 : 0);
    expect(misTyped(reply)).toEqual([]);
    if (!command.shutdown) expect(reply.operationTime).toBeInstanceOf(Timestamp);
  });

  test('each of the types was met', () => {
    expect(TYPES.filter(([end]) => !met.has(end))).toEqual([]);
  });
});

type Type = 'int' | 'long' | 'double' | 'timestamp' | 'date' | 'any number';

/** The types that drivers insist on, and those that mongosh's users see; by the end of the path, the longest that fits. */
const TYPES: readonly [end: RegExp, type: Type][] = [
  [/cursor\.id$/, 'long'],
  [/topologyVersion\.counter$/, 'long'],
  [/signature\.keyId$/, 'long'],
  [/(optime|OpTime)\w*\.t$/, 'long'],
  [/(optime|OpTime)\w*\.ts$/, 'timestamp'],
  [/^(operationTime|electionTime|\$clusterTime\.clusterTime)$/, 'timestamp'],
  [/^(term|config\.term)$/, 'long'],
  [/^(config\.version|config\.members\.\d+\._id|myState|members\.\d+\.(state|_id))$/, 'int'],
  [/^members\.\d+\.health$/, 'double'],
  [
    /^(date|.*(WallTime|optimeDate|optimeDurableDate|lastHeartbeat|lastHeartbeatRecv|electionDate|lastWriteDate|localTime))$/,
    'date',
  ],
  [/^n(Inserted|Matched|Modified|Upserted|Deleted)$/, 'int'],
  [/^metrics\.ttl\.\w+$/, 'long'],
  [/^opcounters\.\w+$/, 'long'],
  [/^totalSize$/, 'any number'],
  [/^databases\.\d+\.sizeOnDisk$/, 'long'],
  [/^(ok|cursor\.firstBatch\.\d+\.ok|sampleRate)$/, 'double'],
];

/** Ends of paths that some reply had. */
const met = new Set<RegExp>();

const IS: Record<Type, (value: unknown) => boolean> = {
  int: (value) => value instanceof Int32,
  long: (value) => value instanceof Long && !(value instanceof Timestamp),
  double: (value) => value instanceof Double,
  timestamp: (value) => value instanceof Timestamp,
  date: (value) => value instanceof Date,
  'any number': (value) => value instanceof Int32 || value instanceof Long || value instanceof Double,
};

/** Every path whose value has another type than it must have. */
function misTyped(value: unknown, path = ''): string[] {
  const [end, type] = TYPES.find(([each]) => each.test(path)) ?? [];
  if (end) met.add(end);
  if (type && !IS[type](value)) return [`${path} should be ${type}`];
  const isDocument = Array.isArray(value) || (value !== null && Object.getPrototypeOf(value) === Object.prototype);
  if (!isDocument) return [];
  return Object.entries(value as Doc).flatMap(([name, each]) => misTyped(each, path === '' ? name : `${path}.${name}`));
}

test('a wrong type would be told', () => {
  expect(misTyped({ myState: Long.ONE, members: [{ health: new Int32(1) }], cursor: { id: new Int32(0) } })).toEqual([
    'myState should be int',
    'members.0.health should be double',
    'cursor.id should be long',
  ]);
});
