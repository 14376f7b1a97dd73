/** The durable side of one member: a checkpoint and the journal since. */
import { invariant } from '@replsim/protocol';
import type { ReadView } from '../collection/views.ts';
import { StorageEngine } from '../engine.ts';
import { onlyNamespaces, VersionView } from '../versions/versionView.ts';
import {
  CATALOG_PREFIX,
  type DiskWrite,
  DOCUMENT_PREFIX,
  diffViews,
  documentPrefix,
  loadCollection,
  loadDocuments,
  loadIndexes,
  loadUnfinished,
} from './checkpoint.ts';
import { CorruptDiskError, type DataFolder } from './damage.ts';
import type { Database } from './database.ts';
import { encodeSegment, JOURNAL_PREFIX, type Journalled, type JournalSegment } from './journal.ts';
import { openMemoryDatabase } from './memoryDatabase.ts';
import { seal, unseal } from './sealed.ts';

/** What a member finds when it starts. */
export interface LoadedData {
  /** The last checkpoint, indexes built anew; empty if there was none. It has no versions yet. */
  readonly engine: StorageEngine;
  /** The owner's bytes of that checkpoint; undefined if there was none. */
  readonly metadata: Uint8Array | undefined;
  /** What was flushed and not dropped since, in order. */
  readonly journal: readonly JournalSegment[];
  /** The number that the next segment will bear. */
  readonly nextSegment: number;
  /** What `writeFile` wrote, in the order of paths. */
  readonly files: readonly DiskFile[];
}

/** A file beside the database, for people to read. */
export interface DiskFile {
  /** Relative, with `/` between folders. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What a misdirected write has destroyed. */
export type Misdirected = 'checkpoint' | 'journal' | 'nothing';

const METADATA_KEY = 'm';
const SEQUENCE_DIGITS = 16;
const EMPTY_VIEW = new VersionView(new Map());

/**
 * @param directory where to keep the data; without one they live in memory, as long as the disk is held
 * @throws DiskError if the directory cannot be used
 */
export async function openDisk({ directory, owner }: Partial<DataFolder> = {}): Promise<Disk> {
  if (directory === undefined) return new Disk(await openMemoryDatabase());
  const { openDirectoryDatabase } = await import('./directoryDatabase.ts');
  return new Disk(await openDirectoryDatabase({ directory, ...(owner !== undefined && { owner }) }));
}

/**
 * One member's disk. A crash is to drop the engine, keep the disk and `load()` again: everything handed over before is
 * there, whether or not its write had been awaited. `load()` comes first, also on an empty disk.
 *
 * In memory every write has happened when the method returns. In a directory writes queue up and happen in order; they
 * are durable (fsync) once `lastWrite` resolves, which rejects if any of them failed.
 */
export class Disk {
  readonly #database: Database;
  #lastWrite: Promise<void> | undefined;
  /** What the checkpoint on disk holds; undefined before `load()`. */
  #checkpoint: VersionView | undefined;
  #firstSegment = 1;
  #nextSegment = 1;
  /** A fault: what lies in its cache and is not written yet, in order; undefined while writes go through. */
  #cached: (() => Promise<void>)[] | undefined;
  #isTorn = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when all writes so far are durable; undefined if they are, so that nobody need wait for memory. */
  get lastWrite(): Promise<void> | undefined {
    return this.#lastWrite;
  }

  /** The number of the last journal segment; 0 if there never was one. */
  get lastSegment(): number {
    return this.#nextSegment - 1;
  }

  /** Flushes records as one segment, whole or not at all; returns the segment's number. */
  appendJournal(records: readonly Journalled[]): number {
    invariant(this.#checkpoint, 'a disk is loaded before it is written to');
    const segment = this.#nextSegment++;
    this.#enqueue(() => this.#database.append(segmentKey(segment), records));
    return segment;
  }

  /**
   * Makes the checkpoint hold what `view` shows, writing only what has changed since the last one, and in the same atomic
   * batch drops the journal segments up to `dropJournalThrough`.
   * @param view of `engine.checkpointView()` or `engine.snapshot()`
   * @param metadata the owner's bytes, handed back by `load()`
   * @param options.include which namespaces belong to the checkpoint, default all; always the same ones
   */
  writeCheckpoint(
    view: ReadView,
    metadata: Uint8Array,
    options: { readonly dropJournalThrough: number; readonly include?: (ns: string) => boolean },
  ): void {
    invariant(this.#checkpoint, 'a disk is loaded before it is written to');
    invariant(view instanceof VersionView, 'a checkpoint is made of a view that no longer changes');
    const { dropJournalThrough, include } = options;
    const included = include ? onlyNamespaces(view, include) : view;
    const writes = diffViews(this.#checkpoint, included);
    writes.push({ type: 'put', key: METADATA_KEY, value: seal(metadata) });
    for (; this.#firstSegment <= Math.min(dropJournalThrough, this.lastSegment); this.#firstSegment++) {
      writes.push({ type: 'del', key: segmentKey(this.#firstSegment) });
    }
    this.#write(writes);
    this.#checkpoint = included;
  }

  /** Writes a file beside the database, for people to read. */
  writeFile(path: string, bytes: Uint8Array): void {
    this.#enqueue(() => this.#database.writeFile(path, bytes));
  }

  /**
   * Reads everything back. A journal whose last record is damaged is cut there, as a crash in the middle of a write leaves
   * it so. Throws CorruptDiskError where anything else is not what was written.
   */
  async load(): Promise<LoadedData> {
    const caches = this.#cached !== undefined;
    this.#writeCache();
    if (this.#isTorn) await this.tearLastSegment();
    this.#isTorn = false;
    await this.#lastWrite;
    const engine = new StorageEngine();
    for (const [key, sealed] of await this.#database.read(CATALOG_PREFIX)) {
      const entry = unseal(sealed, 'the catalog');
      const { ns } = loadCollection(engine, entry);
      const uuid = key.slice(CATALOG_PREFIX.length);
      loadDocuments(engine, entry, ns, await this.#database.read(documentPrefix(uuid)));
      loadIndexes(engine, ns, entry);
      loadUnfinished(engine, ns, entry);
    }
    const [metadata] = await this.#database.read(METADATA_KEY);
    const loaded = {
      engine,
      metadata: metadata && unseal(metadata[1], 'the metadata of the checkpoint'),
      journal: await this.#loadJournal(),
      nextSegment: this.#nextSegment,
      files: (await this.#database.files()).map(([path, bytes]) => ({ path, bytes })),
    };
    this.#checkpoint = engine.snapshot();
    this.#cached = caches ? [] : undefined;
    return loaded;
  }

  /** Empties the disk, as `rm -r` on a stopped member's directory would. */
  wipe(): void {
    this.#enqueue(() => this.#database.clear());
    this.#checkpoint = EMPTY_VIEW;
    this.#firstSegment = this.#nextSegment;
  }

  /**
   * A fault: changes one bit of what lies on the disk: of a document in the checkpoint, else of the catalog, else of the
   * journal's first record. If that is its only one, it cannot be told from one that a crash cut short.
   */
  async corrupt(): Promise<void> {
    await this.#lastWrite;
    for (const prefix of [DOCUMENT_PREFIX, CATALOG_PREFIX, JOURNAL_PREFIX]) {
      const [victim] = await this.#database.read(prefix);
      if (!victim) continue;
      const [key, sound] = victim;
      const at = prefix === JOURNAL_PREFIX ? 0 : sound.length - 1;
      this.#write([{ type: 'put', key, value: sound.map((byte, i) => (i === at ? byte ^ 1 : byte)) }]);
      return;
    }
  }

  /**
   * A fault: flushes records as `appendJournal` does, but the disk writes them over something else: over a document of the
   * checkpoint, else over its catalog, else over the first segment. Where they belong nothing is written.
   */
  async misdirectJournal(records: readonly Journalled[]): Promise<Misdirected> {
    this.#nextSegment++;
    await this.#lastWrite;
    const bytes = encodeSegment(records);
    for (const prefix of [DOCUMENT_PREFIX, CATALOG_PREFIX, JOURNAL_PREFIX]) {
      const [victim] = await this.#database.read(prefix);
      if (!victim) continue;
      const [key, sound] = victim;
      const isJournal = prefix === JOURNAL_PREFIX;
      // Not where a record begins, or it would pass for one.
      this.#write([{ type: 'put', key, value: isJournal ? behindFirstByte(sound, bytes) : bytes }]);
      return isJournal ? 'journal' : 'checkpoint';
    }
    return 'nothing';
  }

  /** A fault: writes are reported done, and stay in the disk's cache until this is over. */
  caches(on: boolean): void {
    this.#writeCache();
    this.#cached = on ? [] : undefined;
  }

  /**
   * A fault: the power fails. What lies in the cache is gone, and nobody knows of it.
   * @param torn the last segment of the journal was being written
   */
  losePower(torn: boolean): void {
    if (this.#cached) this.#cached = [];
    this.#isTorn = torn;
  }

  /** A fault: cuts the last segment short, as a disk that lies about its writes would; nothing if there is none. */
  async tearLastSegment(): Promise<void> {
    await this.#lastWrite;
    const [last] = (await this.#database.read(JOURNAL_PREFIX)).slice(-1);
    if (last) this.#write([{ type: 'put', key: last[0], value: last[1].slice(0, -1) }]);
  }

  /** Lets go of the data in any case. @throws what the last write has failed with */
  async close(): Promise<void> {
    this.#writeCache();
    try {
      await this.#lastWrite;
    } finally {
      await this.#database.close();
    }
  }

  async #loadJournal(): Promise<JournalSegment[]> {
    const found = await this.#database.segments();
    const segments: JournalSegment[] = [];
    const first = found[0];
    this.#firstSegment = first ? segmentNumber(first[0]) : this.#nextSegment;
    let next = this.#firstSegment;
    for (const [i, [key, { records, damage }]] of found.entries()) {
      const number = segmentNumber(key);
      if (number !== next) throw new CorruptDiskError(`journal segment ${next} is missing`);
      next++;
      const isLast = i === found.length - 1;
      if (damage === 'corrupt' || (damage === 'torn' && !isLast)) {
        throw new CorruptDiskError(`checksum error in journal segment ${number}`);
      }
      if (damage === 'torn') this.#write([{ type: 'put', key, value: encodeSegment(records) }]);
      segments.push({ number, records });
    }
    this.#nextSegment = next;
    return segments;
  }

  #write(writes: readonly DiskWrite[]): void {
    this.#enqueue(() => this.#database.write(writes));
  }

  /** What lies in the cache gets to the disk after all. */
  #writeCache(): void {
    const cached = this.#cached ?? [];
    this.#cached = undefined;
    for (const write of cached) this.#enqueue(write);
  }

  /** Real disks may finish writes in any order, so the next begins when the last has ended. */
  #enqueue(write: () => Promise<void>): void {
    if (this.#cached) {
      this.#cached.push(write);
      return;
    }
    if (this.#database.immediate) {
      // Done when this returns. A rejection can only be our bug, and is left to stop the process.
      void write();
      return;
    }
    const done = (this.#lastWrite ?? Promise.resolve()).then(write).then(() => {
      if (this.#lastWrite === done) this.#lastWrite = undefined;
    });
    this.#lastWrite = done;
  }
}

function behindFirstByte(sound: Uint8Array, bytes: Uint8Array): Uint8Array {
  const overwritten = new Uint8Array(bytes.length + 1);
  overwritten[0] = sound[0] ?? 0;
  overwritten.set(bytes, 1);
  return overwritten;
}

function segmentKey(segment: number): string {
  return JOURNAL_PREFIX + String(segment).padStart(SEQUENCE_DIGITS, '0');
}

function segmentNumber(key: string): number {
  return Number(key.slice(JOURNAL_PREFIX.length));
}
