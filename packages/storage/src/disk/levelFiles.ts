/**
 * The files of a LevelDB database, looked at before LevelDB opens them: it passes over some damage without a word, begins anew where
 * its first file is missing, and deletes what it does not know.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CorruptDiskError } from './damage.ts';
import { damageIn } from './levelLog.ts';
import { type Manifest, readManifest } from './levelManifest.ts';
import { damageInTable } from './levelTable.ts';

/** Names the manifest that counts. */
const CURRENT = 'CURRENT';
const DATA_FILE = /^\d+\.(?:log|ldb|sst)$/;

/** @throws CorruptDiskError, which names the file, unless all that was written is there as it was written */
export async function checkLevelFiles(directory: string): Promise<void> {
  const names = await readdir(directory);
  if (!names.includes(CURRENT)) {
    // A process that was killed while it made the database has left neither.
    const data = names.filter((name) => DATA_FILE.test(name));
    if (data.length > 0) throw new CorruptDiskError(`${CURRENT} is missing, though ${data.join(', ')} hold data`);
    return;
  }
  const { log, tables } = await manifestIn(directory);
  const logs = names.filter((each) => each.endsWith('.log'));
  if (log !== 0 && !logs.some((name) => Number.parseInt(name, 10) === log))
    throw new CorruptDiskError(`${fileName(log)}.log is missing`);
  for (const name of logs) await checkLog(directory, name);
  for (const [number, size] of tables) await checkTable(directory, `${fileName(number)}.ldb`, size);
}

async function manifestIn(directory: string): Promise<Manifest> {
  const current = await readFile(join(directory, CURRENT), 'latin1');
  const name = /^(MANIFEST-\d+)\n$/.exec(current)?.[1];
  if (name === undefined) throw new CorruptDiskError(`${CURRENT} names no manifest`);
  const bytes = await bytesOf(directory, name);
  const manifest = damageIn(bytes) === undefined ? readManifest(bytes) : undefined;
  if (manifest === undefined) throw new CorruptDiskError(`${name} is not what was written`);
  return manifest;
}

async function checkLog(directory: string, name: string): Promise<void> {
  const log = await bytesOf(directory, name);
  const at = damageIn(log);
  if (at !== undefined)
    throw new CorruptDiskError(`${name} is not what was written at byte ${at} of ${log.length}, and sound data follow`);
}

async function checkTable(directory: string, name: string, size: number): Promise<void> {
  const table = await bytesOf(directory, name);
  if (table.length !== size) throw new CorruptDiskError(`${name} has ${table.length} bytes, and ${size} were written`);
  const at = damageInTable(table);
  if (at !== undefined) throw new CorruptDiskError(`${name} is not what was written in the block at byte ${at}`);
}

async function bytesOf(directory: string, name: string): Promise<Uint8Array> {
  try {
    return await readFile(join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CorruptDiskError(`${name} is missing`);
  }
}

function fileName(number: number): string {
  return String(number).padStart(6, '0');
}
