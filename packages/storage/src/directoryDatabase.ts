/** The one file that reaches for the file system; loaded only when a directory is asked for, so that a browser need not. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Level } from 'level';
import { type Database, databaseOver, type FileStore } from './database.ts';

/** LevelDB keeps its files in the directory itself, and leaves folders in it alone. */
const FILES_FOLDER = 'rollback';

/** Opens, or creates with its parents, a LevelDB directory. Rejects if another process has it open. */
export async function openDirectoryDatabase(directory: string): Promise<Database> {
  await mkdir(directory, { recursive: true });
  const level = new Level<string, Uint8Array>(directory, { keyEncoding: 'utf8', valueEncoding: 'view' });
  await level.open();
  return databaseOver(level, filesIn(directory), false);
}

/** Files under `rollback/` of the directory, as a mongod has them under its `--dbpath`. */
function filesIn(directory: string): FileStore {
  const root = join(directory, FILES_FOLDER);
  return {
    writeFile: async (path, bytes) => {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes, { flush: true });
    },
    files: async () => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(noneIfMissing);
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return Promise.all(
        paths.sort().map(async (file) => {
          const path = file.slice(directory.length + 1).replaceAll(sep, '/');
          return [path, new Uint8Array(await readFile(file))] as const;
        }),
      );
    },
    clear: () => rm(root, { recursive: true, force: true }),
  };
}

function noneIfMissing(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
