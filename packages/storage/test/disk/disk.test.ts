import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvariantError } from '@replsim/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { CorruptDiskError } from '../../src/disk/damage.ts';
import type { Database } from '../../src/disk/database.ts';
import { openDirectoryDatabase } from '../../src/disk/directoryDatabase.ts';
import { Disk, openDisk } from '../../src/disk/disk.ts';
import type { JournalSegment } from '../../src/disk/journal.ts';
import { openMemoryDatabase } from '../../src/disk/memoryDatabase.ts';
import { doc, engineWith, spec } from '../fixtures.ts';

const NS = 'app.sessions';
const record = (kind: number, ...payload: number[]) => ({ kind, payload: Uint8Array.from(payload) });
const META = Uint8Array.of(1, 2, 3);

function kindsIn(journal: readonly JournalSegment[]): number[] {
  return journal.flatMap(({ records }) => records.map(({ kind }) => kind));
}

/** A disk with everything on it: a checkpoint, and a journal of two segments. */
async function sampleDisk(database: Database) {
  const disk = new Disk(database);
  await disk.load();
  const engine = engineWith(NS);
  engine.insert(NS, doc({ _id: 1, at: new Date(5) }));
  disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: 0 });
  disk.appendJournal([record(1, 1, 2), record(2)]);
  disk.appendJournal([record(3, 1), record(4, 2, 2), record(5, 3)]);
  await disk.lastWrite;
  const keys: string[] = [];
  for (const prefix of ['c/', 'd/', 'm', 'j/']) keys.push(...(await database.read(prefix)).map(([key]) => key));
  return { database, keys, lastSegment: keys.at(-1) };
}

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
  const folder = await mkdtemp(join(tmpdir(), 'replsim-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const directory = join(folder, 'rs0', 'n1');
  let open: Database | undefined;
  cleanups.push(async () => open?.close());
  return async () => {
    await open?.close();
    open = await openDirectoryDatabase({ directory });
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
    const { engine, metadata, journal, files } = await disk.load();
    expect([engine.collections(), metadata, journal, files, disk.lastSegment]).toEqual([[], undefined, [], [], 0]);
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
    expect(kindsIn(loaded.journal)).toEqual([3, 9, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(loaded.journal[0]).toMatchObject({ number: 3 });
    expect(loaded.journal[0]!.records[0]!.payload).toEqual(Uint8Array.of(3));
    expect([disk.lastSegment, loaded.nextSegment]).toEqual([12, 13]);
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
    expect(kindsIn(again.journal)).toEqual([13]);
    expect(again.engine.dataHash()).toEqual(engine.dataHash());
    expect(again.engine.collection(NS)!.get(2)).toBeDefined();
  });

  test.each([
    ['a kill without a power failure', 'none', [1, 11, 2, 12]],
    ['a power failure', 'cache', [1, 11]],
    ['a power failure in the middle of a write', 'torn', [1]],
  ] as const)('what a disk keeps in its cache: after %s', async (_, failure, expected) => {
    const reopen = await place();
    const disk = new Disk(await reopen());
    await disk.load();
    disk.appendJournal([record(1, 1), record(11, 1)]);
    disk.caches(true);
    disk.appendJournal([record(2, 1), record(12, 1)]);
    disk.writeFile('rollback/a/removed.bson', Uint8Array.of(1));
    if (failure !== 'none') disk.losePower(failure === 'torn');
    const { journal, files, nextSegment } = await disk.load();
    expect(kindsIn(journal)).toEqual(expected);
    expect(files).toHaveLength(failure === 'none' ? 1 : 0);
    // It still caches, and goes on where it stands.
    expect(nextSegment).toBe(failure === 'none' ? 3 : 2);
    disk.appendJournal([record(3)]);
    disk.losePower(false);
    expect(kindsIn((await disk.load()).journal)).toEqual(expected);
    disk.appendJournal([record(4)]);
    disk.caches(false);
    expect(kindsIn((await disk.load()).journal)).toEqual([...expected, 4]);
  });

  test('a torn record ends the journal without a word, and what is flushed afterwards is found again', async () => {
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
      expect(kindsIn(journal)).toEqual(expected);
      disk.appendJournal([record(4)]);
      await disk.lastWrite;
    }
  });

  test('a gap in the journal is no crash’s doing', async () => {
    const reopen = await place();
    let database = await reopen();
    const disk = new Disk(database);
    await disk.load();
    for (let n = 1; n <= 4; n++) disk.appendJournal([record(n)]);
    await disk.lastWrite;
    await database.write([{ type: 'del', key: `j/${'2'.padStart(16, '0')}` }]);
    database = await reopen();
    await expect(new Disk(database).load()).rejects.toThrow(CorruptDiskError);
  });

  test('any one bit that changes is noticed, or ends a journal that a crash might have ended there', async () => {
    const written = await sampleDisk(await (await place())());
    for (const key of written.keys) {
      const [[, value]] = (await written.database.read(key)) as [[string, Uint8Array]];
      for (let bit = 0; bit < value.length * 8; bit += 13) {
        const damaged = value.slice();
        damaged[bit >> 3]! ^= 1 << (bit & 7);
        await written.database.write([{ type: 'put', key, value: damaged }]);
        const outcome = await new Disk(written.database).load().then(
          ({ journal }) => kindsIn(journal),
          (error) => error,
        );
        if (key !== written.lastSegment) expect(outcome, `${key} bit ${bit}`).toBeInstanceOf(CorruptDiskError);
        // A length that cannot be believed hides whether anything follows.
        else if (!(outcome instanceof CorruptDiskError))
          expect([
            [1, 2],
            [1, 2, 3],
            [1, 2, 3, 4],
          ]).toContainEqual(outcome);
        await written.database.write([{ type: 'put', key, value }]);
      }
    }
    expect(kindsIn((await new Disk(written.database).load()).journal)).toEqual([1, 2, 3, 4, 5]);
  });

  test('the fault that changes a bit is noticed, until the disk is wiped', async () => {
    const reopen = await place();
    const disk = new Disk(await reopen());
    await disk.load();
    disk.appendJournal([record(1, 7), record(2)]);
    await disk.corrupt();
    await expect(disk.load()).rejects.toThrow('checksum error in journal segment 1');
    disk.wipe();
    const engine = engineWith(NS);
    engine.insert(NS, doc({ _id: 1 }));
    disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: 0 });
    await disk.load();
    await disk.corrupt();
    await expect(disk.load()).rejects.toThrow(`checksum error in the documents of ${NS}`);
  });

  test('a misdirected write destroys what it hits, which the next reader finds by its checksum', async () => {
    const reopen = await place();
    const disk = new Disk(await reopen());
    await disk.load();
    expect(await disk.misdirectJournal([record(1, 7)])).toBe('nothing');
    expect(kindsIn((await disk.load()).journal)).toEqual([]);

    // What follows the first record would be taken for the first if it lay where that begins.
    disk.appendJournal([record(1, 7)]);
    disk.appendJournal([record(2, 7)]);
    expect(await disk.misdirectJournal([record(3, 7)])).toBe('journal');
    await expect(disk.load()).rejects.toThrow('checksum error in journal segment');
    disk.wipe();

    const engine = engineWith(NS);
    disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: disk.lastSegment });
    expect(await disk.misdirectJournal([record(4, 7)])).toBe('checkpoint');
    await expect(disk.load()).rejects.toThrow('checksum error in the catalog');
    disk.wipe();

    engine.insert(NS, doc({ _id: 1 }));
    disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: disk.lastSegment });
    expect(await disk.misdirectJournal([record(4, 7)])).toBe('checkpoint');
    await expect(disk.load()).rejects.toThrow(`checksum error in the documents of ${NS}`);
  });

  test('where a misdirected write belongs there is a gap, which only a later write makes visible', async () => {
    const reopen = await place();
    const disk = new Disk(await reopen());
    await disk.load();
    disk.appendJournal([record(1, 7)]);
    expect(await disk.misdirectJournal([record(2, 7)])).toBe('journal');
    disk.appendJournal([record(3, 7)]);
    await expect(disk.load()).rejects.toThrow(/journal segment/);
  });

  test('files are kept beside the data, and go with them', async () => {
    const reopen = await place();
    let disk = new Disk(await reopen());
    await disk.load();
    disk.writeFile('rollback/b/removed.2.bson', Uint8Array.of(2));
    disk.writeFile('rollback/a/removed.1.bson', Uint8Array.of(1));
    await disk.lastWrite;
    disk = new Disk(await reopen());
    const { files } = await disk.load();
    expect(files).toEqual([
      { path: 'rollback/a/removed.1.bson', bytes: Uint8Array.of(1) },
      { path: 'rollback/b/removed.2.bson', bytes: Uint8Array.of(2) },
    ]);
    disk.wipe();
    expect((await disk.load()).files).toEqual([]);
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
    expect([metadata, kindsIn(journal), loaded.collections()]).toEqual([undefined, [2], []]);
    disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: 99 });
    expect((await disk.load()).engine.collections()).toHaveLength(1);
  });

  test('a wiped disk does not give its documents to a collection of the same UUID', async () => {
    const reopen = await place();
    const disk = new Disk(await reopen());
    await disk.load();
    const engine = engineWith(NS);
    for (const _id of [1, 2]) engine.insert(NS, doc({ _id }));
    disk.writeCheckpoint(engine.snapshot(), META, { dropJournalThrough: 0 });
    disk.wipe();
    // As an initial sync makes it again, with fewer documents by now.
    const copy = engineWith(NS);
    copy.insert(NS, doc({ _id: 1 }));
    disk.writeCheckpoint(copy.snapshot(), META, { dropJournalThrough: 0 });
    expect((await disk.load()).engine.collection(NS)?.count).toBe(1);
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
