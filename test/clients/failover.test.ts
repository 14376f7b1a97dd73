import { once } from 'node:events';
import type { MongoClientOptions, ServerHeartbeatFailedEvent } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { connected, nextEvent, useClients, useServedSet } from './servedSets.ts';
import { Writer } from './writer.ts';

// Every way to lose the primary: one writer inserts back to back, and the set loses its primary.

const served = useServedSet({ members: 3 });
const newClient = useClients();
let runs = 0;

async function writing(options: MongoClientOptions = {}): Promise<Writer> {
  const client = await connected(newClient(served().uri, options), options.serverMonitoringMode === 'poll' ? 0 : 3);
  const writer = await new Writer(client, `run${++runs}`).start();
  await writer.untilAcknowledged(5);
  return writer;
}

/** Ends what a test broke: every member runs, and has caught up. */
async function mend(): Promise<void> {
  for (const member of served().set.memberNames) {
    const { running, paused } = served().set.status(member);
    if (paused) await served().act({ type: 'resume', member });
    if (!running) await served().start(member);
  }
  await served().advance(15_000_000);
  await served().untilPrimary();
}

async function onAll(command: object): Promise<void> {
  for (const member of served().set.memberNames) await served().command(member, command);
}

describe('no error is seen by the application', () => {
  test('when the primary steps down', async () => {
    const writer = await writing();
    for (let i = 0; i < 5; i++) {
      await served().stepDown({ secs: 12 });
      await writer.untilAcknowledged(5);
      await served().advance(13_000_000);
    }
    const { errors } = await writer.stop();
    expect(errors).toEqual([]);
    await writer.expectExactlyOnce();
  });

  test('when the primary steps down, and the client polls', async () => {
    const writer = await writing({ serverMonitoringMode: 'poll', heartbeatFrequencyMS: 500 });
    await served().stepDown({ secs: 12 });
    await writer.untilAcknowledged(5);
    const { errors } = await writer.stop();
    expect(errors).toEqual([]);
    await writer.expectExactlyOnce();
  });

  test('when the primary is killed', async () => {
    const writer = await writing();
    await served().act({ type: 'kill', member: served().primary! });
    await served().untilPrimary();
    await writer.untilAcknowledged(5);
    const { errors } = await writer.stop();
    expect(errors).toEqual([]);
    await writer.expectExactlyOnce();
    await mend();
  });

  test('when the primary is killed with a write under way: the pool hears of it before the monitor', async () => {
    const client = await connected(newClient(served().uri, { monitorCommands: true }));
    const items = client.db('app').collection<{ _id: number }>('heard');
    // Connections that lie idle are closed, too.
    await Promise.all(Array.from({ length: 5 }, () => items.findOne()));
    const primary = served().primary!;
    const heard: string[] = [];
    client.on('commandFailed', ({ failure }) => heard.push(`command ${failure.name}`));
    const host = served().set.hostOf(primary);
    const noticed = nextEvent<ServerHeartbeatFailedEvent>(client, 'serverHeartbeatFailed', ({ connectionId }) => {
      if (connectionId === host) heard.push('heartbeat');
      return connectionId === host;
    });
    const data = { failCommands: ['insert'], blockConnection: true, blockTimeMS: 1e8 };
    await served().command(primary, { configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    const sent = once(client, 'commandStarted');
    const insert = items.insertOne({ _id: 1 });
    await sent;
    await served().act({ type: 'kill', member: primary });
    await noticed;
    await served().untilPrimary();
    expect(await insert).toMatchObject({ acknowledged: true });
    expect(heard).toEqual(['command MongoNetworkError', 'heartbeat']);
    await mend();
  });

  test('when the primary shuts down', async () => {
    const writer = await writing();
    for (let i = 0; i < 3; i++) {
      const ended = await served().untilPrimary();
      await served().shutdown(ended);
      await served().untilPrimary();
      await writer.untilAcknowledged(5);
      await served().start(ended);
      await served().advance(15_000_000);
    }
    const { errors } = await writer.stop();
    expect(errors).toEqual([]);
    await writer.expectExactlyOnce();
    await mend();
  });

  // The members tell nothing by themselves, so the client learns of the step-down from a write's error, and of the new
  // primary when the streams speak again.
  test('when the primary steps down, and nobody pushes', async () => {
    const writer = await writing({ appName: 'deaf', heartbeatFrequencyMS: 1000 });
    const data = { failCommands: ['hello', 'isMaster'], blockConnection: true, blockTimeMS: 1500, appName: 'deaf' };
    await onAll({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    await served().stepDown({ secs: 12 });
    await onAll({ configureFailPoint: 'failCommand', mode: 'off' });
    await writer.untilAcknowledged(5);
    const { errors } = await writer.stop();
    expect(errors).toEqual([]);
    await writer.expectExactlyOnce();
    await served().advance(13_000_000);
  });

  // Each request that it has is given up by the client itself; the set's other news reaches it all the same.
  test.for<[string, MongoClientOptions]>([
    ['no operation may last', { socketTimeoutMS: 1000 }],
    ['the monitors are quick to notice', { connectTimeoutMS: 1000, heartbeatFrequencyMS: 500 }],
  ])('when the primary goes silent, and %s', async ([, options]) => {
    const writer = await writing(options);
    await served().act({ type: 'pause', member: served().primary! });
    await served().untilPrimary();
    await writer.untilAcknowledged(5);
    const { errors } = await writer.stop();
    expect(errors).toEqual([]);
    await writer.expectExactlyOnce();
    await mend();
  });

  test('when the primary goes silent: what it was asked waits for it, the rest goes to its successor', async () => {
    const writer = await writing();
    const silent = served().primary!;
    await served().act({ type: 'pause', member: silent });
    await served().untilPrimary();
    const other = await new Writer(newClient(served().uri), `run${++runs}`).start();
    await other.untilAcknowledged(5);
    expect((await other.stop()).errors).toEqual([]);
    await other.expectExactlyOnce();
    await served().act({ type: 'resume', member: silent });
    await writer.untilAcknowledged(5);
    expect((await writer.stop()).errors).toEqual([]);
    await writer.expectExactlyOnce();
    await mend();
  });

  test('when a pool connection is closed under a write', async () => {
    const writer = await writing();
    const primary = served().primary!;
    for (let i = 0; i < 5; i++) {
      const data = { failCommands: ['insert', 'update'], closeConnection: true };
      await served().command(primary, { configureFailPoint: 'failCommand', mode: { times: 1 }, data });
      await writer.untilAcknowledged(3);
    }
    expect((await writer.stop()).errors).toEqual([]);
    await writer.expectExactlyOnce();
  });

  test('when a write is done and its connection closed before the answer', async () => {
    const writer = await writing();
    const primary = served().primary!;
    for (let i = 0; i < 5; i++) {
      await served().command(primary, { configureFailPoint: 'onPrimaryTransactionalWrite', mode: { times: 1 } });
      await writer.untilAcknowledged(3);
    }
    expect((await writer.stop()).errors).toEqual([]);
    await writer.expectExactlyOnce();
  });
});

describe('the application sees an error', () => {
  test('when the primary says that it stepped down, without the label: each time one', async () => {
    const writer = await writing();
    const data = { failCommands: ['insert'], errorCode: 189, errorLabels: [] };
    await served().command(served().primary!, { configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    await writer.untilAcknowledged(3);
    const { errors } = await writer.stop();
    expect(errors).toMatchObject([{ code: 189, codeName: 'PrimarySteppedDown' }]);
    await writer.expectExactlyOnce();
  });

  test('and the same with the label is no error', async () => {
    const writer = await writing();
    const data = { failCommands: ['insert'], errorCode: 189 };
    await served().command(served().primary!, { configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    await writer.untilAcknowledged(3);
    expect((await writer.stop()).errors).toEqual([]);
    await writer.expectExactlyOnce();
  });

  test('when the primary steps down and writes are not to be retried', async () => {
    const client = await connected(newClient(served().uri, { retryWrites: false, monitorCommands: true }));
    const items = client.db('app').collection<{ _id: number }>('notRetried');
    const data = { failCommands: ['insert'], blockConnection: true, blockTimeMS: 200 };
    await served().command(served().primary!, { configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    const sent = once(client, 'commandStarted');
    const insert = items.insertOne({ _id: 1 }).catch((error) => error);
    await sent;
    await served().stepDown({ secs: 12 });
    // It is ended where it stands, or comes too late.
    expect(['InterruptedDueToReplStateChange', 'NotWritablePrimary']).toContain((await insert).codeName);
    expect(await items.countDocuments()).toBe(0);
    await items.insertOne({ _id: 1 });
    await served().advance(13_000_000);
  });

  test('when the primary is killed and the client polls: the network, and nothing is lost', async () => {
    const writer = await writing({ serverMonitoringMode: 'poll', heartbeatFrequencyMS: 500 });
    await served().act({ type: 'kill', member: served().primary! });
    await served().untilPrimary();
    await writer.untilAcknowledged(5);
    const { errors } = await writer.stop();
    for (const { name } of errors) expect(name).toMatch(/^MongoNetworkError|^MongoPoolCleared/);
    await writer.expectExactlyOnce();
    await mend();
  });
});
