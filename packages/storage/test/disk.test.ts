import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvariantError } from '@replsim/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { type Database, openMemoryDatabase } from '../src/database.ts';
import { openDirectoryDatabase } from '../src/directoryDatabase.ts';
import { Disk, openDisk } from '../src/disk.ts';
import { doc, engineWith, spec } from './fixtures.ts';

const NS = 'app.sessions';
const record = (kind: number, ...payload: number[]) => ({ kind, payload: Uint8Array.from(payload) });
const META = Uint8Array.of(1, 2, 3);

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A database that can be left without a word and found again, as after a SIGKILL. */
type Reopen = () => Promise<Database>;

async function inMemory(): Promise<Reopen> {
  const database = await openMemoryDatabase();
  return async () => database;
}

async function inDirectory(): Promise<Reopen> {
  const directory = join(await mkdtemp(join(tmpdir(), 'replsim-')), 'rs0', 'n1');
  cleanups.push(() => rm(join(directory, '../..'), { recursive: true }));
  let open: Database | undefined;
  cleanups.push(async () => open?.close());
  return async () => {
    await open?.close();
    open = await openDirectoryDatabase(directory);
    return open;
  };
}

describe.for([
  ['in memory', inMemory],
  ['in a directory', inDirectory],
] as const)('%s', ([, place]) => {
  test('an empty disk is an empty engine', async () => {
    const reopen = await place();
    const disk = new Disk(await reopen());
    expect(() => disk.appendJournal([])).toThrow(InvariantError);
    const { engine, metadata, journal } = await disk.load();
    expect([engine.collections(), metadata, journal, disk.lastSegment]).toEqual([[], undefined, [], 0]);
  });

  test('a crash keeps what was flushed, in order, and loses the rest', async () => {
    const reopen = await place();
    let disk = new Disk(await reopen());
    let { engine } = await disk.load();
    engine.createCollection(NS, { uuid: new Uint8Array(16).fill(3) });
    engine.createIndex(NS, spec({ at: 1 }, { expireAfterSeconds: 60, unique: true }));
    engine.insert(NS, doc({ _id: 1, at: [new Date(5)] }));
    engine.markVersion(1);
    engine.insert(NS, doc({ _id: 2 }));
    const flushed = [1, 2, 3].map((n) => disk.appendJournal([record(n, n), record(9)]));
    expect(flushed).toEqual([1, 2, 3]);
    disk.writeCheckpoint(engine.checkpointView(1), META, { dropJournalThrough: 2 });
    for (let n = 4; n <= 12; n++) disk.appendJournal([record(n)]);
    await disk.lastWrite;
    expect(disk.lastWrite).toBeUndefined();

    disk = new Disk(await reopen());
    const loaded = await disk.load();
    ({ engine } = loaded);
    expect(loaded.metadata).toEqual(META);
    expect(loaded.journal.map(({ kind }) => kind)).toEqual([3, 9, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(loaded.journal[0]!.payload).toEqual(Uint8Array.of(3));
    expect(disk.lastSegment).toBe(12);
    const sessions = engine.collection(NS)!;
    expect(sessions).toMatchObject({ count: 1, nextRecordId: 2 });
    expect(sessions.index('at_1')).toMatchObject({ multikey: true, keyCount: 1 });
    expect(sessions.index('at_1')!.spec).toMatchObject({ unique: true });

    // The next checkpoint builds on the one that was loaded.
    engine.delete(NS, 1);
    engine.insert(NS, doc({ _id: 3 }));
    disk.appendJournal([record(13)]);
    disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: 12 });
    await disk.lastWrite;
    disk = new Disk(await reopen());
    const again = await disk.load();
    expect(again.journal.map(({ kind }) => kind)).toEqual([13]);
    expect(again.engine.dataHash()).toEqual(engine.dataHash());
    expect(again.engine.collection(NS)!.get(2)).toBeDefined();
  });

  test('a torn segment ends the journal, and what is flushed afterwards is found again', async () => {
    const reopen = await place();
    let disk = new Disk(await reopen());
    await disk.load();
    for (let n = 1; n <= 3; n++) disk.appendJournal([record(n, 1, 2), record(n + 10, 1, 2)]);
    await disk.tearLastSegment();
    await disk.lastWrite;
    for (const expected of [
      [1, 11, 2, 12, 3],
      [1, 11, 2, 12, 3, 4],
    ]) {
      disk = new Disk(await reopen());
      const { journal } = await disk.load();
      expect(journal.map(({ kind }) => kind)).toEqual(expected);
      disk.appendJournal([record(4)]);
      await disk.lastWrite;
    }
  });

  test('a gap ends the journal', async () => {
    const reopen = await place();
    let database = await reopen();
    const disk = new Disk(database);
    await disk.load();
    for (let n = 1; n <= 4; n++) disk.appendJournal([record(n)]);
    await disk.lastWrite;
    await database.write([{ type: 'del', key: `j/${'2'.padStart(16, '0')}` }]);
    database = await reopen();
    const { journal } = await new Disk(database).load();
    expect(journal.map(({ kind }) => kind)).toEqual([1]);
  });

  test('a wiped disk is empty, and is written to without loading', async () => {
    const reopen = await place();
    const disk = new Disk(await reopen());
    const engine = engineWith(NS);
    disk.wipe();
    disk.appendJournal([record(1)]);
    disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: 0 });
    disk.wipe();
    disk.appendJournal([record(2)]);
    const { metadata, journal, engine: loaded } = await disk.load();
    expect([metadata, journal.length, loaded.collections()]).toEqual([undefined, 1, []]);
    disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: 99 });
    expect((await disk.load()).engine.collections()).toHaveLength(1);
  });
});

test('in memory a write has happened when the method returns', async () => {
  const database = await openMemoryDatabase();
  const disk = new Disk(database);
  await disk.load();
  disk.appendJournal([record(1)]);
  expect(disk.lastWrite).toBeUndefined();
  // Iterators see what was there when they were made, and this one is made before anything is awaited.
  const segments = database.read('j/');
  disk.appendJournal([record(2)]);
  expect(await segments).toHaveLength(1);
});

test('a checkpoint may leave namespaces out', async () => {
  const disk = await openDisk();
  await disk.load();
  const engine = engineWith(NS, 'local.oplog.rs');
  const include = (ns: string) => ns !== 'local.oplog.rs';
  disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: 0, include });
  const loaded = await disk.load();
  expect(loaded.engine.collections().map(({ ns }) => ns)).toEqual([NS]);
  await disk.close();
});

test('a directory is opened by its name', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'replsim-'));
  cleanups.push(() => rm(directory, { recursive: true }));
  const disk = await openDisk({ directory });
  await disk.load();
  disk.appendJournal([record(1)]);
  expect(disk.lastWrite).toBeInstanceOf(Promise);
  await disk.close();
  const again = await openDisk({ directory });
  expect((await again.load()).journal).toHaveLength(1);
  await again.close();
});
