import { CommandError, VERSIONS } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { API_VERSIONS, type CommandDefinition, isOpen } from '../../src/definition.ts';
import { ANYWHERE, atOnce } from '../../src/replies/atOnce.ts';
import { Dispatcher } from '../../src/requests/dispatcher.ts';
import { CommandRegistry } from '../../src/requests/registry.ts';
import { databaseCommands, FakeMember } from '../fakeMember.ts';

const commands = [...databaseCommands()];

/** Version 1 of the Stable API. Source: the manual of 8.0, "Stable API", but for `hello`, which knows of a set. */
// biome-ignore format: a list
const V1 = ['abortTransaction', 'aggregate', 'authenticate', 'bulkWrite', 'collMod', 'commitTransaction', 'count', 'create',
  'createIndexes', 'delete', 'drop', 'dropDatabase', 'dropIndexes', 'endSessions', 'explain', 'find', 'findAndModify', 'getMore',
  'insert', 'killCursors', 'listCollections', 'listDatabases', 'listIndexes', 'ping', 'refreshSessions', 'saslContinue',
  'saslStart', 'update'];

/** What strangers may run. Upstream: the commands whose requiresAuth() is false. */
// biome-ignore format: a list
const OPEN = ['_isSelf', 'authenticate', 'buildInfo', 'connectionStatus', 'features', 'listCommands', 'ping',
  'saslContinue', 'saslStart', 'testDeprecation', 'testDeprecationInVersion2', 'testRemoval', 'testVersion2', 'testVersions1And2',
  'whatsmyuri'];

test.for(commands)('$name says what it does, and what a client needs to run it', ({ help, auth, api }) => {
  expect(help).toMatch(/^[a-z].*[^.]$/);
  expect(Object.keys(API_VERSIONS)).toContain(api);
  if (typeof auth === 'string') expect(['none', 'user']).toContain(auth);
  else if (typeof auth === 'object')
    expect(auth).toEqual({ action: expect.stringMatching(/^[a-z]/), resource: expect.any(String) });
});

test('the Stable API is what the manual says', () => {
  const ofUsers = commands.filter(({ testOnly }) => !testOnly);
  expect(ofUsers.filter(({ api }) => api === 'v1').map(({ name }) => name).sort()).toEqual(V1); // biome-ignore format: one line
  expect(ofUsers.filter(({ api }) => api !== 'v1' && api !== 'none')).toEqual([]);
});

test('few commands are for strangers', () => {
  expect(commands.filter(isOpen).map(({ name }) => name).sort()).toEqual(OPEN); // biome-ignore format: one line
});

test('what is for the cluster alone is for the database admin alone, but for what a client asks anywhere', () => {
  const anywhere = commands.filter(
    ({ auth, adminOnly }) => typeof auth === 'object' && auth.resource === 'cluster' && !adminOnly,
  );
  expect(anywhere.map(({ name }) => name).sort()).toEqual([
    'hostInfo',
    'invalidateUserCache',
    'killAllSessions',
    'serverStatus',
  ]);
});

test.for(commands)('$name is found by its name and its aliases', (command) => {
  const registry = databaseCommands();
  for (const name of [command.name, ...(command.aliases ?? [])]) expect(registry.find(name)?.name).toBe(command.name);
});

const made = (more: Partial<Extract<CommandDefinition, { kind: 'other' }>>): CommandDefinition => ({
  name: 'made',
  help: 'was made for a test',
  auth: 'user',
  api: 'none',
  ...ANYWHERE,
  run: atOnce(() => ({})),
  ...more,
});

test('no two commands have one name', () => {
  const registry = databaseCommands();
  expect(() => registry.register([made({ name: 'ping' })])).toThrow('two commands are called ping');
  expect(() => registry.register([made({ aliases: ['dbhash'] })])).toThrow('two commands are called dbhash');
});

test('a release does not know what later ones brought', () => {
  const registry = new CommandRegistry(VERSIONS['6.0'].maxWireVersion);
  const names = ['analyzeShardKey', 'setUserWriteBlockMode', 'bulkWrite', 'ping'];
  registry.register(names.map((name) => made({ name })));
  expect([...registry].map(({ name }) => name)).toEqual(['listCommands', 'setUserWriteBlockMode', 'ping']);
  expect(registry.find('bulkWrite')).toBeUndefined();
});

test('what is for tests is known to those alone who run them', () => {
  const registry = new CommandRegistry(25, false);
  registry.register([made({ testOnly: true }), made({ name: 'other' })]);
  expect([...registry].map(({ name }) => name)).toEqual(['listCommands', 'other']);
});

describe('a command that version 1 is to lose', () => {
  const registry = new CommandRegistry(25);
  registry.register([made({ api: 'v1Deprecated' })]);
  const ask = (more: object) => {
    const member = new FakeMember();
    Object.assign(member, { dispatcher: new Dispatcher(registry) });
    return member.run({ ...more });
  };

  test('is refused to who asks to be told', () => {
    expect(ask({ made: 1, apiVersion: '1', apiStrict: true }).ok).toBe(1);
    const { code } = new CommandError('APIDeprecationError', '');
    expect(ask({ made: 1, apiVersion: '1', apiDeprecationErrors: true }).code).toBe(code);
  });

  test('is listed so', () => {
    expect(ask({ listCommands: 1 }).commands.made).toMatchObject({
      help: 'was made for a test',
      requiresAuth: true,
      apiVersions: ['1'],
      deprecatedApiVersions: ['1'],
    });
  });
});
