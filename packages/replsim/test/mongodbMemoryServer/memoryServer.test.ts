import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, describe, expect, test } from 'vitest';
import defaultExport, {
  DryMongoBinary,
  errors,
  MongoBinary,
  MongoMemoryServer,
  type MongoMemoryServerOpts,
} from '../../src/mongodb-memory-server.ts';

let started: MongoMemoryServer[] = [];

const create = async (opts?: MongoMemoryServerOpts) => {
  const server = await MongoMemoryServer.create(opts);
  started.push(server);
  return server;
};

const withClient = async <Result>(uri: string, use: (client: MongoClient) => Promise<Result>): Promise<Result> => {
  const client = new MongoClient(uri);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

const insertInto = (uri: string) =>
  withClient(uri, (client) => client.db('app').collection('items').insertOne({ a: 1 }));
const countIn = (uri: string) => withClient(uri, (client) => client.db('app').collection('items').countDocuments());

afterEach(async () => {
  for (const server of started) await server.stop();
  started = [];
});

describe('a standalone', () => {
  test('is no member of a set', async () => {
    const server = await create();
    await insertInto(server.getUri());
    await withClient(server.getUri(), async (client) => {
      const hello = await client.db('admin').command({ hello: 1 });
      expect(hello).toMatchObject({ isWritablePrimary: true, ok: 1 });
      expect(hello).not.toHaveProperty('setName');
      expect((await client.db('admin').command({ buildInfo: 1 })).version).toMatch(/^8\.2\./);
      expect(await client.db('app').collection('items').countDocuments()).toBe(1);
      await expect(client.db('admin').command({ replSetGetStatus: 1 })).rejects.toMatchObject({ code: 76 });
      await expect(client.db('app').collection('items').watch().next()).rejects.toMatchObject({ code: 40573 });
    });
  });

  test('has no transactions', async () => {
    const server = await create();
    await withClient(server.getUri(), async (client) => {
      const session = client.startSession();
      const items = client.db('app').collection('items');
      const refused = await session
        .withTransaction(() => items.insertOne({ a: 1 }, { session }))
        .catch((error) => error);
      // The driver has a word of its own for it.
      expect(refused).toHaveProperty('originalError');
      expect(refused.originalError).toMatchObject({
        code: 20,
        codeName: 'IllegalOperation',
        message: 'Transaction numbers are only allowed on a replica set member or mongos',
      });
      await session.endSession();
    });
  });

  test('expires documents', async () => {
    const server = await create({ instance: { args: ['--setParameter', 'ttlMonitorSleepSecs=1'] } });
    await withClient(server.getUri(), async (client) => {
      const sessions = client.db('app').collection('sessions');
      await sessions.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
      await sessions.insertOne({ at: server.replicaSet.now() });
      await server.replicaSet.advance('62s');
      expect(await sessions.countDocuments()).toBe(0);
    });
  });
});

test('with instance.replSet it waits to be initiated', async () => {
  const server = await create({ instance: { replSet: 'rs1' } });
  const { port } = await server.ensureInstance();
  await withClient(`${server.getUri()}?directConnection=true`, async (client) => {
    const admin = client.db('admin');
    await expect(admin.command({ replSetGetStatus: 1 })).rejects.toMatchObject({ code: 94 });
    await admin.command({ replSetInitiate: { _id: 'rs1', members: [{ _id: 0, host: `127.0.0.1:${port}` }] } });
  });
  await insertInto(`mongodb://127.0.0.1:${port}/?replicaSet=rs1`);
});

describe('getUri', () => {
  test('names a database or another host, and not instance.dbName', async () => {
    const server = await create({ instance: { dbName: 'told' } });
    const { port, dbName } = await server.ensureInstance();
    expect(dbName).toBe('told');
    expect(server.getUri()).toBe(`mongodb://127.0.0.1:${port}/`);
    expect(server.getUri('app')).toBe(`mongodb://127.0.0.1:${port}/app`);
    expect(server.getUri('app', 'localhost')).toBe(`mongodb://localhost:${port}/app`);
  });
});

describe('states', () => {
  test('are told as they change, and say what may be done', async () => {
    const server = new MongoMemoryServer();
    started.push(server);
    const seen: string[] = [];
    server.on('stateChange', (state) => seen.push(state));
    expect([server.state, server.instanceInfo]).toEqual(['new', undefined]);
    expect(() => server.getUri()).toThrow(errors.StateError);
    expect(await server.stop()).toBe(false);
    const starting = server.start();
    expect(server.state).toBe('starting');
    expect(() => server.getUri()).toThrow(errors.InstanceInfoError);
    expect(await server.ensureInstance()).toBe(server.instanceInfo);
    await starting;
    expect(await server.ensureInstance()).toBe(server.instanceInfo);
    await expect(server.start()).rejects.toThrow(errors.StateError);
    await expect(server.cleanup()).rejects.toThrow(errors.StateError);
    expect(await server.stop()).toBe(true);
    expect(seen).toEqual(['starting', 'running', 'stopped', 'new']);
    expect((await server.ensureInstance()).port).toBeGreaterThan(0);
    expect(server.state).toBe('running');
  });

  test('who stops it while it starts waits for that', async () => {
    const server = new MongoMemoryServer();
    const starting = server.start();
    expect(await server.stop()).toBe(true);
    await starting;
    expect(server.state).toBe('new');
  });

  test('who waits for a start that fails hears of it', async () => {
    const server = new MongoMemoryServer({ binary: { version: 'newest' } });
    const starting = server.start();
    const waiting = server.ensureInstance();
    await expect(starting).rejects.toThrow(errors.UnknownVersionError);
    await expect(waiting).rejects.toThrow(errors.StateError);
    expect(server.state).toBe('stopped');
  });
});

describe('its port', () => {
  test('is the one asked for, or where it is taken another', async () => {
    const first = await create();
    const { port } = await first.ensureInstance();
    const second = await create({ instance: { port } });
    expect((await second.ensureInstance()).port).not.toBe(port);
    const inUse = `Port "${port}" already in use`;
    await expect(create({ instance: { port, portGeneration: false } })).rejects.toThrow(inUse);
    await expect(new MongoMemoryServer({ instance: { port } }).start(true)).rejects.toThrow(errors.StdoutInstanceError);
    await first.stop();
    expect((await (await create({ instance: { port, portGeneration: false } })).ensureInstance()).port).toBe(port);
  });
});

describe('its end', () => {
  test('other options count from the start after a cleanup on', async () => {
    const server = await create({ instance: { dbName: 'one' } });
    await server.stop({ doCleanup: false });
    server.opts = { instance: { dbName: 'two' } };
    await server.start();
    expect(server.instanceInfo?.dbName).toBe('one');
    await server.stop();
    await server.start();
    expect(server.instanceInfo?.dbName).toBe('two');
  });

  test('without a cleanup it can be started again, with its data, where it was', async () => {
    const server = await create();
    const uri = server.getUri();
    await insertInto(uri);
    await server.stop({ doCleanup: false });
    expect(server.state).toBe('stopped');
    expect(() => server.getUri()).toThrow(errors.StateError);
    await server.start();
    expect(server.getUri()).toBe(uri);
    expect(await countIn(uri)).toBe(1);
  });

  test('on a disk its data outlive it, unless they are cleared away by force', async () => {
    const dbPath = mkdtempSync(join(tmpdir(), 'replsim-mms-'));
    try {
      const first = await create({ instance: { dbPath } });
      await insertInto(first.getUri());
      await first.stop();
      const second = await create({ instance: { dbPath } });
      expect(await countIn(second.getUri())).toBe(1);
      await second.stop({ doCleanup: true, force: true });
      expect(existsSync(dbPath)).toBe(false);
    } finally {
      rmSync(dbPath, { recursive: true, force: true });
    }
  });

  test('of a block', async () => {
    const left: MongoMemoryServer[] = [];
    {
      await using server = await create();
      left.push(server);
      await using kept = await create({ dispose: { enabled: false } });
      left.push(kept);
    }
    expect(left.map(({ state }) => state)).toEqual(['new', 'running']);
  });
});

describe('what there is not', () => {
  test.for<[call: string, attempt: () => Promise<unknown>]>([
    ['createAuth', () => new MongoMemoryServer().createAuth()],
    ['MongoBinary.getPath', () => MongoBinary.getPath({ version: '8.0.0' })],
    ['MongoBinary.download', () => MongoBinary.download()],
    ['DryMongoBinary.locateBinary', () => DryMongoBinary.locateBinary()],
  ])('%s says so', async ([call, attempt]) => {
    await expect(attempt()).rejects.toThrow(call);
    await expect(attempt()).rejects.toThrow(errors.GenericMMSError);
  });
});

test('it is the default export, too', () => {
  expect(defaultExport).toBe(MongoMemoryServer);
});
