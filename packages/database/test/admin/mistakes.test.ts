import { Binary, Int32, Long, Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: 1 }, { _id: 2, a: 2 }, { _id: 3, a: 3 });
});

const SESSION = { lsid: { id: new Binary(new Uint8Array(16), 4) } };
const IN_TRANSACTION = { ...SESSION, txnNumber: Long.ONE, autocommit: false };

test.for<[command: Doc, code: number, gist: string, db?: string]>([
  // A command that there is not.
  [{ nope: 1 }, 59, "no such command: 'nope'"],
  [{ Ping: 1 }, 59, "no such command: 'Ping'"],
  [{ atlasVersion: 1 }, 59, 'atlasVersion', 'admin'],
  // A field that there is not.
  [{ buildInfo: 1, x: 1 }, 40415, "BSON field 'buildInfo.x' is an unknown field."],
  [{ buildinfo: 1, x: 1 }, 40415, "BSON field 'buildinfo.x' is an unknown field."],
  [{ hostInfo: 1, x: 1 }, 40415, 'hostInfo.x'],
  [{ connectionStatus: 1, x: 1 }, 40415, 'connectionStatus.x'],
  [{ getCmdLineOpts: 1, x: 1 }, 40415, 'getCmdLineOpts.x', 'admin'],
  [{ dbStats: 1, x: 1 }, 40415, 'dbStats.x'],
  [{ collStats: 'c', x: 1 }, 40415, 'collStats.x'],
  [{ listCollections: 1, x: 1 }, 40415, 'listCollections.x'],
  [{ listIndexes: 'c', x: 1 }, 40415, 'listIndexes.x'],
  [{ listDatabases: 1, x: 1 }, 40415, 'listDatabases.x', 'admin'],
  [{ drop: 'c', x: 1 }, 40415, 'drop.x'],
  [{ compact: 'c', x: 1 }, 40415, 'compact.x'],
  [{ listCollections: 1, cursor: { foo: 1 } }, 40415, 'listCollections.cursor.foo'],
  [{ listIndexes: 'c', cursor: { foo: 1 } }, 40415, 'listIndexes.cursor.foo'],
  [{ dataSize: 'app.c', x: 1 }, 40415, 'dataSize.x'],
  [{ usersInfo: 1, x: 1 }, 40415, 'usersInfo.x'],
  [{ lockInfo: 1, x: 1 }, 40415, 'lockInfo.x', 'admin'],
  [{ planCacheClear: 'c', x: 1 }, 40415, 'planCacheClear.x'],
  // A field of a wrong type.
  [{ dbStats: 1, scale: 'x' }, 14, "BSON field 'dbStats.scale' is the wrong type 'string'"],
  [{ dbStats: 1, freeStorage: 'x' }, 14, 'freeStorage'],
  [{ connectionStatus: 1, showPrivileges: 'yes' }, 14, 'showPrivileges'],
  [{ listCollections: 1, filter: 1 }, 14, 'listCollections.filter'],
  [{ listCollections: 1, authorizedCollections: 'x' }, 14, 'authorizedCollections'],
  [{ listDatabases: 1, authorizedDatabases: 'x' }, 14, 'authorizedDatabases', 'admin'],
  [{ listDatabases: 1, filter: 'x' }, 14, 'listDatabases.filter', 'admin'],
  [{ dataSize: 1 }, 14, 'dataSize.dataSize'],
  [{ usersInfo: true }, 14, 'usersInfo must be'],
  [{ getLog: 1 }, 14, 'getLog', 'admin'],
  [{ planCacheClear: 'c', query: 1 }, 14, 'query'],
  [{ ping: 1, maxTimeMS: 'x' }, 14, 'maxTimeMS'],
  // A field that is missing, or has no sensible value.
  [{ dataSize: null }, 40414, "BSON field 'dataSize.dataSize' is missing but a required field"],
  [{ cloneCollectionAsCapped: 'c', toCollection: 'd' }, 72, 'size'],
  [{ cloneCollectionAsCapped: 'c', size: 1000 }, 40414, 'toCollection'],
  [{ cloneCollectionAsCapped: 'c', toCollection: 'd', size: 0 }, 72, 'size'],
  [{ dbStats: 1, scale: 0.5 }, 2, 'scale'],
  [{ dataSize: 'app.c', min: { _id: 1 } }, 2, 'min and max go together'],
  [{ dataSize: 'app.c', min: { zz: 1 }, max: { zz: 2 } }, 27, 'index'],
  [{ compact: 'c', force: true, freeSpaceTargetMB: 0 }, 2, 'freeSpaceTargetMB'],
  [{ planCacheClear: 'c', sort: { a: 1 } }, 2, 'need a query'],
  [{ planCacheSetFilter: 'c', query: {} }, 2, 'indexes'],
  [{ setFeatureCompatibilityVersion: '8.0' }, 7369100, 'confirm', 'admin'],
  [{ setFeatureCompatibilityVersion: 'x', confirm: true }, 4926900, "'x'", 'admin'],
  [{ setFeatureCompatibilityVersion: '7.0', confirm: true }, 115, 'not supported', 'admin'],
  [{ setParameter: 1, featureCompatibilityVersion: '8.0' }, 20, 'setParameter does not change', 'admin'],
  // A name of a database or collection that cannot be.
  [{ collStats: '' }, 73, 'Invalid namespace specified'],
  [{ validate: '.x' }, 73, 'Invalid namespace specified'],
  [{ dataSize: 'nodot' }, 73, 'Invalid namespace specified'],
  [{ ping: 1 }, 73, 'Invalid database name', 'a b'],
  [{ ping: 1 }, 73, 'Invalid database name', ''],
  [{ ping: 1 }, 73, 'Invalid database name', '$externals'],
  [{ cloneCollectionAsCapped: 'c', toCollection: 'a$b', size: 1000 }, 73, 'a$b'],
  // The wrong database.
  [{ top: 1 }, 13, 'top may only be run against the admin database', 'app'],
  [{ listDatabases: 1 }, 13, 'admin database', 'app'],
  [{ setFeatureCompatibilityVersion: '8.0', confirm: true }, 13, 'admin database', 'app'],
  [{ commitTransaction: 1 }, 13, 'admin database', 'app'],
  // What is not there, or there already.
  [{ compact: 'zzz', force: true }, 26, 'no such collection'],
  [{ cloneCollectionAsCapped: 'zzz', toCollection: 'd', size: 1000 }, 26, 'zzz'],
  [{ cloneCollectionAsCapped: 'c', toCollection: 'c', size: 1000 }, 48, 'exists already'],
  [{ create: 'c', capped: true, size: 1000 }, 48, 'already exists'],
  // A state in which it cannot be done.
  [{ compact: 'c' }, 20, 'force: true'],
  [{ reIndex: 'c' }, 20, 'needs a standalone'],
  // There are no users.
  [{ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: '' }, 18, 'this set has no users', 'admin'],
  [{ saslStart: 1, mechanism: 'PLAIN', payload: '' }, 18, 'this set has no users', '$external'],
  [{ authenticate: 1, mechanism: 'MONGODB-X509' }, 18, 'this set has no users', '$external'],
  [{ create: 'c' }, 73, '$external.c', '$external'],
  [{ insert: 'c', documents: [{}] }, 73, '$external.c', '$external'],
  // Nobody has begun the transaction.
  [{ find: 'c', ...IN_TRANSACTION }, 251, 'does not match any in-progress transactions'],
  [{ commitTransaction: 1, ...IN_TRANSACTION }, 251, 'does not match any in-progress transactions', 'admin'],
  [
    { abortTransaction: 1, ...IN_TRANSACTION, writeConcern: { w: 1 } },
    251,
    'does not match any in-progress transactions',
    'admin',
  ],
  [{ commitTransaction: 1 }, 125, 'must be run within a transaction', 'admin'],
  // Those of shards.
  [{ prepareTransaction: 1 }, 203, 'is for shards', 'admin'],
  [{ prepareTransaction: 1 }, 13, 'admin', 'app'],
  [{ prepareTransaction: 1, participants: [] }, 40_415, 'participants', 'admin'],
  [{ coordinateCommitTransaction: 1, participants: [] }, 203, 'is for shards', 'admin'],
  [{ coordinateCommitTransaction: 1 }, 40_414, 'participants', 'admin'],
  // The Stable API.
  [{ ping: 1, apiVersion: '2' }, 322, 'Cannot accept API version 2'],
  [{ ping: 1, apiVersion: '3' }, 322, 'API version must be "1"'],
  [{ ping: 1, apiVersion: 1 }, 14, "BSON field 'ping.apiVersion' is the wrong type 'int', expected type 'string'"],
  [{ ping: 1, apiStrict: true }, 4886600, 'without passing apiVersion'],
  [{ ping: 1, apiDeprecationErrors: false }, 4886600, 'without passing apiVersion'],
  [{ ping: 1, apiVersion: '1', apiStrict: 'x' }, 14, 'apiStrict'],
  [{ distinct: 'c', key: 'a', apiVersion: '1', apiStrict: true }, 323, 'the command distinct is not in API Version 1'],
  [{ testVersion2: 1, apiVersion: '1', apiStrict: true }, 323, 'the command testVersion2 is not in API Version 1'],
  [{ testDeprecation: 1, apiVersion: '1', apiDeprecationErrors: true }, 324, 'deprecated in API Version 1'],
  [{ mapReduce: 'c', map: 'm', reduce: 'r', out: 'o' }, 115, 'mapReduce runs JavaScript'],
  [{ createSearchIndexes: 'c', indexes: [] }, 31082, 'Atlas'],
  [{ listSearchIndexes: 'c' }, 31082, 'Atlas'],
  [{ updateSearchIndex: 'c' }, 31082, 'Atlas'],
  [{ dropSearchIndex: 'c' }, 31082, 'Atlas'],
  [{ find: 'c', filter: { $where: 'true' } }, 2, '$where runs JavaScript'],
  [{ buildInfo: 1, apiVersion: '1', apiStrict: true }, 323, 'the command buildInfo is not in API Version 1'],
])('%j: code %i, %s', ([command, code, gist, db = 'app']) => {
  expect(member.run(command, db)).toMatchObject({ ok: 0, code, errmsg: expect.stringContaining(gist) });
});

describe('what comes with any command', () => {
  test.for<[what: string, fields: Doc]>([
    ['a comment', { comment: { any: ['thing'] } }],
    ['a read preference', { $readPreference: { mode: 'primaryPreferred' } }],
    ['a time limit', { maxTimeMS: 1000 }],
    ['a session', SESSION],
    ['the Stable API', { apiVersion: '1', apiStrict: false, apiDeprecationErrors: true }],
  ])('%s', ([, fields]) => {
    const commands: [Doc, string?][] = [[{ ping: 1 }], [{ buildInfo: 1 }], [{ hostInfo: 1 }], [{ connectionStatus: 1 }], [{ dbStats: 1 }], [{ collStats: 'c' }], [{ validate: 'c' }], [{ dataSize: 'app.c' }], [{ top: 1 }, 'admin'], [{ usersInfo: 1 }], [{ serverStatus: 1 }], [{ getParameter: 1, quiet: 1 }, 'admin'], [{ listCollections: 1 }], [{ getCmdLineOpts: 1 }, 'admin'], [{ compact: 'c', force: true }]]; // biome-ignore format: a list
    for (const [command, db] of commands) {
      expect(member.run({ ...command, ...fields }, db), JSON.stringify(command)).toMatchObject({ ok: 1 });
    }
  });

  test('commands of the Stable API pass when it is strict', () => {
    const strict = { apiVersion: '1', apiStrict: true };
    for (const command of [{ ping: 1 }, { find: 'c' }, { count: 'c' }, { listCollections: 1 }]) {
      expect(member.run({ ...command, ...strict }).ok).toBe(1);
    }
  });

  test.for([new Int32(0), Long.ZERO, 0])('a cluster time whose keyId is %o', (keyId) => {
    const signature = { hash: new Binary(new Uint8Array(20)), keyId };
    const command = { ping: 1, $clusterTime: { clusterTime: new Timestamp({ t: 5, i: 1 }), signature } };
    expect(member.run(command).ok).toBe(1);
    expect(member.heard).toEqual([{ t: 5, i: 1 }]);
  });
});
