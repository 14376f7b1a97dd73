import { Binary, BSON, Long, type ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

const CLIENT = { application: { name: 'shop' }, driver: { name: 'd', version: '1' }, os: { type: 'Linux' } };

/** What a monitor sends to be told of the next change. */
function awaitable(member: LoneMember, maxAwaitTimeMS = 10_000): Doc {
  const { processId, counter } = member.hello().topologyVersion as { processId: ObjectId; counter: number };
  return { hello: 1, topologyVersion: { processId, counter: BSON.Long.fromNumber(counter) }, maxAwaitTimeMS };
}

/** A collection of one document, and a tailable cursor at its end. */
function tail(member: LoneMember, connection: number): Long {
  member.runOn(connection, { create: 'c', capped: true, size: 10_000 }, 'app');
  member.runOn(connection, { insert: 'c', documents: [{ _id: 1 }] }, 'app');
  const reply = member.runOn(connection, { find: 'c', tailable: true, awaitData: true }, 'app');
  return BSON.Long.fromBigInt(BigInt((reply.cursor as { id: bigint }).id));
}

describe('coming and going', () => {
  test('each connection is logged, and numbered in hello', () => {
    const member = LoneMember.primary(0);
    const [first, second] = [member.open('10.0.0.1:5'), member.open('10.0.0.1:6')];
    expect(member.runOn(second, { hello: 1 })).toMatchObject({ connectionId: 2 });
    member.close(first);
    const attr = (id: number) => member.logged(id).map((line) => line.attr);
    expect(attr(22943)).toEqual([
      { remote: '10.0.0.1:5', connectionId: 1, connectionCount: 1 },
      { remote: '10.0.0.1:6', connectionId: 2, connectionCount: 2 },
    ]);
    expect(attr(22944)).toEqual([{ remote: '10.0.0.1:5', connectionId: 1, connectionCount: 1 }]);
    expect(member.logged(22944)[0]).toMatchObject({ ctx: 'conn1', component: 'NETWORK' });
  });

  test('with the parameter quiet they are not', () => {
    const member = LoneMember.initiated(0, {}, { parameters: { quiet: true } });
    member.close(member.open());
    expect([...member.logged(22943), ...member.logged(22944)]).toEqual([]);
  });

  test('one that its port had no room for is logged without a number', () => {
    const member = LoneMember.primary(0);
    member.open();
    member.reject('10.0.0.9:1');
    expect(member.logged(22942)).toMatchObject([
      {
        component: 'NETWORK',
        ctx: 'listener',
        msg: 'Connection refused because there are too many open connections',
        attr: { remote: '10.0.0.9:1', connectionCount: 1 },
      },
    ]);
  });

  test('what comes on a connection that is gone is not looked at', () => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    member.close(connection);
    const request = member.sendOn(connection, { insert: 'c', documents: [{ _id: 1 }] }, {}, 'app');
    member.advance(1000);
    expect(member.replies.has(request)).toBe(false);
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n: 0 });
  });
});

describe('a client hangs up', () => {
  test('while its write waits for members: it goes on waiting, and nothing is answered', () => {
    const member = LoneMember.primary(2);
    const connection = member.open();
    const insert = { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 3, wtimeout: 5000 } };
    const request = member.sendOn(connection, insert, {}, 'app');
    member.advance(10);
    expect([...member.mongod.scheduler.operations].map(({ desc }) => desc)).toContain('conn1');
    member.close(connection);
    member.advance(1000);
    expect([...member.mongod.scheduler.operations].map(({ desc }) => desc)).toContain('conn1');
    member.advance(5000);
    expect([...member.mongod.scheduler.operations].map(({ desc }) => desc)).not.toContain('conn1');
    expect(member.replies.has(request)).toBe(false);
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n: 1 });
  });

  test('while its commit is on the way: it is committed', () => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    const statement = { lsid: { id: new Binary(new Uint8Array(16), 4) }, txnNumber: Long.ONE, autocommit: false };
    const insert = { insert: 'c', documents: [{ _id: 1 }], ...statement, startTransaction: true };
    expect(member.runOn(connection, insert, 'app')).toMatchObject({ n: 1 });
    member.run({ configureFailPoint: 'hangBeforeCommitingTxn', mode: 'alwaysOn' });
    member.sendOn(connection, { commitTransaction: 1, ...statement });
    member.advance(10);
    member.close(connection);
    member.advance(10);
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n: 0 });
    member.run({ configureFailPoint: 'hangBeforeCommitingTxn', mode: 'off' });
    member.advance(10);
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n: 1 });
  });

  test.for<[what: string, command: Doc, goesOn: boolean]>([
    ['a find', { find: 'c' }, false],
    ['a count', { count: 'c' }, false],
    ['a distinct', { distinct: 'c', key: '_id' }, false],
    ['an aggregate', { aggregate: 'c', pipeline: [], cursor: {} }, false],
    ['an aggregate that writes', { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }, true],
    ['a malformed aggregate', { aggregate: 'c', pipeline: {}, cursor: {} }, false],
    ['an explain', { explain: { find: 'c' } }, false],
    ['an insert', { insert: 'c', documents: [{ _id: 1 }] }, true],
    ['a findAndModify', { findAndModify: 'c', query: {}, remove: true }, true],
    ['a create', { create: 'd' }, true],
  ])('while %s is held up: %o goes on: %s', ([, command, goesOn]) => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    const data = { failCommands: [Object.keys(command)[0]], blockConnection: true, blockTimeMS: 1000 };
    member.run({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    member.sendOn(connection, command, {}, 'app');
    member.advance(10);
    expect([...member.mongod.scheduler.operations]).toHaveLength(1);
    member.close(connection);
    expect([...member.mongod.scheduler.operations]).toHaveLength(goesOn ? 1 : 0);
  });

  test('while its hello waits, and while its getMore does', () => {
    const member = LoneMember.primary(0);
    const [monitor, pool] = [member.open(), member.open()];
    const id = tail(member, pool);
    const hello = member.sendOn(monitor, awaitable(member));
    const getMore = member.sendOn(pool, { getMore: id, collection: 'c' }, {}, 'app');
    member.advance(10);
    expect([...member.mongod.scheduler.operations]).toHaveLength(2);
    member.close(monitor);
    member.close(pool);
    expect([...member.mongod.scheduler.operations]).toEqual([]);
    expect([member.replies.has(hello), member.replies.has(getMore)]).toEqual([false, false]);
  });

  test('others are not touched', () => {
    const member = LoneMember.primary(0);
    const [one, other] = [member.open(), member.open()];
    const hello = member.sendOn(other, awaitable(member));
    member.advance(10);
    member.close(one);
    member.awaitEnded(hello);
    member.advance(1);
    expect(member.replies.get(hello)).toMatchObject({ ok: 1 });
  });
});

describe('patience that is counted outside', () => {
  test('a hello is held without a timer until its client has waited enough', () => {
    const member = LoneMember.primary(0);
    const hello = member.sendOn(member.open(), awaitable(member, 700));
    member.advance(60_000);
    expect(member.awaiting).toEqual([{ type: 'awaiting', requestId: hello, forMs: 700 }]);
    expect(member.replies.has(hello)).toBe(false);
    member.awaitEnded(hello);
    expect(member.replies.get(hello)).toMatchObject({ ok: 1, isWritablePrimary: true });
  });

  test('without it the member counts itself, as ever', () => {
    const member = LoneMember.primary(0);
    const hello = member.send(awaitable(member, 700));
    member.advance(690);
    expect(member.replies.has(hello)).toBe(false);
    member.advance(20);
    expect(member.replies.get(hello)).toMatchObject({ ok: 1 });
    expect(member.awaiting).toEqual([]);
  });

  test.for([
    { maxTimeMS: 250, forMs: 250 },
    { maxTimeMS: undefined, forMs: 1000 },
  ])('a getMore with maxTimeMS $maxTimeMS', ({ maxTimeMS, forMs }) => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    const id = tail(member, connection);
    const command = { getMore: id, collection: 'c', ...(maxTimeMS && { maxTimeMS }) };
    const getMore = member.sendOn(connection, command, {}, 'app');
    member.advance(5000);
    expect(member.awaiting).toEqual([{ type: 'awaiting', requestId: getMore, forMs }]);
    member.awaitEnded(getMore);
    expect(member.reply(getMore)).toMatchObject({ cursor: { nextBatch: [] } });
  });

  test('news that the cursor does not show are no second wait', () => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    member.runOn(connection, { create: 'c', capped: true, size: 10_000 }, 'app');
    member.runOn(connection, { insert: 'c', documents: [{ _id: 1, a: 1 }] }, 'app');
    const find = { find: 'c', filter: { a: 1 }, tailable: true, awaitData: true };
    const { id } = member.runOn(connection, find, 'app').cursor as { id: bigint };
    const getMore = member.sendOn(
      connection,
      { getMore: BSON.Long.fromBigInt(BigInt(id)), collection: 'c' },
      {},
      'app',
    );
    member.advance(10);
    member.run({ insert: 'c', documents: [{ _id: 2 }] }, 'app');
    member.advance(10);
    expect(member.awaiting).toHaveLength(1);
    member.awaitEnded(getMore);
    expect(member.reply(getMore)).toMatchObject({ cursor: { nextBatch: [] } });
  });

  test('patience that ends while the cursor is looked at ends the wait that would follow', () => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    member.runOn(connection, { create: 'c', capped: true, size: 10_000 }, 'app');
    member.runOn(connection, { insert: 'c', documents: [{ _id: 1, a: 1 }] }, 'app');
    const find = { find: 'c', filter: { a: 1 }, tailable: true, awaitData: true };
    const { id } = member.runOn(connection, find, 'app').cursor as { id: bigint };
    const getMore = member.sendOn(
      connection,
      { getMore: BSON.Long.fromBigInt(BigInt(id)), collection: 'c' },
      {},
      'app',
    );
    member.advance(10);
    let ended = false;
    member.watch = () => {
      const running = [...member.mongod.scheduler.operations].find(({ commandName }) => commandName === 'getMore');
      if (ended || !running || running.waitingFor !== undefined) return;
      ended = true;
      member.awaitEnded(getMore);
    };
    member.run({ insert: 'c', documents: [{ _id: 2 }] }, 'app');
    member.advance(10);
    expect(ended).toBe(true);
    expect(member.replies.get(getMore)).toMatchObject({ cursor: { nextBatch: [] } });
  });

  test('maxTimeMS makes the wait shorter, and its end an error', () => {
    const member = LoneMember.primary(0);
    const hello = member.sendOn(member.open(), { ...awaitable(member), maxTimeMS: 100 });
    member.advance(1000);
    expect(member.awaiting).toHaveLength(1);
    expect(member.awaiting[0]!.forMs).toBeGreaterThan(90);
    expect(member.awaiting[0]!.forMs).toBeLessThanOrEqual(100);
    member.awaitEnded(hello);
    expect(member.reply(hello)).toMatchObject({ code: 50, codeName: 'MaxTimeMSExpired' });
  });

  test('news come first: the end of the wait finds nobody', () => {
    const member = LoneMember.primary(0);
    const hello = member.sendOn(member.open(), awaitable(member));
    member.repl.topology.bump();
    member.advance(1);
    expect(member.replies.get(hello)).toMatchObject({ ok: 1 });
    member.awaitEnded(hello);
  });
});

describe('requests that want no reply', () => {
  test('are carried out, and their end is told to the host, which sends nothing', () => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    const insert = { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 0 } };
    const request = member.sendOn(connection, insert, { moreToCome: true }, 'app');
    const refused = member.sendOn(connection, { noSuchCommand: 1 }, { moreToCome: true });
    member.advance(100);
    expect(member.run({ count: 'c' }, 'app')).toMatchObject({ n: 1 });
    expect([member.replies.has(request), member.replies.has(refused), member.closed]).toEqual([true, true, []]);
  });

  test('a write to a member that is not primary closes the connection, with all that is under way on it', () => {
    const member = LoneMember.initiated(2);
    const connection = member.open();
    const hello = member.sendOn(connection, awaitable(member));
    member.sendOn(connection, { insert: 'c', documents: [{}], writeConcern: { w: 0 } }, { moreToCome: true }, 'app');
    member.advance(1);
    expect([member.closed, member.mongod.connections.size]).toEqual([[connection], 0]);
    expect(member.replies.has(hello)).toBe(false);
    // The host tells of an end that it has just been told of only if it came first there.
    member.close(connection);
    expect(member.logged(22944)).toHaveLength(1);
  });
});

describe('the handshake', () => {
  test('its metadata are kept and logged, and stand from then on', () => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    expect(member.runOn(connection, { isMaster: 1, helloOk: true, client: CLIENT })).toMatchObject({ helloOk: true });
    expect(member.logged(51800)[0]).toMatchObject({ attr: { client: 'conn1', doc: CLIENT } });
    expect(member.runOn(connection, { hello: 1, client: CLIENT })).toMatchObject({ code: 186 });
    expect(member.runOn(connection, { hello: 1 })).toMatchObject({ ok: 1 });
    expect(member.runOn(member.open(), { hello: 1, client: CLIENT })).toMatchObject({ ok: 1 });
  });

  test('a first hello without metadata settles that there are none', () => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    member.runOn(connection, { hello: 1 });
    expect(member.runOn(connection, { hello: 1, client: CLIENT })).toMatchObject({ code: 186 });
  });

  test.for([
    { what: 'too long a document', client: { ...CLIENT, platform: 'x'.repeat(512) }, code: 185 },
    { what: 'too long a name', client: { ...CLIENT, application: { name: 'ü'.repeat(65) } }, code: 184 },
    {
      what: 'a name that is long enough',
      client: { ...CLIENT, application: { name: 'ü'.repeat(64) } },
      code: undefined,
    },
    { what: 'no driver', client: { os: CLIENT.os }, code: 183 },
    { what: 'no version', client: { ...CLIENT, driver: { name: 'd' } }, code: 183 },
    { what: 'no system', client: { driver: CLIENT.driver }, code: 183 },
    { what: 'a name that is none', client: { ...CLIENT, application: { name: 1 } }, code: 14 },
    { what: 'a driver that is none', client: { ...CLIENT, driver: 'd' }, code: 14 },
  ])('$what', ({ client, code }) => {
    const member = LoneMember.primary(0);
    const connection = member.open();
    expect(member.runOn(connection, { hello: 1, client })).toMatchObject(code ? { ok: 0, code } : { ok: 1 });
    // One that was refused may be sent again.
    if (code) expect(member.runOn(connection, { hello: 1, client: CLIENT })).toMatchObject({ ok: 1 });
  });

  test('drivers know a document that is too long by its phrase', () => {
    const member = LoneMember.primary(0);
    const client = { ...CLIENT, platform: 'x'.repeat(512) };
    const { errmsg } = member.runOn(member.open(), { hello: 1, client });
    expect(errmsg).toMatch(/client metadata document must be less than or equal to 512 bytes/);
  });

  test.for([
    { handshake: { isMaster: 1 }, errmsg: 'not master' },
    { handshake: { isMaster: 1, helloOk: true }, errmsg: 'not primary' },
    { handshake: { hello: 1 }, errmsg: 'not primary' },
  ])('whoever came with $handshake is refused with "$errmsg"', ({ handshake, errmsg }) => {
    const member = LoneMember.initiated(2);
    const connection = member.open();
    member.runOn(connection, handshake);
    expect(member.runOn(connection, { insert: 'c', documents: [{}] }, 'app')).toMatchObject({ code: 10107, errmsg });
  });
});
