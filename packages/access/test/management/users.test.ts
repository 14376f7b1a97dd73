import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeDocuments } from './fakeDocuments.ts';

let documents: FakeDocuments;
beforeEach(() => {
  documents = new FakeDocuments();
});

const alice = { createUser: 'alice', pwd: 'secret', roles: ['read'] };
const [stored] = [() => documents.stored('users')[0]!];

describe('createUser', () => {
  test('what is stored, in the order of a mongod', () => {
    const restrictions = [{ clientSource: ['127.0.0.1'] }];
    const roles = ['read', { role: 'readWrite', db: 'shop' }, 'read'];
    expect(documents.run({ ...alice, roles, customData: { a: 1 }, authenticationRestrictions: restrictions })).toEqual(
      {},
    );
    expect(Object.keys(stored())).toEqual(['_id', 'userId', 'user', 'db', 'credentials', 'authenticationRestrictions', 'customData', 'roles']); // biome-ignore format: one line
    expect(stored()).toMatchObject({
      _id: 'app.alice',
      user: 'alice',
      db: 'app',
      authenticationRestrictions: restrictions,
      customData: { a: 1 },
      roles: [
        { role: 'read', db: 'app' },
        { role: 'readWrite', db: 'shop' },
      ],
    });
    expect(Object.keys(stored().credentials)).toEqual(['SCRAM-SHA-1', 'SCRAM-SHA-256']);
    const { iterationCount, salt, storedKey, serverKey } = stored().credentials['SCRAM-SHA-256'];
    expect(iterationCount).toBe(5000);
    expect([salt.length, storedKey.length, serverKey.length]).toEqual([40, 44, 44]);
    expect(JSON.stringify(stored())).not.toContain('secret');
  });

  test('only the mechanisms that were asked for', () => {
    documents.run({ ...alice, mechanisms: ['SCRAM-SHA-1'] });
    expect(Object.keys(stored().credentials)).toEqual(['SCRAM-SHA-1']);
  });

  test('a digest is taken for the password where the older mechanism is the only one', () => {
    // md5("alice:mongo:secret")
    const digest = { pwd: 'd0fcf57b39cf4ea6d37b1d0cc10a7a22', digestPassword: false, mechanisms: ['SCRAM-SHA-1'] };
    expect(documents.run({ ...alice, ...digest })).toEqual({});
  });

  test('a user without a password is somebody else’s to know', () => {
    expect(documents.run({ createUser: 'CN=x', roles: [] }, '$external')).toEqual({});
    expect(stored()).toMatchObject({ _id: '$external.CN=x', credentials: { external: true }, roles: [] });
  });

  test.for<[change: Doc, code: number, db?: string]>([
    [{}, 2, 'local'],
    [{ createUser: 'a\0b' }, 2],
    [{ createUser: '' }, 2],
    [{ createUser: 1 }, 14],
    [{ pwd: undefined }, 2],
    [{ pwd: '' }, 2],
    [{}, 2, '$external'],
    [{ mechanisms: [] }, 2],
    [{ mechanisms: ['PLAIN'] }, 2],
    [{ digestPassword: false }, 2],
    [{ pwd: '\u0007', mechanisms: ['SCRAM-SHA-256'] }, 2],
    [{ roles: undefined }, 40414],
    [{ roles: ['nobody'] }, 31],
    [{ roles: ['root'] }, 31], // of admin alone
    [{ roles: [1] }, 2],
    [{ roles: [{ role: 'read' }] }, 40414],
    [{ roles: 'read' }, 14],
    [{ customData: 1 }, 14],
    [{ nonsense: 1 }, 40415],
    [{ authenticationRestrictions: [{ clientSource: ['nowhere'] }] }, 2],
  ])('%j is refused with %i', ([change, code, db = 'app']) => {
    const command = Object.fromEntries(
      Object.entries({ ...alice, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(documents.run(command, db)).toMatchObject({ code });
    expect(documents.stored('users')).toEqual([]);
  });

  test('missing roles are named', () => {
    expect(documents.run({ ...alice, roles: ['a', { role: 'b', db: 'c' }] }).errmsg).toBe(
      'Could not find roles: a@app, b@c',
    );
  });

  test('the same user twice, and one of the same name elsewhere', () => {
    documents.run(alice);
    expect(documents.run(alice)).toEqual({ code: 51003, errmsg: 'User "alice@app" already exists' });
    expect(documents.run(alice, 'shop')).toEqual({});
  });

  test('a mechanism that is off is neither taken nor the default', () => {
    Object.assign(documents.settings, { mechanisms: ['SCRAM-SHA-1'] });
    expect(documents.run({ ...alice, mechanisms: ['SCRAM-SHA-256'] })).toMatchObject({ code: 2 });
    documents.run(alice);
    expect(Object.keys(stored().credentials)).toEqual(['SCRAM-SHA-1']);
  });
});

describe('updateUser', () => {
  beforeEach(() => {
    documents.run({ ...alice, customData: { a: 1 }, authenticationRestrictions: [{ clientSource: ['127.0.0.1'] }] });
  });

  test('another password changes all keys and nothing else', () => {
    const before = stored();
    expect(documents.run({ updateUser: 'alice', pwd: 'another' })).toEqual({});
    const after = stored();
    for (const mechanism of ['SCRAM-SHA-1', 'SCRAM-SHA-256']) {
      expect(after.credentials[mechanism].storedKey).not.toBe(before.credentials[mechanism].storedKey);
    }
    expect({ ...after, credentials: 0 }).toEqual({ ...before, credentials: 0 });
  });

  test('roles and data are replaced, no restrictions are none', () => {
    documents.run({ updateUser: 'alice', roles: ['readWrite'], customData: { b: 2 }, authenticationRestrictions: [] });
    expect(stored()).toMatchObject({ roles: [{ role: 'readWrite', db: 'app' }], customData: { b: 2 } });
    expect(stored()).not.toHaveProperty('authenticationRestrictions');
  });

  test('a field that is null changes nothing', () => {
    const before = stored();
    expect(documents.run({ updateUser: 'alice', roles: ['readWrite'], mechanisms: null, customData: null })).toEqual(
      {},
    );
    expect(stored()).toEqual({ ...before, roles: [{ role: 'readWrite', db: 'app' }] });
  });

  test('mechanisms can be given up', () => {
    const before = stored().credentials['SCRAM-SHA-1'];
    documents.run({ updateUser: 'alice', mechanisms: ['SCRAM-SHA-1'] });
    expect(stored().credentials).toEqual({ 'SCRAM-SHA-1': before });
    expect(documents.run({ updateUser: 'alice', mechanisms: ['SCRAM-SHA-256'] })).toMatchObject({ code: 2 });
  });

  test.for<[Doc, number]>([
    [{}, 2],
    [{ digestPassword: true }, 2],
    [{ mechanisms: [] }, 2],
    [{ pwd: null, roles: null, customData: null, mechanisms: null, authenticationRestrictions: null }, 2],
    [{ roles: ['nobody'] }, 31],
    [{ nonsense: 1 }, 40415],
  ])('%j is refused with %i', ([change, code]) => {
    expect(documents.run({ updateUser: 'alice', ...change })).toMatchObject({ code });
  });

  test('nobody', () => {
    expect(documents.run({ updateUser: 'bob', pwd: 'x' })).toEqual({ code: 11, errmsg: "User 'bob@app' not found" });
  });
});

test('users are dropped one by one, or all of a database', () => {
  documents.run(alice);
  documents.run({ ...alice, createUser: 'bob' });
  documents.run(alice, 'shop');
  expect(documents.run({ dropUser: 'bob' })).toEqual({});
  expect(documents.run({ dropUser: 'bob' })).toMatchObject({ code: 11 });
  expect(documents.run({ dropAllUsersFromDatabase: 1 })).toEqual({ n: 1 });
  expect(documents.stored('users').map(({ _id }) => _id)).toEqual(['shop.alice']);
});

test('roles are granted once, and revoked whether granted or not', () => {
  documents.run(alice);
  const roles = () => stored().roles.map(({ role, db }: Doc) => `${role}@${db}`);
  expect(documents.run({ grantRolesToUser: 'alice', roles: ['readWrite', 'read'] })).toEqual({});
  expect(roles()).toEqual(['read@app', 'readWrite@app']);
  expect(documents.run({ revokeRolesFromUser: 'alice', roles: ['read', 'dbAdmin'] })).toEqual({});
  expect(roles()).toEqual(['readWrite@app']);
});

test.for(['grantRolesToUser', 'revokeRolesFromUser'])('%s: mistakes', (name) => {
  documents.run(alice);
  expect(documents.run({ [name]: 'alice', roles: [] })).toMatchObject({ code: 2 });
  expect(documents.run({ [name]: 'alice' })).toMatchObject({ code: 40414 });
  expect(documents.run({ [name]: 'alice', roles: ['nobody'] })).toMatchObject({ code: 31 });
  expect(documents.run({ [name]: 'bob', roles: ['read'] })).toMatchObject({ code: 11 });
});
