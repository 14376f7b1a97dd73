/** A checkpoint's documents in a database that lives in memory. */

import { NumberTree } from '../tree/tree.ts';
import { type DiskWrite, DOCUMENT_PREFIX, documentKey, documentPrefix } from './checkpoint.ts';
import type { Database } from './database.ts';

/** Where the collection's 32 hex digits end in a key. */
const UUID_END = DOCUMENT_PREFIX.length + 32;

/**
 * Keeps the documents beside a database rather than in it, by collection and record id: their bytes are shared with the
 * live data anyhow, and millions of them go in at once.
 */
export function withDocumentsAside(database: Database): Database {
  const collections = new Map<string, NumberTree<Uint8Array>>();

  const change = (write: DiskWrite): void => {
    const uuid = write.key.slice(DOCUMENT_PREFIX.length, UUID_END);
    const recordId = Number(write.key.slice(UUID_END + 1));
    let documents = collections.get(uuid);
    if (!documents) {
      documents = new NumberTree();
      collections.set(uuid, documents);
    }
    if (write.type === 'put') documents.set(recordId, write.value);
    else documents.delete(recordId);
    if (documents.size === 0) collections.delete(uuid);
  };

  const entriesOf = (uuid: string, documents: NumberTree<Uint8Array>): [key: string, value: Uint8Array][] => {
    const entries: [string, Uint8Array][] = [];
    const cursor = documents.cursor();
    for (let more = cursor.first(); more; more = cursor.next()) {
      entries.push([documentKey(uuid, cursor.key), cursor.value]);
    }
    return entries;
  };

  return {
    ...database,
    write: (writes) => {
      for (const write of writes) if (isDocument(write)) change(write);
      return database.write(writes.filter((write) => !isDocument(write)));
    },
    read: async (prefix) => {
      if (!prefix.startsWith(DOCUMENT_PREFIX)) return database.read(prefix);
      const begins = (key: string) => key.startsWith(prefix);
      const wanted = [...collections].filter(([uuid]) => begins(documentPrefix(uuid)) || prefix.includes(uuid));
      wanted.sort(([a], [b]) => (a < b ? -1 : 1));
      return wanted.flatMap(([uuid, documents]) => entriesOf(uuid, documents).filter(([key]) => begins(key)));
    },
    clear: () => {
      collections.clear();
      return database.clear();
    },
  };
}

function isDocument({ key }: DiskWrite): boolean {
  return key.startsWith(DOCUMENT_PREFIX);
}
