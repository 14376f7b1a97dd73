import { EVERY_ACTION, type Privilege, united } from '@replsim/access';
import { CommandArguments } from '@replsim/pipeline';
import { encodeDocument } from '@replsim/protocol';
import { Binary, UUID } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RunningOperation } from '../../../operations/src/operations/operation.ts';
import { OperationDebug } from '../../../operations/src/operations/operationDebug.ts';
import { checkAccess } from '../../src/access/gate.ts';
import { databaseCommands, FakeMember } from '../fakeMember.ts';
import { COMMANDS } from '../onSets/access/commandsByRole.ts';
import { type Client, Clients } from './clients.ts';

// biome-ignore lint/suspicious/noExplicitAny: replies of many commands
type Doc = any;

function readerOf(db: string) {
  const clients = new Clients(new FakeMember());
  return clients.withRoles([{ role: 'read', db }]);
}

test('what may run on admin alone is said first, to strangers too and without access control', () => {
  const gist = 'getParameter may only be run against the admin database.';
  const open = new FakeMember();
  expect(open.run({ getParameter: 1, x: 1 })).toMatchObject({ ok: 0, code: 13, errmsg: gist });
  const stranger = new Clients(new FakeMember()).stranger();
  expect(stranger.run({ getParameter: 1, x: 1 })).toMatchObject({ code: 13, errmsg: gist });
});

test('a stranger learns nothing of the arguments', () => {
  const stranger = new Clients(new FakeMember()).stranger();
  const refused = { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'Command find requires authentication' };
  expect(stranger.run({ find: 'c' })).toMatchObject(refused);
  expect(stranger.run({ find: 5, nope: 1 })).toMatchObject(refused);
  expect(stranger.run({ nope: 1 }).code).toBe(59);
});

test('what strangers may run', () => {
  const stranger = new Clients(new FakeMember()).stranger();
  for (const name of ['ping', 'buildInfo', 'listCommands', 'whatsmyuri', 'connectionStatus', 'features']) {
    expect(stranger.run({ [name]: 1 }), name).toMatchObject({ ok: 1 });
  }
  expect(stranger.run({ features: 1, oidReset: 1 }).code).toBe(13);
});

test('whoever lacks a privilege is told the command, and the log has it', () => {
  const reader = readerOf('app');
  expect(reader.run({ find: 'c', batchSize: 0 })).toMatchObject({ ok: 1 });
  const refused = reader.run({ delete: 'c', deletes: [{ q: {}, limit: 1 }] });
  const errmsg =
    'not authorized on app to execute command { delete: "c", deletes: [ { q: {}, limit: 1 } ], $db: "app" }';
  expect(refused).toMatchObject({ ok: 0, code: 13, codeName: 'Unauthorized', errmsg });
  const said = reader.member.logs.global.lines.at(-1)?.line;
  const error = { code: 13, codeName: 'Unauthorized', errmsg };
  expect(said).toMatchObject({ severity: 'I', component: 'ACCESS', id: 20436, attr: { error } });
});

test('commands without a connection are not judged', () => {
  const { member } = readerOf('app');
  expect(member.run({ delete: 'c', deletes: [{ q: {}, limit: 1 }] })).toMatchObject({ ok: 1 });
});

test('a state of the member is told only to whoever may run the command', () => {
  const reader = readerOf('app');
  reader.member.memberState = 'SECONDARY';
  reader.member.writable = false;
  expect(reader.run({ find: 'c' }).code).toBe(13435);
  expect(reader.run({ insert: 'c', documents: [{}] }).code).toBe(13);
});

test('failCommand comes before all that', () => {
  const stranger = new Clients(new FakeMember()).stranger();
  stranger.member.failPoints.configure('failCommand', 'alwaysOn', { failCommands: ['find'], errorCode: 11_600 });
  expect(stranger.run({ find: 'c' }).code).toBe(11_600);
});

test('a UUID needs its own privilege', () => {
  const clients = new Clients(new FakeMember());
  const { member } = clients;
  member.insert('c', { _id: 1 });
  const [{ info }] = member.ok({ listCollections: 1 }).cursor.firstBatch;
  const reader = clients.withRoles([{ role: 'read', db: 'app' }]);
  expect(reader.run({ find: info.uuid }).code).toBe(13);
  const backup = clients.withRoles([{ role: 'backup', db: 'admin' }]);
  expect(backup.run({ find: info.uuid }).cursor.firstBatch).toEqual([{ _id: 1 }]);
  const elsewhere = clients.withRoles([{ role: 'read', db: 'shop' }]);
  clients.grant(elsewhere, [{ resource: { kind: 'cluster' }, actions: new Set(['useUUID']) }]);
  expect(elsewhere.run({ find: info.uuid }).code).toBe(13);
});

describe('what somebody has belongs to them', () => {
  let clients: Clients;
  const read = [{ role: 'read', db: 'app' }];
  const alice = () => clients.withRoles(read, { user: 'alice', db: 'admin' });
  const bob = () => clients.withRoles(read, { user: 'bob', db: 'admin' });
  const killer = () => clients.withRoles([{ role: 'hostManager', db: 'admin' }], { user: 'killer', db: 'admin' });
  beforeEach(() => {
    clients = new Clients(new FakeMember());
    clients.member.insert('c', { _id: 1 }, { _id: 2 }, { _id: 3 });
  });

  /** Opens a cursor that has more to give. */
  function cursorOf(client: Client): bigint {
    return BigInt(client.run({ find: 'c', batchSize: 1 }).cursor.id);
  }

  test('a cursor is read on by its user alone, on whatever connection', () => {
    const getMore = cursorOf(alice());
    const errmsg = `cursor id ${getMore} was not created by the authenticated user`;
    expect(bob().run({ getMore, collection: 'c', batchSize: 1 })).toMatchObject({ code: 13, errmsg });
    expect(alice().run({ getMore, collection: 'c', batchSize: 1 })).toMatchObject({ ok: 1 });
  });

  test('whoever may not open a cursor any more may not read on', () => {
    const client = alice();
    const getMore = cursorOf(client);
    clients.grant(client, []);
    const errmsg = `not authorized for getMore with cursor id ${getMore}`;
    expect(client.run({ getMore, collection: 'c' })).toMatchObject({ code: 13, errmsg });
  });

  test('a cursor is closed by its user, and by whoever may close any', () => {
    const [first, second] = [cursorOf(alice()), cursorOf(alice())];
    expect(bob().run({ killCursors: 'c', cursors: [first] }).code).toBe(13);
    expect(bob().run({ killCursors: 'c', cursors: [77n] })).toMatchObject({ ok: 1 });
    expect(alice().run({ killCursors: 'c', cursors: [first] }).cursorsKilled).toHaveLength(1);
    expect(killer().run({ killCursors: 'c', cursors: [second] }).cursorsKilled).toHaveLength(1);
  });

  test('two users with one lsid have two sessions, and end their own', () => {
    const lsid = { id: new UUID('0'.repeat(32)) };
    for (const client of [alice(), bob()]) client.run({ find: 'c', lsid });
    const listed = (client: Client, options: object) =>
      client.run({ aggregate: 1, pipeline: [{ $listLocalSessions: options }], cursor: {} }, 'admin').cursor?.firstBatch;
    expect(listed(alice(), {})).toHaveLength(1);
    expect(listed(alice(), { users: [{ user: 'bob', db: 'admin' }] })).toBeUndefined();
    const root = clients.withRoles([{ role: 'root', db: 'admin' }], { user: 'root', db: 'admin' });
    expect(listed(root, { allUsers: true })).toHaveLength(2);
    expect(listed(root, { users: [{ user: 'bob', db: 'admin' }] })).toHaveLength(1);
    expect(alice().run({ endSessions: [lsid] }, 'admin').ok).toBe(1);
    expect(listed(alice(), {})).toEqual([]);
    expect(listed(bob(), {})).toHaveLength(1);
  });

  test("the digest of somebody else is refused, one's own is not", () => {
    const uid = (client: Client) => new Binary(client.connection.uid);
    const lsid = { id: new UUID('0'.repeat(32)) };
    expect(alice().run({ find: 'c', lsid: { ...lsid, uid: uid(alice()) } })).toMatchObject({ ok: 1 });
    expect(alice().run({ find: 'c', lsid: { ...lsid, uid: uid(bob()) } }).code).toBe(13);
    const named = { killSessions: [{ ...lsid, uid: uid(bob()) }] };
    expect(alice().run(named, 'admin').code).toBe(13);
    expect(killer().run(named, 'admin')).toMatchObject({ ok: 1 });
    expect(alice().run({ killAllSessionsByPattern: [{ uid: uid(alice()) }] }, 'admin')).toMatchObject({ ok: 1 });
    expect(alice().run({ killAllSessionsByPattern: [{ uid: uid(bob()) }] }, 'admin').code).toBe(13);
  });

  test('an operation is ended by its user, and shown to it', () => {
    const owner = alice();
    const killed: unknown[] = [];
    const operation = { opId: 5, desc: 'conn9', ns: 'app.c', commandName: 'find', startedMicros: 0 };
    const running = {
      ...operation,
      debug: new OperationDebug(),
      connection: owner.connection,
      kill: () => killed.push(1),
    };
    clients.member.running = [running as unknown as RunningOperation];
    const shown = (client: Client, command: object) =>
      client.run(command, 'admin').inprog?.map(({ opid }: Doc) => opid);
    expect(bob().run({ killOp: 1, op: 5 }, 'admin').code).toBe(13);
    expect(bob().run({ killOp: 1, op: 6 }, 'admin').code).toBe(13);
    expect(shown(bob(), { currentOp: 1, $ownOps: true })).toEqual([]);
    expect(shown(bob(), { currentOp: 1 })).toBeUndefined();
    expect(shown(alice(), { currentOp: 1, $ownOps: true })).toEqual([5]);
    expect(alice().run({ killOp: 1, op: 5 }, 'admin').ok).toBe(1);
    expect(killer().run({ killOp: 1, op: 5 }, 'admin').ok).toBe(1);
    expect(killed).toHaveLength(2);
    const monitor = clients.withRoles([{ role: 'clusterMonitor', db: 'admin' }]);
    const [{ effectiveUsers }] = monitor.run({ currentOp: 1 }, 'admin').inprog;
    expect(effectiveUsers).toEqual([{ user: 'alice', db: 'admin' }]);
  });

  test('lists show what one may touch', () => {
    clients.member.ok({ insert: 'd', documents: [{}] });
    clients.member.ok({ insert: 'x', documents: [{}] }, 'shop');
    const find = new Set(['find'] as const);
    const one = clients.withPrivileges([{ resource: { kind: 'exact', db: 'app', collection: 'c' }, actions: find }]);
    const names = (reply: Doc) => reply.databases?.map(({ name }: Doc) => name);
    expect(names(one.run({ listDatabases: 1 }, 'admin'))).toEqual(['app']);
    const root = clients.withRoles([{ role: 'root', db: 'admin' }]);
    expect(names(root.run({ listDatabases: 1 }, 'admin'))).toEqual(['app', 'shop']);
    const own = { listCollections: 1, nameOnly: true, authorizedCollections: true };
    expect(one.run(own).cursor.firstBatch).toEqual([{ name: 'c', type: 'collection' }]);
    expect(one.run({ listCollections: 1, nameOnly: true }).code).toBe(13);
    expect(one.run(own, 'shop').code).toBe(13);
    expect(root.run({ listCollections: 1, nameOnly: true }).cursor.firstBatch).toHaveLength(2);
  });
});

describe('just what a command needs suffices, and nothing less', () => {
  const registry = databaseCommands();
  const find = (name: string) => registry.find(name);
  // A view needs less of whoever cannot read it.
  const rows = Object.entries(COMMANDS).flatMap(([name, each]) => {
    const command = find(name);
    return command ? each.map((row) => ({ command, row })).filter(({ row }) => !('viewOn' in row.command)) : [];
  });

  test.for(rows)('$row.command', ({ command, row }) => {
    const clients = new Clients(new FakeMember());
    const judged = (privileges: readonly Privilege[]) => {
      const { connection } = clients.withPrivileges(privileges, { user: 'x', db: 'shop' });
      const args = new CommandArguments(encodeDocument({ ...row.command, $db: row.on ?? 'app' }));
      return checkAccess({ command, args, connection, find, byName: () => args }, clients.member);
    };
    const everything = { resource: { kind: 'anyResource' }, actions: EVERY_ACTION } as const;
    const needs = judged([everything]);
    const privileges = united(
      needs.map(({ action, target }) => ({
        resource: target.kind === 'namespace' ? { ...target, kind: 'exact' } : target,
        actions: new Set([action]),
      })),
    ).flatMap(({ resource, actions }) => [...actions].map((action) => ({ resource, actions: new Set([action]) })));
    expect(judged(privileges)).toHaveLength(needs.length);
    for (const left of privileges) {
      const others = privileges.filter((each) => each !== left);
      expect(() => judged(others), [...left.actions].join()).toThrow(expect.objectContaining({ code: 13 }));
    }
  });
});
