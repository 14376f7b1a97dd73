import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario } from '../src/index.ts';

const head = 'name: A claim\n';
const SET = 'replicaSet: { keyFile: theSharedKey }\n';
const FIND = 'steps:\n  - find: { in: app.c, user: alice, is: [] }\n';

test('users are created by a step before the first, and steps know them', () => {
  const users =
    'users: [{ user: alice, roles: [read, { role: read, db: app }] }, { user: bob, pwd: secret, db: app }]\n';
  const { steps } = parseScenario(`${head}${SET}${users}${FIND}`, 'good.yaml');
  expect(steps.map(({ index, key }) => [index, key])).toEqual([
    [0, 'users'],
    [1, 'find'],
  ]);
  expect(steps[0]!.text).toBe('users: [alice, bob]');
  expect(steps[1]!.action).toMatchObject({ user: { user: 'alice', db: 'admin' } });
});

test.for<[what: string, text: string, place: string, message: string, suggestion: string]>([
  [
    'a user whom nobody lists',
    `${SET}users: [{ user: alicia }]\n${FIND}`,
    '5:30',
    'there is no user "alice"',
    'known here: alicia',
  ],
  [
    'no users at all',
    `${SET}${FIND}`,
    '4:30',
    'there is no user "alice"',
    'list it in the head: "users: [{ user: alice, roles: [read] }]"',
  ],
  [
    'users without access control',
    `users: [{ user: alice }]\n${FIND}`,
    '2:8',
    'without access control every user may do everything',
    'turn it on: "replicaSet: { keyFile: theSharedKey }", or leave "users" out',
  ],
  [
    'two of one name',
    `${SET}users: [{ user: alice }, { user: alice, db: app }]\n${FIND}`,
    '3:34',
    'there is another user "alice"',
    'steps know users by their names: choose another',
  ],
  [
    'a set that is not initiated',
    `replicaSet: { keyFile: theSharedKey, initiate: false }\nusers: [{ user: alice }]\n${FIND}`,
    '3:8',
    'a set that is not initiated has no primary that could create users',
    'leave out "initiate: false", or create them in a step: "- run: { command: { createUser: … } }"',
  ],
  [
    'access control without a key file',
    `replicaSet: { auth: true }\nusers: [{ user: alice }]\n${FIND}`,
    '2:21',
    'a mongod does not start: security.keyFile is required when authorization is enabled with replica sets (n1 has none)',
    'add "keyFile: theSharedKey" beside it, which turns access control on by itself',
  ],
  [
    'a key file of one member alone',
    `replicaSet: { auth: true, members: [{ name: a, keyFile: theSharedKey }, b] }\nsteps: [advance: 1s]\n`,
    '2:21',
    'a mongod does not start: security.keyFile is required when authorization is enabled with replica sets (b has none)',
    'add "keyFile: theSharedKey" beside it, which turns access control on by itself',
  ],
])('%s', ([, text, place, message, suggestion]) => {
  let found: readonly { line?: number; column?: number; message: string; suggestion?: string | undefined }[] = [];
  try {
    parseScenario(`${head}${text}`, 'bad.yaml');
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    found = error.mistakes as typeof found;
  }
  expect(found).toHaveLength(1);
  expect(`${found[0]!.line}:${found[0]!.column}`).toBe(place);
  expect(found[0]!.message).toBe(message);
  expect(found[0]!.suggestion).toBe(suggestion);
});

test.for([
  'keyFile: theSharedKey',
  'members: [{ name: a, keyFile: theSharedKey }, { name: b, keyFile: [anotherKey, theSharedKey] }]',
  'initiate: false, members: [{ name: a, standalone: true }]',
])('access control with what it needs: %s', (more) => {
  const text = `${head}replicaSet: { auth: true, ${more} }\nsteps: [advance: 1s]\n`;
  expect(parseScenario(text, 'good.yaml').options.members.length).toBeGreaterThan(0);
});
