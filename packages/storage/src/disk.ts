/** The durable side of one member: a checkpoint and the journal since. */
import { invariant } from '@replsim/protocol';
import {
  CATALOG_PREFIX,
  type DiskWrite,
  diffViews,
  documentPrefix,
  loadCollection,
  loadDocument,
  loadIndexes,
} from './checkpoint.ts';
import { type Database, openMemoryDatabase } from './database.ts';
import { StorageEngine } from './engine.ts';
import { decodeSegment, encodeSegment, type JournalRecord } from './journal.ts';
import { onlyNamespaces, VersionView } from './versionView.ts';
import type { ReadView } from './views.ts';

/** What a member finds when it starts. */
export interface LoadedData {
  /** The last checkpoint, indexes built anew; empty if there was none. It has no versions yet. */
  readonly engine: StorageEngine;
  /** The owner's bytes of that checkpoint; undefined if there was none. */
  readonly metadata: Uint8Array | undefined;
  /** What was flushed and not dropped since, in order. */
  readonly journal: readonly JournalRecord[];
}

const METADATA_KEY = 'm';
const JOURNAL_PREFIX = 'j/';
const SEQUENCE_DIGITS = 16;
const EMPTY_VIEW = new VersionView(new Map());

/** @param directory where to keep the data; without one they live in memory, as long as the disk is held */
export async function openDisk({ directory }: { readonly directory?: string } = {}): Promise<Disk> {
  if (directory === undefined) return new Disk(await openMemoryDatabase());
  const { openDirectoryDatabase } = await import('./directoryDatabase.ts');
  return new Disk(await openDirectoryDatabase(directory));
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
  appendJournal(records: readonly JournalRecord[]): number {
    invariant(this.#checkpoint, 'a disk is loaded before it is written to');
    const segment = this.#nextSegment++;
    this.#write([{ type: 'put', key: segmentKey(segment), value: encodeSegment(records) }]);
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
    writes.push({ type: 'put', key: METADATA_KEY, value: metadata.slice() });
    for (; this.#firstSegment <= Math.min(dropJournalThrough, this.lastSegment); this.#firstSegment++) {
      writes.push({ type: 'del', key: segmentKey(this.#firstSegment) });
    }
    this.#write(writes);
    this.#checkpoint = included;
  }

  /**
   * Reads everything back. A segment that is damaged ends the journal: it is kept up to the damage, and what follows is
   * removed from the disk, since it depends on what is lost.
   */
  async load(): Promise<LoadedData> {
    await this.#lastWrite;
    const engine = new StorageEngine();
    for (const [key, entry] of await this.#database.read(CATALOG_PREFIX)) {
      const { ns } = loadCollection(engine, entry);
      const uuid = key.slice(CATALOG_PREFIX.length);
      for (const [documentKey, bytes] of await this.#database.read(documentPrefix(uuid))) {
        loadDocument(engine, ns, documentKey, bytes);
      }
      loadIndexes(engine, ns, entry);
    }
    this.#checkpoint = engine.snapshot();
    const [metadata] = await this.#database.read(METADATA_KEY);
    return { engine, metadata: metadata?.[1], journal: await this.#loadJournal() };
  }

  /** Empties the disk, as `rm -r` on a stopped member's directory would. */
  wipe(): void {
    this.#enqueue(() => this.#database.clear());
    this.#checkpoint = EMPTY_VIEW;
    this.#firstSegment = this.#nextSegment;
  }

  /** A fault: cuts the last segment short, as a disk that lies about its writes would; nothing if there is none. */
  async tearLastSegment(): Promise<void> {
    await this.#lastWrite;
    const [last] = (await this.#database.read(JOURNAL_PREFIX)).slice(-1);
    if (last) this.#write([{ type: 'put', key: last[0], value: last[1].slice(0, -1) }]);
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    await this.#database.close();
  }

  async #loadJournal(): Promise<JournalRecord[]> {
    const segments = await this.#database.read(JOURNAL_PREFIX);
    const records: JournalRecord[] = [];
    const first = segments[0];
    this.#firstSegment = first ? segmentNumber(first[0]) : this.#nextSegment;
    let next = this.#firstSegment;
    let ended = false;
    const lost: DiskWrite[] = [];
    for (const [key, bytes] of segments) {
      if (ended || segmentNumber(key) !== next) {
        ended = true;
        lost.push({ type: 'del', key });
        continue;
      }
      const found = decodeSegment(bytes);
      records.push(...found.records);
      next++;
      if (!found.torn) continue;
      ended = true;
      lost.push({ type: 'put', key, value: encodeSegment(found.records) });
    }
    this.#nextSegment = next;
    if (lost.length > 0) this.#write(lost);
    return records;
  }

  #write(writes: readonly DiskWrite[]): void {
    this.#enqueue(() => this.#database.write(writes));
  }

  /** Real disks may finish writes in any order, so the next begins when the last has ended. */
  #enqueue(write: () => Promise<void>): void {
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

function segmentKey(segment: number): string {
  return JOURNAL_PREFIX + String(segment).padStart(SEQUENCE_DIGITS, '0');
}

function segmentNumber(key: string): number {
  return Number(key.slice(JOURNAL_PREFIX.length));
}
