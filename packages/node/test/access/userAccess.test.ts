import { UUID } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';
import { logIn } from './scramLogin.ts';

let member: LoneMember;
const alice = { user: 'alice', pwd: 'secret' };
const start = (options: Doc = {}, parameters: Doc = {}) => {
  member = LoneMember.primary(0, {}, { parameters, options });
};
const create = (name: string, roles: unknown[] = ['root'], more: Doc = {}, db = 'admin') =>
  member.run({ createUser: name, pwd: 'secret', roles, ...more }, db);
const status = (connection: number, more: Doc = {}): Doc =>
  member.runOn(connection, { connectionStatus: 1, ...more }).authInfo as Doc;
const shownUsers = (connection: number) => status(connection).authenticatedUsers;

beforeEach(() => start());

describe.for(['SCRAM-SHA-256', 'SCRAM-SHA-1'] as const)('%s', (mechanism) => {
  test.for([true, false])('a user logs in, speculatively: %s', (speculative) => {
    create('alice', ['readWrite']);
    const connection = member.open();
    expect(logIn(member, connection, { ...alice, mechanism, speculative })).toMatchObject({ ok: 1, done: true });
    expect(status(connection)).toEqual({
      authenticatedUsers: [{ user: 'alice', db: 'admin' }],
      authenticatedUserRoles: [{ role: 'readWrite', db: 'admin' }],
    });
    expect(member.logged(5286306)).toMatchObject([
      {
        attr: { isSpeculative: speculative, isClusterMember: false, mechanism, user: 'alice', db: 'admin', result: 0 },
      },
    ]);
    const { security } = member.runOn(connection, { serverStatus: 1 }) as Doc;
    const counts = (security as Doc & { authentication: { mechanisms: Doc } }).authentication.mechanisms[mechanism];
    const [tries, speculations] = [1, speculative ? 1 : 0];
    expect(counts).toMatchObject({
      authenticate: { received: tries, successful: tries },
      speculativeAuthenticate: { received: speculations, successful: speculations },
    });
  });

  test('a wrong password and an unknown user get the same answers', () => {
    create('alice');
    const replies = [
      { ...alice, pwd: 'guess' },
      { user: 'bob', pwd: 'secret' },
      { ...alice, db: 'app' },
    ].map((login) => logIn(member, member.open(), { ...login, mechanism }));
    for (const reply of replies) expect(reply).toMatchObject({ ok: 0, code: 18, errmsg: 'Authentication failed.' });
    expect(member.logged(5286307).map(({ attr }) => attr?.error)).toEqual([
      'AuthenticationFailed: SCRAM authentication failed, storedKey mismatch',
      'UserNotFound: Could not find user "bob" for db "admin"',
      'UserNotFound: Could not find user "alice" for db "app"',
    ]);
  });
});

test('a mechanism for which a user has no keys', () => {
  create('alice', [], { mechanisms: ['SCRAM-SHA-1'] });
  const connection = member.open();
  const { saslSupportedMechs } = member.runOn(connection, { hello: 1, saslSupportedMechs: 'admin.alice' });
  expect(saslSupportedMechs).toEqual(['SCRAM-SHA-1']);
  // A driver that begins with the other mechanism sees no answer, and takes the one that the user has.
  expect(logIn(member, connection, { ...alice, speculative: true })).toBeUndefined();
  expect(member.logged(5286307)).toEqual([]);
  expect(logIn(member, connection, alice)).toMatchObject({ code: 18 });
  expect(logIn(member, connection, { ...alice, mechanism: 'SCRAM-SHA-1' })).toMatchObject({ ok: 1 });
});

test('a speculative step that fails is no failure of the hello', () => {
  const connection = member.open();
  const step = { saslStart: 1, mechanism: 'PLAIN', payload: '', db: 'admin' };
  const reply = member.runOn(connection, { hello: 1, speculativeAuthenticate: step });
  expect(reply.ok).toBe(1);
  expect(reply).not.toHaveProperty('speculativeAuthenticate');
});

test.for<[unknown, number]>([
  [{ speculativeAuthenticate: {} }, 2],
  [{ speculativeAuthenticate: 1 }, 2],
  [{ speculativeAuthenticate: { nonsense: 1 } }, 51769],
  [{ saslSupportedMechs: 'nodot' }, 2],
  [{ saslSupportedMechs: 1 }, 2],
])('a hello with %j fails with %i', ([fields, code]) => {
  expect(member.runOn(member.open(), { hello: 1, ...(fields as Doc) })).toMatchObject({ ok: 0, code });
});

describe('one user a connection', () => {
  test.for([
    ['alice', 'admin', { ok: 1 }, 1],
    ['bob', 'admin', { code: 5626701 }, 0],
    ['alice', 'app', { code: 5626702 }, 0],
  ] as const)('then %s@%s', ([user, db, outcome, warnings]) => {
    create('alice');
    create('bob');
    create('alice', [], {}, 'app');
    const connection = member.open();
    logIn(member, connection, alice);
    expect(logIn(member, connection, { user, pwd: 'secret', db })).toMatchObject(outcome);
    expect(shownUsers(connection)).toEqual([{ user: 'alice', db: 'admin' }]);
    expect(member.logged(5626700)).toHaveLength(warnings);
  });
});

describe('what changes while a client is connected', () => {
  let connection: number;
  beforeEach(() => {
    create('alice', ['read']);
    connection = member.open();
    logIn(member, connection, alice);
  });
  const roles = () => status(connection).authenticatedUserRoles;

  test('roles count from the next command on', () => {
    member.run({ grantRolesToUser: 'alice', roles: ['readWrite'] });
    expect(roles()).toEqual([
      { role: 'read', db: 'admin' },
      { role: 'readWrite', db: 'admin' },
    ]);
  });

  test('a role that somebody has defined, too', () => {
    const privilege = (action: string) => ({ resource: { db: 'admin', collection: 'c' }, actions: [action] });
    member.run({ createRole: 'mine', privileges: [privilege('find')], roles: [] });
    member.run({ updateUser: 'alice', roles: ['mine'] });
    const actions = () =>
      (status(connection, { showPrivileges: true }).authenticatedUserPrivileges as Doc[])[0]!.actions;
    expect(actions()).toEqual(['find']);
    member.run({ grantPrivilegesToRole: 'mine', privileges: [privilege('insert')] });
    expect(actions()).toEqual(['find', 'insert']);
    member.run({ dropRole: 'mine' });
    expect(roles()).toEqual([]);
  });

  test('whoever is dropped is nobody, and stays so though another gets the name', () => {
    member.run({ dropUser: 'alice' });
    create('alice');
    expect(shownUsers(connection)).toEqual([]);
    expect(member.logged(20245)).toHaveLength(1);
  });

  test('restrictions are looked at again', () => {
    member.run({ updateUser: 'alice', authenticationRestrictions: [{ clientSource: ['10.0.0.1'] }] });
    expect(shownUsers(connection)).toEqual([]);
    expect(logIn(member, connection, alice)).toMatchObject({ code: 18 });
    expect(member.logged(20240)).toHaveLength(1);
    const allowed = member.open('10.0.0.1:4711');
    expect(logIn(member, allowed, alice)).toMatchObject({ ok: 1 });
  });
});

test('the client who goes away in the middle is in the log', () => {
  create('alice');
  const connection = member.open();
  const payload = Buffer.from('n,,n=alice,r=clientNonce').toString('base64');
  member.runOn(connection, { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload });
  member.close(connection);
  expect(member.logged(5286307)).toMatchObject([{ attr: { result: 337 } }]);
});

test('a failed login takes as long as authFailedDelayMs says', () => {
  create('alice');
  member.run({ setParameter: 1, authFailedDelayMs: 700 });
  const before = member.nowMs;
  logIn(member, member.open(), { ...alice, pwd: 'guess' });
  expect(member.nowMs - before).toBeGreaterThanOrEqual(700);
});

test('whoever knows the key of the file is one of the members', () => {
  start({ authorization: true, access: { keys: ['sharedKey', 'newKey'] } });
  const login = { user: '__system', db: 'local' };
  for (const pwd of ['sharedKey', 'newKey']) {
    const connection = member.open();
    expect(logIn(member, connection, { ...login, pwd })).toMatchObject({ ok: 1 });
    expect(status(connection).authenticatedUserRoles).toEqual([{ role: '__system', db: 'admin' }]);
  }
  expect(logIn(member, member.open(), { ...login, pwd: 'otherKey' })).toMatchObject({ code: 18 });
  start();
  create('alice');
  expect(logIn(member, member.open(), { ...login, pwd: 'sharedKey' })).toMatchObject({ code: 18 });
});

test('users are ordinary documents with unique indexes, in the oplog', () => {
  create('alice');
  member.run({ createRole: 'mine', privileges: [], roles: [] });
  const indexes = (collection: string) =>
    (member.run({ listIndexes: collection }).cursor as { firstBatch: Doc[] }).firstBatch.map(({ name, unique }) => [
      name,
      unique,
    ]);
  expect(indexes('system.users')).toEqual([
    ['_id_', undefined],
    ['user_1_db_1', true],
  ]);
  expect(indexes('system.roles')).toEqual([
    ['_id_', undefined],
    ['role_1_db_1', true],
  ]);
  const filter = { ns: /^admin\./, op: 'i' };
  const { firstBatch } = member.run({ find: 'oplog.rs', filter }, 'local').cursor as { firstBatch: Doc[] };
  const inserted = firstBatch.map(({ ns, o }) => `${ns} ${(o as Doc)._id}`).filter((each) => !each.includes('keys'));
  expect(inserted).toEqual([
    'admin.system.version authSchema',
    'admin.system.users admin.alice',
    'admin.system.roles admin.mine',
  ]);
});

describe('a session belongs to a user', () => {
  const lsid = { id: new UUID('6c1f3a1e-43c0-4a0b-9a57-0d7f5f3a8a01') };
  const known = () => {
    const stage = { $listLocalSessions: { allUsers: true } };
    const reply = member.run({ aggregate: 1, pipeline: [stage], cursor: {} });
    return (reply.cursor as { firstBatch: unknown[] }).firstBatch.length;
  };
  const open = ['hello', 'ping', 'buildInfo', 'connectionStatus'];

  test('nobody has none, by a command that needs no login', () => {
    start({ authorization: true });
    create('alice');
    const connection = member.open();
    for (const name of open) expect(member.runOn(connection, { [name]: 1, lsid })).toMatchObject({ ok: 1 });
    expect(known()).toBe(0);
    logIn(member, connection, alice);
    member.runOn(connection, { ping: 1, lsid });
    expect(known()).toBe(1);
  });

  test('nor has whoever is nobody again', () => {
    start({ authorization: true });
    create('alice');
    const connection = member.open();
    logIn(member, connection, alice);
    member.runOn(connection, { logout: 1 });
    member.runOn(connection, { ping: 1, lsid });
    expect(known()).toBe(0);
  });

  test('nor has the stranger whom the localhost exception lets create the first user', () => {
    start({ authorization: true });
    const connection = member.open();
    const command = { createUser: 'alice', pwd: 'secret', roles: [], lsid, txnNumber: 1n };
    expect(member.runOn(connection, command)).toMatchObject({ ok: 1 });
    expect(known()).toBe(0);
  });

  test('what a session is for is refused all the same', () => {
    start({ authorization: true });
    create('alice');
    const connection = member.open();
    expect(member.runOn(connection, { ping: 1, lsid, txnNumber: 1n })).toMatchObject({ code: 50889 });
    const inTransaction = { ping: 1, lsid, txnNumber: 1n, autocommit: false, startTransaction: true };
    expect(member.runOn(connection, inTransaction)).toMatchObject({ code: 263 });
  });

  test('without access control it belongs to everybody', () => {
    const connection = member.open();
    for (const name of open) member.runOn(connection, { [name]: 1, lsid });
    expect(known()).toBe(1);
  });
});
