import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { openDisk } from '@replsim/storage';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHost, ReplSet } from '../src/replSet.ts';

// One member alone, so that nobody gives back what it loses. Whatever is done to it: what was acknowledged with j is there
// after a kill, and data and oplog are those of one moment of the history, never of two.

type Doc = Record<string, unknown>;

type Step =
  | {
      readonly kind: 'insert' | 'update' | 'delete';
      readonly id: number;
      readonly into: 'a' | 'b';
      readonly j: boolean;
    }
  | { readonly kind: 'index' | 'dropIndex' | 'drop' | 'rename'; readonly j: boolean }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'kill' };

const anyCrud = fc.record({
  kind: fc.constantFrom('insert' as const, 'update' as const, 'delete' as const),
  id: fc.nat(5),
  into: fc.constantFrom('a' as const, 'b' as const),
  j: fc.boolean(),
});
const anyCatalogChange = fc.record({
  kind: fc.constantFrom('index' as const, 'dropIndex' as const, 'drop' as const, 'rename' as const),
  j: fc.boolean(),
});
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: anyCrud },
  { weight: 2, arbitrary: anyCatalogChange },
  // Less and more than a journal interval, and enough for a checkpoint.
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(1, 60, 150, 61_000) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'kill' as const }) },
);

/** What the member shows after a step: its collections, and the newest entry that changed anything. */
interface Moment {
  readonly data: string;
  readonly newest: string;
}

class Walk {
  readonly set: ReplSet;
  readonly history: Moment[] = [];
  /** Index into the history: nothing older may ever be found after a kill. */
  durable = 0;
  kills = 0;
  lostSome = 0;

  constructor(set: ReplSet) {
    this.set = set;
  }

  async begin(): Promise<void> {
    await this.#untilWritable();
    this.history.push(this.#moment());
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'advance') await this.set.advanceTo(this.set.nowMicros + step.ms * 1000);
    else if (step.kind === 'kill') await this.#kill();
    else await this.#change(step);
  }

  async #change(step: Exclude<Step, { kind: 'advance' | 'kill' }>): Promise<void> {
    const reply = await this.#run({ ...commandOf(step), writeConcern: { w: 1, j: step.j } });
    const moment = this.#moment();
    this.history.push(moment);
    if (step.j && reply.ok === 1) this.durable = this.history.length - 1;
  }

  async #kill(): Promise<void> {
    this.set.kill('n1');
    await this.set.start('n1');
    await this.#untilWritable();
    this.kills += 1;
    const found = this.#moment();
    const kept = this.history.findLastIndex(({ data, newest }) => data === found.data && newest === found.newest);
    const expected = `one of ${JSON.stringify(this.history.slice(this.durable))}`;
    expect(kept, `found ${JSON.stringify(found)}, expected ${expected}`).toBeGreaterThanOrEqual(this.durable);
    if (kept < this.history.length - 1) this.lostSome += 1;
    this.history.length = kept + 1;
    this.durable = kept;
  }

  async #untilWritable(): Promise<void> {
    const writable = () => this.#ask('admin', { hello: 1 }).isWritablePrimary === true;
    expect(await this.set.runUntil(writable, this.set.nowMicros + 30_000_000)).toBe(true);
    // What the first moments as a primary write is no part of the story.
    await this.set.advanceTo(this.set.nowMicros + 1);
  }

  async #run(command: Doc): Promise<Doc> {
    const db = 'renameCollection' in command ? 'admin' : 'app';
    const pending = this.set.send('n1', encodeDocument({ ...command, $db: db }));
    await this.set.runUntil(() => pending.reply !== undefined, this.set.nowMicros + 30_000_000);
    return decodePromoted(pending.reply!) as Doc;
  }

  #ask(db: string, command: Doc): Doc {
    return decodePromoted(this.set.ask('n1', encodeDocument({ ...command, $db: db }))) as Doc;
  }

  #moment(): Moment {
    const names = (this.#batch('app', { listCollections: 1 }) as { name: string }[]).map(({ name }) => name).sort();
    const data = names.map((name) => [
      name,
      this.#batch('app', { find: name, sort: { _id: 1 } }),
      (this.#batch('app', { listIndexes: name }) as Doc[]).map((index) => index.name),
    ]);
    const changes = { ns: { $regex: '^app' } };
    const [newest] = this.#batch('local', { find: 'oplog.rs', filter: changes, sort: { $natural: -1 }, limit: 1 });
    return { data: json(data), newest: json((newest as Doc | undefined)?.ts ?? null) };
  }

  #batch(db: string, command: Doc): unknown[] {
    return (this.#ask(db, command) as { cursor?: { firstBatch: unknown[] } }).cursor?.firstBatch ?? [];
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each));
}

function commandOf(step: Exclude<Step, { kind: 'advance' | 'kill' }>): Doc {
  switch (step.kind) {
    case 'insert':
      return { insert: step.into, documents: [{ _id: step.id, n: 0 }] };
    case 'update':
      return { update: step.into, updates: [{ q: { _id: step.id }, u: { $inc: { n: 1 } }, upsert: true }] };
    case 'delete':
      return { delete: step.into, deletes: [{ q: { _id: { $lte: step.id } }, limit: 0 }] };
    case 'index':
      return { createIndexes: 'a', indexes: [{ key: { n: 1 }, name: 'by_n' }] };
    case 'dropIndex':
      return { dropIndexes: 'a', index: 'by_n' };
    case 'drop':
      return { drop: 'b' };
    case 'rename':
      return { renameCollection: 'app.a', to: 'app.b', dropTarget: true };
  }
}

async function walk(steps: readonly Step[], options: { oplogSizeMB?: number; dbpath?: string } = {}): Promise<Walk> {
  const { oplogSizeMB = 990, dbpath } = options;
  const set = await ReplSet.create({ members: [{ name: 'n1', oplogSizeMB }], ...(dbpath && { dbpath }) });
  try {
    const taken = new Walk(set);
    await taken.begin();
    for (const step of steps) await taken.take(step);
    await taken.take({ kind: 'kill' });
    return taken;
  } finally {
    await set.close();
  }
}

describe.for([990, 0.002])('an oplog of %s MB', (oplogSizeMB) => {
  test('whatever happens, nothing journalled is lost and a restart finds one moment of the history', async () => {
    let lostSome = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
        lostSome += (await walk(steps, { oplogSizeMB })).lostSome;
      }),
      { seed: 7, numRuns: 20 },
    );
    expect(lostSome, 'kills that lost something that was not journalled').toBeGreaterThan(3);
  });
});

test('the same on a real disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'crash-'));
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 20 }), async (steps) => {
        const dbpath = join(directory, String(run++));
        await walk(steps, { oplogSizeMB: 0.002, dbpath });
      }),
      { seed: 3, numRuns: 4 },
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test.for([false, true])('however often it is restarted, recovery reads no more (real disk: %s)', async (real) => {
  const directory = real ? mkdtempSync(join(tmpdir(), 'loop-')) : undefined;
  const recordsRead: number[] = [];
  const set = await createHost({
    openDisk: async (options) => {
      const disk = await openDisk(options);
      const load = disk.load.bind(disk);
      disk.load = async () => {
        const loaded = await load();
        recordsRead.push(loaded.journal.reduce((sum, { records }) => sum + records.length, 0));
        return loaded;
      };
      return disk;
    },
  }).create({ members: [{ name: 'n1', oplogSizeMB: 0.01 }], ...(directory && { dbpath: directory }) });
  try {
    const taken = new Walk(set);
    await taken.begin();
    for (let round = 0; round < 6; round++) {
      for (let id = 0; id < 40; id++) await taken.take({ kind: 'update', id: id % 6, into: 'a', j: id % 10 === 9 });
      // A checkpoint truncates the oplog, the next one drops the journal segments that held what went.
      await taken.take({ kind: 'advance', ms: 61_000 });
      await taken.take({ kind: 'update', id: 0, into: 'a', j: true });
      await taken.take({ kind: 'advance', ms: 61_000 });
      await taken.take({ kind: 'kill' });
    }
    // Without a bound it would be some fifty records more each round.
    expect(Math.max(...recordsRead)).toBeLessThan(130);
    expect(recordsRead.at(-1)).toBeLessThan(recordsRead[2]! + 25);
  } finally {
    await set.close();
    if (directory) rmSync(directory, { recursive: true });
  }
});

test('a checkpoint is never ahead of the journal that led to it', async () => {
  const set = await ReplSet.create({ members: [{ name: 'n1', standalone: true }] });
  const insert = (_id: number, j: boolean) =>
    set.send('n1', encodeDocument({ insert: 'c', documents: [{ _id }], writeConcern: { w: 1, j }, $db: 'app' }));
  const count = () => (decodePromoted(set.ask('n1', encodeDocument({ count: 'c', $db: 'app' }))) as { n: number }).n;
  const restart = async () => {
    set.kill('n1');
    await set.start('n1');
    await set.advanceTo(set.nowMicros + 1000);
  };
  insert(1, true);
  // The checkpoint begins 60 s after the first write; the journal would be flushed 100 ms after the last.
  await set.advanceTo(59_990_000);
  insert(2, false);
  await set.advanceTo(60_050_000);
  await restart();
  const found = count();
  insert(3, true);
  await set.advanceTo(set.nowMicros + 50_000);
  expect(count()).toBe(found + 1);
  await restart();
  // The third write was journalled: nothing that a checkpoint counted too early may hide it.
  expect(count()).toBe(found + 1);
  await set.close();
});
