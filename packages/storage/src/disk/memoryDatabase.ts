/** A database in memory. */
import type { DiskWrite } from './checkpoint.ts';
import { type Database, databaseOver, type FileStore } from './database.ts';
import { withDocumentsAside } from './memoryDocuments.ts';
import { withSegmentsAside } from './memoryJournal.ts';

/** A database that lives and dies with this object. */
export async function openMemoryDatabase(): Promise<Database> {
  return withSegmentsAside(withDocumentsAside(databaseOver(new MemoryEntries(), memoryFiles(), true)));
}

/** What of `level` a database needs, over a map: documents and the journal lie aside, so that its entries are few. */
class MemoryEntries {
  readonly #entries = new Map<string, Uint8Array>();

  async batch(writes: readonly DiskWrite[]): Promise<void> {
    for (const write of writes) {
      if (write.type === 'put') this.#entries.set(write.key, write.value);
      else this.#entries.delete(write.key);
    }
  }

  iterator({ gte, lt }: { readonly gte: string; readonly lt: string }) {
    return {
      all: async () =>
        [...this.#entries].filter(([key]) => key >= gte && key < lt).sort(([a], [b]) => (a < b ? -1 : 1)),
    };
  }

  async clear(): Promise<void> {
    this.#entries.clear();
  }

  async close(): Promise<void> {}
}

function memoryFiles(): FileStore {
  const files = new Map<string, Uint8Array>();
  return {
    writeFile: async (path, bytes) => void files.set(path, bytes),
    files: async () => [...files].sort(([a], [b]) => (a < b ? -1 : 1)),
    clear: async () => files.clear(),
  };
}
