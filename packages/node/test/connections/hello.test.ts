import { BSON, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

// The handshake, on the connections on which it is asked for.

const LIMITS = {
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
};

const CLIENT = { driver: { name: 'x', version: '1' }, os: { type: 'x' } };

test('a member without a config is a ghost that tells its versions and limits', () => {
  const member = new LoneMember();
  const reply = member.runOn(member.open(), { hello: 1 });
  expect(reply).toMatchObject({
    isreplicaset: true,
    info: 'Does not have a valid replica set config',
    isWritablePrimary: false,
    secondary: false,
    connectionId: 1,
    ok: 1,
    ...LIMITS,
  });
  for (const field of ['setName', 'hosts', 'me', 'primary', '$clusterTime']) expect(reply).not.toHaveProperty(field);
});

test.for([
  { command: { hello: 1 }, writable: 'isWritablePrimary', not: 'ismaster', helloOk: undefined },
  { command: { isMaster: 1 }, writable: 'ismaster', not: 'isWritablePrimary', helloOk: undefined },
  { command: { ismaster: 1, helloOk: true }, writable: 'ismaster', not: 'isWritablePrimary', helloOk: true },
])('$command', ({ command, writable, not, helloOk }) => {
  const member = LoneMember.primary(0);
  const reply = member.runOn(member.open(), command);
  expect(reply).toMatchObject({ [writable]: true, secondary: false, me: 'a:1', hosts: ['a:1'], ...LIMITS });
  expect(reply).not.toHaveProperty(not);
  expect(reply.helloOk).toBe(helloOk);
});

test('whoever is unknown is told the mechanisms that are on, and a first step that is none is passed over', () => {
  const member = LoneMember.primary(0);
  const handshake = { isMaster: 1, saslSupportedMechs: 'admin.me', speculativeAuthenticate: { saslStart: 1 } };
  const reply = member.runOn(member.open(), { ...handshake, backpressure: '2', compression: ['none'] });
  expect(reply).toMatchObject({ ok: 1, saslSupportedMechs: ['SCRAM-SHA-256', 'SCRAM-SHA-1'] });
  for (const field of ['speculativeAuthenticate', 'compression']) expect(reply).not.toHaveProperty(field);
  expect(member.runOn(member.open(), { hello: 1 })).not.toHaveProperty('saslSupportedMechs');
  expect(member.runOn(member.open(), { saslStart: 1 })).toMatchObject({ ok: 0 });
});

test('a mechanism that is off is not told', () => {
  const member = LoneMember.primary(0);
  const mechanisms = () => member.runOn(member.open(), { hello: 1, saslSupportedMechs: 'admin.me' }).saslSupportedMechs;
  const { parameters } = member.mongod;
  parameters.set('authenticationMechanisms', ['SCRAM-SHA-1']);
  expect(mechanisms()).toEqual(['SCRAM-SHA-1']);
});

test.for([
  { asked: ['zlib', 'none', 'snappy'], agreed: ['zlib', 'snappy'] },
  { asked: ['zstd'], agreed: ['zstd'] },
  { asked: ['noop', 'none'], agreed: undefined },
  { asked: [], agreed: undefined },
])('a client with compressors $asked gets $agreed', ({ asked, agreed }) => {
  const member = LoneMember.primary(0);
  const connection = member.open();
  expect(member.runOn(connection, { hello: 1, client: CLIENT, compression: asked }).compression).toEqual(agreed);
  // Who does not say is told what holds.
  expect(member.runOn(connection, { hello: 1 }).compression).toEqual(agreed);
  const { log } = member.runOn(member.open(), { getLog: 'global' });
  const line = (log as string[]).map((each) => JSON.parse(each)).find(({ id }) => id === 51800);
  expect(line.attr.negotiatedCompressors).toEqual(agreed ?? []);
});

test('a later hello agrees anew', () => {
  const member = LoneMember.primary(0);
  const connection = member.open();
  member.runOn(connection, { hello: 1, compression: ['zlib'] });
  expect(member.runOn(connection, { hello: 1, compression: [] })).not.toHaveProperty('compression');
  expect(member.runOn(connection, { hello: 1 })).not.toHaveProperty('compression');
  expect(member.runOn(connection, { hello: 1, compression: [1] })).toMatchObject({ ok: 0, code: 14 });
});

test('a member without compressors agrees on none', () => {
  const member = LoneMember.primary(0);
  member.mongod.parameters.set('networkMessageCompressors', 'disabled');
  expect(member.runOn(member.open(), { hello: 1, compression: ['zlib'] })).not.toHaveProperty('compression');
});

describe('what a hello that waits has to say', () => {
  const processId = new ObjectId(new Uint8Array(12));
  const known = (counter: number): Doc => ({ topologyVersion: { processId, counter: BSON.Long.fromNumber(counter) } });

  test.for<{ what: string; fields: (counter: number) => Doc; exhaustAllowed?: boolean; code: number }>([
    { what: 'a version without a time', fields: known, code: 31368 },
    { what: 'a time without a version', fields: () => ({ maxAwaitTimeMS: 5 }), code: 31368 },
    { what: 'a stream without a time', fields: known, exhaustAllowed: true, code: 51756 },
    { what: 'a version below zero', fields: () => ({ ...known(-1), maxAwaitTimeMS: 5 }), code: 31372 },
    { what: 'a time below zero', fields: (counter) => ({ ...known(counter), maxAwaitTimeMS: -5 }), code: 31373 },
    { what: 'a version to come', fields: (counter) => ({ ...known(counter + 1), maxAwaitTimeMS: 5 }), code: 31382 },
  ])('$what: $code', ({ fields, exhaustAllowed = false, code }) => {
    const member = LoneMember.primary(0);
    const request = member.sendOn(member.open(), { hello: 1, ...fields(member.counter) }, { exhaustAllowed });
    expect(member.reply(request)).toMatchObject({ ok: 0, code });
    expect(member.awaiting).toEqual([]);
  });

  test('an older version, or one of another life, is answered at once', () => {
    const member = LoneMember.primary(0);
    const { processId: own } = member.hello().topologyVersion as { processId: ObjectId };
    const older = { processId: own, counter: BSON.Long.fromNumber(member.counter - 1) };
    const other = { processId: new ObjectId('f'.repeat(24)), counter: BSON.Long.fromNumber(member.counter + 5) };
    for (const topologyVersion of [older, other]) {
      expect(member.runOn(member.open(), { hello: 1, topologyVersion, maxAwaitTimeMS: 60_000 })).toMatchObject({
        ok: 1,
      });
    }
    expect(member.awaiting).toEqual([]);
  });
});

test('the end of its connections is told for each of them', () => {
  const member = LoneMember.primary(0);
  const [one, two] = [member.open(), member.open()];
  const hello = member.sendOn(one, { hello: 1, ...awaitableNow(member) });
  member.advance(1);
  // As a rollback does.
  member.mongod.closeClientConnections();
  member.run({ ping: 1 });
  expect([member.closed, member.replies.has(hello), member.mongod.connections.size]).toEqual([[one, two], false, 0]);
});

function awaitableNow(member: LoneMember): Doc {
  const { processId } = member.hello().topologyVersion as { processId: ObjectId };
  return { topologyVersion: { processId, counter: BSON.Long.fromNumber(member.counter) }, maxAwaitTimeMS: 10_000 };
}
