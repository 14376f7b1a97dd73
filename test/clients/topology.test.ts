import {
  type MongoClient,
  MongoServerSelectionError,
  ReadPreference,
  type ServerDescription,
  type TopologyDescriptionChangedEvent,
} from 'mongodb';
import { describe, expect, test } from 'vitest';
import { directUri, namesOf, nextEvent, useClients, useServedSet } from './servedSets.ts';

// How the driver finds the members, and what it takes them for.

const served = useServedSet({
  members: [
    { name: 'n1', config: { priority: 2, tags: { dc: 'east', rack: '7' } } },
    { name: 'n2', config: { tags: { dc: 'west' } } },
    { name: 'n3', config: { tags: { dc: 'west', use: 'reports' } } },
    { name: 'n4', config: { priority: 0, hidden: true, votes: 0 } },
    { name: 'n5', config: { arbiterOnly: true, priority: 0 } },
  ],
  spares: 1,
});
const newClient = useClients();

const portOf = (member: string) => served().set.hostOf(member).split(':')[1]!;

/** What the client takes each member for, once `wanted` holds. */
async function kinds(client: MongoClient, members: number): Promise<Record<string, string>> {
  const known = (servers: Iterable<ServerDescription>) => [...servers].filter(({ type }) => type !== 'Unknown').length;
  const seen = nextEvent<TopologyDescriptionChangedEvent>(
    client,
    'topologyDescriptionChanged',
    ({ newDescription: { servers } }) => known(servers.values()) === members && servers.size === members,
  );
  await client.connect();
  const { newDescription } = await seen;
  const types = [...newDescription.servers].map(([host, { type }]) => [namesOf(served(), [host])[0], type]);
  return Object.fromEntries(types.sort());
}

const EVERYBODY = { n1: 'RSPrimary', n2: 'RSSecondary', n3: 'RSSecondary', n5: 'RSArbiter' };

test.for(['n1', 'n2', 'n3', 'n5'])('from %s alone the client finds everybody but the hidden member', async (seed) => {
  expect(await kinds(newClient(`mongodb://127.0.0.1:${portOf(seed)}/?replicaSet=rs0`), 4)).toEqual(EVERYBODY);
});

test('a seed that is spelled otherwise is replaced by the configured name', async () => {
  expect(await kinds(newClient(`mongodb://localhost:${portOf('n2')}/?replicaSet=rs0`), 4)).toEqual(EVERYBODY);
});

test('a client without a set name finds the set too', async () => {
  expect(await kinds(newClient(`mongodb://127.0.0.1:${portOf('n1')},127.0.0.1:${portOf('n2')}`), 4)).toEqual(EVERYBODY);
});

test('a client of another set finds nobody', async () => {
  const client = newClient(`mongodb://127.0.0.1:${portOf('n1')}/?replicaSet=other`, { serverSelectionTimeoutMS: 200 });
  await expect(client.connect()).rejects.toBeInstanceOf(MongoServerSelectionError);
});

test.for([
  ['n1', 'RSPrimary'],
  ['n2', 'RSSecondary'],
  ['n4', 'RSOther'],
  ['n5', 'RSArbiter'],
  ['n6', 'RSGhost'],
])('directly connected, %s is %s and answers', async ([member, type]) => {
  const client = newClient(directUri(served(), member!));
  expect(await kinds(client, 1)).toEqual({ [member!]: type });
  expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  const write = client.db('app').collection('direct').insertOne({ member });
  if (member === 'n1') await write;
  else
    await expect(write).rejects.toMatchObject({
      code: member === 'n6' || member === 'n5' ? expect.any(Number) : 10107,
    });
});

test('a secondary that is asked directly lets itself be read', async () => {
  await newClient(served().uri)
    .db('app')
    .collection<{ _id: number }>('read')
    .insertOne({ _id: 1 }, { writeConcern: { w: 4 } });
  const items = newClient(directUri(served(), 'n2')).db('app').collection<{ _id: number }>('read');
  expect(await items.find().toArray()).toEqual([{ _id: 1 }]);
  const hidden = newClient(directUri(served(), 'n4')).db('app').collection<{ _id: number }>('read');
  expect(await hidden.find().toArray()).toEqual([{ _id: 1 }]);
});

describe('reads go where the read preference says', () => {
  const cases: [string, ReadPreference, string[]][] = [
    ['primary', ReadPreference.primary, ['n1']],
    ['primaryPreferred', ReadPreference.primaryPreferred, ['n1']],
    ['secondary', ReadPreference.secondary, ['n2', 'n3']],
    ['secondaryPreferred', ReadPreference.secondaryPreferred, ['n2', 'n3']],
    ['nearest', ReadPreference.nearest, ['n1', 'n2', 'n3']],
    ['secondary with a tag', new ReadPreference('secondary', [{ use: 'reports' }]), ['n3']],
    ['nearest with a tag', new ReadPreference('nearest', [{ dc: 'east' }]), ['n1']],
    ['the second set of tags', new ReadPreference('secondary', [{ dc: 'east' }, { dc: 'west' }]), ['n2', 'n3']],
    ['maxStalenessSeconds', new ReadPreference('secondary', undefined, { maxStalenessSeconds: 90 }), ['n2', 'n3']],
  ];
  test.for(cases)('%s', async ([, readPreference, members]) => {
    const client = newClient(served().uri, { monitorCommands: true, localThresholdMS: 10_000 });
    await kinds(client, 4);
    const asked = new Set<string>();
    client.on('commandStarted', ({ commandName, address }) => {
      if (commandName === 'find') asked.add(address);
    });
    const items = client.db('app').collection('read', { readPreference });
    for (let i = 0; i < 40 && asked.size < members.length; i++) await items.findOne();
    for (let i = 0; i < 5; i++) await items.findOne();
    expect(namesOf(served(), asked)).toEqual(members);
  });

  test('no member has the tag', async () => {
    const client = newClient(served().uri, { serverSelectionTimeoutMS: 100 });
    const readPreference = new ReadPreference('secondary', [{ dc: 'north' }]);
    await expect(client.db('app').collection('read', { readPreference }).findOne()).rejects.toBeInstanceOf(
      MongoServerSelectionError,
    );
  });
});

test('members come and go with the config, and the client with them', async () => {
  const client = newClient(served().uri);
  await kinds(client, 4);
  const admin = client.db('admin');
  const hosts = (size: number) =>
    nextEvent<TopologyDescriptionChangedEvent>(
      client,
      'topologyDescriptionChanged',
      ({ newDescription: { servers } }) =>
        servers.size === size && [...servers.values()].every(({ type }) => type !== 'Unknown' && type !== 'RSOther'),
    ).then(({ newDescription }) => namesOf(served(), newDescription.servers.keys()));
  const { config } = await admin.command({ replSetGetConfig: 1 });
  const added = { ...config, version: config.version + 1, members: [...config.members, { _id: 9, host: served().set.hostOf('n6'), votes: 0, priority: 0 }] }; // biome-ignore format: one line
  const more = hosts(5);
  await admin.command({ replSetReconfig: added });
  await served().advance(20_000_000);
  expect(await more).toEqual(['n1', 'n2', 'n3', 'n5', 'n6']);
  const fewer = hosts(4);
  const now = (await admin.command({ replSetGetConfig: 1 })).config;
  const without = now.members.filter(({ _id }: { _id: number }) => _id !== 9);
  await admin.command({ replSetReconfig: { ...now, version: now.version + 1, members: without } });
  await served().advance(5_000_000);
  expect(await fewer).toEqual(['n1', 'n2', 'n3', 'n5']);
});
