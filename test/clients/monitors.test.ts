import type { Document, MongoClient, ServerHeartbeatSucceededEvent, TopologyDescriptionChangedEvent } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { connected, directUri, namesOf, nextEvent, useClients, useServedSet } from './servedSets.ts';

// What the driver's monitors report: golden lists of its own events.

const newClient = useClients();

describe('a set of three', () => {
  const served = useServedSet({ members: [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }] });

  const nameOf = (host: string) => namesOf(served(), [host])[0]!;

  /** The kinds of the servers in each description of the set, as they followed one another. */
  function descriptions(client: MongoClient): string[] {
    const lines: string[] = [];
    client.on('topologyDescriptionChanged', ({ newDescription: { type, servers } }) => {
      const members = [...servers].map(([host, server]) => `${nameOf(host)} ${server.type}`).sort();
      const line = [type, ...members].join(', ');
      if (lines.at(-1) !== line) lines.push(line);
    });
    return lines;
  }

  test('one seed: the set is found step by step', async () => {
    const client = newClient(`mongodb://${served().set.hostOf('n1')}/?replicaSet=rs0`);
    const seen = descriptions(client);
    await connected(client);
    expect(seen.slice(0, 2)).toEqual([
      'ReplicaSetNoPrimary, n1 Unknown',
      'ReplicaSetWithPrimary, n1 RSPrimary, n2 Unknown, n3 Unknown',
    ]);
    expect(seen.at(-1)).toBe('ReplicaSetWithPrimary, n1 RSPrimary, n2 RSSecondary, n3 RSSecondary');
  });

  test('the streams push: no step-down waits for a poll', async () => {
    const client = await connected(newClient(served().uri, { heartbeatFrequencyMS: 60_000 }));
    const seen = descriptions(client);
    const awaited: boolean[] = [];
    client.on('serverHeartbeatSucceeded', (event) => void awaited.push(event.awaited));
    const ready = nextEvent<TopologyDescriptionChangedEvent>(
      client,
      'topologyDescriptionChanged',
      ({ newDescription }) =>
        [...newDescription.servers.values()].some(
          ({ type, address }) => type === 'RSPrimary' && nameOf(address) !== 'n1',
        ),
    );
    const primary = await served().stepDown({ secs: 12 });
    await ready;
    // It stops to take writes first, and becomes a secondary then: each change is answered.
    expect(seen[0]).toBe('ReplicaSetNoPrimary, n1 RSOther, n2 RSSecondary, n3 RSSecondary');
    expect(seen[1]).toBe('ReplicaSetNoPrimary, n1 RSSecondary, n2 RSSecondary, n3 RSSecondary');
    const other = primary === 'n2' ? 'n3' : 'n2';
    const now = { n1: 'RSSecondary', [primary]: 'RSPrimary', [other]: 'RSSecondary' };
    const line = `ReplicaSetWithPrimary, n1 ${now.n1}, n2 ${now.n2}, n3 ${now.n3}`;
    expect(seen).toContain(line);
    expect(new Set(awaited)).toEqual(new Set([true]));
  });

  test('what is pushed has ever newer versions of one process, and comes on one connection', async () => {
    const client = await connected(newClient(served().uri));
    // Its state changes with the step-down, and changes back.
    const host = served().set.hostOf(await served().untilPrimary());
    const replies: ServerHeartbeatSucceededEvent[] = [];
    client.on('serverHeartbeatSucceeded', (event) => {
      if (event.connectionId === host) replies.push(event);
    });
    const two = nextEvent<ServerHeartbeatSucceededEvent>(client, 'serverHeartbeatSucceeded', () => replies.length >= 2);
    await served().stepDown({ secs: 12 });
    await served().advance(40_000_000);
    await two;
    const versions = replies.map(({ reply }) => reply.topologyVersion);
    expect(new Set(versions.map(({ processId }) => String(processId))).size).toBe(1);
    const counters = versions.map(({ counter }) => Number(counter));
    expect(counters).toEqual([...new Set(counters)].sort((a, b) => a - b));
    expect(new Set(replies.map(({ reply }) => reply.connectionId)).size).toBe(1);
  });

  test('with nothing to tell, a stream tells so when the client has waited long enough, again and again', async () => {
    const client = await connected(newClient(served().uri, { heartbeatFrequencyMS: 500 }));
    const host = served().set.hostOf('n2');
    const replies: Document[] = [];
    await nextEvent<ServerHeartbeatSucceededEvent>(client, 'serverHeartbeatSucceeded', ({ connectionId, reply }) => {
      if (connectionId === host) replies.push(reply);
      return replies.length >= 3;
    });
    for (const reply of replies) expect(reply).toMatchObject({ ok: 1, setName: 'rs0' });
    expect(new Set(replies.map(({ topologyVersion }) => Number(topologyVersion.counter))).size).toBe(1);
  });

  test('a client may poll', async () => {
    const client = newClient(served().uri, { serverMonitoringMode: 'poll', heartbeatFrequencyMS: 500 });
    const started: boolean[] = [];
    client.on('serverHeartbeatStarted', (event) => void started.push(event.awaited));
    const enough = nextEvent(client, 'serverHeartbeatStarted', () => started.length >= 6);
    await client.connect();
    await enough;
    expect(new Set(started)).toEqual(new Set([false]));
  });

  test('a death is known to the client before it is looked for', async () => {
    const client = await connected(newClient(served().uri, { heartbeatFrequencyMS: 60_000 }));
    const primary = await served().untilPrimary();
    const host = served().set.hostOf(primary);
    const failed = nextEvent(
      client,
      'serverHeartbeatFailed',
      ({ connectionId }: { connectionId: string }) => connectionId === host,
    );
    await served().act({ type: 'kill', member: primary });
    expect(await failed).toMatchObject({ awaited: true });
    await served().untilPrimary();
    await served().start(primary);
  });
});

describe('a process that is in no set', () => {
  const served = useServedSet({ members: [{ name: 'n1', standalone: true }], initiate: false });

  test('is a standalone', async () => {
    const client = newClient(`mongodb://${served().set.hostOf('n1')}`);
    const seen = nextEvent<TopologyDescriptionChangedEvent>(
      client,
      'topologyDescriptionChanged',
      ({ newDescription: { servers } }) => [...servers.values()].some(({ type }) => type !== 'Unknown'),
    );
    await client.connect();
    expect([...(await seen).newDescription.servers.values()].map(({ type }) => type)).toEqual(['Standalone']);
    expect(await client.db('app').collection('items').insertOne({})).toMatchObject({ acknowledged: true });
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  });
});

describe.for([
  ['8.2', 27],
  ['8.0', 25],
  ['7.0', 21],
] as const)('version %s', ([version, maxWireVersion]) => {
  const served = useServedSet({ members: 1, version });

  test('is the wire version', async () => {
    const client = newClient(directUri(served(), 'n1'));
    const heard = nextEvent<ServerHeartbeatSucceededEvent>(client, 'serverHeartbeatSucceeded', () => true);
    await client.connect();
    expect((await heard).reply).toMatchObject({ minWireVersion: 0, maxWireVersion });
    const bulk = client.bulkWrite([{ name: 'insertOne', namespace: 'app.c', document: {} }]);
    if (maxWireVersion >= 25) expect(await bulk).toMatchObject({ insertedCount: 1 });
    else await expect(bulk).rejects.toThrow();
  });
});
