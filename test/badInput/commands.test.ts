import { Checkers } from '@replsim/checker';
import {
  BsonType,
  BsonWriter,
  decodePromoted,
  ElementCursor,
  encodeDocument,
  formatLogLine,
  RawBson,
} from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { Transcript, traceLine } from '@replsim/scenario';
import { Binary, BSONRegExp, Double, Long, Timestamp } from 'bson';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyCommand, COMMAND_NAMES } from '../../packages/database/test/onSets/commandShapes.ts';
import { AskedSet, type Doc } from '../../packages/replset/test/askedSet.ts';

// Whatever a client sends to whichever member: it gets mongod's error, nothing has changed, and the member lives.

/** A member of each kind, and how it is called here. */
const MEMBERS = [
  { name: 'primary', config: { priority: 2 } },
  { name: 'secondary' },
  { name: 'arbiter', config: { arbiterOnly: true } },
  { name: 'removed', config: { votes: 0 as const, priority: 0 } },
  { name: 'recovering', config: { votes: 0 as const, priority: 0 } },
  { name: 'uninitiated', spare: true },
  { name: 'standalone', standalone: true },
];
const EVERYWHERE = MEMBERS.map(({ name }) => name);
const ALL_BUT_PRIMARY = ['secondary', 'arbiter', 'recovering', 'removed', 'uninitiated'];

async function everyKind(watch: (set: ReplSet) => void = () => {}): Promise<AskedSet> {
  const asked = new AskedSet(await ReplSet.create({ seed: 5, members: MEMBERS }));
  watch(asked.set);
  await asked.pass(40_000);
  const config = withoutRemoved(asked.now('primary', { replSetGetConfig: 1 }).config);
  await asked.ok('primary', { replSetReconfig: config }, 'admin');
  await asked.ok('recovering', { replSetMaintenance: true }, 'admin');
  const documents = [
    { _id: 1, a: 1 },
    { _id: 2, a: [1, 2] },
  ];
  for (const member of ['primary', 'standalone']) {
    await asked.ok(member, { insert: 'c', documents, writeConcern: { w: 1 } });
  }
  await asked.pass(10_000);
  return asked;
}

function withoutRemoved(config: Doc): Doc {
  const members = config.members.filter(({ host }: Doc) => host !== 'removed:27017');
  return { ...config, members, version: config.version + 1 };
}

const NAN = new Double(Number.NaN);
const UUID = new Binary(new Uint8Array(16), 4);
const at = (t: number) => new Timestamp({ t, i: 1 });
const insert = (more: Doc): Doc => ({ insert: 'c', documents: [{}], ...more });
const numbered = (more: Doc): Doc => insert({ lsid: { id: UUID }, txnNumber: Long.ONE, ...more });

describe('malformed commands', () => {
  let asked: AskedSet;
  beforeAll(async () => {
    asked = await everyKind();
  });
  afterAll(() => asked.set.close());

  /** Everything that a command could have changed, at this instant. */
  function stateOf(member: string): Doc {
    const ask = (command: Doc, db = 'admin') => asked.now(member, command, db);
    const { $clusterTime: _moves, ...status } = ask({ replSetGetStatus: 1 });
    return {
      status,
      config: ask({ replSetGetConfig: 1 }).config,
      parameters: ask({ getParameter: '*' }),
      hashes: ['app', 'admin', 'config'].map((db) => ask({ dbHash: 1 }, db).collections),
      hello: ask({ hello: 1 }),
      rollback: ask({ replSetGetRBID: 1 }),
    };
  }

  /** What is asked for at one instant, so that nothing but the command can change anything. */
  function expectRefusal(members: readonly string[], command: Doc, code: number, codeName: string, db: string): void {
    for (const member of members) {
      const before = stateOf(member);
      expect(asked.now(member, command, db), member).toMatchObject({ ok: 0, code, codeName });
      expect(stateOf(member), member).toEqual(before);
    }
  }

  test.for<[command: Doc, code: number, codeName: string]>([
    [{ replSetGetStatus: 1, initialSync: 'x' }, 14, 'TypeMismatch'],
    [{ replSetGetConfig: 1, commitmentStatus: 'x' }, 14, 'TypeMismatch'],
    [{ replSetInitiate: 5 }, 23, 'AlreadyInitialized'],
    [{ replSetReconfig: 5 }, 2, 'BadValue'],
    [{ replSetReconfig: {} }, 93, 'InvalidReplicaSetConfig'],
    [{ replSetReconfig: {}, force: 'yes' }, 93, 'InvalidReplicaSetConfig'],
    [{ replSetReconfig: { _id: 'rs0', members: [], version: NAN } }, 93, 'InvalidReplicaSetConfig'],
    [{ replSetReconfig: { _id: 'rs0', members: 5, version: 9 } }, 93, 'InvalidReplicaSetConfig'],
    [{ replSetReconfig: {}, writeConcern: { w: 0 } }, 72, 'InvalidOptions'],
    [{ replSetReconfig: {}, maxTimeMS: -1 }, 2, 'BadValue'],
    [{ replSetStepDown: -1 }, 2, 'BadValue'],
    [{ replSetStepDown: Long.MIN_VALUE }, 2, 'BadValue'],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 'x' }, 14, 'TypeMismatch'],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: null }, 14, 'TypeMismatch'],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 1.5 }, 2, 'BadValue'],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: NAN }, 2, 'BadValue'],
    [{ replSetStepDown: 60, secondaryCatchUpPeriodSecs: -1 }, 2, 'BadValue'],
    [{ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 6 }, 2, 'BadValue'],
    [{ replSetSyncFrom: 5 }, 9, 'FailedToParse'],
    [{ replSetSyncFrom: '' }, 9, 'FailedToParse'],
    [{ replSetSyncFrom: 'n2:0' }, 9, 'FailedToParse'],
    [{ replSetSyncFrom: 'n2:x' }, 9, 'FailedToParse'],
    [{ replSetFreeze: 60 }, 95, 'NotSecondary'],
    [{ replSetMaintenance: true }, 95, 'NotSecondary'],
    [{ replSetAbortPrimaryCatchUp: 1 }, 20, 'IllegalOperation'],
    [{ replSetResizeOplog: 1, size: 'x' }, 14, 'TypeMismatch'],
    [{ replSetResizeOplog: 1, size: 989 }, 51024, 'Location51024'],
    [{ replSetResizeOplog: 1, size: NAN }, 51024, 'Location51024'],
    [{ replSetResizeOplog: 1, size: Long.MAX_VALUE }, 51024, 'Location51024'],
    [{ replSetResizeOplog: 1, minRetentionHours: -1 }, 51024, 'Location51024'],
    [{ replSetResizeOplog: 1, nonsense: 1 }, 40415, 'IDLUnknownField'],
    [{ appendOplogNote: 1 }, 40414, 'IDLFailedToParse'],
    [{ appendOplogNote: 1, data: 5 }, 14, 'TypeMismatch'],
    [{ appendOplogNote: 1, data: {}, maxClusterTime: 5 }, 14, 'TypeMismatch'],
    [{ appendOplogNote: 1, data: {}, maxClusterTime: at(1) }, 209, 'StaleClusterTime'],
    [{ setDefaultRWConcern: 1 }, 2, 'BadValue'],
    [{ setDefaultRWConcern: 1, defaultReadConcern: { level: 'x' } }, 9, 'FailedToParse'],
    [{ setDefaultRWConcern: 1, defaultReadConcern: { level: 'snapshot' } }, 2, 'BadValue'],
    [{ setDefaultRWConcern: 1, defaultReadConcern: { level: 'local', afterClusterTime: at(1) } }, 2, 'BadValue'],
    [{ setDefaultRWConcern: 1, defaultWriteConcern: 5 }, 14, 'TypeMismatch'],
    [{ setDefaultRWConcern: 1, defaultWriteConcern: { w: 0 } }, 2, 'BadValue'],
    [{ setDefaultRWConcern: 1, defaultWriteConcern: { w: 51 } }, 9, 'FailedToParse'],
    [{ setDefaultRWConcern: 1, defaultWriteConcern: { w: 'nope' } }, 79, 'UnknownReplWriteConcern'],
    [{ setDefaultRWConcern: 1, defaultWriteConcern: { w: 'majority', provenance: 'customDefault' } }, 2, 'BadValue'],
    [{ getDefaultRWConcern: 1, inMemory: 'x' }, 14, 'TypeMismatch'],
    [{ shutdown: 1, timeoutSecs: 'x' }, 14, 'TypeMismatch'],
    [{ shutdown: 1, force: 'x' }, 14, 'TypeMismatch'],
    [{ hello: 1, maxAwaitTimeMS: 5 }, 31368, 'Location31368'],
    [{ hello: 1, maxAwaitTimeMS: 5, topologyVersion: 5 }, 14, 'TypeMismatch'],
    [{ setParameter: 1, journalCommitInterval: NAN }, 2, 'BadValue'],
    [{ setParameter: 1, replBatchLimitOperations: 1, syncdelay: -1 }, 2, 'BadValue'],
    [{ configureFailPoint: 'nope', mode: 'alwaysOn' }, 266, 'FailPointSetFailed'],
    [{ configureFailPoint: 'failCommand', mode: { times: -1 } }, 2, 'BadValue'],
  ])('the primary refuses %j', ([command, code, codeName]) => {
    expectRefusal(['primary'], command, code, codeName, 'admin');
  });

  test.for<[command: Doc, code: number, codeName: string]>([
    [insert({ writeConcern: 5 }), 14, 'TypeMismatch'],
    [insert({ writeConcern: { w: -1 } }), 9, 'FailedToParse'],
    [insert({ writeConcern: { w: 51 } }), 9, 'FailedToParse'],
    [insert({ writeConcern: { w: NAN } }), 9, 'FailedToParse'],
    [insert({ writeConcern: { w: true } }), 9, 'FailedToParse'],
    [insert({ writeConcern: { w: {} } }), 9, 'FailedToParse'],
    [insert({ writeConcern: { w: { dc: 'x' } } }), 9, 'FailedToParse'],
    [insert({ writeConcern: { j: 'x' } }), 14, 'TypeMismatch'],
    [insert({ writeConcern: { j: true, fsync: true } }), 9, 'FailedToParse'],
    [insert({ writeConcern: { wtimeout: 2 ** 40 } }), 9, 'FailedToParse'],
    [insert({ writeConcern: { w: 2, provenance: 'x' } }), 2, 'BadValue'],
    [insert({ writeConcern: { nonsense: 1 } }), 40415, 'IDLUnknownField'],
    [insert({ lsid: 5 }), 14, 'TypeMismatch'],
    [insert({ lsid: {} }), 40414, 'IDLFailedToParse'],
    [insert({ lsid: { id: new Binary(new Uint8Array(3), 4) } }), 207, 'InvalidUUID'],
    [insert({ txnNumber: Long.ONE }), 72, 'InvalidOptions'],
    [numbered({ txnNumber: Long.NEG_ONE }), 72, 'InvalidOptions'],
    [numbered({ autocommit: true }), 72, 'InvalidOptions'],
    [numbered({ stmtId: 2 ** 40 }), 14, 'TypeMismatch'],
    [numbered({ stmtIds: ['x'] }), 14, 'TypeMismatch'],
    [numbered({ stmtIds: [1, 2] }), 16, 'InvalidLength'],
    [numbered({ stmtId: 1, stmtIds: [1] }), 72, 'InvalidOptions'],
    [{ find: 'c', readConcern: 5 }, 14, 'TypeMismatch'],
    [{ find: 'c', readConcern: { level: 5 } }, 14, 'TypeMismatch'],
    [{ find: 'c', readConcern: { level: 'x' } }, 9, 'FailedToParse'],
    [{ find: 'c', readConcern: { nonsense: 5 } }, 72, 'InvalidOptions'],
    [{ find: 'c', readConcern: { afterClusterTime: 5 } }, 14, 'TypeMismatch'],
    [{ find: 'c', readConcern: { afterClusterTime: new Timestamp(0n) } }, 72, 'InvalidOptions'],
    [{ find: 'c', readConcern: { afterClusterTime: at(4e9) } }, 72, 'InvalidOptions'],
    [{ find: 'c', readConcern: { level: 'linearizable', afterClusterTime: at(1) } }, 72, 'InvalidOptions'],
    [{ find: 'c', readConcern: { level: 'snapshot', afterOpTime: { ts: at(1), t: 1 } } }, 9, 'FailedToParse'],
    [{ find: 'c', readConcern: { atClusterTime: at(1) } }, 72, 'InvalidOptions'],
    [{ count: 'c', readConcern: { level: 'snapshot' } }, 72, 'InvalidOptions'],
    [insert({ readConcern: { level: 'majority' } }), 72, 'InvalidOptions'],
  ])('the primary refuses %j on app', ([command, code, codeName]) => {
    expectRefusal(['primary'], command, code, codeName, 'app');
  });

  test.for<[command: Doc, code: number, codeName: string]>([
    [{ ping: 1, writeConcern: {} }, 72, 'InvalidOptions'],
    [{ ping: 1, readConcern: { level: 'majority' } }, 72, 'InvalidOptions'],
    [{ ping: 1, $clusterTime: 5 }, 14, 'TypeMismatch'],
    [{ ping: 1, $clusterTime: {} }, 4, 'NoSuchKey'],
    [{ ping: 1, maxTimeMS: 'x' }, 14, 'TypeMismatch'],
    [{ ping: 1, maxTimeMS: 1.5 }, 2, 'BadValue'],
    [{ ping: 1, maxTimeMS: NAN }, 2, 'BadValue'],
    [{ ping: 1, maxTimeMS: -1 }, 2, 'BadValue'],
    [{ ping: 1, maxTimeMS: 2 ** 31 }, 2, 'BadValue'],
    [{ ping: 1, $readPreference: 5 }, 14, 'TypeMismatch'],
    [{ ping: 1, $readPreference: {} }, 40414, 'IDLFailedToParse'],
    [{ ping: 1, $readPreference: { mode: 'x' } }, 9, 'FailedToParse'],
    [{ ping: 1, $readPreference: { mode: 'primary', tags: [{ a: 'x' }] } }, 2, 'BadValue'],
    [{ ping: 1, $readPreference: { mode: 'nearest', tags: [5] } }, 14, 'TypeMismatch'],
    [{ ping: 1, $readPreference: { mode: 'primary', maxStalenessSeconds: 90 } }, 2, 'BadValue'],
    [{ ping: 1, $readPreference: { mode: 'nearest', maxStalenessSeconds: -1 } }, 2, 'BadValue'],
    [{ ping: 1, $readPreference: { mode: 'nearest', maxStalenessSeconds: 89 } }, 160, 'MaxStalenessOutOfRange'],
    [{ shutdown: 1 }, 13, 'Unauthorized'],
    [{ replSetStepDown: 60 }, 13, 'Unauthorized'],
    [{ Ping: 1 }, 59, 'CommandNotFound'],
  ])('every member refuses %j on app', ([command, code, codeName]) => {
    expectRefusal(EVERYWHERE, command, code, codeName, 'app');
  });

  test.for<[command: Doc, db: string, code: number, codeName: string]>([
    [insert({}), 'app', 10107, 'NotWritablePrimary'],
    // The state comes before the command's own fields and concerns.
    [{ insert: 'c', documents: 5 }, 'app', 10107, 'NotWritablePrimary'],
    [insert({ writeConcern: { w: -1 } }), 'app', 10107, 'NotWritablePrimary'],
    [{ find: 'c', readConcern: { level: 'x' } }, 'app', 13435, 'NotPrimaryNoSecondaryOk'],
    [{ find: 'c', filter: 5 }, 'app', 13435, 'NotPrimaryNoSecondaryOk'],
    [{ appendOplogNote: 1 }, 'admin', 10107, 'NotWritablePrimary'],
    [{ setDefaultRWConcern: 1 }, 'admin', 10107, 'NotWritablePrimary'],
  ])('whoever is not primary refuses %j', ([command, db, code, codeName]) => {
    expectRefusal(ALL_BUT_PRIMARY, command, code, codeName, db);
  });

  test.for<[member: string, command: Doc, code: number, codeName: string]>([
    ['secondary', { replSetStepDown: 60 }, 10107, 'NotWritablePrimary'],
    ['secondary', { replSetMaintenance: false }, 96, 'OperationFailed'],
    ['secondary', { replSetSyncFrom: 'nobody' }, 74, 'NodeNotFound'],
    ['secondary', { replSetSyncFrom: 'secondary' }, 72, 'InvalidOptions'],
    ['secondary', { replSetSyncFrom: 'arbiter' }, 72, 'InvalidOptions'],
    ['secondary', { replSetReconfig: {} }, 10107, 'NotWritablePrimary'],
    ['secondary', { replSetGetConfig: 1, commitmentStatus: true }, 10107, 'NotWritablePrimary'],
    ['secondary', { replSetAbortPrimaryCatchUp: 1 }, 10107, 'NotWritablePrimary'],
    ['arbiter', { replSetStepUp: 1 }, 125, 'CommandFailed'],
    ['arbiter', { replSetSyncFrom: 'primary' }, 95, 'NotSecondary'],
    ['removed', { replSetGetStatus: 1 }, 93, 'InvalidReplicaSetConfig'],
    ['removed', { replSetStepUp: 1 }, 125, 'CommandFailed'],
    ['removed', { replSetSyncFrom: 'primary' }, 95, 'NotSecondary'],
    ['recovering', { replSetStepUp: 1 }, 125, 'CommandFailed'],
    ['uninitiated', { replSetGetStatus: 1 }, 94, 'NotYetInitialized'],
    ['uninitiated', { replSetGetConfig: 1 }, 94, 'NotYetInitialized'],
    ['uninitiated', { replSetReconfig: {} }, 94, 'NotYetInitialized'],
    ['uninitiated', { replSetReconfig: {}, force: true }, 94, 'NotYetInitialized'],
    ['uninitiated', { replSetStepDown: 60 }, 94, 'NotYetInitialized'],
    ['uninitiated', { replSetFreeze: 60 }, 94, 'NotYetInitialized'],
    ['uninitiated', { replSetSyncFrom: 'primary' }, 94, 'NotYetInitialized'],
    ['uninitiated', { replSetInitiate: { _id: 'rs0', members: 5 } }, 93, 'InvalidReplicaSetConfig'],
    ['uninitiated', { replSetInitiate: { _id: 'other', members: [] } }, 93, 'InvalidReplicaSetConfig'],
    [
      'uninitiated',
      { find: 'oplog.rs', $readPreference: { mode: 'nearest' }, $db: 'local' },
      13436,
      'NotPrimaryOrSecondary',
    ],
    ['standalone', { setDefaultRWConcern: 1 }, 51300, 'Location51300'],
    ['standalone', { getDefaultRWConcern: 1 }, 51300, 'Location51300'],
    ['standalone', { replSetResizeOplog: 1, size: 1000 }, 26, 'NamespaceNotFound'],
    ['standalone', { appendOplogNote: 1, data: {} }, 76, 'NoReplicationEnabled'],
    ['standalone', { insert: 'c', documents: [{}], writeConcern: { w: 2 } }, 2, 'BadValue'],
    ['standalone', { insert: 'c', documents: [{}], lsid: { id: UUID }, txnNumber: Long.ONE }, 20, 'IllegalOperation'],
    ['standalone', { find: 'c', readConcern: { level: 'linearizable' } }, 123, 'NotAReplicaSet'],
    ['standalone', { find: 'c', readConcern: { afterClusterTime: at(1) } }, 20, 'IllegalOperation'],
  ])('one that is %s refuses %j', ([member, command, code, codeName]) => {
    const { $db = 'admin', ...rest } = command;
    expectRefusal([member], rest, code, codeName, $db);
  });

  // A standalone may resize an oplog that it was left with; that it has none is said above.
  const ofSets = COMMAND_NAMES.filter((name) => name.startsWith('replSet') && name !== 'replSetResizeOplog');
  test.for(ofSets)('a standalone knows nothing of %s', (name) => {
    expectRefusal(['standalone'], { [name]: name === 'replSetReconfig' ? {} : 1 }, 76, 'NoReplicationEnabled', 'admin');
  });
});

describe('whatever it is', () => {
  const COMMANDS_A_ROUND = 150;

  test('every command that there is, is thrown at members', async () => {
    const asked = await AskedSet.start(1);
    expect(Object.keys(asked.now('n1', { listCommands: 1 }).commands)).toEqual([...COMMAND_NAMES].sort());
    await asked.set.close();
  });

  test.for<[members: number, on: string, command: Doc]>([
    [1, 'n1', { shutdown: 1, timeoutSecs: Long.MAX_VALUE }],
    [3, 'n1', { shutdown: 1, timeoutSecs: new Double(Number.POSITIVE_INFINITY) }],
    [3, 'n2', { shutdown: 1, timeoutSecs: Long.MAX_VALUE }],
    [1, 'n1', { replSetStepDown: Long.MAX_VALUE, force: true }],
    [3, 'n1', { replSetStepDown: Long.MAX_VALUE, secondaryCatchUpPeriodSecs: Long.MAX_VALUE }],
    [3, 'n2', { replSetFreeze: Long.MAX_VALUE }],
    [3, 'n2', { replSetFreeze: Long.MIN_VALUE }],
  ])('of %i members %s outlives %j, a time that no clock will show', async ([members, on, command]) => {
    const list = Array.from({ length: members }, (_, i) => ({ name: `n${i + 1}`, config: { priority: 3 - i } }));
    const asked = await AskedSet.start(list);
    asked.send(on, command, 'admin');
    await asked.pass(2000);
    const isLeaving = 'shutdown' in command;
    expect(asked.now(on, { ping: 1 }).ok === 1 || isLeaving).toBe(true);
    await asked.set.close();
  });

  test('values that JavaScript cannot hold are stored, replicated and shown', async () => {
    const asked = await AskedSet.start(3);
    showAndCheck(asked.set, new Checkers());
    const beyond = new BsonWriter();
    beyond.date('date', 0);
    const document = beyond.finish().fill(0x7f, 10, 18);
    const documents = [{ _id: 1, regex: new BSONRegExp('a(', 'x') }, new RawBson(document)];
    await asked.ok('n1', { insert: 'c', documents, writeConcern: { w: 3 } });
    expect(await asked.run('n1', { replSetReconfig: new RawBson(document) }, 'admin')).toMatchObject({ code: 93 });
    expect(asked.now('n1', { getLog: 'global' }).log.join()).toContain('{"$date":null}');
    await asked.set.close();
  });

  const rounds = Array.from({ length: 12 }, (_, round) => round);
  test.for(rounds)('a member of any kind answers it and lives (round %i)', async (round) => {
    const checkers = new Checkers();
    const asked = await everyKind((set) => showAndCheck(set, checkers));
    const sent = fc.tuple(
      fc.constantFrom('primary', 'primary', 'standalone', ...EVERYWHERE),
      fc.constantFrom(...COMMAND_NAMES).chain(anyCommand),
      fc.nat(),
    );
    // Whoever initiates a second set of the same name has two, of which no checker knows.
    let isOneSet = true;
    for (const [member, command, salt] of fc.sample(sent, { numRuns: COMMANDS_A_ROUND, seed: round })) {
      if (!asked.set.status(member).running) await asked.set.start(member);
      const bytes = otherTypes(encodeDocument(command), salt);
      const pending = asked.set.send(member, bytes);
      // A command that is not answered by then waits for something that may never come.
      await asked.set.runUntil(() => pending.reply !== undefined, asked.set.nowMicros + 2_000_000);
      if (pending.reply === undefined) continue;
      const { ok, code, codeName, errmsg } = decodePromoted(pending.reply);
      if (ok === 1 && 'replSetInitiate' in command) isOneSet = false;
      if (ok === 1) continue;
      const isError = ok === 0 && Number.isInteger(code) && typeof codeName === 'string' && typeof errmsg === 'string';
      expect(isError, `${member}: ${JSON.stringify(command)}`).toBe(true);
    }
    if (isOneSet) expect(checkers.violations.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([]);
    await asked.set.close();
  });
});

/** What comes of it is not too much either for whoever shows or judges it. */
function showAndCheck(set: ReplSet, checkers: Checkers): void {
  const transcript = new Transcript();
  set.onTrace((event) => {
    transcript.observe(event);
    traceLine(event);
    checkers.observe(event);
    if (event.type === 'log') formatLogLine(event.line, 0);
  });
}

/** Types whose values have the same layout. */
const ALIKE: readonly (readonly number[])[] = [
  [BsonType.double, BsonType.long, BsonType.date, BsonType.timestamp],
  [BsonType.null, BsonType.undefined, BsonType.minKey, BsonType.maxKey],
  [BsonType.string, BsonType.symbol, BsonType.javascript],
  [BsonType.object, BsonType.array],
];

/** The same document with one of its elements, or of a document in it, turned into another type of the same layout. */
function otherTypes(document: Uint8Array, salt: number): Uint8Array {
  if (salt % 3 > 0) return document;
  const bytes = Uint8Array.from(document);
  const places = typesIn(bytes, 0).slice(1);
  const place = places[salt % Math.max(places.length, 1)];
  const kinds = ALIKE.find((group) => place !== undefined && group.includes(bytes[place]!));
  if (kinds) bytes[place!] = kinds[salt % kinds.length]!;
  return bytes;
}

/** Where the type of each element stands. */
function typesIn(bytes: Uint8Array, start: number): number[] {
  const places: number[] = [];
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    if (cursor.name === '$db') continue;
    places.push(cursor.offset - Buffer.byteLength(cursor.name) - 2);
    if (cursor.type === BsonType.object || cursor.type === BsonType.array)
      places.push(...typesIn(bytes, cursor.offset));
  }
  return places;
}
