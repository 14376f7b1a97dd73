import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { errors, MongoInstance, MongoMemoryReplSet, MongoMemoryServer } from '../../src/mongodb-memory-server.ts';

let started: (MongoMemoryServer | MongoMemoryReplSet)[] = [];

afterEach(async () => {
  for (const each of started) await each.stop();
  started = [];
});

async function member() {
  const replSet = await MongoMemoryReplSet.create({ replSet: { count: 3 } });
  started.push(replSet);
  const [server] = replSet.servers;
  if (server?.instanceInfo === undefined) throw new Error('it runs');
  const { instance } = server.instanceInfo;
  const heard: unknown[][] = [];
  const names = ['instanceLaunched', 'instanceReady', 'instanceStarted', 'instanceClosed', 'instanceError'];
  for (const name of names) instance.on(name, (...values: unknown[]) => heard.push([name, ...values]));
  return { replSet, server, instance, heard };
}

const STARTED = [['instanceLaunched'], ['instanceReady'], ['instanceStarted']];
const ENDED = ['instanceClosed', 0, null];

describe('its events', () => {
  test('tell of a shutdown, and of the next start', async () => {
    const { server, instance, heard } = await member();
    await server.stop({ doCleanup: false });
    expect(heard).toEqual([ENDED]);
    expect([instance.isInstanceReady, instance.isInstancePrimary]).toEqual([false, false]);
    await server.start();
    expect(heard).toEqual([ENDED, ...STARTED]);
    expect(instance.isInstanceReady).toBe(true);
  });

  test('tell of an end that nobody asked it for', async () => {
    const { replSet, heard } = await member();
    await replSet.replicaSet.kill('n2');
    expect(heard).toEqual([]);
    await replSet.replicaSet.kill('n1');
    expect(heard).toEqual([
      ['instanceError', expect.any(errors.UnexpectedCloseError)],
      ['instanceClosed', null, 'SIGKILL'],
    ]);
  });

  test('tell of the end of all', async () => {
    const { replSet, instance, heard } = await member();
    const closed = once(instance, 'instanceClosed');
    await replSet.stop();
    expect(await closed).toEqual([0, null]);
    expect(heard).toEqual([ENDED]);
    expect([instance.isInstanceReady, instance.isInstancePrimary]).toEqual([false, false]);
  });

  test('tell of it once, whoever ends it', async () => {
    const { replSet, heard } = await member();
    const set = replSet.replicaSet;
    await set.kill('n1');
    heard.length = 0;
    await set.stop();
    await set.cleanup();
    await replSet.stop();
    expect(heard).toEqual([]);
  });
});

test('it is no process, and has none', async () => {
  const server = await MongoMemoryServer.create();
  started.push(server);
  const { instance, tmpDir, replSet } = await server.ensureInstance();
  expect([instance.mongodProcess?.pid, instance.killerProcess?.pid, tmpDir, replSet]).toEqual(Array(4).fill(undefined));
  expect(server.auth?.customRootName).toBeUndefined();
});

test('it tells how it was started, with what it was not told', async () => {
  const replSet = await MongoMemoryReplSet.create({
    replSet: { dbName: 'app' },
    instanceOpts: [{ args: ['--quiet'] }],
  });
  started.push(replSet);
  const instanceInfo = await replSet.servers[0]?.ensureInstance();
  const { instance, ...data } = instanceInfo ?? {};
  expect(instance).toBeInstanceOf(MongoInstance);
  expect(instance?.instanceOpts).toEqual({ ...data, args: ['--quiet'], auth: false });
  expect(data).toMatchObject({ dbName: 'app', ip: '127.0.0.1', replSet: 'testset', storageEngine: 'wiredTiger' });
});

test('it can be stopped at the end of a block', async () => {
  const server = await MongoMemoryServer.create();
  started.push(server);
  const { instance } = await server.ensureInstance();
  await instance[Symbol.asyncDispose]();
  expect(instance.isInstanceReady).toBe(false);
});

test('nobody makes one by himself', async () => {
  const message = /there is no mongod to start; use MongoMemoryServer\.create\(\)/;
  await expect(MongoInstance.create({ instance: { port: 4711 } })).rejects.toThrow(message);
  expect(() => Reflect.construct(MongoInstance, [{}])).toThrow(errors.GenericMMSError);
  expect(() => Reflect.construct(MongoInstance, [{}])).toThrow(message);
});

test('the path of its data is its own, and nothing is there', async () => {
  const paths: string[] = [];
  for (let i = 0; i < 2; i++) {
    const server = await MongoMemoryServer.create();
    started.push(server);
    paths.push((await server.ensureInstance()).dbPath);
  }
  expect(paths).toEqual(Array(2).fill(expect.stringMatching(/replsim-in-memory.\d+$/)));
  expect(paths[0]).not.toBe(paths[1]);
});

class TalkingServer extends MongoMemoryServer {
  speak(): void {
    this.debug('mine: %s', 5, { a: 1 });
  }
}

class TalkingReplSet extends MongoMemoryReplSet {
  speak(): void {
    this.debug('mine: %s', 5, { a: 1 });
  }
}

test('a subclass writes lines of its own', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.stubEnv('DEBUG', 'replsim*');
  try {
    new TalkingServer().speak();
    new TalkingReplSet().speak();
    expect(written.mock.calls.map(([line]) => line)).toEqual(
      Array(2).fill('replsim:mongodb-memory-server mine: 5 { a: 1 }\n'),
    );
  } finally {
    written.mockRestore();
    vi.unstubAllEnvs();
  }
});
