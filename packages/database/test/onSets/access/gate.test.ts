import type { Privilege } from '@replsim/access';
import { UUID } from 'bson';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../../../../node/test/loneMember.ts';
import { COMMANDS, isOpenRow, mayRun, ON_ADMIN, ON_DATABASE, type Row } from './commandsByRole.ts';

// Every command, tried by a user of each built-in role on a member with access control.

let member: LoneMember;
const connections = new Map<string, number>();

beforeAll(() => {
  member = LoneMember.primary(0, {}, { options: { authorization: true } });
  const roles = [
    ...ON_DATABASE.map((role) => ({ role, db: 'app' })),
    ...ON_ADMIN.map((role) => ({ role, db: 'admin' })),
  ];
  for (const role of roles) {
    const reply = member.run({ createUser: role.role, pwd: 'p', roles: [role] }, 'admin');
    if (reply.ok !== 1) throw new Error(String(reply.errmsg));
    connections.set(role.role, connect(role.role));
  }
  connections.set('nothing', connect('nobody'));
  member.run({ createUser: 'nobody', pwd: 'p', roles: [] }, 'admin');
});

function connect(user: string | undefined): number {
  const id = member.open('10.0.0.1:50001');
  const connection = member.mongod.connections.find(id);
  if (connection && user !== undefined) connection.user = { user, db: 'admin' };
  return id;
}

/** Behind the gate it fails for its time limit, so that nothing is done. */
function isRefused(connection: number, command: Doc, db: string): boolean {
  const { code, errmsg } = member.runOn(connection, { ...command, maxTimeMS: -1 }, db);
  if (code !== 13 && code !== 2) throw new Error(`${JSON.stringify(Object.keys(command))}: ${code} ${errmsg}`);
  return code === 13;
}

test('the table has every command', () => {
  const { commands } = member.run({ listCommands: 1 }, 'admin') as { commands: Doc };
  expect(Object.keys(COMMANDS).sort()).toEqual(Object.keys(commands).sort());
  for (const [name, [plainest]] of Object.entries(COMMANDS)) {
    const { requiresAuth, adminOnly } = commands[name] as Doc;
    expect([name, requiresAuth]).toEqual([name, !isOpenRow(plainest as Row)]);
    expect([name, adminOnly && plainest?.on !== 'admin']).toEqual([name, false]);
  }
});

describe.for(Object.entries(COMMANDS))('%s', ([, rows]) => {
  test.for(rows)('$command', (row) => {
    const places = row.on === 'admin' ? (['admin'] as const) : (['app', 'shop'] as const);
    for (const db of places) {
      const allowed = [...connections].filter(([, id]) => !isRefused(id, row.command, db)).map(([role]) => role);
      const expected = [...connections.keys()].filter((role) => mayRun(row, role, db));
      expect(allowed, `on ${db}`).toEqual(expected);
    }
    expect(isRefused(connect(undefined), row.command, places[0])).toBe(!isOpenRow(row));
  });
});

const ON_C = { nsInfo: [{ ns: 'app.c' }] };
const UPSERT = { filter: {}, updateMods: {}, upsert: true };

// Each built-in role that has one of these has the others too.
test.for<[command: Doc, actions: string[], db: string]>([
  [{ update: 'c', updates: [{ q: {}, u: {} }] }, ['update'], 'app'],
  [
    {
      update: 'c',
      updates: [
        { q: {}, u: {} },
        { q: {}, u: {}, upsert: true },
      ],
    },
    ['update', 'insert'],
    'app',
  ],
  [{ findAndModify: 'c', update: {}, upsert: true }, ['find', 'update', 'insert'], 'app'],
  [{ bulkWrite: 1, ops: [{ update: 0, filter: {}, updateMods: {} }], ...ON_C }, ['update'], 'admin'],
  [
    {
      bulkWrite: 1,
      ops: [
        { update: 0, ...UPSERT, upsert: false },
        { update: 0, ...UPSERT },
      ],
      ...ON_C,
    },
    ['update', 'insert'],
    'admin',
  ],
  [
    {
      bulkWrite: 1,
      ops: [
        { insert: 0, document: {} },
        { delete: 0, filter: {} },
      ],
      ...ON_C,
    },
    ['insert', 'remove'],
    'admin',
  ],
])('%o needs each of %j, and no more', ([command, actions, db], { task }) => {
  const refusedWith = (granted: readonly string[]) => {
    const name = `${task.id} ${granted}`;
    const resource = { db: 'app', collection: 'c' };
    const privileges = granted.length > 0 ? [{ resource, actions: granted }] : [];
    expect(member.run({ createRole: name, privileges, roles: [] }, 'admin')).toMatchObject({ ok: 1 });
    expect(member.run({ createUser: name, pwd: 'p', roles: [name] }, 'admin')).toMatchObject({ ok: 1 });
    return isRefused(connect(name), command, db);
  };
  expect(refusedWith(actions)).toBe(false);
  for (const missing of actions) expect(refusedWith(actions.filter((each) => each !== missing)), missing).toBe(true);
});

test('without access control everybody may do everything, but end the process only from its own machine', () => {
  const open = LoneMember.primary(0);
  const far = open.open('10.0.0.1:50001');
  expect(open.runOn(far, { getLog: 'global' })).toMatchObject({ ok: 1 });
  const errmsg = 'shutdown must run from localhost when running db without auth';
  expect(open.runOn(far, { shutdown: 1 })).toMatchObject({ ok: 0, code: 13, errmsg });
  expect(open.exited).toBe(false);
  open.sendOn(open.open('127.0.0.1:50001'), { shutdown: 1, force: true });
  open.advance(20_000);
  expect(open.exited).toBe(true);
});

test('a refusal shows no password', () => {
  const connection = connections.get('read') ?? 0;
  const { errmsg } = member.runOn(connection, { createUser: 'u', pwd: 'secret', roles: [] }, 'app');
  expect(errmsg).toContain('{ createUser: "u", pwd: "xxx", roles: [], $db: "app" }');
});

test('a block of user writes holds for whoever may not pass it', () => {
  const insert = (role: string) =>
    member.runOn(connections.get(role) ?? 0, { insert: 'blocked', documents: [{}] }, 'app');
  member.run({ setUserWriteBlockMode: 1, global: true }, 'admin');
  expect(insert('readWrite')).toMatchObject({ writeErrors: [{ code: 371 }] });
  expect(insert('restore')).toMatchObject({ ok: 1, n: 1 });
  member.run({ setUserWriteBlockMode: 1, global: false }, 'admin');
  expect(insert('readWrite')).toMatchObject({ ok: 1, n: 1 });
});

/** Roles that are not for managing users: whoever has one of the others may grant anything. */
const MANAGING = new Set(['userAdmin', 'dbOwner', 'userAdminAnyDatabase', 'restore', 'root', '__system']);
const UNPRIVILEGED = [...ON_DATABASE, ...ON_ADMIN].filter((role) => !MANAGING.has(role));

const OWN = { user: 'x', db: 'admin' };
const ROOT = { role: 'root', db: 'admin' };
const DOCUMENT = { _id: 'admin.x', ...OWN, userId: new UUID('0'.repeat(32)), credentials: {}, roles: [ROOT] };
const USERS = 'admin.system.users';
const ENTRIES = [
  { op: 'i', ns: USERS, o: DOCUMENT },
  { op: 'u', ns: USERS, o2: { _id: 'admin.x' }, o: { $v: 2, diff: { u: { roles: [ROOT] } } } },
  { op: 'd', ns: USERS, o: { _id: 'admin.x' } },
  { op: 'c', ns: 'admin.$cmd', o: { renameCollection: 'admin.c', to: USERS, dropTarget: true } },
  { op: 'c', ns: 'admin.$cmd', o: { drop: 'system.roles' } },
];

/** What somebody might try who wants to be more than they are. */
const ATTEMPTS: readonly (readonly [command: Doc, db: string])[] = [
  ...['grantRolesToUser', 'updateUser'].map((name) => [{ [name]: 'x', roles: [ROOT] }, 'admin'] as const),
  [{ updateUser: 'x', customData: { a: 1 } }, 'admin'],
  [{ createUser: 'y', pwd: 'p', roles: [ROOT] }, 'admin'],
  [
    { createRole: 'mine', privileges: [{ resource: { anyResource: true }, actions: ['anyAction'] }], roles: [] },
    'admin',
  ],
  [{ updateRole: 'plain', privileges: [{ resource: { anyResource: true }, actions: ['anyAction'] }] }, 'admin'],
  [{ grantPrivilegesToRole: 'plain', privileges: [{ resource: { cluster: true }, actions: ['shutdown'] }] }, 'admin'],
  [{ grantRolesToRole: 'plain', roles: [ROOT] }, 'admin'],
  [{ dropUser: 'x' }, 'admin'],
  [{ insert: 'system.users', documents: [DOCUMENT] }, 'admin'],
  [{ update: 'system.users', updates: [{ q: {}, u: { $set: { roles: [ROOT] } }, multi: true }] }, 'admin'],
  [{ update: 'system.roles', updates: [{ q: {}, u: { $set: { roles: [ROOT] } }, multi: true }] }, 'admin'],
  [{ delete: 'system.users', deletes: [{ q: {}, limit: 0 }] }, 'admin'],
  [{ findAndModify: 'system.users', query: {}, update: { $set: { roles: [ROOT] } } }, 'admin'],
  [
    {
      bulkWrite: 1,
      ops: [{ update: 0, filter: {}, updateMods: { $set: { roles: [ROOT] } } }],
      nsInfo: [{ ns: USERS }],
    },
    'admin',
  ],
  [{ insert: 'c', documents: [DOCUMENT] }, 'admin'],
  [{ insert: 'c', documents: [DOCUMENT] }, 'app'],
  ...['admin', 'app'].map(
    (db) => [{ aggregate: 'c', pipeline: [{ $out: { db: 'admin', coll: 'system.users' } }], cursor: {} }, db] as const,
  ),
  ...['admin', 'app'].map(
    (db) =>
      [
        { aggregate: 'c', pipeline: [{ $merge: { into: { db: 'admin', coll: 'system.users' } } }], cursor: {} },
        db,
      ] as const,
  ),
  [{ create: 'v', viewOn: 'system.users', pipeline: [] }, 'admin'],
  [{ collMod: 'v', viewOn: 'system.users', pipeline: [] }, 'admin'],
  [{ update: 'v', updates: [{ q: {}, u: { $set: { roles: [ROOT] } }, multi: true }] }, 'admin'],
  [{ drop: 'system.users' }, 'admin'],
  [{ drop: 'system.roles' }, 'admin'],
  [{ dropDatabase: 1 }, 'admin'],
  ...['admin.c', 'app.c'].map((from) => [{ renameCollection: from, to: USERS, dropTarget: true }, 'admin'] as const),
  [{ renameCollection: USERS, to: 'admin.old' }, 'admin'],
  [{ convertToCapped: 'system.users', size: 1 }, 'admin'],
  [{ cloneCollectionAsCapped: 'c', toCollection: 'system.users', size: 4096 }, 'admin'],
  ...ENTRIES.map((entry) => [{ applyOps: [entry] }, 'admin'] as const),
  ...ENTRIES.map(
    (entry) => [{ applyOps: [{ op: 'c', ns: 'admin.$cmd', o: { applyOps: [entry] } }] }, 'admin'] as const,
  ),
  [
    {
      explain: { update: 'system.users', updates: [{ q: {}, u: { $set: { roles: [ROOT] } } }] },
      verbosity: 'executionStats',
    },
    'admin',
  ],
  [{ find: 'system.users' }, 'admin'],
  [{ logout: 1 }, 'app'],
];

test('no sequence of commands raises the privileges of whoever runs them', () => {
  const { access } = member.mongod.clients.services;
  fc.assert(
    fc.property(
      fc.subarray(UNPRIVILEGED, { minLength: 1, maxLength: 4 }),
      fc.array(fc.constantFrom(...ATTEMPTS), { minLength: 1, maxLength: 12 }),
      (roles, attempts) => {
        const named = roles.map((role) => ({ role, db: ON_ADMIN.includes(role) ? 'admin' : 'app' }));
        member.run({ dropUser: 'x' }, 'admin');
        member.run({ createRole: 'plain', privileges: [], roles: [] }, 'admin');
        member.run({ createUser: 'x', pwd: 'p', roles: [...named, 'plain'] }, 'admin');
        const connection = connect('x');
        const before = privilegesOf(access.privilegesOf(member.mongod.connections.find(connection)));
        for (const [command, db] of attempts) {
          member.runOn(connection, command, db);
          const after = privilegesOf(access.privilegesOf(member.mongod.connections.find(connection)));
          for (const each of after) expect(before, JSON.stringify(command)).toContain(each);
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** A text for each action on each resource. */
function privilegesOf(privileges: readonly Privilege[]): ReadonlySet<string> {
  return new Set(
    privileges.flatMap(({ resource, actions }) =>
      [...actions].map((action) => `${action} ${JSON.stringify(resource)}`),
    ),
  );
}
