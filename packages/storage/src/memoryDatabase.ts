/** A database over memory-level. */
import { MemoryLevel } from 'memory-level';
import { type Database, databaseOver, type FileStore } from './database.ts';
import { withDocumentsAside } from './memoryDocuments.ts';
import { withSegmentsAside } from './memoryJournal.ts';

/** A database that lives and dies with this object. */
export async function openMemoryDatabase(): Promise<Database> {
  const level = new MemoryLevel<string, Uint8Array>({
    storeEncoding: 'view',
    keyEncoding: 'utf8',
    valueEncoding: 'view',
  });
  await level.open();
  return withSegmentsAside(withDocumentsAside(databaseOver(level, memoryFiles(), true)));
}

function memoryFiles(): FileStore {
  const files = new Map<string, Uint8Array>();
  return {
    writeFile: async (path, bytes) => void files.set(path, bytes),
    files: async () => [...files].sort(([a], [b]) => (a < b ? -1 : 1)),
    clear: async () => files.clear(),
  };
}
