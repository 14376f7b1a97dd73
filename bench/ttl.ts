import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { applyOpsOperation, deleteOperation } from '@replsim/oplog';
import { encodeDocument, OplogEntry } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import { dateKey, parseIndexSpec, StorageEngine, StoredDocument } from '@replsim/storage';
import { cpuSeconds, type Figure, median } from './measure.ts';
import { idlePassMillis } from './passes.ts';
import { countOf, datedDocuments, run, setWithPrimary } from './set.ts';

const WALL_EPOCH_MS = Date.UTC(2025, 0, 1);
const DOCUMENTS = 100_000;
/** As many deletes as one `applyOps` holds by default: batchedDeletesTargetBatchDocs. */
const BATCH = 10;
const TTL_INDEX = { v: 2, key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 };

/** Documents that are all due at once: how many the monitor deletes a second, until they are gone on every member. */
export async function ttlDeletes(size: number): Promise<Figure> {
  const rates: number[] = [];
  for (let i = 0; i < 3; i++) rates.push(DOCUMENTS / (await secondsToDelete(size)));
  const name = size === 1 ? 'TTL deletes, set of one' : `TTL deletes until gone on all ${size}`;
  return {
    name,
    value: median(rates),
    unit: 'documents/CPU s',
    better: 'more',
    floor: { name: 'the same deletes on bare trees, and as many oplog entries', value: await bareDeletes(size) },
    aimRatio: size === 1 ? 1.8 : 1.6,
  };
}

async function secondsToDelete(size: number): Promise<number> {
  const set = await setWithPrimary(size, { parameters: { ttlMonitorEnabled: false } });
  await fillExpired(set, DOCUMENTS);
  // Past the next checkpoint, so that writing the inserts to disk is not timed with the deletes.
  await set.advanceTo(set.nowMicros + 61e6);
  const names = set.memberNames;
  for (const name of names) await run(set, name, { setParameter: 1, ttlMonitorEnabled: true, $db: 'admin' });
  const seconds = await cpuSeconds(async () => {
    const done = () => names.every((name) => countOf(set, name, 'sessions') === 0);
    while (!done()) await set.advanceTo(set.nowMicros + 1e6);
  });
  await set.close();
  return seconds;
}

async function fillExpired(set: ReplSet, count: number): Promise<void> {
  await run(set, 'n1', { createIndexes: 'sessions', indexes: [TTL_INDEX], $db: 'app' });
  for (let i = 0; i < count; i += 5000) {
    const documents = datedDocuments(i, 5000, WALL_EPOCH_MS - 3_600_000);
    await run(set, 'n1', { insert: 'sessions', documents, $db: 'app' });
  }
  await set.runUntil(
    () => set.memberNames.every((name) => countOf(set, name, 'sessions') === count),
    set.nowMicros + 30e6,
  );
}

/** Deletes the same documents from engines that nobody replicates, and makes the entries that the primary would log. */
async function bareDeletes(size: number): Promise<number> {
  const documents = datedDocuments(0, DOCUMENTS, 0).map(({ bytes }) => new StoredDocument(bytes));
  const uuid = new Uint8Array(16);
  const engines = Array.from({ length: size }, () => {
    const engine = new StorageEngine();
    engine.createCollection('app.sessions', { uuid });
    engine.createIndex('app.sessions', parseIndexSpec(encodeDocument(TTL_INDEX)));
    for (const document of documents) engine.insert('app.sessions', document);
    return engine;
  });
  const collection = { ns: 'app.sessions', uuid };
  const seconds = await cpuSeconds(() => {
    for (let from = 0; from < DOCUMENTS; from += BATCH) {
      for (const engine of engines) for (let i = 0; i < BATCH; i++) engine.delete('app.sessions', from + i + 1);
      const operations = documents.slice(from, from + BATCH).map((document) => deleteOperation(collection, document));
      new OplogEntry(applyOpsOperation(), { ts: { t: 1, i: from }, t: 1 }, 0, operations).byteLength;
    }
  });
  return DOCUMENTS / seconds;
}

const INDEXES = 1000;

/** A pass over a thousand TTL indexes that finds nothing due, beside as many searches in bare trees. */
export async function manyIndexes(): Promise<Figure> {
  const set = await setWithPrimary(1);
  const documents = datedDocuments(0, 10, WALL_EPOCH_MS + 86_400_000);
  for (let i = 0; i < INDEXES; i++) {
    await run(set, 'n1', { createIndexes: `c${i}`, indexes: [TTL_INDEX], $db: 'app' });
    await run(set, 'n1', { insert: `c${i}`, documents, $db: 'app' });
  }
  const millis = await idlePassMillis(set, 'n1');
  await set.close();
  return {
    name: `TTL pass over ${INDEXES} indexes, nothing due`,
    value: millis,
    unit: 'ms',
    better: 'less',
    floor: { name: 'as many searches in bare trees', value: bareSearches() },
    aimRatio: 8,
  };
}

/** Unit: ms. */
function bareSearches(): number {
  const engine = new StorageEngine();
  const indexes = Array.from({ length: INDEXES }, (_, i) => {
    const ns = `app.c${i}`;
    engine.createCollection(ns, { uuid: new Uint8Array(16).fill(i % 256).fill(i >> 8, 0, 8) });
    engine.createIndex(ns, parseIndexSpec(encodeDocument(TTL_INDEX)));
    for (const { bytes } of datedDocuments(0, 10, WALL_EPOCH_MS)) engine.insert(ns, new StoredDocument(bytes));
    return engine.collection(ns)!.index('at_1')!;
  });
  const bounds = { lower: dateKey(0), upper: dateKey(1) };
  const millis: number[] = [];
  for (let i = 0; i < 15; i++) {
    const before = process.hrtime.bigint();
    for (const index of indexes) index.range(bounds).next();
    millis.push(Number(process.hrtime.bigint() - before) / 1e6);
  }
  return median(millis);
}

/** In a process of its own, which needs a larger heap than Node gives by itself. */
export function tenMillion(): readonly Figure[] {
  const script = fileURLToPath(new URL('tenMillion.js', import.meta.url));
  const options = ['--expose-gc', '--max-old-space-size=23000', script];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const { status, stdout } = spawnSync(process.execPath, options, { encoding: 'utf8', stdio: [...stdio] });
  if (status !== 0) throw new Error(`ten million documents: the process ended with ${status}`);
  return JSON.parse(stdout);
}
