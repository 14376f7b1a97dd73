import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';
import { serve } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'replsim-record-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Serves a set until `work` is done with it. */
async function withServed(args: readonly string[], work: (client: MongoClient) => Promise<void>): Promise<void> {
  const serving = await serve('--port', '0', ...args);
  const client = new MongoClient(serving.uri);
  try {
    await streaming(client);
    await work(client);
  } finally {
    await client.close();
    expect(await serving.interrupt()).toBe(0);
  }
}

/** Until all members stream their news to the client: before that it may take a member that is dead for the primary. */
async function streaming(client: MongoClient): Promise<void> {
  const members = new Set<string>();
  const all = new Promise<void>((resolve) => {
    client.on('serverHeartbeatStarted', ({ awaited, connectionId }) => {
      if (awaited) members.add(connectionId);
      if (members.size === 3) resolve();
    });
  });
  await client.connect();
  await all;
}

function traceOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n');
}

test('what real clients did to a set is a scenario with the same trace', async () => {
  const [recording, live, replayed] = ['run.yaml', 'live.ndjson', 'replayed.ndjson'].map((name) => join(folder, name));
  await withServed(['--record', recording!, '--trace', live!, '--seed', '5'], async (client) => {
    const items = client.db('app').collection<{ _id: number; at: Date }>('items');
    const { primary, members } = await client.db('admin').command({ replsimStatus: 1 });
    // By way of a member that stays.
    const bystander = members.find(({ name }: { name: string }) => name !== primary).host;
    const door = new MongoClient(`mongodb://${bystander}/?directConnection=true`);
    const turn = (command: object) => door.db('admin').command(command);
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 10 });
    await items.insertMany(Array.from({ length: 250 }, (_, _id) => ({ _id, at: new Date() })));
    // Held back for as long as the client counts, which no replay can know.
    const data = { failCommands: ['getMore'], blockConnection: true, blockTimeMS: 5 };
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 2 }, data });
    expect(await items.find({}, { batchSize: 20 }).toArray()).toHaveLength(250);
    await turn({ replsimFault: { kill: 'primary' } });
    await turn({ replsimUntilPrimary: 1 });
    await Promise.all(Array.from({ length: 10 }, (_, i) => items.updateOne({ _id: i }, { $set: { at: new Date(0) } })));
    await turn({ replsimFault: { partition: [['n2'], ['n3']] } });
    await turn({ replsimAdvance: '75s' });
    await turn({ replsimFault: { heal: 'all' } });
    await turn({ replsimUntilPrimary: 1 });
    await items.insertOne({ _id: 1000, at: new Date() });
    await door.close();
  });
  expect(await main(['run', recording!, '--trace', replayed!], testIo())).toBe(0);
  expect(traceOf(replayed!)).toEqual(traceOf(live!));
});

test('what stood between clients and members is in the recording too', async () => {
  const [recording, live, replayed] = ['faults.yaml', 'faultsLive.ndjson', 'faultsReplayed.ndjson'].map((name) =>
    join(folder, name),
  );
  await withServed(['--record', recording!, '--trace', live!, '--seed', '5', '--speed', '0'], async (client) => {
    const { primary, members } = await client.db('admin').command({ replsimStatus: 1 });
    const host = members.find(({ name }: { name: string }) => name !== primary).host;
    const door = new MongoClient(`mongodb://${host}/?directConnection=true&appName=door`);
    const turn = (command: object) => door.db('admin').command(command);
    await door.connect();
    const items = client.db('app').collection<{ _id: number }>('items');
    await items.insertOne({ _id: 0 });
    await turn({ replsimFault: { clients: { delayMs: [20, 400] } } });
    for (const _id of [1, 2, 3]) await items.insertOne({ _id });
    await turn({ replsimFault: { clients: { freeze: true } } });
    const frozen = [4, 5].map((_id) => items.insertOne({ _id }));
    // Until they have come in.
    for (let i = 0; i < 5; i++) await turn({ replsimAdvance: '1s' });
    await turn({ replsimFault: { clients: { freeze: false } } });
    await Promise.all(frozen);
    await turn({ replsimFault: { clients: { on: 'primary', cut: true } } });
    const cut = items.insertOne({ _id: 6 });
    await turn({ replsimAdvance: '5s' });
    await turn({ replsimFault: { heal: 'all' } });
    await cut;
    expect(await items.countDocuments()).toBe(7);
    await door.close();
  });
  expect(await main(['run', recording!, '--trace', replayed!], testIo())).toBe(0);
  expect(traceOf(replayed!)).toEqual(traceOf(live!));
  expect(readFileSync(recording!, 'utf8')).toContain('clients: { on: n1, except: [door], freeze: true }');
});
