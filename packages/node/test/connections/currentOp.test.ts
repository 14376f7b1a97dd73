import { Binary, BSON, type ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { type Doc, holding, LoneMember } from '../loneMember.ts';

const CLIENT = { application: { name: 'shop' }, driver: { name: 'd', version: '1' }, os: { type: 'Linux' } };
const LSID = { id: new Binary(new Uint8Array(16).fill(7), Binary.SUBTYPE_UUID) };

/** A member on which a client, known by name, waits for a majority, and another does nothing. */
function withClients(): { member: LoneMember; busy: number; idle: number; request: number } {
  const member = LoneMember.primary(2);
  // The others fall behind from here on.
  for (const peer of member.peers.values()) peer.heartbeat = holding({ ...member.repl.positions.applied.opTime });
  const [busy, idle] = [member.open('10.0.0.1:5'), member.open('10.0.0.2:6')];
  member.runOn(busy, { hello: 1, client: CLIENT });
  const insert = { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 3 }, lsid: LSID };
  const request = member.sendOn(busy, insert, {}, 'app');
  member.advance(3500);
  return { member, busy, idle, request };
}

function inprog(member: LoneMember, more: Doc = {}): Doc[] {
  return member.run({ currentOp: 1, desc: { $ne: 'conn' }, ...more }).inprog as Doc[];
}

describe('currentOp', () => {
  test('shows on whose behalf something is done', () => {
    const { member } = withClients();
    const [shown, ...more] = inprog(member);
    expect(more).toEqual([]);
    expect(shown).toMatchObject({
      type: 'op',
      desc: 'conn1',
      connectionId: 1,
      client: '10.0.0.1:5',
      appName: 'shop',
      clientMetadata: CLIENT,
      active: true,
      secs_running: 3,
      op: 'insert',
      ns: 'app.c',
      command: { insert: 'c' },
      lsid: LSID,
    });
    expect(shown!.microsecs_running).toBeGreaterThan(3_400_000);
    expect(Object.keys(shown!).slice(0, 8)).toEqual([
      ...['type', 'host', 'desc', 'connectionId', 'client', 'appName', 'clientMetadata', 'active'],
    ]);
  });

  test.for([
    { asked: (member: LoneMember) => inprog(member, { $all: true }), how: 'by command' },
    {
      asked: (member: LoneMember) => {
        const pipeline = [{ $currentOp: { allUsers: true, idleConnections: true } }];
        const reply = member.run({ aggregate: 1, pipeline, cursor: {} });
        return (reply.cursor as { firstBatch: Doc[] }).firstBatch;
      },
      how: 'by stage',
    },
  ])('with idle connections where these are asked for, $how', ({ asked }) => {
    const { member } = withClients();
    const idle = asked(member).filter(({ active }) => active === false);
    const [connection, ...threads] = idle;
    expect(connection).toMatchObject({ type: 'op', desc: 'conn2', connectionId: 2, client: '10.0.0.2:6' });
    const names = threads.map(({ desc }) => desc);
    expect(names).toEqual(expect.arrayContaining(['TTLMonitor', 'BackgroundSync', 'OplogApplier-0', 'NoopWriter']));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('killOp', () => {
  test('ends the operation, whose client is told', () => {
    const { member, request } = withClients();
    const [{ opid }] = inprog(member) as [{ opid: number }];
    expect(member.run({ killOp: 1, op: opid })).toMatchObject({ ok: 1, info: 'attempting to kill op' });
    // The write was done: it is the waiting for others that has failed.
    const reply = member.reply(request);
    expect(reply).toMatchObject({ ok: 1, writeConcernError: { code: 11601, codeName: 'Interrupted' } });
    expect(inprog(member)).toEqual([]);
  });

  test('a write is ended between two documents', () => {
    const member = LoneMember.primary(0);
    const documents = Array.from({ length: 1000 }, (_, _id) => ({ _id }));
    const connection = member.open();
    const request = member.sendOn(connection, { insert: 'c', documents }, {}, 'app');
    member.advance(5);
    const [{ opid }] = inprog(member) as [{ opid: number }];
    member.run({ killOp: 1, op: opid });
    expect(member.reply(request)).toMatchObject({ ok: 0, code: 11601, codeName: 'Interrupted' });
    const { n } = member.run({ count: 'c' }, 'app') as { n: number };
    expect(n).toBeGreaterThan(0);
    expect(n).toBeLessThan(1000);
  });

  test('an operation that does not exist is no error', () => {
    expect(LoneMember.primary(0).run({ killOp: 1, op: 99_999 })).toMatchObject({ ok: 1 });
  });
});

test('whatsmyuri tells a client its own address, connectionStatus that nobody logs in', () => {
  const { member, idle } = withClients();
  expect(member.runOn(idle, { whatsmyuri: 1 })).toMatchObject({ you: '10.0.0.2:6' });
  expect(member.runOn(idle, { connectionStatus: 1, showPrivileges: true })).toMatchObject({
    authInfo: { authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: [] },
  });
});

test('serverStatus counts connections', () => {
  const { member, idle } = withClients();
  const { processId, counter } = member.hello().topologyVersion as { processId: ObjectId; counter: number };
  const known = { topologyVersion: { processId, counter: BSON.Long.fromNumber(counter) }, maxAwaitTimeMS: 10_000 };
  const section = () => member.runOn(idle, { serverStatus: 1 }).connections as Doc;
  const before = section();
  member.sendOn(member.open(), { hello: 1, ...known }, { exhaustAllowed: true });
  member.sendOn(member.open(), { isMaster: 1, ...known }, { exhaustAllowed: true });
  member.advance(1);
  // The one that waits for a majority, and the one that asks.
  expect(section()).toMatchObject({
    current: 4,
    active: 2,
    totalCreated: (before.totalCreated as number) + 2,
    awaitingTopologyChanges: 2,
    exhaustHello: 1,
    exhaustIsMaster: 1,
    threaded: 4,
  });
  member.close(idle);
  expect(member.run({ serverStatus: 1 }).connections).toMatchObject({ current: 4, exhaustHello: 1 });
});

test('serverStatus counts what comes and goes', () => {
  const { member, idle } = withClients();
  const network = () => member.runOn(idle, { serverStatus: 1 }).network as Record<string, number>;
  const [before, after] = [network(), network()];
  expect(after.numRequests! - before.numRequests!).toBe(1);
  expect(after.bytesIn).toBeGreaterThan(before.bytesIn!);
  expect(after.bytesOut).toBeGreaterThan(before.bytesOut!);
});

test('a slow query is logged with whoever sent it, and profiled so', () => {
  const { member, busy } = withClients();
  member.runOn(busy, { profile: 2, slowms: 0 }, 'app');
  member.runOn(busy, { find: 'c', filter: {} }, 'app');
  const line = member.logged(51803).findLast(({ attr }) => attr.ns === 'app.c');
  expect(line).toMatchObject({ ctx: 'conn1', attr: { remote: '10.0.0.1:5', appName: 'shop' } });
  const { cursor } = member.run({ find: 'system.profile', filter: { op: 'query' } }, 'app');
  expect((cursor as { firstBatch: Doc[] }).firstBatch).toMatchObject([{ client: '10.0.0.1', appName: 'shop' }]);
});
