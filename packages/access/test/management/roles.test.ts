import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeDocuments } from './fakeDocuments.ts';

let documents: FakeDocuments;
beforeEach(() => {
  documents = new FakeDocuments();
});

const find = (db: string, collection: string, ...actions: string[]) => ({
  resource: { db, collection },
  actions: ['find', ...actions],
});
const create = (role: string, roles: unknown[] = [], privileges: unknown[] = [], db = 'app') =>
  documents.run({ createRole: role, privileges, roles }, db);
const stored = (role: string) => documents.stored('roles').find((each) => each.role === role)!;

describe('createRole', () => {
  test('what is stored: each resource once, actions in the order of a mongod', () => {
    expect(create('reader', ['read'], [find('app', 'x', 'insert'), { resource: { db: 'app', collection: 'x' }, actions: ['collMod', 'find'] }])).toEqual({}); // biome-ignore format: one line
    expect(stored('reader')).toEqual({
      _id: 'app.reader',
      role: 'reader',
      db: 'app',
      privileges: [{ resource: { db: 'app', collection: 'x' }, actions: ['collMod', 'find', 'insert'] }],
      roles: [{ role: 'read', db: 'app' }],
    });
  });

  test.for<[Doc, number, string?]>([
    [{ createRole: '' }, 2],
    [{}, 2, 'local'],
    [{}, 2, '$external'],
    [{ createRole: 'read' }, 2],
    [{ privileges: [find('shop', 'x')] }, 49],
    [{ privileges: [find('', '')] }, 49],
    [{ privileges: [{ resource: { cluster: true }, actions: ['shutdown'] }] }, 49],
    [{ roles: [{ role: 'read', db: 'shop' }] }, 49],
    [{ roles: ['mine'] }, 49],
    [{ roles: ['nobody'] }, 31],
    [{ privileges: [{ resource: { db: 'app', collection: '' }, actions: ['fly'] }] }, 9],
    [{ nonsense: 1 }, 40415],
  ])('%j is refused with %i', ([change, code, db = 'app']) => {
    expect(documents.run({ createRole: 'mine', privileges: [], roles: [], ...change }, db)).toMatchObject({ code });
    expect(documents.stored('roles')).toEqual([]);
  });

  test('roles of admin may be about everything', () => {
    const privileges = [find('shop', 'x'), { resource: { cluster: true }, actions: ['shutdown'] }];
    expect(create('all', [{ role: 'read', db: 'shop' }], privileges, 'admin')).toEqual({});
  });

  test('twice', () => {
    create('mine');
    expect(create('mine')).toEqual({ code: 51002, errmsg: 'Role "mine@app" already exists' });
  });

  test('both arrays are required', () => {
    expect(documents.run({ createRole: 'mine', roles: [] })).toMatchObject({ code: 40414 });
    expect(documents.run({ createRole: 'mine', privileges: [] })).toMatchObject({ code: 40414 });
  });
});

test('privileges come and go by resource', () => {
  create('mine', [], [find('app', 'x', 'insert')]);
  const change = (name: string, ...privileges: unknown[]) => documents.run({ [name]: 'mine', privileges });
  expect(change('grantPrivilegesToRole', find('app', 'x', 'update'), find('app', 'y'))).toEqual({});
  expect(stored('mine').privileges).toEqual([find('app', 'x', 'insert', 'update'), find('app', 'y')]);
  expect(change('revokePrivilegesFromRole', find('app', 'y'), find('app', 'x'))).toEqual({});
  expect(stored('mine').privileges).toEqual([
    { resource: { db: 'app', collection: 'x' }, actions: ['insert', 'update'] },
  ]);
  expect(change('grantPrivilegesToRole', find('shop', 'x'))).toMatchObject({ code: 49 });
  expect(change('grantPrivilegesToRole')).toMatchObject({ code: 2 });
});

test('a role may contain others, but not itself by any way', () => {
  create('a');
  create('b', ['a']);
  create('c', ['b']);
  const grant = (to: string, role: string) => documents.run({ grantRolesToRole: to, roles: [role] });
  expect(grant('a', 'c')).toMatchObject({ code: 49, errmsg: expect.stringContaining('cycle') });
  expect(grant('a', 'a')).toMatchObject({ code: 49 });
  expect(grant('a', 'read')).toEqual({});
  expect(documents.run({ revokeRolesFromRole: 'c', roles: ['b'] })).toEqual({});
  expect(grant('a', 'c')).toEqual({});
});

test.for<[Doc, number]>([
  [{ updateRole: 'nobody', roles: [] }, 31],
  [{ updateRole: 'mine' }, 2],
  [{ dropRole: 'nobody' }, 31],
  [{ dropRole: 'read' }, 2],
  [{ grantRolesToRole: 'read', roles: ['readWrite'] }, 2],
  [{ grantRolesToRole: 'mine', roles: [] }, 2],
  [{ grantRolesToRole: 'mine', roles: ['nobody'] }, 31],
  [{ revokeRolesFromRole: 'mine', roles: ['nobody'] }, 31],
])('%j is refused with %i', ([command, code]) => {
  create('mine');
  expect(documents.run(command)).toMatchObject({ code });
});

test('updateRole has to be given something', () => {
  create('mine', ['read'], [find('app', 'x')]);
  for (const change of [{}, { privileges: null, roles: null, authenticationRestrictions: null }]) {
    expect(documents.run({ updateRole: 'mine', ...change })).toMatchObject({ code: 2 });
  }
});

test('updateRole replaces what is given', () => {
  create('mine', ['read'], [find('app', 'x')]);
  documents.run({ updateRole: 'mine', roles: ['readWrite'], authenticationRestrictions: [{ clientSource: ['::1'] }] });
  expect(stored('mine')).toMatchObject({
    privileges: [find('app', 'x')],
    roles: [{ role: 'readWrite', db: 'app' }],
    authenticationRestrictions: [{ clientSource: ['::1'] }],
  });
});

test('a role that is dropped is taken from whoever had it', () => {
  create('mine');
  create('other', ['mine', 'read']);
  documents.run({ createUser: 'alice', pwd: 'secret', roles: ['mine', 'read'] });
  expect(documents.run({ dropRole: 'mine' })).toEqual({});
  const read = [{ role: 'read', db: 'app' }];
  expect(documents.stored('users')[0]).toMatchObject({ roles: read });
  expect(documents.stored('roles')).toMatchObject([{ role: 'other', roles: read }]);
  create('elsewhere', [], [], 'shop');
  expect(documents.run({ dropAllRolesFromDatabase: 1 })).toEqual({ n: 1 });
  expect(documents.stored('roles').map(({ _id }) => _id)).toEqual(['shop.elsewhere']);
});
