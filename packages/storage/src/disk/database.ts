/** The part of the `level` API that storage uses, over memory or a directory. */
import type { DiskWrite } from './checkpoint.ts';
import { type DecodedSegment, decodeSegment, encodeSegment, JOURNAL_PREFIX, type Journalled } from './journal.ts';

/** A sorted store of bytes under string keys, changed by atomic batches. */
export interface Database {
  /** True if a write is there at once, before its promise resolves. */
  readonly immediate: boolean;
  write(writes: readonly DiskWrite[]): Promise<void>;
  /** Puts a journal segment, whose records no longer change; it is read, changed and deleted as any other entry. */
  append(key: string, records: readonly Journalled[]): Promise<void>;
  /** The journal segments as far as they are sound, in the order of keys. */
  segments(): Promise<(readonly [key: string, segment: DecodedSegment])[]>;
  /** Every entry whose key begins with `prefix`, in the order of keys. */
  read(prefix: string): Promise<[key: string, value: Uint8Array][]>;
  /** Writes a file beside the entries. */
  writeFile(path: string, bytes: Uint8Array): Promise<void>;
  /** The files written so, in the order of their paths. */
  files(): Promise<(readonly [path: string, bytes: Uint8Array])[]>;
  /** Removes everything, files too. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Where a database keeps its files. */
export type FileStore = Pick<Database, 'writeFile' | 'files' | 'clear'>;

/** What we need of `level`, and have in memory too. */
interface LevelDatabase {
  batch(operations: DiskWrite[], options: { sync: boolean }): Promise<void>;
  iterator(range: { gte: string; lt: string }): { all(): Promise<[string, Uint8Array][]> };
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Wraps an open level database; its writes are durable when they resolve, if it can. */
export function databaseOver(level: LevelDatabase, files: FileStore, immediate: boolean): Database {
  // Keys are ASCII, so this ends behind all that begin with the prefix.
  const read = async (prefix: string) => (await level.iterator({ gte: prefix, lt: `${prefix}\x7f` }).all()).map(plain);
  return {
    immediate,
    read,
    segments: async () => (await read(JOURNAL_PREFIX)).map(([key, bytes]) => [key, decodeSegment(bytes)] as const),
    write: (writes) => level.batch(writes as DiskWrite[], { sync: true }),
    append: (key, records) => level.batch([{ type: 'put', key, value: encodeSegment(records) }], { sync: true }),
    writeFile: files.writeFile,
    files: files.files,
    clear: async () => {
      // In memory both have happened when the first promise is there.
      await Promise.all([level.clear(), files.clear()]);
    },
    close: () => level.close(),
  };
}

/** LevelDB hands out Buffers, whose `slice` is a view where a Uint8Array's is a copy. */
function plain([key, value]: [string, Uint8Array]): [string, Uint8Array] {
  return [key, new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
}
