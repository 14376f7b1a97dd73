/**
 * The files of a LevelDB database, looked at before LevelDB opens them: it passes over some damage without a word, begins anew where
 * its first file is missing, and deletes what it does not know.
 */
import { CorruptDiskError } from './damage.ts';
import { damageIn } from './levelLog.ts';
import { type Manifest, readManifest } from './levelManifest.ts';
import { damageInTable } from './levelTable.ts';

/** Names the manifest that counts. */
const CURRENT = 'CURRENT';
const LONGEST_NAME = 100;
const DATA_FILE = /^\d+\.(?:log|ldb|sst)$/;

/** The folder of a database. */
export interface LevelFolder {
  readonly names: readonly string[];
  /** @returns undefined if there is no such file */
  read(name: string): Promise<Uint8Array | undefined>;
}

/** @throws CorruptDiskError, which names the file, unless all that was written is there as it was written */
export async function checkLevelFiles(folder: LevelFolder): Promise<void> {
  const { names } = folder;
  if (!names.includes(CURRENT)) {
    // A process that was killed while it made the database has left neither.
    const data = names.filter((name) => DATA_FILE.test(name));
    if (data.length > 0) throw new CorruptDiskError(`${CURRENT} is missing, though ${data.join(', ')} hold data`);
    return;
  }
  const { log, tables } = await manifestIn(folder);
  const logs = names.filter((each) => each.endsWith('.log'));
  if (log !== 0 && !logs.some((name) => Number.parseInt(name, 10) === log))
    throw new CorruptDiskError(`${fileName(log)}.log is missing`);
  for (const name of logs) await checkLog(folder, name);
  for (const [number, size] of tables) await checkTable(folder, `${fileName(number)}.ldb`, size);
}

async function manifestIn(folder: LevelFolder): Promise<Manifest> {
  const current = await bytesOf(folder, CURRENT);
  const name = /^(MANIFEST-\d+)\n$/.exec(String.fromCharCode(...current.subarray(0, LONGEST_NAME)))?.[1];
  if (name === undefined) throw new CorruptDiskError(`${CURRENT} names no manifest`);
  const bytes = await bytesOf(folder, name);
  const manifest = damageIn(bytes) === undefined ? readManifest(bytes) : undefined;
  if (manifest === undefined) throw new CorruptDiskError(`${name} is not what was written`);
  return manifest;
}

async function checkLog(folder: LevelFolder, name: string): Promise<void> {
  const log = await bytesOf(folder, name);
  const at = damageIn(log);
  if (at !== undefined)
    throw new CorruptDiskError(`${name} is not what was written at byte ${at} of ${log.length}, and sound data follow`);
}

async function checkTable(folder: LevelFolder, name: string, size: number): Promise<void> {
  const table = await bytesOf(folder, name);
  if (table.length !== size) throw new CorruptDiskError(`${name} has ${table.length} bytes, and ${size} were written`);
  const at = damageInTable(table);
  if (at !== undefined) throw new CorruptDiskError(`${name} is not what was written in the block at byte ${at}`);
}

async function bytesOf(folder: LevelFolder, name: string): Promise<Uint8Array> {
  const bytes = await folder.read(name);
  if (bytes === undefined) throw new CorruptDiskError(`${name} is missing`);
  return bytes;
}

function fileName(number: number): string {
  return String(number).padStart(6, '0');
}
