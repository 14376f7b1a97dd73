import { beforeEach, expect, test } from 'vitest';
import { type Doc, FakeDocuments } from './fakeDocuments.ts';

let documents: FakeDocuments;
const privilege = { resource: { db: 'app', collection: 'x' }, actions: ['find'] };
beforeEach(() => {
  documents = new FakeDocuments();
  documents.run({ createRole: 'inner', privileges: [privilege], roles: [] });
  documents.run({ createRole: 'outer', privileges: [], roles: ['inner'], authenticationRestrictions: [{ clientSource: ['::1'] }] }); // biome-ignore format: one line
});

const roles = (rolesInfo: unknown, more: Doc = {}, db = 'app'): Doc[] =>
  documents.run({ rolesInfo, ...more }, db).roles;
const names = (...args: Parameters<typeof roles>): string[] => roles(...args).map(({ role }) => role);

test('built-in roles of a database, for those who ask', () => {
  const everywhere = ['dbAdmin', 'dbOwner', 'enableSharding', 'read', 'readWrite', 'userAdmin'];
  expect(names(1)).toEqual(['inner', 'outer']);
  expect(names(1, { showBuiltinRoles: true })).toEqual([...everywhere, 'inner', 'outer']);
  expect(names(1, { showBuiltinRoles: true }, 'admin')).toEqual(
    expect.arrayContaining(['root', 'clusterMonitor', 'read']),
  );
});

test('by name, in the order of the argument', () => {
  expect(names(['outer', 'nobody', { role: 'root', db: 'admin' }, 'inner'])).toEqual(['outer', 'root', 'inner']);
  expect(names('root')).toEqual([]);
  expect(roles('read')).toEqual([{ db: 'app', role: 'read', roles: [], inheritedRoles: [], isBuiltin: true }]);
});

test('what roles inherit', () => {
  const [outer] = roles('outer', { showPrivileges: true, showAuthenticationRestrictions: true });
  expect(outer).toMatchObject({
    privileges: [],
    roles: [{ role: 'inner', db: 'app' }],
    inheritedRoles: [{ role: 'inner', db: 'app' }],
    inheritedPrivileges: [privilege],
    authenticationRestrictions: [{ clientSource: ['::1'] }],
    isBuiltin: false,
  });
  const [read] = roles('read', { showPrivileges: true });
  expect(read!.privileges[0]).toMatchObject({ resource: { db: 'app', collection: '' }, actions: expect.arrayContaining(['find']) }); // biome-ignore format: one line
});

test('as a user would have them', () => {
  const { userFragment } = documents.run({ rolesInfo: ['outer'], showPrivileges: 'asUserFragment' });
  expect(userFragment).toMatchObject({
    roles: [{ role: 'outer', db: 'app' }],
    inheritedRoles: [
      { role: 'outer', db: 'app' },
      { role: 'inner', db: 'app' },
    ],
    inheritedPrivileges: [privilege],
  });
});

test.for<[Doc, number]>([
  [{ rolesInfo: 1, showPrivileges: 'asUserFragment' }, 20],
  [{ rolesInfo: 'read', showPrivileges: 'nonsense' }, 2],
  [{ rolesInfo: 2 }, 2],
  [{ rolesInfo: true }, 2],
  [{ rolesInfo: 1, nonsense: 1 }, 40415],
])('%j is refused with %i', ([command, code]) => {
  expect(documents.run(command)).toMatchObject({ code });
});
