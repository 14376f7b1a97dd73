import { MongoClient } from 'mongodb';
import { afterEach, expect, test } from 'vitest';
import { type Serving, serve } from '../../packages/cli/test/serving.ts';

let serving: Serving | undefined;
afterEach(async () => {
  await serving?.interrupt();
  serving = undefined;
});

/** Where each name is, for whoever has no DNS that says so. */
type Hosts = Readonly<Record<string, string>>;

/** A client for which these names are addresses, as in a network of containers. */
function clientOf(uri: string, hosts: Hosts): MongoClient {
  const lookup = (name: string, options: { all?: boolean }, done: (error: null, ...found: unknown[]) => void) => {
    const address = hosts[name] ?? 'unknown';
    if (options.all) done(null, [{ address, family: 4 }]);
    else done(null, address, 4);
  };
  return new MongoClient(uri, { lookup: lookup as never });
}

test('members with names of a compose file, each at the same port, are found and fail over by these', async () => {
  // A port that is free at 127.0.0.1 is so at its neighbours.
  const probe = await serve('--members', '1', '--port', '0', '--quiet');
  const { port } = new URL(probe.uri.replace('mongodb:', 'http:'));
  await probe.interrupt();
  const names = ['mongo1', 'mongo2', 'mongo3'].map((name) => `${name}:${port}`);
  serving = await serve('--quiet', '--speed', '0', ...names.flatMap((name, i) => ['--host-name', `n${i + 1}=${name}`]));
  expect(serving.uri).toBe(`mongodb://${names.join(',')}/?replicaSet=rs0`);
  const client = clientOf(serving.uri, { mongo1: '127.0.0.1', mongo2: '127.0.0.2', mongo3: '127.0.0.3' });
  try {
    const admin = client.db('admin');
    expect((await admin.command({ hello: 1 })).hosts).toEqual(names);
    const { config } = await admin.command({ replSetGetConfig: 1 });
    expect(config.members.map(({ host }: { host: string }) => host)).toEqual(names);
    await client
      .db('app')
      .collection('orders')
      .insertOne({ a: 1 }, { writeConcern: { w: 3 } });
    const { primary } = await admin.command({ replsimFault: { kill: 'primary' }, untilPrimary: true });
    expect(primary).not.toBe('n1');
    await client.db('app').collection('orders').insertOne({ a: 2 });
    expect((await admin.command({ hello: 1 })).me).toBe(names[Number(primary.slice(1)) - 1]);
  } finally {
    await client.close();
  }
});

test.for<[args: readonly string[], message: string]>([
  [['n1'], '--host-name takes MEMBER=HOST:PORT, such as n1=mongo1:27017, not n1'],
  [['n9=a:1'], 'there is no member n9; the members are n1, n2, n3'],
  [['n1=a'], 'the host name of n1 must be HOST:PORT, such as mongo1:27017, not a'],
  [['n1=a:99999'], 'the host name of n1 must be HOST:PORT'],
  [['n1=a:1'], 'n2, n3 must have a host name too: in a config all members are at localhost, or none is'],
  [['n1=a:1', 'n2=a:1', '--members', '2'], 'two members are called a:1; each needs a host name of its own'],
  [['n1=a:1', 'n2=b:1', '--members', '2', '--any-client'], 'host names may share a port only at 127.0.0.1'],
  [['n1=a:1', '--dbpath', '.'], 'host names cannot be given to a set whose data are on disk'],
])('--host-name %j is an error', async ([args, message]) => {
  await expect(serve('--quiet', '--host-name', ...args)).rejects.toThrow(message);
});

test('--any-client is said aloud, and listens everywhere', async () => {
  serving = await serve('--quiet', '--port', '0', '--members', '1', '--any-client');
  expect(serving.out()).toContain('open to every client that reaches this machine, without access control');
  const client = new MongoClient(
    serving.uri.replace('127.0.0.1', '127.0.0.9').replace('replicaSet=rs0', 'directConnection=true'),
  );
  expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  await client.close();
});
