import { MongoClient, type MongoServerError } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { MongoMemoryReplSet, MongoMemoryServer } from '../../src/mongodb-memory-server.ts';

// `auth` of mongodb-memory-server: its root user and further ones log in, may do what their roles say, and others nothing.

/** What comes of a command of this user. */
async function codeOf(uri: string, db: string, command: object, login?: string): Promise<number> {
  const url = login === undefined ? uri : uri.replace('//', `//${login}@`);
  const client = new MongoClient(url, { authSource: 'admin', serverSelectionTimeoutMS: 20_000 });
  try {
    await client.db(db).command(command);
    return 0;
  } catch (error) {
    return Number((error as MongoServerError).code);
  } finally {
    await client.close();
  }
}

const WRITE = { insert: 'x', documents: [{ a: 1 }] };
const STATUS = { serverStatus: 1 };

test('a replica set with users', async () => {
  const roles = [{ role: 'readWrite', db: 'app' }];
  const set = await MongoMemoryReplSet.create({
    replSet: {
      count: 3,
      auth: {
        enable: true,
        customRootName: 'boss',
        customRootPwd: 'secret',
        extraUsers: [{ createUser: 'app', pwd: 'pw', roles, database: 'admin' }],
      },
    },
  });
  onTestFinished(async () => void (await set.stop()));
  const uri = set.getUri();
  expect(await codeOf(uri, 'app', WRITE, 'boss:secret')).toBe(0);
  expect(await codeOf(uri, 'admin', STATUS, 'boss:secret')).toBe(0);
  expect(await codeOf(uri, 'app', WRITE, 'app:pw')).toBe(0);
  expect(await codeOf(uri, 'admin', STATUS, 'app:pw')).toBe(13);
  expect(await codeOf(uri, 'app', WRITE, 'app:no')).toBe(18);
  expect(await codeOf(uri, 'app', WRITE)).toBe(13);
});

test('a single server with the default user', async () => {
  const server = await MongoMemoryServer.create({ auth: { enable: true } });
  onTestFinished(async () => void (await server.stop()));
  expect(server.auth).toMatchObject({ customRootName: 'mongodb-memory-server-root', customRootPwd: 'rootuser' });
  expect(await codeOf(server.getUri(), 'a', WRITE, 'mongodb-memory-server-root:rootuser')).toBe(0);
  expect(await codeOf(server.getUri(), 'a', WRITE)).toBe(13);
});
