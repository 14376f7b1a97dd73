import type { MongoClientOptions } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { connected, useClients, useServedSet } from './servedSets.ts';
import { Writer } from './writer.ts';

// The table of wire.md §6: one writer inserts back to back, and the set loses its primary.

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
});
