/** Journal segments of a database that lives in memory. */
import type { DiskWrite } from './checkpoint.ts';
import type { Database } from './database.ts';
import { decodeSegment, encodeSegment, JOURNAL_PREFIX, type Journalled, recordOf } from './journal.ts';

/**
 * Keeps the segments beside a database rather than in it, as the records they were given as: there is one for every flush,
 * most are dropped unread, and what their records say all members of a set share. They become bytes only for whoever reads,
 * or damages, what lies on the disk.
 */
export function withSegmentsAside(database: Database): Database {
  const segments = new Map<string, readonly Journalled[] | Uint8Array>();
  return {
    ...database,
    append: async (key, records) => void segments.set(key, records),
    write: (writes) => {
      for (const write of writes) {
        if (!isSegment(write)) continue;
        if (write.type === 'put') segments.set(write.key, write.value);
        else segments.delete(write.key);
      }
      return database.write(writes.filter((write) => !isSegment(write)));
    },
    segments: async () =>
      inOrder(segments).map(([key, segment]) => [
        key,
        segment instanceof Uint8Array ? decodeSegment(segment) : { records: segment.map(recordOf), damage: 'none' },
      ]),
    read: async (prefix) => {
      if (!prefix.startsWith(JOURNAL_PREFIX)) return database.read(prefix);
      return inOrder(segments)
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, segment]) => [key, segment instanceof Uint8Array ? segment : encodeSegment(segment)]);
    },
    clear: () => {
      segments.clear();
      return database.clear();
    },
  };
}

function inOrder<Value>(segments: ReadonlyMap<string, Value>): [key: string, Value][] {
  return [...segments].sort(([a], [b]) => (a < b ? -1 : 1));
}

function isSegment({ key }: DiskWrite): boolean {
  return key.startsWith(JOURNAL_PREFIX);
}
