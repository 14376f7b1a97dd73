import type { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';
import { Writer } from './writer.ts';

/** `npm run kills` goes on for longer. */
const KILLS = 8;

const served = useServedSet({ members: 3, settings: { electionTimeoutMillis: 2000 } });
const newClient = useClients();

/** Waits until a member streams its news to the client. */
function streamsOf(client: MongoClient): (host: string) => Promise<void> {
  const streaming = new Set<string>();
  const waiting = new Map<string, () => void>();
  client.on('serverHeartbeatStarted', ({ awaited, connectionId }) => {
    if (!awaited) return;
    streaming.add(connectionId);
    waiting.get(connectionId)?.();
  });
  client.on('serverHeartbeatFailed', ({ connectionId }) => streaming.delete(connectionId));
  return (host) =>
    new Promise((resolve) => {
      if (streaming.has(host)) resolve();
      else waiting.set(host, resolve);
    });
}

test(`the primary dies ${KILLS} times under a writer, who sees no error and loses nothing`, async () => {
  const client = newClient(served().uri, { minHeartbeatFrequencyMS: 20, heartbeatFrequencyMS: 500 });
  const streams = streamsOf(client);
  const writer = await new Writer(client, 'kills').start();
  const primaries = new Set<string>();
  for (let i = 0; i < KILLS; i++) {
    await writer.untilAcknowledged(2);
    const primary = served().primary!;
    primaries.add(primary);
    await streams(served().set.hostOf(primary));
    await served().act({ type: 'kill', member: primary });
    await served().untilPrimary();
    await writer.untilAcknowledged(2);
    await served().start(primary);
    await served().advance(3_000_000);
  }
  const { errors } = await writer.stop();
  expect(errors).toEqual([]);
  await writer.expectExactlyOnce();
  expect(primaries.size).toBeGreaterThan(1);
});
