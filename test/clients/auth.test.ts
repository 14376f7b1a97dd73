import type { MongoClient, MongoClientOptions } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useClients } from './servedSets.ts';

// A set with access control, which fails over under clients that have logged in. Users as in the prose tests of the drivers' auth.md.

const newClient = useClients();
let set: ReplicaSet;
const extraUsers = [
  { createUser: 'sha1', pwd: 'sha1', roles: ['root'], mechanisms: ['SCRAM-SHA-1'] },
  { createUser: 'sha256', pwd: 'sha256', roles: ['root'], mechanisms: ['SCRAM-SHA-256'] },
  { createUser: 'both', pwd: 'both', roles: ['root'], mechanisms: ['SCRAM-SHA-1', 'SCRAM-SHA-256'] },
  { createUser: 'IX', pwd: 'IX', roles: ['root'] },
  { createUser: '\u2168', pwd: '\u2163', roles: ['root'] },
  { createUser: 'reader', pwd: 'secret', roles: ['read'], database: 'app' },
] as const;
beforeAll(async () => {
  set = await ReplicaSet.start({ auth: { enable: true, customRootName: 'root', customRootPwd: 'secret', extraUsers } });
});
afterAll(() => set.stop());

const as = (username: string, password: string, options: MongoClientOptions = {}) =>
  newClient(set.uri, { auth: { username, password }, serverSelectionTimeoutMS: 5000, ...options });
const userOf = async (client: MongoClient) => {
  const { authInfo } = await client.db('admin').command({ connectionStatus: 1 });
  return authInfo.authenticatedUsers.map(({ user, db }: { user: string; db: string }) => `${user}@${db}`);
};

test.for<[string, string, MongoClientOptions['authMechanism'], string]>([
  ['sha1', 'sha1', 'SCRAM-SHA-1', 'sha1'],
  ['sha1', 'sha1', undefined, 'sha1'],
  ['sha256', 'sha256', 'SCRAM-SHA-256', 'sha256'],
  ['sha256', 'sha256', undefined, 'sha256'],
  ['both', 'both', 'SCRAM-SHA-1', 'both'],
  ['both', 'both', 'SCRAM-SHA-256', 'both'],
  ['both', 'both', undefined, 'both'],
  ['IX', 'IX', undefined, 'IX'],
  ['IX', 'I\u00adX', undefined, 'IX'],
  ['\u2168', 'IV', undefined, '\u2168'],
  ['\u2168', 'I\u00adV', undefined, '\u2168'],
])('%s logs in with %j by %s', async ([user, password, authMechanism, shown]) => {
  const client = as(user, password, authMechanism ? { authMechanism } : {});
  expect(await userOf(client)).toEqual([`${shown}@admin`]);
  await client.db('app').collection('items').insertOne({ by: user });
});

test.for<[string, string, MongoClientOptions]>([
  ['root', 'guess', {}],
  ['nobody', 'secret', {}],
  ['sha1', 'sha1', { authMechanism: 'SCRAM-SHA-256' }],
  ['sha256', 'sha256', { authMechanism: 'SCRAM-SHA-1' }],
  ['reader', 'secret', { authSource: 'admin' }],
])('%s with %s and %j is refused', async ([user, password, options]) => {
  await expect(as(user, password, options).connect()).rejects.toMatchObject({
    code: 18,
    codeName: 'AuthenticationFailed',
  });
});

test('whoever has not logged in sees the topology, and nothing else', async () => {
  const client = newClient(set.uri);
  expect(await client.db('app').command({ ping: 1 })).toMatchObject({ ok: 1 });
  for (const command of [{ find: 'items' }, { insert: 'items', documents: [{}] }, { listDatabases: 1 }])
    await expect(client.db('admin').command(command)).rejects.toMatchObject({ code: 13 });
});

test('nobody is shown a password: not in the profiler, not in the log, not in the oplog', async () => {
  const client = as('root', 'secret');
  const admin = client.db('admin');
  const verbosity = (level: number) =>
    admin.command({ setParameter: 1, logComponentVerbosity: { command: { verbosity: level } } });
  await admin.command({ profile: 2 });
  await verbosity(2);
  await admin.command({ createUser: 'shy', pwd: 'hunter2', roles: [] });
  await admin.command({ updateUser: 'shy', pwd: 'hunter2' });
  await expect(admin.command({ createUser: 'shy', pwd: 'hunter2', roles: [], nope: 1 })).rejects.toThrow('nope');
  await admin.command({ createUser: 'shy', pwd: 'hunter2', help: true });
  await admin.command({ profile: 0 });
  await verbosity(0);
  const profiled = await admin.collection('system.profile').find().toArray();
  const entries = await client.db('local').collection('oplog.rs').find().toArray();
  const { log } = await admin.command({ getLog: 'global' });
  expect(profiled.map(({ command }) => command.createUser)).toContain('shy');
  expect(JSON.stringify(profiled)).toContain('xxx');
  expect(JSON.stringify([profiled, entries, log])).not.toContain('hunter2');
});

test('what is kept of a password is changed by nobody who may not change the password', async () => {
  const { users } = await as('root', 'secret').db('admin').command({ usersInfo: 'IX', showCredentials: true });
  const reader = as('reader', 'secret', { authSource: 'app' }).db('admin');
  for (const change of [{ replsimCredentials: users[0].credentials }, { mechanisms: ['SCRAM-SHA-1'] }])
    await expect(reader.command({ updateUser: 'root', ...change })).rejects.toMatchObject({ code: 13 });
});

describe('a user with one role', () => {
  const reader = () => as('reader', 'secret', { authSource: 'app' });

  test('reads its database and writes nothing', async () => {
    const client = reader();
    expect(await client.db('app').collection('items').countDocuments()).toBeGreaterThanOrEqual(0);
    await expect(client.db('app').collection('items').insertOne({})).rejects.toMatchObject({ code: 13 });
    await expect(client.db('shop').collection('items').findOne()).rejects.toMatchObject({ code: 13 });
  });

  test('loses it while connected', async () => {
    const client = reader();
    const items = client.db('app').collection('items');
    await items.findOne();
    const users = as('root', 'secret').db('app');
    await users.command({ updateUser: 'reader', roles: [] });
    await expect(items.findOne()).rejects.toMatchObject({ code: 13, message: /^not authorized on app/ });
    await users.command({ updateUser: 'reader', roles: ['read'] });
    await items.findOne();
  });
});

test('a user who is dropped in the middle of a cursor', async () => {
  const root = as('root', 'secret');
  await root.db('app').command({ createUser: 'guest', pwd: 'guest', roles: ['readWrite'] });
  const client = as('guest', 'guest', { authSource: 'app' });
  const items = client.db('app').collection<{ _id: number }>('many');
  await items.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id })));
  const cursor = items.find({}, { batchSize: 2 });
  await cursor.next();
  await root.db('app').command({ dropUser: 'guest' });
  await expect(cursor.toArray()).rejects.toMatchObject({ code: 13 });
});

test('logged in before and after a failover, with users on every member', async () => {
  const client = as('both', 'both');
  const items = client.db('app').collection<{ _id: string }>('failover');
  await items.insertOne({ _id: 'before' }, { writeConcern: { w: 'majority' } });
  await set.kill('primary');
  await set.untilPrimary();
  await items.insertOne({ _id: 'after' });
  expect(await items.countDocuments()).toBe(2);
  expect(await userOf(as('sha256', 'sha256'))).toEqual(['sha256@admin']);
  await set.start('dead').catch(() => {});
});

test('commands of ours and fail points are for whoever manages the host', async () => {
  const reader = as('reader', 'secret', { authSource: 'app' });
  await expect(reader.db('app').collection('items').findOne()).resolves.toBeDefined();
  const refused = { code: 13, codeName: 'Unauthorized' };
  for (const client of [reader, newClient(set.uri)]) {
    for (const command of [{ replsimAdvance: '1s' }, { replsimFault: { kill: 'n2' } }, { replsimStatus: 1 }]) {
      await expect(client.db('admin').command(command)).rejects.toMatchObject(refused);
    }
  }
  const failPoint = { configureFailPoint: 'failCommand', mode: 'off' };
  await expect(reader.db('admin').command(failPoint)).rejects.toMatchObject(refused);
  const root = as('root', 'secret').db('admin');
  await expect(root.command({ replsimAdvance: '1s' })).resolves.toMatchObject({ ok: 1 });
  await expect(root.command(failPoint)).resolves.toMatchObject({ ok: 1 });
});

test('getCmdLineOpts and the log', async () => {
  const admin = as('root', 'secret').db('admin');
  const { parsed } = await admin.command({ getCmdLineOpts: 1 });
  expect(parsed.security).toEqual({ authorization: 'enabled' });
  const { log } = await admin.command({ getLog: 'global' });
  expect(log.some((line: string) => line.includes('"id":5286306'))).toBe(true);
  expect(log.join('\n')).not.toMatch(/secret|sha256sha256/);
});
