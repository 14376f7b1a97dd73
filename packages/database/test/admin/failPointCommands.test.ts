import { expect, test } from 'vitest';
import { ConnectionClosed } from '../../src/replies/failCommand.ts';
import { FakeMember } from '../fakeMember.ts';

// Fail points, option by option.

const ON = { configureFailPoint: 'failCommand', mode: 'alwaysOn' } as const;

function withPoint(data: object, mode: object | string = 'alwaysOn'): FakeMember {
  const member = new FakeMember();
  member.ok({ ...ON, mode, data }, 'admin');
  return member;
}

test('errorCode: the command is not executed, and the code has its true name', () => {
  const member = withPoint({ failCommands: ['insert'], errorCode: 11601 });
  expect(member.run({ insert: 'c', documents: [{ _id: 1 }] })).toMatchObject({
    ok: 0,
    code: 11601,
    codeName: 'Interrupted',
  });
  expect(member.engine.collection('app.c')).toBeUndefined();
  expect(member.run({ ping: 1 })).toMatchObject({ ok: 1 });
});

test('writeConcernError: the command is executed', () => {
  const member = withPoint({ failCommands: ['insert'], writeConcernError: { code: 91, errmsg: 'shutting down' } });
  const reply = member.run({ insert: 'c', documents: [{ _id: 1 }] });
  expect(reply).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 91 } });
});

test.for([
  { code: 10107, given: undefined, labels: ['RetryableWriteError', 'NoWritesPerformed'] },
  { code: 10107, given: [], labels: [] },
  { code: 8, given: undefined, labels: undefined },
  { code: 8, given: ['MyLabel'], labels: ['MyLabel'] },
])('labels of code $code, given $given', ({ code, given, labels }) => {
  const member = withPoint({ failCommands: ['insert'], errorCode: code, ...(given && { errorLabels: given }) });
  const reply = member.run({ insert: 'c', documents: [{ _id: 1 }], lsid: { id: 1 }, txnNumber: 1 });
  expect(reply.errorLabels).toEqual(labels);
});

const failed = { writeConcernError: { code: 91, errmsg: 'shutting down' } };
test.for<[command: object, data: object, count: number]>([
  [{ insert: 'c', documents: [{}] }, failed, 1],
  [{ aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }, failed, 1],
  [{ aggregate: 'c', pipeline: [{ $merge: 'd' }], cursor: {} }, failed, 1],
  [{ aggregate: 'c', pipeline: [], cursor: {} }, failed, 0],
  [{ find: 'c' }, failed, 0],
  [{ find: 'c' }, {}, 0],
  [{ insert: 'c', documents: [{}] }, { errorLabels: ['MyLabel'] }, 0],
])('%j with %j: counted %i times', ([command, data, count]) => {
  const member = withPoint({ failCommands: ['insert', 'aggregate', 'find'], ...data }, { times: 1 });
  const { ok, writeConcernError } = member.run(command);
  expect({ ok, writeConcernError }).toEqual({ ok: 1, writeConcernError: count > 0 ? failed.writeConcernError : undefined }); // biome-ignore format: one line
  expect(member.run({ ...ON, mode: 'off' }, 'admin').count).toBe(count);
});

test('closeConnection: no answer, and nothing done', () => {
  const member = withPoint({ failCommands: ['insert'], closeConnection: true });
  expect(() => member.run({ insert: 'c', documents: [{ _id: 1 }] })).toThrow(ConnectionClosed);
  expect(member.engine.collection('app.c')).toBeUndefined();
});

test('blockConnection: the answer comes later', () => {
  const member = withPoint({ failCommands: ['ping'], blockConnection: true, blockTimeMS: 500 });
  const before = member.now.monotonicMicros;
  expect(member.run({ ping: 1 })).toMatchObject({ ok: 1 });
  expect(member.now.monotonicMicros - before).toBeGreaterThanOrEqual(500_000);
});

test.for([
  { data: { namespace: 'app.c' }, command: { find: 'c' }, fails: true },
  { data: { namespace: 'app.d' }, command: { find: 'c' }, fails: false },
  { data: { appName: 'shop' }, command: { find: 'c' }, fails: false },
  { data: { appName: 'shop' }, command: { find: 'c', $client: { application: { name: 'shop' } } }, fails: true },
  { data: { failCommands: ['findandmodify'] }, command: { findAndModify: 'c', query: {}, remove: true }, fails: true },
  { data: { failCommands: ['configureFailPoint'] }, command: { find: 'c' }, fails: false },
])('$data and $command: fails=$fails', ({ data, command, fails }) => {
  const member = withPoint({ failCommands: ['find'], errorCode: 2, ...data });
  expect(member.run(command).ok).toBe(fails ? 0 : 1);
  expect(member.run({ ...ON, mode: 'off' }, 'admin').ok).toBe(1);
});

test.for([
  { data: { errorCode: 11601 }, code: 11601 },
  { data: { errorCode: 11601, namespace: 'app.c' }, code: 11601 },
  { data: { errorCode: 11601, namespace: 'app.d' }, code: undefined },
  { data: { errorCode: 11601, appName: 'shop' }, code: undefined },
  { data: {}, code: undefined },
])('failGetMoreAfterCursorCheckout with $data: $code', ({ data, code }) => {
  const member = new FakeMember();
  member.insert('c', { _id: 1 }, { _id: 2 }, { _id: 3 });
  const { cursor } = member.ok({ find: 'c', batchSize: 1 });
  member.ok({ configureFailPoint: 'failGetMoreAfterCursorCheckout', mode: 'alwaysOn', data }, 'admin');
  expect(member.run({ getMore: cursor.id, collection: 'c' })).toMatchObject(code ? { ok: 0, code } : { ok: 1 });
});

test('failGetMoreAfterCursorCheckout closes the connection', () => {
  const member = new FakeMember();
  member.insert('c', { _id: 1 }, { _id: 2 }, { _id: 3 });
  const { cursor } = member.ok({ find: 'c', batchSize: 1 });
  const data = { errorCode: 2, closeConnection: true };
  member.ok({ configureFailPoint: 'failGetMoreAfterCursorCheckout', mode: 'alwaysOn', data }, 'admin');
  expect(() => member.run({ getMore: cursor.id, collection: 'c' })).toThrow(ConnectionClosed);
});

test('failCommand: bulkWrite is about all namespaces that it names', () => {
  const bulk = { bulkWrite: 1, ops: [{ insert: 1, document: {} }], nsInfo: [{ ns: 'app.c' }, { ns: 'app.d' }] };
  const at = (namespace: string) => withPoint({ failCommands: ['bulkWrite'], errorCode: 2, namespace });
  expect(at('app.d').run(bulk, 'admin')).toMatchObject({ code: 2 });
  expect(at('app.e').run(bulk, 'admin')).toMatchObject({ ok: 1 });
});

test('failCommand: what else the data may say', () => {
  const fails = (data: object, command: object = { find: 'c' }) =>
    withPoint({ failCommands: ['find'], ...data }).run(command);
  expect(fails({ errorCode: 11, errorExtraInfo: { why: 'so' } })).toMatchObject({ code: 11, why: 'so' });
  expect(fails({ errorCode: 999_999 })).toMatchObject({ code: 999_999, codeName: 'Location999999' });
  expect(fails({ blockConnection: true })).toMatchObject({ code: 72 });
  expect(fails({ errorCode: 2, failInternalCommands: false })).toMatchObject({ code: 2 });
  // A read takes no write concern, and so none of it can fail.
  expect(fails({ writeConcernError: { code: 64 } })).not.toHaveProperty('writeConcernError');
  expect(fails({})).toMatchObject({ ok: 1 });
});

test.for([
  [11, 'UserNotFound'],
  [63, 'OBSOLETE_StaleShardVersion'],
  [64, 'WriteConcernFailed'],
  [133, 'FailedToSatisfyReadPreference'],
  [143, 'CursorInUse'],
  [150, 'StaleEpoch'],
  [234, 'RetryChangeStream'],
  [388, 'TransactionTooLargeForCache'],
  [13297, 'DatabaseDifferCase'],
  [13388, 'StaleConfig'],
] as const)('failCommand: %i goes by the name %s', ([errorCode, codeName]) => {
  const member = withPoint({ failCommands: ['find'], errorCode });
  expect(member.run({ find: 'c' })).toMatchObject({ ok: 0, code: errorCode, codeName });
});

test('failCommand does not mean what members ask of each other', () => {
  const member = withPoint({ failCommands: ['find'], errorCode: 2 });
  expect(member.start({ find: 'c' }, 'app', { fromMember: true }).finish()).toMatchObject({ ok: 1 });
});

test.for([
  { maxTimeMS: 5000, code: 50 },
  { maxTimeMS: undefined, code: undefined },
])(
  'maxTimeAlwaysTimeOut uses up what is left for a getMore of a find with maxTimeMS $maxTimeMS',
  ({ maxTimeMS, code }) => {
    const member = new FakeMember();
    member.insert('many', { _id: 1 }, { _id: 2 }, { _id: 3 });
    const limit = maxTimeMS === undefined ? {} : { maxTimeMS };
    const { id } = member.ok({ find: 'many', batchSize: 1, ...limit }).cursor;
    member.ok({ configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'alwaysOn' }, 'admin');
    expect(member.run({ getMore: BigInt(id), collection: 'many' }).code).toBe(code);
  },
);

test('maxTimeMS: always, or never', () => {
  const member = new FakeMember();
  member.ok({ configureFailPoint: 'maxTimeAlwaysTimeOut', mode: { times: 1 } }, 'admin');
  expect(member.run({ find: 'c' })).toMatchObject({ ok: 1 });
  expect(member.run({ find: 'c', maxTimeMS: 60_000 })).toMatchObject({ code: 50, codeName: 'MaxTimeMSExpired' });
  expect(member.run({ find: 'c', maxTimeMS: 60_000 })).toMatchObject({ ok: 1 });
  member.insert('many', ...Array.from({ length: 2000 }, (_, _id) => ({ _id })));
  const count = { count: 'many', query: { x: 1 }, maxTimeMS: 1 };
  expect(member.run(count)).toMatchObject({ code: 50 });
  member.ok({ configureFailPoint: 'maxTimeNeverTimeOut', mode: 'alwaysOn' }, 'admin');
  expect(member.run(count)).toMatchObject({ ok: 1 });
});

test('failGetMoreAfterCursorCheckout fails the getMore and closes its cursor', () => {
  const member = new FakeMember();
  member.insert('c', { _id: 1 }, { _id: 2 }, { _id: 3 });
  const { cursor } = member.ok({ find: 'c', batchSize: 1 });
  member.ok(
    { configureFailPoint: 'failGetMoreAfterCursorCheckout', mode: 'alwaysOn', data: { errorCode: 11601 } },
    'admin',
  );
  expect(member.run({ getMore: cursor.id, collection: 'c' })).toMatchObject({ code: 11601 });
});

test.for([
  { command: { configureFailPoint: 'nothing', mode: 'off' }, code: 266 },
  { command: { configureFailPoint: 'failCommand' }, code: 9 },
  { command: { configureFailPoint: 'failCommand', mode: 'sometimes' }, code: 2 },
  { command: { configureFailPoint: 'failCommand', mode: 3 }, code: 14 },
  { command: { configureFailPoint: 'failCommand', mode: {} }, code: 2 },
  { command: { configureFailPoint: 'failCommand', mode: { times: -1 } }, code: 2 },
  { command: { configureFailPoint: 'failCommand', mode: { activationProbability: 2 } }, code: 2 },
  { command: { configureFailPoint: 'failCommand', mode: 'off', other: 1 }, code: 40415 },
  { command: { waitForFailPoint: 'failCommand', timesEntered: 1 }, code: 40414 },
  { command: { waitForFailPoint: 'nothing', timesEntered: 1, maxTimeMS: 5 }, code: 266 },
])('$command is refused with $code', ({ command, code }) => {
  expect(new FakeMember().run(command, 'admin')).toMatchObject({ ok: 0, code });
});

test('the fail points of createIndexes let an invalid TTL value in, rewritten or as it is', () => {
  const spec = { key: { at: 1 }, name: 'at_1', expireAfterSeconds: Number.NaN };
  const create = { createIndexes: 'c', indexes: [spec] };
  const stored = (member: FakeMember) => member.engine.collection('app.c')!.index('at_1')!.spec.expireAfterSeconds;
  const member = new FakeMember();
  expect(member.run(create)).toMatchObject({ code: 67 });
  member.ok({ configureFailPoint: 'skipTTLIndexValidationOnCreateIndex', mode: 'alwaysOn' }, 'admin');
  member.ok(create);
  expect(member.logs.global.lines.map(({ line }) => line.id)).toContain(6909101);
  const listed = JSON.stringify(stored(member));
  const other = new FakeMember();
  other.ok({ configureFailPoint: 'skipTTLIndexValidationOnCreateIndex', mode: 'alwaysOn' }, 'admin');
  other.ok({ configureFailPoint: 'skipTTLIndexExpireAfterSecondsValidation', mode: 'alwaysOn' }, 'admin');
  other.ok(create);
  expect(JSON.stringify(stored(other))).not.toBe(listed);
});
