import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errors, MongoMemoryReplSet, type MongoMemoryReplSetOpts } from '../../src/mongodb-memory-server.ts';

let started: MongoMemoryReplSet[] = [];

const create = async (opts?: Partial<MongoMemoryReplSetOpts>) => {
  const replSet = await MongoMemoryReplSet.create(opts);
  started.push(replSet);
  return replSet;
};

const withClient = async <Result>(uri: string, use: (client: MongoClient) => Promise<Result>): Promise<Result> => {
  const client = new MongoClient(uri);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

const countIn = (uri: string) => withClient(uri, (client) => client.db('app').collection('items').countDocuments());
const insertInto = (uri: string) =>
  withClient(uri, (client) =>
    client
      .db('app')
      .collection('items')
      .insertOne({ a: 1 }, { writeConcern: { w: 'majority' } }),
  );

afterEach(async () => {
  for (const replSet of started) await replSet.stop();
  started = [];
});

describe('by default', () => {
  test('it is one member of "testset", imitating 8.2, with an election timeout of five seconds', async () => {
    const replSet = await create();
    expect(replSet.state).toBe('running');
    const [server] = replSet.servers;
    expect(replSet.servers).toHaveLength(1);
    expect(replSet.getUri()).toBe(`mongodb://127.0.0.1:${server?.instanceInfo?.port}/?replicaSet=testset`);
    expect(server?.getUri('x')).toBe(`mongodb://127.0.0.1:${server?.instanceInfo?.port}/x`);
    await withClient(replSet.getUri(), async (client) => {
      expect((await client.db('admin').command({ buildInfo: 1 })).version).toMatch(/^8\.2\./);
      const { config } = await client.db('admin').command({ replSetGetConfig: 1 });
      expect(config).toMatchObject({ _id: 'testset', settings: { electionTimeoutMillis: 5000 } });
    });
  });

  test('its options say so', () => {
    expect(new MongoMemoryReplSet().replSetOpts).toEqual({
      auth: { enable: false },
      args: [],
      name: 'testset',
      count: 1,
      dbName: '',
      ip: '127.0.0.1',
      spawn: {},
      storageEngine: 'wiredTiger',
      configSettings: {},
      dispose: {},
    });
  });
});

describe('what is asked for', () => {
  test('members, name, parameters, config', async () => {
    const replSet = await create({
      binary: { version: '7.0.14' },
      instanceOpts: [
        { replicaMemberConfig: { priority: 5 }, args: ['--setParameter', 'ttlMonitorSleepSecs=3'] },
        { replicaMemberConfig: { priority: 0, hidden: true } },
      ],
      replSet: { count: 3, name: 'orders', configSettings: { heartbeatIntervalMillis: 500 }, args: ['--quiet'] },
    });
    const ports = replSet.servers.map(({ instanceInfo }) => instanceInfo?.port);
    expect(replSet.getUri('shop')).toBe(
      `mongodb://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/shop?replicaSet=orders`,
    );
    expect(replSet.servers.map(({ instanceInfo }) => instanceInfo?.instance.isInstancePrimary)).toEqual([
      true,
      false,
      false,
    ]);
    await withClient(replSet.getUri(), async (client) => {
      const admin = client.db('admin');
      expect((await admin.command({ buildInfo: 1 })).version).toMatch(/^7\.0\./);
      expect(await admin.command({ getParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({
        ttlMonitorSleepSecs: 3,
      });
      const { config } = await admin.command({ replSetGetConfig: 1 });
      expect(config.settings).toMatchObject({ heartbeatIntervalMillis: 500, electionTimeoutMillis: 5000 });
      expect(config.members).toMatchObject([{ priority: 5 }, { priority: 0, hidden: true }, { priority: 1 }]);
    });
  });

  test('there is a member for each entry of instanceOpts', async () => {
    expect((await create({ instanceOpts: [{}, {}], replSet: { count: 1 } })).servers).toHaveLength(2);
  });

  test('a port, or where it is taken another', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    const replSet = await create({ instanceOpts: [{ port }, {}] });
    const ports = replSet.servers.map(({ instanceInfo }) => instanceInfo?.port);
    expect(ports).not.toContain(port);
    await new Promise((resolve) => taken.close(resolve));
    expect((await create({ instanceOpts: [{ port }] })).servers[0]?.instanceInfo?.port).toBe(port);
  });
});

describe('states', () => {
  test('are told as they change, and say what may be done', async () => {
    const replSet = new MongoMemoryReplSet({ replSet: { count: 1 } });
    started.push(replSet);
    const seen: string[] = [];
    replSet.on('stateChange', (state) => seen.push(state));
    expect(() => replSet.getUri()).toThrow(errors.StateError);
    await expect(replSet.waitUntilRunning()).rejects.toThrow(errors.StateError);
    replSet.replSetOpts = { name: 'other' };
    replSet.binaryOpts = { version: '8.0.0' };
    replSet.instanceOpts = [{}, {}];
    const starting = replSet.start();
    await replSet.waitUntilRunning();
    expect(replSet.state).toBe('running');
    await starting;
    expect(replSet.getUri()).toMatch(/^mongodb:\/\/[\d.]+:\d+,[\d.]+:\d+\/\?replicaSet=other$/);
    await expect(replSet.start()).rejects.toThrow(
      'MongoMemoryReplSet.start requires the state stopped, but the state is running',
    );
    await expect(replSet.cleanup()).rejects.toThrow(errors.StateError);
    for (const change of [
      () => {
        replSet.replSetOpts = {};
      },
      () => {
        replSet.binaryOpts = {};
      },
      () => {
        replSet.instanceOpts = [];
      },
    ])
      expect(change).toThrow(errors.StateError);
    expect(await replSet.stop()).toBe(true);
    expect(seen).toEqual(['init', 'running', 'stopped']);
    expect(replSet.servers).toEqual([]);
    expect(await replSet.stop()).toBe(true);
  });

  test('who stops it while it starts waits for that', async () => {
    const replSet = new MongoMemoryReplSet();
    const starting = replSet.start();
    expect(await replSet.stop()).toBe(true);
    await starting;
    expect([replSet.state, replSet.servers]).toEqual(['stopped', []]);
  });

  test('a second start that fails can be tried again', async () => {
    const replSet = await create({ replSet: { count: 3 } });
    await insertInto(replSet.getUri());
    const port = replSet.servers[1]?.instanceInfo?.port;
    await replSet.stop({ doCleanup: false });
    const inTheWay = createServer().listen(port, '127.0.0.1');
    await once(inTheWay, 'listening');
    await expect(replSet.start()).rejects.toThrow(`port ${port} of 127.0.0.1 is taken`);
    expect(replSet.state).toBe('stopped');
    inTheWay.close();
    await once(inTheWay, 'close');
    await replSet.start();
    expect(await countIn(replSet.getUri())).toBe(1);
  });

  test('a start that fails leaves it stopped', async () => {
    const replSet = new MongoMemoryReplSet({ replSet: { configSettings: { electionTimeout: 1 } as object } });
    await expect(replSet.start()).rejects.toThrow(/unknown key "electionTimeout"/);
    expect(replSet.state).toBe('stopped');
    replSet.replSetOpts = {};
    await replSet.start();
    expect(replSet.state).toBe('running');
    started.push(replSet);
  });

  test.for<[config: object, message: RegExp]>([
    [{ votes: 2 }, /instanceOpts\.replicaMemberConfig\.votes: /],
    [{ slaveDelay: 5 }, /since MongoDB 5.0 it is called secondaryDelaySecs/],
    [{ hidden: true }, /a hidden member needs priority 0/],
  ])('a config that a mongod would refuse: %j', async ([replicaMemberConfig, message]) => {
    await expect(MongoMemoryReplSet.create({ instanceOpts: [{ replicaMemberConfig }, {}] })).rejects.toThrow(message);
  });

  test('fewer than one member', () => {
    expect(() => new MongoMemoryReplSet({ replSet: { count: 0 } })).toThrow(errors.ReplsetCountLowError);
  });
});

describe('its end', () => {
  test('without a cleanup it can be started again, with its data, where it was', async () => {
    const replSet = await create({ replSet: { count: 3 } });
    const uri = replSet.getUri();
    await insertInto(uri);
    await replSet.stop({ doCleanup: false });
    expect(replSet.servers.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
    await replSet.start();
    expect(replSet.getUri()).toBe(uri);
    expect(await countIn(uri)).toBe(1);
  });

  test.for([undefined, true, { doCleanup: true }])('with a cleanup (%j) nothing is left', async (cleanup) => {
    const replSet = await create();
    await insertInto(replSet.getUri());
    await replSet.stop(cleanup);
    await replSet.start();
    expect(await countIn(replSet.getUri())).toBe(0);
  });

  test.for([false, { force: true }, {}])('%j is no cleanup', async (cleanup) => {
    const replSet = await create();
    await insertInto(replSet.getUri());
    await replSet.stop(cleanup);
    await replSet.start();
    expect(await countIn(replSet.getUri())).toBe(1);
  });

  test('cleanup may come later', async () => {
    const replSet = await create();
    await replSet.stop({ doCleanup: false });
    await replSet.cleanup({ doCleanup: false });
    expect(replSet.servers).toHaveLength(1);
    await replSet.cleanup();
    expect(replSet.servers).toEqual([]);
  });

  test('of a block', async () => {
    const left: MongoMemoryReplSet[] = [];
    {
      await using replSet = await create();
      left.push(replSet);
      await using kept = await create({ replSet: { dispose: { enabled: false } } });
      left.push(kept);
      await using data = await create({ replSet: { dispose: { cleanup: { doCleanup: false } } } });
      left.push(data);
    }
    expect(left.map(({ state, servers }) => [state, servers.length])).toEqual([
      ['stopped', 0],
      ['running', 1],
      ['stopped', 1],
    ]);
  });
});

describe('on a disk', () => {
  let dbPath: string;
  beforeEach(() => {
    dbPath = mkdtempSync(join(tmpdir(), 'replsim-mms-'));
    return () => rmSync(dbPath, { recursive: true, force: true });
  });

  test('the data of a member alone outlive it, unless they are cleared away by force', async () => {
    const first = await create({ instanceOpts: [{ dbPath }] });
    await insertInto(first.getUri());
    await first.stop();
    const second = await create({ instanceOpts: [{ dbPath }] });
    expect(await countIn(second.getUri())).toBe(1);
    expect(second.servers[0]?.instanceInfo?.dbPath).toBe(dbPath);
    await second.stop({ doCleanup: true, force: true });
    expect(() => readdirSync(dbPath)).toThrow(/ENOENT/);
  });

  test('of several members they cannot be', async () => {
    await expect(MongoMemoryReplSet.create({ instanceOpts: [{}, { dbPath }] })).rejects.toThrow(
      /^MongoMemoryReplSet: instanceOpts\.1\.dbPath: a set of several members keeps its data in one folder/,
    );
  });
});

describe('its servers', () => {
  test('the primary can be stopped, and started again', async () => {
    const replSet = await create({ replSet: { count: 3 } });
    const isPrimary = ({ instanceInfo }: (typeof replSet.servers)[number]) =>
      instanceInfo?.instance.isInstancePrimary === true;
    const primary = replSet.servers.find(isPrimary);
    await insertInto(replSet.getUri());
    await primary?.stop({ doCleanup: false });
    expect(primary?.state).toBe('stopped');
    await insertInto(replSet.getUri());
    expect(replSet.servers.filter(isPrimary)).toHaveLength(1);
    expect(replSet.servers.find(isPrimary)).not.toBe(primary);
    await primary?.start();
    expect(primary?.state).toBe('running');
    expect(await countIn(replSet.getUri())).toBe(2);
  });

  test('one whose data were cleared away copies those of the others', async () => {
    const replSet = await create({ replSet: { count: 3 } });
    await insertInto(replSet.getUri());
    const [server] = replSet.servers;
    await server?.stop();
    expect(server?.state).toBe('new');
    expect(() => replSet.getUri()).toThrow(errors.InstanceInfoError);
    await server?.start();
    await replSet.replicaSet.advance('1m');
    const { port } = server?.instanceInfo ?? {};
    const uri = `mongodb://127.0.0.1:${port}/?directConnection=true&readPreference=secondaryPreferred`;
    expect(await countIn(uri)).toBe(1);
    expect(await replSet.replicaSet.command('n1', { getLog: 'startupWarnings' })).toMatchObject({ ok: 1 });
  });
});

test('its clock can be turned', async () => {
  const replSet = await create();
  await withClient(replSet.getUri(), async (client) => {
    const sessions = client.db('app').collection('sessions');
    await sessions.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await sessions.insertOne({ at: replSet.replicaSet.now() });
    await replSet.replicaSet.advance('61s');
    await replSet.replicaSet.untilTtlPass();
    expect(await sessions.countDocuments()).toBe(0);
  });
  await replSet.stop();
  expect(() => replSet.replicaSet).toThrow(errors.StateError);
});
