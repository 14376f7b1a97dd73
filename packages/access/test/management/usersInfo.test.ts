import { beforeEach, expect, test } from 'vitest';
import { type Doc, FakeDocuments } from './fakeDocuments.ts';

let documents: FakeDocuments;
beforeEach(() => {
  documents = new FakeDocuments();
  const user = { pwd: 'secret', roles: ['read'], customData: { a: 1 } };
  documents.run({ createUser: 'bob', ...user, mechanisms: ['SCRAM-SHA-256'] });
  documents.run({ createUser: 'alice', ...user, authenticationRestrictions: [{ clientSource: ['127.0.0.1'] }] });
  documents.run({ createUser: 'alice', ...user }, 'shop');
});

const names = (usersInfo: unknown, more: Doc = {}): string[] =>
  documents.run({ usersInfo, ...more }).users.map(({ user, db }: Doc) => `${user}@${db}`);

test.for<[unknown, string[]]>([
  [1, ['alice@app', 'bob@app']],
  [{ forAllDBs: true }, ['alice@app', 'alice@shop', 'bob@app']],
  ['bob', ['bob@app']],
  [{ user: 'alice', db: 'shop' }, ['alice@shop']],
  [
    ['bob', { user: 'alice', db: 'app' }, 'nobody'],
    ['alice@app', 'bob@app'],
  ],
  ['nobody', []],
])('%j', ([argument, shown]) => {
  expect(names(argument)).toEqual(shown);
});

test('what is shown of a user, and what only if asked for', () => {
  const [bob] = documents.run({ usersInfo: 'bob' }).users;
  expect(Object.keys(bob)).toEqual(['_id', 'userId', 'user', 'db', 'customData', 'roles', 'mechanisms']);
  expect(bob.mechanisms).toEqual(['SCRAM-SHA-256']);
  const [whole] = documents.run({ usersInfo: 'bob', showCredentials: true, showCustomData: false }).users;
  expect(Object.keys(whole)).toEqual(['_id', 'userId', 'user', 'db', 'credentials', 'roles', 'mechanisms']);
});

test('privileges and restrictions, of users that are named one by one', () => {
  const details = { showPrivileges: true, showAuthenticationRestrictions: true };
  const { users } = documents.run({ usersInfo: ['bob', 'alice'], ...details });
  expect(users.map(({ user }: Doc) => user)).toEqual(['bob', 'alice']); // in the order of the argument
  expect(Object.keys(users[1])).toEqual(['_id', 'userId', 'user', 'db', 'mechanisms', 'authenticationRestrictions', 'customData', 'roles', 'inheritedRoles', 'inheritedPrivileges', 'inheritedAuthenticationRestrictions']); // biome-ignore format: one line
  expect(users[0].inheritedRoles).toEqual([{ role: 'read', db: 'app' }]);
  expect(users[0].inheritedPrivileges[0]).toMatchObject({ resource: { db: 'app', collection: '' } });
  for (const argument of [1, { forAllDBs: true }])
    expect(documents.run({ usersInfo: argument, showPrivileges: true })).toMatchObject({ code: 20 });
  expect(documents.run({ usersInfo: 'bob', showPrivileges: true, filter: { user: 'bob' } })).toMatchObject({
    code: 20,
  });
});

test('a filter', () => {
  expect(names(1, { filter: { user: 'bob' } })).toEqual(['bob@app']);
});

test.for<[unknown, number]>([
  [2, 2],
  [true, 14],
  [{ user: 'bob' }, 40414],
  [[1], 14],
])('%j is refused with %i', ([argument, code]) => {
  expect(documents.run({ usersInfo: argument })).toMatchObject({ code });
});
