import { CommandError, encodeDocument, VERSIONS } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { ConnectionClosed } from '../../src/replies/failCommand.ts';
import { FakeMember, failure, RETRYABLE } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

test('a reply ends with ok and what the member adds', () => {
  expect(Object.keys(member.run({ ping: 1 }))).toEqual(['ok', '$marker']);
});

test.for([
  [{ nope: 1 }, 59, 'CommandNotFound', "no such command: 'nope'"],
  [{ Ping: 1 }, 59, 'CommandNotFound', "no such command: 'Ping'"],
  [{ getParameter: 1, ttlMonitorEnabled: 1 }, 13, 'Unauthorized', 'admin database'],
  [{ find: 'c', nope: 1 }, 40415, 'IDLUnknownField', "'find.nope' is an unknown field"],
  [{ find: 'c', filter: 1 }, 14, 'TypeMismatch', "'find.filter' is the wrong type 'int', expected type 'object'"],
  [{ insert: 'c' }, 40414, 'IDLFailedToParse', "'insert.documents' is missing but a required field"],
  [{ find: 5 }, 73, 'InvalidNamespace', 'collection name has invalid type int'],
  [{ find: '' }, 73, 'InvalidNamespace', "'app.'"],
  [{ find: '.x' }, 73, 'InvalidNamespace', 'app..x'],
  [{ find: 'c', skip: -1 }, 51024, 'Location51024', "'skip' value must be >= 0"],
  [{ find: 'c', $readPreference: { mode: 'best' } }, 9, 'FailedToParse', 'best'],
  [{ find: 'c', maxTimeMS: -1 }, 2, 'BadValue', 'maxTimeMS'],
  [{ find: 'c', maxTimeMSOpOnly: 10 }, 72, 'InvalidOptions', 'maxTimeMSOpOnly'],
] as const)('%o is refused with %i', ([command, code, codeName, gist]) => {
  const [ok, ...rest] = failure(member.run(command));
  expect(ok).toBe(0);
  expect(rest).toEqual([code, codeName, expect.stringContaining(gist)]);
});

test('a field that is there twice', () => {
  const command = encodeDocument(new Map<string, unknown>([['find', 'c'], ['$db', 'app'], ['skip', 1]])); // biome-ignore format: one line
  const twice = new Uint8Array([...command.subarray(0, -1), 0x10, ...Buffer.from('skip\0'), 1, 0, 0, 0, 0]);
  new DataView(twice.buffer).setInt32(0, twice.length, true);
  expect(member.run(twice).code).toBe(40413);
});

test.for([
  ['no BSON at all', new Uint8Array([1, 2, 3]), 22],
  ['an empty document', encodeDocument({}), 9],
  ['no $db', encodeDocument({ ping: 1 }), 40571],
  ['a $db that cannot be', encodeDocument({ ping: 1, $db: 'a.b' }), 73],
  ['a $db of 64 bytes', encodeDocument({ ping: 1, $db: 'a'.repeat(64) }), 73],
  ['a $db of 32 chars and 64 bytes', encodeDocument({ ping: 1, $db: 'é'.repeat(32) }), 73],
] as const)('%s is answered, not thrown', ([, bytes, code]) => {
  expect(member.run(bytes)).toMatchObject({ ok: 0, code, $marker: 1 });
});

test('a null field counts as absent', () => {
  expect(member.run({ find: 'c', filter: null, sort: null }).ok).toBe(1);
});

test('names may be aliases, and requests say who they are', () => {
  expect(member.run({ buildinfo: 1 }).version).toBe('8.0.15');
  const request = (command: object, db = 'app') => member.dispatcher.start(encodeDocument({ ...command, $db: db }));
  expect(request({ buildinfo: 1 })).toMatchObject({ name: 'buildInfo', ns: 'app.$cmd', killable: 'onRollback' });
  expect(request({ insert: 'c' })).toMatchObject({ name: 'insert', ns: 'app.c', killable: 'whenNotPrimary' });
});

test.for([
  [{ aggregate: 'c' }, 'app', 'app.c'],
  [{ aggregate: 1 }, 'app', 'app.$cmd.aggregate'],
  [{ aggregate: 1 }, 'admin', 'admin.$cmd.aggregate'],
  [{ find: 'c' }, 'app', 'app.c'],
  [{ getMore: 1n, collection: 'c' }, 'app', 'app.c'],
  [{ hello: 1 }, 'admin', 'admin.$cmd'],
] as const)('%o on %s works on %s', ([command, $db, ns]) => {
  expect(member.dispatcher.start(encodeDocument({ ...command, $db })).ns).toBe(ns);
});

test('help is told instead, of a command that would be refused too', () => {
  expect(member.ok({ find: 'c', help: true }).help).toBe('help for: find finds documents');
  expect(member.ok({ find: 1, filter: 1, help: 1 }).help).toContain('help for: find');
  expect(member.run({ nope: 1, help: true }).code).toBe(59);
  expect(member.ok({ find: 'c', help: false }).cursor.firstBatch).toEqual([]);
});

test('a command costs time before the member is asked whether it may run', () => {
  const running = member.start({ insert: 'c', documents: [{ _id: 1 }] });
  expect(running.pause).toEqual({ type: 'spend', micros: member.costs.commandMicros });
  member.writable = false;
  member.memberState = 'SECONDARY';
  const reply = running.finish();
  expect(reply).toMatchObject({ ok: 0, code: 10107, codeName: 'NotWritablePrimary', topologyVersion: { counter: 7 } });
  expect(member.documents('app.c')).toEqual([]);
});

test('what no client can cause is thrown on', () => {
  member.ttlMetrics = () => {
    throw new RangeError('our bug');
  };
  expect(() => member.run({ serverStatus: 1 })).toThrow('our bug');
});

test('an operation that is killed answers with the error that killed it', () => {
  const running = member.start({ insert: 'c', documents: [{ _id: 1 }], ...RETRYABLE });
  running.step();
  running.kill(new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted'));
  expect(running.reply).toMatchObject({
    ok: 0,
    code: 11602,
    errorLabels: ['RetryableWriteError', 'NoWritesPerformed'],
  });
});

test('maxTimeMS ends a command where it waits', () => {
  member.insert('c', ...Array.from({ length: 2000 }, (_, i) => ({ _id: i })));
  const reply = member.run({ count: 'c', query: { x: 1 }, maxTimeMS: 1 });
  expect(reply).toMatchObject({ ok: 0, code: 50, codeName: 'MaxTimeMSExpired' });
  expect(member.run({ count: 'c', query: { x: 1 }, maxTimeMS: 100 }).n).toBe(0);
});

// --- write concern ---

test.for([
  [{ w: 2 }, { w: 2, wtimeoutMS: 0 }],
  [
    { w: 'majority', wtimeout: 500 },
    { w: 'majority', wtimeoutMS: 500 },
  ],
  [{ j: true }, { j: true, wtimeoutMS: 0 }],
  [{ w: 1.9 }, { w: 1, wtimeoutMS: 0 }],
  [{ w: { dc: 2 } }, { w: { dc: 2 }, wtimeoutMS: 0 }],
  [
    { w: 1, fsync: true },
    { w: 1, j: true, wtimeoutMS: 0 },
  ],
  [
    { w: 1, wtimeout: 'long' },
    { w: 1, wtimeoutMS: 0 },
  ],
  [
    { w: 1, wtimeout: -5 },
    { w: 1, wtimeoutMS: -5 },
  ],
  [{}, undefined],
  [undefined, undefined],
] as const)('writeConcern %o is waited for as %o', ([writeConcern, request]) => {
  member.ok({ insert: 'c', documents: [{}], ...(writeConcern && { writeConcern }) });
  expect(member.writeConcerns).toEqual([request]);
});

test.for([
  [{ w: 51 }, 9],
  [{ w: -1 }, 9],
  [{ w: true }, 9],
  [{ w: {} }, 9],
  [{ w: { dc: 'x' } }, 9],
  [{ w: 1, j: 'yes' }, 14],
  [{ w: Number.NaN }, 9],
  [{ w: 1, provenance: 'mine' }, 2],
  [{ w: 1, wtimeout: 2 ** 31 }, 9],
  [{ j: true, fsync: true }, 9],
  [{ nope: 1 }, 40415],
  [5, 14],
] as const)('writeConcern %o is refused with %i, and nothing written', ([writeConcern, code]) => {
  expect(member.run({ insert: 'c', documents: [{}], writeConcern }).code).toBe(code);
  expect(member.documents('app.c')).toEqual([]);
});

test('w: 0 is not waited for', () => {
  member.ok({ insert: 'c', documents: [{}], writeConcern: { w: 0 } });
  expect(member.writeConcerns).toEqual([]);
});

test('a write that changes nothing waits all the same, a read does not', () => {
  member.ok({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
  member.ok({ count: 'c' });
  expect(member.writeConcerns).toHaveLength(1);
});

test('a failed write concern is reported beside the result, before ok', () => {
  member.writeConcernResult = { code: 64, codeName: 'WriteConcernFailed', errmsg: 'waiting for replication timed out' };
  const reply = member.run({ insert: 'c', documents: [{ _id: 1 }] });
  expect(reply).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 64 } });
  expect(reply.errorLabels).toBeUndefined();
  expect(Object.keys(reply).slice(0, 3)).toEqual(['n', 'writeConcernError', 'ok']);
});

test('whatever ends the wait, the write is done', () => {
  member.writeConcernResult = new CommandError('PrimarySteppedDown', 'stepped down');
  const reply = member.run({ insert: 'c', documents: [{ _id: 1 }], ...RETRYABLE });
  expect(reply).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 189, codeName: 'PrimarySteppedDown' } });
  expect(reply.errorLabels).toEqual(['RetryableWriteError']);
});

test.for([
  [{ w: 2 }, 2],
  [{ w: 'mode' }, 2],
  [{ w: { dc: 1 } }, 2],
  [{ w: 1 }, undefined],
  [{ w: 'majority' }, undefined],
] as const)('on a standalone writeConcern %o: code %s', ([writeConcern, code]) => {
  member.memberState = 'STANDALONE';
  expect(member.run({ insert: 'c', documents: [{}], writeConcern }).code).toBe(code);
});

test('codes that no retry can help are not labelled', () => {
  expect(member.run({ insert: 'c', documents: [{}], nope: 1, ...RETRYABLE }).errorLabels).toBeUndefined();
  member.writeConcernResult = { code: 64, codeName: 'WriteConcernFailed', errmsg: 'waiting for replication timed out' };
  expect(member.run({ insert: 'c', documents: [{}], ...RETRYABLE }).errorLabels).toBeUndefined();
});

test('only retryable writes are labelled', () => {
  member.writable = false;
  member.memberState = 'SECONDARY';
  expect(member.run({ insert: 'c', documents: [{}] }).errorLabels).toBeUndefined();
  expect(member.run({ insert: 'c', documents: [{}], ...RETRYABLE }).errorLabels).toEqual([
    'RetryableWriteError',
    'NoWritesPerformed',
  ]);
});

// --- read concern ---

test.for([
  [{ level: 'nope' }, 9],
  [{ level: 5 }, 14],
  [{ nope: 1 }, 72],
  ['majority', 14],
] as const)('readConcern %o is refused with %i', ([readConcern, code]) => {
  expect(member.run({ count: 'c', readConcern }).code).toBe(code);
});

test('a command that reads no data takes no other read concern than local', () => {
  expect(member.run({ ping: 1, readConcern: { level: 'majority' } }).code).toBe(72);
  expect(member.run({ ping: 1, readConcern: { level: 'local' } }).ok).toBe(1);
});

test('the member waits for the read concern, and its view is read', () => {
  member.engine.createCollection('app.c', { uuid: new Uint8Array(16) });
  member.insert('c', { _id: 1 });
  member.engine.markVersion(1);
  member.committed = member.engine.at(1);
  member.insert('c', { _id: 2 });
  expect(member.run({ count: 'c' }).n).toBe(2);
  expect(member.run({ count: 'c', readConcern: { level: 'majority' } }).n).toBe(1);
  const sent = { level: 'majority', hasLevel: true, provenance: 'clientSupplied' };
  expect(member.readConcerns).toEqual([{ level: 'local' }, sent]);
  member.committed = undefined;
  expect(member.run({ find: 'c', readConcern: { level: 'majority' } }).code).toBe(134);
  expect(member.run({ find: 'c', readConcern: { level: 'snapshot' } }).code).toBe(246);
  // A count takes no snapshot.
  expect(member.run({ count: 'c', readConcern: { level: 'snapshot' } }).code).toBe(72);
});

describe('a command knows no data but those that its host hands out, and no way to change others', () => {
  /** Another member's data and writes under the first one's name, as a transaction will hand out its own. */
  class Transacting extends FakeMember {
    readonly own = new FakeMember();

    override readView(): ReadView {
      return this.own.engine;
    }

    override get writes(): FakeMember['writes'] {
      return this.own.writes;
    }
  }
  const upsert = { q: { _id: 3 }, u: { $set: { a: 1 } }, upsert: true };
  const index = { key: { a: 1 }, name: 'a_1' };

  test.for<[command: object, db?: string]>([
    [{ insert: 'c', documents: [{ _id: 3 }] }],
    [{ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 2 } } }] }],
    [{ update: 'c', updates: [{ q: {}, u: { $set: { a: 2 } }, multi: true }, upsert] }],
    [{ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }],
    [{ delete: 'c', deletes: [{ q: {}, limit: 0 }] }],
    [{ findAndModify: 'c', query: { _id: 1 }, update: { $set: { a: 2 } } }],
    [{ findAndModify: 'c', query: { _id: 1 }, remove: true }],
    [{ bulkWrite: 1, ops: [{ insert: 0, document: { _id: 3 } }], nsInfo: [{ ns: 'app.c' }] }, 'admin'],
    [{ create: 'd' }],
    [{ create: 'v', viewOn: 'c', pipeline: [] }],
    [{ create: 't', timeseries: { timeField: 'at' } }],
    // Indexes of a collection that has documents are built by the member, in no transaction.
    [{ createIndexes: 'empty', indexes: [index] }],
    [{ dropIndexes: 'c', index: 'b_1' }],
    [{ collMod: 'c', validationLevel: 'off' }],
    [{ drop: 'c' }],
    [{ dropDatabase: 1 }],
    [{ renameCollection: 'app.c', to: 'app.d' }, 'admin'],
    [{ convertToCapped: 'c', size: 4096 }],
    [{ cloneCollectionAsCapped: 'c', toCollection: 'd', size: 4096 }],
    [{ aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }],
    [{ aggregate: 'c', pipeline: [{ $merge: 'd' }], cursor: {} }],
  ])('%o', ([command, db = 'app']) => {
    const host = new Transacting();
    host.own.insert('c', { _id: 1 }, { _id: 2 });
    host.own.ok({ createIndexes: 'c', indexes: [{ key: { b: 1 }, name: 'b_1' }] });
    host.own.writes.log.length = 0;
    host.ok(command, db);
    expect(host.own.writes.log.length).toBeGreaterThan(0);
    expect(host.engine.collections()).toEqual([]);
  });

  test.for<[command: object, shown: object, db?: string]>([
    [{ find: 'c' }, { cursor: { firstBatch: [{ _id: 1 }] } }],
    [{ count: 'c' }, { n: 1 }],
    [{ distinct: 'c', key: '_id' }, { values: [1] }],
    [{ aggregate: 'c', pipeline: [{ $group: { _id: 1, n: { $sum: 1 } } }], cursor: {} }, { cursor: { firstBatch: [{ n: 1 }] } }], // biome-ignore format: one line
    [{ listCollections: 1 }, { cursor: { firstBatch: [{ name: 'c' }] } }],
    [{ listIndexes: 'c' }, { cursor: { firstBatch: [{ name: '_id_' }] } }],
    [{ listDatabases: 1 }, { databases: [{ name: 'app' }] }, 'admin'],
    [{ collStats: 'c' }, { count: 1 }],
    [{ dbStats: 1 }, { objects: 1 }],
    [{ dbHash: 1 }, { collections: { c: expect.any(String) } }],
    [{ dataSize: 'app.c' }, { numObjects: 1 }],
    [{ validate: 'c' }, { nrecords: 1 }],
  ])('%o', ([command, shown, db = 'app']) => {
    const host = new Transacting();
    host.own.insert('c', { _id: 1 });
    expect(host.ok(command, db)).toMatchObject(shown);
  });
});

test('a linearizable read is confirmed after it', () => {
  member.run({ count: 'c', readConcern: { level: 'linearizable' } });
  member.run({ count: 'c' });
  expect(member.linearized).toBe(1);
});

test('opcounters', () => {
  member.insert('c', { _id: 1 }, { _id: 2 });
  member.run({ insert: 'c', documents: [{ _id: 1 }] });
  member.ok({ find: 'c', batchSize: 1 });
  member.ok({ delete: 'c', deletes: [{ q: {}, limit: 1 }, { q: {}, limit: 0 }] }); // biome-ignore format: one line
  member.ok({ ping: 1 });
  expect(member.counters.opcounters).toEqual({ insert: 3, query: 1, update: 0, delete: 2, getmore: 0, command: 1 });
});

test.for([
  { version: '8.0', counted: { query: 2, command: 0 } },
  { version: '7.0', counted: { query: 0, command: 2 } },
] as const)('an aggregation counts in $version as $counted, and so does one that fails', ({ version, counted }) => {
  member.traits = VERSIONS[version];
  member.run({ aggregate: 'c', pipeline: [], cursor: {} });
  member.run({ aggregate: 'c', pipeline: [{ $nope: 1 }], cursor: {} });
  expect(member.counters.opcounters).toMatchObject(counted);
});

// --- connections ------------------------------------------------------------------------------------------------------

test.for([
  { command: { insert: 'c', documents: [{}] }, helloOk: false, errmsg: 'not master' },
  { command: { insert: 'c', documents: [{}] }, helloOk: true, errmsg: 'not primary' },
  { command: { insert: 'c', documents: [{}] }, helloOk: undefined, errmsg: 'not primary' },
  { command: { find: 'c' }, helloOk: false, errmsg: 'not master and slaveOk=false' },
])('$command.find$command.insert with helloOk $helloOk is refused: $errmsg', ({ command, helloOk, errmsg }) => {
  member.writable = false;
  member.memberState = 'SECONDARY';
  const connection = helloOk === undefined ? {} : { helloOk };
  expect(member.start(command, 'app', connection).finish().errmsg).toBe(errmsg);
});

test('an unacknowledged write on a secondary closes its connection; other errors of it are nobody to be told', () => {
  const write = { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 0 } };
  expect(member.start({ ...write, nope: 1 }, 'app', { moreToCome: true }).finish().code).toBe(40415);
  member.writable = false;
  member.memberState = 'SECONDARY';
  expect(() => member.start(write, 'app', { moreToCome: true }).finish()).toThrow(ConnectionClosed);
  expect(member.refusedUnacknowledged).toBe(1);
  expect(member.start(write, 'app').finish().code).toBe(10107);
});

// --- $clusterTime -----------------------------------------------------------------------------------------------------

test('a member takes in the cluster time that a client brings along, before it looks at what the command wants', () => {
  const clusterTime = new Timestamp({ t: 77, i: 3 });
  expect(member.run({ ping: 1, $clusterTime: { clusterTime, signature: { keyId: 0 } } }).ok).toBe(1);
  expect(member.heard).toEqual([{ t: 77, i: 3 }]);
});

test.for([
  [{ $clusterTime: 5 }, 14],
  [{ $clusterTime: { clusterTime: 5 } }, 14],
  [{ $clusterTime: {} }, 4],
] as const)('%o is no cluster time', ([fields, code]) => {
  expect(member.run({ ping: 1, ...fields })).toMatchObject({ ok: 0, code });
  expect(member.heard).toEqual([]);
});

test.for(['STARTUP', 'STARTUP2', 'ROLLBACK'] as const)(
  'the oplog is hidden in %s, though local accepts writes',
  (state) => {
    member.memberState = state;
    member.writable = false;
    member.hasOplog = true;
    expect(member.run({ find: 'oplog.rs' }, 'local').code).toBe(13436);
    member.memberState = 'SECONDARY';
    expect(member.run({ find: 'oplog.rs' }, 'local').ok).toBe(1);
  },
);
