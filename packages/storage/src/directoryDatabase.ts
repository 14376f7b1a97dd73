/** The one file that reaches for the file system; loaded only when a directory is asked for, so that a browser need not. */
import { mkdir } from 'node:fs/promises';
import { Level } from 'level';
import { type Database, databaseOver } from './database.ts';

/** Opens, or creates with its parents, a LevelDB directory. Rejects if another process has it open. */
export async function openDirectoryDatabase(directory: string): Promise<Database> {
  await mkdir(directory, { recursive: true });
  const level = new Level<string, Uint8Array>(directory, { keyEncoding: 'utf8', valueEncoding: 'view' });
  await level.open();
  return databaseOver(level, false);
}
