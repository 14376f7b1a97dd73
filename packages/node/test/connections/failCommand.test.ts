import { BSON, type ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

// failCommand, where it is about connections.

const CLIENT = { application: { name: 'shop' }, driver: { name: 'd', version: '1' }, os: { type: 'Linux' } };

function withPoint(data: Doc, mode: unknown = 'alwaysOn'): LoneMember {
  const member = LoneMember.primary(0);
  configure(member, data, mode);
  return member;
}

function configure(member: LoneMember, data: Doc, mode: unknown = 'alwaysOn'): Doc {
  return member.run({ configureFailPoint: 'failCommand', mode, data });
}

function awaitable(member: LoneMember): Doc {
  const { processId, counter } = member.hello().topologyVersion as { processId: ObjectId; counter: number };
  return { hello: 1, topologyVersion: { processId, counter: BSON.Long.fromNumber(counter) }, maxAwaitTimeMS: 10_000 };
}

describe('appName', () => {
  const data = { failCommands: ['find', 'hello', 'isMaster'], errorCode: 8, appName: 'shop' };

  test('is that of the connection, which its handshake has told', () => {
    const member = withPoint({ ...data, failCommands: ['find'] });
    const [shop, other, silent] = [member.open(), member.open(), member.open()];
    member.runOn(shop, { hello: 1, client: CLIENT });
    member.runOn(other, { hello: 1, client: { ...CLIENT, application: { name: 'bank' } } });
    const codes = [shop, other, silent].map((connection) => member.runOn(connection, { find: 'c' }, 'app').code);
    expect(codes).toEqual([8, undefined, undefined]);
    expect(member.run({ find: 'c' }, 'app')).toMatchObject({ ok: 1 });
  });

  test.for([{ hello: 1 }, { isMaster: 1 }, { ismaster: 1 }])('counts for the handshake itself: %o', (handshake) => {
    const member = withPoint(data, { times: 1 });
    const connection = member.open();
    expect(member.runOn(connection, { ...handshake, client: CLIENT })).toMatchObject({ ok: 0, code: 8 });
    // A handshake that has failed is none.
    expect(member.runOn(connection, { ...handshake, client: CLIENT })).toMatchObject({ ok: 1 });
  });
});

describe('failAllCommands', () => {
  test('means every command, whatever the list says, but those that switch fail points', () => {
    const member = withPoint({ failAllCommands: true, failCommands: ['insert'], errorCode: 8 });
    expect(member.run({ ping: 1 }).code).toBe(8);
    expect(member.run({ find: 'c' }, 'app').code).toBe(8);
    expect(configure(member, {}, 'off')).toMatchObject({ ok: 1 });
    expect(configure(member, { failAllCommands: false, errorCode: 8 })).toMatchObject({ ok: 1 });
    expect(member.run({ ping: 1 })).toMatchObject({ ok: 1 });
  });
});

describe('threadName', () => {
  test("is that of a connection's thread: no other is meant", () => {
    const member = LoneMember.primary(0);
    const [one, other] = [member.open(), member.open()];
    configure(member, { failCommands: ['ping'], errorCode: 8, threadName: member.mongod.connections.find(one)?.desc });
    expect(member.runOn(other, { ping: 1 })).toMatchObject({ ok: 1 });
    expect(member.runOn(one, { ping: 1 })).toMatchObject({ ok: 0, code: 8 });
  });
});

describe('closeConnection', () => {
  test('closes that connection, and nothing is done', () => {
    const member = withPoint({ failCommands: ['insert'], closeConnection: true });
    const [one, other] = [member.open(), member.open()];
    const request = member.sendOn(one, { insert: 'c', documents: [{}] }, {}, 'app');
    member.advance(10);
    expect([member.closed, member.replies.has(request)]).toEqual([[one], false]);
    expect(member.runOn(other, { count: 'c' }, 'app')).toMatchObject({ n: 0 });
  });
});

describe('onPrimaryTransactionalWrite', () => {
  const LSID = { id: new BSON.UUID(new Uint8Array(16)) };
  const insertOf = (...ids: number[]) => ({
    insert: 'c',
    documents: ids.map((_id) => ({ _id })),
    lsid: LSID,
    txnNumber: 1n,
  });

  function withWrite(
    data: Doc,
    mode: unknown,
    command: Doc,
  ): { member: LoneMember; one: number; reply: Doc | undefined } {
    const member = LoneMember.primary(0);
    member.run({ configureFailPoint: 'onPrimaryTransactionalWrite', mode, data });
    const one = member.open();
    const request = member.sendOn(one, command, {}, 'app');
    member.advance(10);
    return { member, one, reply: member.replies.get(request) };
  }

  test('the write is done, its client hears nothing, and hears of it when it asks again', () => {
    const { member, one, reply } = withWrite({}, 'alwaysOn', insertOf(1));
    expect([member.closed, reply]).toEqual([[one], undefined]);
    expect(member.runOn(member.open(), insertOf(1), 'app')).toMatchObject({ n: 1, retriedStmtIds: [0] });
  });

  test('with a code the connection is closed first, and nothing is done', () => {
    const { member, one, reply } = withWrite({ failBeforeCommitExceptionCode: 1 }, { times: 1 }, insertOf(1));
    expect([member.closed, reply]).toEqual([[one], undefined]);
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n: 0 });
    const again = member.runOn(member.open(), insertOf(1), 'app');
    expect(again).toMatchObject({ ok: 1, n: 1 });
    expect(again).not.toHaveProperty('retriedStmtIds');
  });

  test.for([
    { code: 1, says: { ok: 1, n: 0, writeErrors: [{ index: 0, code: 1 }] } },
    // The collection was made before.
    { code: 189, says: { ok: 0, code: 189, errorLabels: ['RetryableWriteError'] } },
  ])('closeConnection: false lets the client hear of code $code', ({ code, says }) => {
    const data = { failBeforeCommitExceptionCode: code, closeConnection: false };
    const { member, reply } = withWrite(data, 'alwaysOn', insertOf(1));
    expect([member.closed, reply]).toMatchObject([[], says]);
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n: 0 });
  });

  test.for([
    { mode: { times: 1 }, n: 3 },
    { mode: { times: 2 }, n: 0 },
    { mode: 'alwaysOn', n: 0 },
  ])('documents that cannot go in together are tried one by one: $mode', ({ mode, n }) => {
    const { member, one } = withWrite({ failBeforeCommitExceptionCode: 1 }, mode, insertOf(1, 2, 3));
    expect(member.closed).toEqual([one]);
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n });
  });

  test.for([
    { what: 'an update', command: { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] } },
    { what: 'a delete', command: { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] } },
    { what: 'findAndModify', command: { findAndModify: 'c', query: { _id: 1 }, remove: true } },
  ])('is of each statement that writes: $what', ({ command }) => {
    const member = LoneMember.primary(0);
    member.run({ insert: 'c', documents: [{ _id: 1 }] }, 'app');
    const data = { failBeforeCommitExceptionCode: 1, closeConnection: false };
    member.run({ configureFailPoint: 'onPrimaryTransactionalWrite', mode: 'alwaysOn', data });
    const failed = member.run({ ...command, lsid: LSID, txnNumber: 1n }, 'app');
    expect(failed.writeErrors ?? [failed]).toMatchObject([{ code: 1 }]);
    expect(member.run({ find: 'c' }, 'app')).toMatchObject({ cursor: { firstBatch: [{ _id: 1 }] } });
    expect(member.run(command, 'app')).toMatchObject({ ok: 1 });
  });

  test('what writes nothing is not meant: that is how a retry gets its answer', () => {
    const update = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }], lsid: LSID, txnNumber: 1n };
    const { member, reply } = withWrite({}, 'alwaysOn', update);
    expect([member.closed, reply]).toMatchObject([[], { ok: 1, n: 0 }]);
  });

  test('in virtual time whoever sent it hears that its connection was closed', () => {
    const member = LoneMember.primary(0);
    member.run({ configureFailPoint: 'onPrimaryTransactionalWrite', mode: 'alwaysOn' });
    const request = member.send(insertOf(1), 'app');
    member.advance(10);
    expect(member.hungUp).toEqual([request]);
  });
});

describe('blockConnection', () => {
  test('keeps a write from its locks: a step-down does not kill it, but it is refused afterwards', () => {
    const member = withPoint({ failCommands: ['insert'], blockConnection: true, blockTimeMS: 200 }, { times: 1 });
    const blocked = member.sendOn(member.open(), { insert: 'c', documents: [{}] }, {}, 'app');
    member.advance(10);
    expect(member.run({ replSetStepDown: 10, force: true })).toMatchObject({ ok: 1 });
    expect(member.replies.has(blocked)).toBe(false);
    member.awaitEnded(blocked);
    expect(member.reply(blocked)).toMatchObject({ ok: 0, code: 10107 });
  });
});

describe('a hello that waits', () => {
  test('is not hit when the point is set meanwhile; the next one is', () => {
    const member = LoneMember.primary(0);
    const monitor = member.open();
    const hello = awaitable(member);
    const waits = member.sendOn(monitor, hello, { exhaustAllowed: true });
    member.advance(1);
    configure(member, { failCommands: ['hello'], errorCode: 91 });
    expect(member.replies.has(waits)).toBe(false);
    member.awaitEnded(waits);
    expect(member.replies.get(waits)).toMatchObject({ ok: 1 });
    const next = member.sendOn(monitor, hello, { exhaustAllowed: true });
    expect(member.reply(next)).toMatchObject({ ok: 0, code: 91, codeName: 'ShutdownInProgress' });
  });
});

describe('blockConnection holds the answer back', () => {
  const data = { failCommands: ['ping'], blockConnection: true, blockTimeMS: 500 };

  test('in virtual time, if that is where the client lives', () => {
    const member = withPoint(data);
    const ping = member.send({ ping: 1 });
    member.advance(499);
    expect(member.replies.has(ping)).toBe(false);
    member.advance(2);
    expect(member.replies.get(ping)).toMatchObject({ ok: 1 });
  });

  test('on a connection for as long as the client counts, whatever time it is here', () => {
    const member = withPoint(data);
    const ping = member.sendOn(member.open(), { ping: 1 });
    member.advance(60_000);
    expect(member.replies.has(ping)).toBe(false);
    expect(member.runOn(member.open(), { hello: 1 })).toMatchObject({ ok: 1 });
    member.awaitEnded(ping);
    member.advance(1);
    expect(member.replies.get(ping)).toMatchObject({ ok: 1 });
  });

  test('and then fails it, if there is a code', () => {
    const member = withPoint({ ...data, errorCode: 8 });
    const ping = member.sendOn(member.open(), { ping: 1 });
    member.awaitEnded(ping);
    expect(member.replies.get(ping)).toMatchObject({ ok: 0, code: 8 });
  });

  test.for([
    [{ ping: 1, maxTimeMS: 400 }, 50],
    [{ ping: 1, maxTimeMS: 600 }, undefined],
    [{ ping: 1 }, undefined],
  ])('and takes the time from that of the command: %j', ([command, code]) => {
    expect(withPoint(data).run(command as Doc).code).toBe(code);
  });

  test('as the client counts it, whatever time it is here', () => {
    const member = withPoint(data);
    const ping = member.sendOn(member.open(), { ping: 1, maxTimeMS: 400 });
    member.awaitEnded(ping);
    expect(member.reply(ping).code).toBe(50);
  });

  test('what is blocked can be killed', () => {
    const member = withPoint(data);
    const ping = member.sendOn(member.open(), { ping: 1, comment: 'blocked' });
    const { inprog } = member.run({ currentOp: 1, 'command.comment': 'blocked' }) as { inprog: Doc[] };
    expect(inprog).toHaveLength(1);
    member.run({ killOp: 1, op: inprog[0]!.opid });
    expect(member.replies.get(ping)).toMatchObject({ ok: 0, code: 11601 });
  });
});

test('waitForFailPoint answers when it has been entered so often', () => {
  const member = withPoint({ failCommands: ['ping'], errorCode: 2 });
  const wait = member.send({ waitForFailPoint: 'failCommand', timesEntered: 2, maxTimeMS: 5000 });
  member.run({ ping: 1 });
  member.advance(10);
  expect(member.replies.has(wait)).toBe(false);
  member.run({ ping: 1 });
  member.advance(1);
  expect(member.replies.get(wait)).toMatchObject({ ok: 1 });
  expect(configure(member, {}, 'off')).toMatchObject({ count: 2, ok: 1 });
  const never = member.run({ waitForFailPoint: 'failCommand', timesEntered: 3, maxTimeMS: 500 });
  expect(never).toMatchObject({ code: 50 });
});

test('the same seed, the same commands hit', () => {
  const hits = () => {
    const member = withPoint({ failCommands: ['ping'], errorCode: 2 }, { activationProbability: 0.5 });
    return Array.from({ length: 40 }, () => member.run({ ping: 1 }).ok).join('');
  };
  const first = hits();
  expect(first).toMatch(/01|10/);
  expect(hits()).toBe(first);
});

test('test commands are on', () => {
  expect(LoneMember.primary(0).run({ getParameter: 1, enableTestCommands: 1 })).toMatchObject({
    enableTestCommands: true,
  });
});
