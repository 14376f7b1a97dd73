import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '@replsim/cli';
import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { afterEach, expect, test } from 'vitest';

// A member finds itself in a config by whatever name resolves to it, and clients find it by that name.

let set: ReplicaSet;
const clients: MongoClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await set?.stop();
});

const portOf = (index: number) => set.members[index]!.host.split(':').at(-1);

function connect(uri: string): MongoClient {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5000 });
  clients.push(client);
  return client;
}

const direct = (index = 0) => connect(`mongodb://${set.members[index]!.host}/?directConnection=true`).db('admin');

async function initiate(names: readonly string[]): Promise<string[]> {
  const hosts = names.map((name, index) => `${name}:${portOf(index)}`);
  const members = hosts.map((host, _id) => ({ _id, host }));
  await direct().command({ replSetInitiate: { _id: 'rs0', members } });
  await set.untilPrimary();
  return hosts;
}

async function rejected(promise: Promise<unknown>): Promise<{ code: number; message: string }> {
  return promise.then(
    () => expect.unreachable(),
    (error) => error,
  );
}

test.for([
  ['localhost'],
  ['127.0.0.1'],
  ['[::1]'],
  ['127.0.1.1'],
  [hostname()],
  ['localhost', 'localhost', 'localhost'],
  ['localhost', '[::1]', '127.0.1.1'],
  [hostname(), hostname()],
  [hostname().toUpperCase()],
  [hostname().toUpperCase(), hostname().toLowerCase(), 'LOCALHOST'],
])('a set that is initiated by %s', async (names) => {
  set = await ReplicaSet.start({ members: names.length, initiate: false });
  const hosts = await initiate(names);
  const hello = await direct().command({ hello: 1 });
  expect([hello.hosts, hello.me, hello.primary]).toEqual([hosts, hosts[0], hosts[0]]);
  const { members } = await set.command('primary', { replSetGetStatus: 1 });
  expect((members as { name: string; health: number }[]).map(({ name, health }) => [name, health])).toEqual(
    hosts.map((host) => [host, 1]),
  );
  const client = connect(`mongodb://${hosts.at(-1)}/?replicaSet=rs0`);
  const items = client.db('app').collection<{ _id: number }>('items');
  await items.insertOne({ _id: 1 }, { writeConcern: { w: names.length } });
  if (names.length < 3) return;
  await set.stepDown();
  await items.insertOne({ _id: 2 });
  const killed = set.primary!;
  await set.kill(killed);
  await set.untilPrimary({ other: killed });
  await items.insertOne({ _id: 3 });
  await set.start(killed);
  await set.advance('10s');
  const isolated = set.primary!;
  await set.partition([[isolated], set.members.map(({ name }) => name).filter((name) => name !== isolated)]);
  await set.untilPrimary({ other: isolated });
  await set.heal();
  await set.advance('10s');
  await items.insertOne({ _id: 4 }, { writeConcern: { w: 3 } });
  await set.restart('secondaries');
  expect(await items.countDocuments()).toBe(4);
});

test('a config of one member, then others are added and removed by another spelling', async () => {
  set = await ReplicaSet.start({ members: 1, spares: 1, initiate: false });
  const [host] = await initiate(['localhost']);
  const added = `127.0.0.1:${portOf(1)}`;
  const { config } = await direct().command({ replSetGetConfig: 1 });
  const grown = { ...config, version: config.version + 1, members: [...config.members, { _id: 1, host: added }] };
  await direct().command({ replSetReconfig: grown });
  await set.advance('10s');
  expect(await direct(1).command({ hello: 1 })).toMatchObject({ hosts: [host, added], me: added, secondary: true });
  const { config: now } = await direct().command({ replSetGetConfig: 1 });
  await direct().command({ replSetReconfig: { ...now, version: now.version + 1, members: [now.members[0]] } });
  await set.advance('5s');
  expect((await direct().command({ hello: 1 })).hosts).toEqual([host]);
});

test('a member that was killed is reached by its other address when it is back', async () => {
  set = await ReplicaSet.start({ members: 1, initiate: false });
  const [host] = await initiate(['[::1]']);
  await set.kill('n1');
  await set.start('n1');
  await set.untilPrimary();
  await connect(`mongodb://${host}/?replicaSet=rs0`).db('app').command({ ping: 1 });
});

test('what mongod refuses is refused', async () => {
  set = await ReplicaSet.start({ members: 2, initiate: false });
  const tried = (...hosts: string[]) =>
    rejected(direct().command({ replSetInitiate: { _id: 'rs0', members: hosts.map((host, _id) => ({ _id, host })) } }));
  const [one, two] = [portOf(0), portOf(1)];
  expect(await tried(`localhost:${one}`, `n2.example:${two}`)).toMatchObject({
    message: expect.stringContaining(
      'Either all host names in a replica set configuration must be localhost references',
    ),
  });
  expect(await tried(`localhost:${one}`, `127.0.0.1:${one}`)).toMatchObject({
    code: 93,
    message: expect.stringMatching(/^The hosts localhost:\d+ and 127\.0\.0\.1:\d+ all map to this node in new config/),
  });
  expect(await tried(`localhost:${two}`)).toMatchObject({
    code: 93,
    message: expect.stringContaining('maps to this node'),
  });
  // Nobody listens there; and nobody knows that name.
  expect((await tried(`localhost:${one}`, 'localhost:1')).message).toMatch(
    /localhost:1 failed with Connection refused/,
  );
  expect((await tried(`127.0.0.1:${one}`, '[::1]:1')).message).toMatch(/\[::1\]:1 failed with Connection refused/);
  expect((await tried(`${hostname()}:${one}`, 'nobody.invalid:1')).message).toMatch(/Host not found/);
  expect((await tried(`${hostname()}:${one}`, '192.0.2.1:1')).message).toMatch(/No route to host/);
});

test('a port where nobody listens is refused in heartbeats, too', async () => {
  set = await ReplicaSet.start({ members: 1, initiate: false });
  await initiate(['localhost']);
  const { config } = await direct().command({ replSetGetConfig: 1 });
  const members = [...config.members, { _id: 1, host: 'localhost:1', votes: 0, priority: 0 }];
  await direct().command({ replSetReconfig: { ...config, version: config.version + 1, members } });
  await set.advance('5s');
  const { members: seen } = await direct().command({ replSetGetStatus: 1 });
  expect(seen[1]).toMatchObject({
    name: 'localhost:1',
    health: 0,
    lastHeartbeatMessage: expect.stringMatching(/refused/),
  });
});

test('the recording of such a run is the same run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-'));
  try {
    const record = join(folder, 'recorded.yaml');
    set = await ReplicaSet.start({ members: 3, initiate: false, record });
    await initiate(['[::1]', 'localhost', '127.0.1.1']);
    await set.stepDown();
    const { term, members } = await set.command('primary', { replSetGetStatus: 1 });
    const states = (members as { name: string; stateStr: string }[]).map(({ name, stateStr }) => ({ name, stateStr }));
    await set.stop();
    const matches = JSON.stringify({ term, members: { $elemMatch: states[1] } });
    appendFileSync(record, `  - expect: { on: primary, command: { replSetGetStatus: 1 }, matches: ${matches} }\n`);
    const told: string[] = [];
    const tell = (text: string) => void told.push(text);
    expect(await main(['run', record], { out: tell, err: tell, colours: false, progress: false }), told.join('')).toBe(
      0,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a set whose data are on disk is found by the same names when it goes on', async () => {
  const dbpath = mkdtempSync(join(tmpdir(), 'replsim-'));
  try {
    set = await ReplicaSet.start({ members: 1, initiate: false, dbpath });
    const [host] = await initiate(['[::1]']);
    for (const client of clients.splice(0)) await client.close();
    await set.stop();
    set = await ReplicaSet.start({ dbpath });
    await connect(`mongodb://${host}/?replicaSet=rs0`).db('app').collection('c').insertOne({});
  } finally {
    for (const client of clients.splice(0)) await client.close();
    await set.stop();
    rmSync(dbpath, { recursive: true });
  }
});
