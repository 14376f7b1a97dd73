import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EventQueue } from '@replsim/kernel';
import { StorageEngine, StoredDocument } from '@replsim/storage';
import { type Figure, line, rate, timed } from './measure.ts';
import { countOf, datedDocuments, isPrimary, run, runAll, setWithPrimary } from './set.ts';

// Figures are ratios to a floor of the same run where there is one. They never fail a build.

const WALL_EPOCH_MS = Date.UTC(2025, 0, 1);

async function eventQueue(): Promise<Figure> {
  const perSecond = await rate(5, () => {
    const queue = new EventQueue<number>();
    for (let i = 0; i < 1000; i++) queue.schedule(i, i);
    for (let i = 0; i < 1_000_000; i++) {
      const { atMicros, payload } = queue.pop()!;
      queue.schedule(atMicros + 1 + ((payload * 7919) % 1000), payload);
    }
    return 1_000_000;
  });
  return { name: 'kernel: events scheduled and taken, 1,000 pending', perSecond, unit: 'events/s', aim: 1_000_000 };
}

/** How fast time passes for a set that nobody asks anything, and how many messages that is: nothing else happens in it. */
async function idle(size: number, seconds: number, aim: number): Promise<readonly Figure[]> {
  const set = await setWithPrimary(size);
  await set.advanceTo(120e6);
  let until = set.nowMicros;
  const begun = set.messagesDelivered;
  const perSecond = await rate(3, async () => {
    until += seconds * 1e6;
    await set.advanceTo(until);
    return seconds;
  });
  const messages = (set.messagesDelivered - begun) / (3 * seconds);
  await set.close();
  return [
    { name: `idle set of ${size}`, perSecond, unit: 'simulated s/s', aim },
    { name: 'messages in it', perSecond: messages * perSecond, unit: 'delivered/s', aim: 650_000 },
  ];
}

async function failovers(): Promise<Figure> {
  const set = await setWithPrimary(3);
  const names = ['n1', 'n2', 'n3'];
  const perSecond = await rate(3, async () => {
    const COUNT = 50;
    for (let i = 0; i < COUNT; i++) {
      set.kill('n1');
      await set.start('n1');
      await set.runUntil(() => names.some((name) => isPrimary(set, name)), set.nowMicros + 120e6);
    }
    return COUNT;
  });
  await set.close();
  return { name: 'kill the primary, start it, elect', perSecond, unit: 'failovers/s', aim: 1000 };
}

const TTL_DOCUMENTS = 100_000;

async function ttlDeletes(size: number): Promise<Figure> {
  const set = await setWithPrimary(size, { parameters: { ttlMonitorEnabled: false } });
  await fillExpired(set, TTL_DOCUMENTS);
  // Past the next checkpoint, so that writing the inserts to disk is not timed with the deletes.
  await set.advanceTo(set.nowMicros + 61e6);
  for (const name of set.memberNames) {
    await run(set, name, { setParameter: 1, ttlMonitorEnabled: true, $db: 'admin' });
  }
  const names = set.memberNames;
  const seconds = await timed(async () => {
    const done = () => names.every((name) => countOf(set, name, 'sessions') === 0);
    while (!done()) await set.advanceTo(set.nowMicros + 1e6);
  });
  await set.close();
  const name = size === 1 ? 'TTL deletes, set of one' : `TTL deletes until gone on all ${size}`;
  return {
    name,
    perSecond: TTL_DOCUMENTS / seconds,
    unit: 'documents/s',
    aim: 100_000,
    floor: { name: 'the same deletes on bare engines', perSecond: bareDeletes(size) },
  };
}

async function fillExpired(set: Awaited<ReturnType<typeof setWithPrimary>>, count: number): Promise<void> {
  const index = { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 };
  await run(set, 'n1', { createIndexes: 'sessions', indexes: [index], $db: 'app' });
  for (let i = 0; i < count; i += 5000) {
    const documents = datedDocuments(i, 5000, WALL_EPOCH_MS - 3_600_000);
    await run(set, 'n1', { insert: 'sessions', documents, $db: 'app' });
  }
  await set.runUntil(
    () => set.memberNames.every((name) => countOf(set, name, 'sessions') === count),
    set.nowMicros + 30e6,
  );
}

/** Deletes the same documents, one by one, from engines that nobody replicates. */
function bareDeletes(size: number): number {
  const documents = datedDocuments(0, TTL_DOCUMENTS, 0).map(({ bytes }) => new StoredDocument(bytes));
  const engines = Array.from({ length: size }, (_, i) => {
    const engine = new StorageEngine();
    engine.createCollection('app.sessions', { uuid: new Uint8Array(16).fill(i) });
    for (const document of documents) engine.insert('app.sessions', document);
    return engine;
  });
  const before = process.hrtime.bigint();
  for (const engine of engines) for (let id = 1; id <= TTL_DOCUMENTS; id++) engine.delete('app.sessions', id);
  return TTL_DOCUMENTS / (Number(process.hrtime.bigint() - before) / 1e9);
}

async function majorityInserts(): Promise<Figure> {
  const set = await setWithPrimary(3);
  let next = 0;
  const perSecond = await rate(3, async () => {
    const PARALLEL = 100;
    const ROUNDS = 50;
    for (let round = 0; round < ROUNDS; round++) {
      await runAll(
        set,
        'n1',
        datedDocuments(next, PARALLEL, 0).map((document) => ({
          insert: 'c',
          documents: [document],
          writeConcern: { w: 'majority' },
          $db: 'app',
        })),
      );
      next += PARALLEL;
    }
    return PARALLEL * ROUNDS;
  });
  await set.close();
  return { name: 'inserts at w: majority, 100 clients, set of 3', perSecond, unit: 'inserts/s', aim: 50_000 };
}

/** A million small documents in three members, oplog and all, beside one plain Map of the same documents as BSON. */
async function memory(): Promise<string> {
  const COUNT = 1_000_000;
  const empty = heapBytes();
  const map = new Map<number, Uint8Array>();
  for (let i = 0; i < COUNT; i += 5000)
    datedDocuments(i, 5000, 0).forEach(({ bytes }, offset) => {
      map.set(i + offset, bytes);
    });
  const floor = (heapBytes() - empty) / map.size;
  map.clear();
  const before = heapBytes();
  const set = await setWithPrimary(3);
  for (let i = 0; i < COUNT; i += 5000)
    await run(set, 'n1', { insert: 'c', documents: datedDocuments(i, 5000, 0), $db: 'app' });
  await set.runUntil(() => countOf(set, 'n3', 'c') === COUNT, set.nowMicros + 600e6);
  const bytes = (heapBytes() - before) / COUNT;
  await set.close();
  const name = 'memory for a document in a set of 3, oplog and all'.padEnd(52);
  return `${name} ${String(Math.round(bytes)).padStart(12)} bytes; floor ${Math.round(floor)} (one plain Map of the same BSON), ratio ${(bytes / floor).toFixed(1)}; aim: 3`;
}

function heapBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  // What is outside the heap holds the array buffers too.
  return heapUsed + external;
}

async function coldStart(): Promise<string> {
  const bin = fileURLToPath(new URL('../../packages/replsim/dist/bundle/bin.js', import.meta.url));
  const scenario = fileURLToPath(new URL('../../scenarios/election/first-election.yaml', import.meta.url));
  const times: number[] = [];
  const floors: number[] = [];
  for (let i = 0; i < 7; i++) {
    floors.push(await timed(() => void spawnSync(process.execPath, ['-e', '0'])));
    times.push(await timed(() => void spawnSync(process.execPath, [bin, 'run', scenario])));
  }
  const median = (values: number[]) => Math.round(values.sort((a, b) => a - b)[3]! * 1000);
  return `${'replsim run on a small scenario, from the shell'.padEnd(52)} ${median(times)} ms (Node alone: ${median(floors)} ms; aim: 300 ms)`;
}

const show = (text: string) => process.stdout.write(`${text}\n`);
show(line(await eventQueue()));
for (const figure of await idle(3, 10_000, 50_000)) show(line(figure));
for (const figure of await idle(7, 2000, 10_000)) show(line(figure));
for (const figure of await idle(50, 60, 150)) show(line(figure));
show(line(await failovers()));
show(line(await ttlDeletes(1)));
show(line(await ttlDeletes(3)));
show(line(await majorityInserts()));
show(await memory());
show(await coldStart());
