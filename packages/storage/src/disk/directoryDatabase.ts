/** The one file that reaches for the file system; loaded only when a directory is asked for, so that a browser need not. */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Level } from 'level';
import { type DataFolder, DiskError, diskErrorOf } from './damage.ts';
import { type Database, databaseOver, type FileStore } from './database.ts';
import { checkLevelFiles } from './levelFiles.ts';

/** How data are written down: what we write, and all that we read. */
const FORMAT = 1;
/** Says so. LevelDB keeps its files in the directory itself, and leaves this one and folders alone. */
const FORMAT_FILE = 'storage.json';
const FILES_FOLDER = 'rollback';

/**
 * Opens, or creates with its parents, a LevelDB directory. Rejects if another process has it open, and with a DiskError if the
 * data cannot be read, as its methods do.
 */
export async function openDirectoryDatabase(folder: DataFolder): Promise<Database> {
  const { directory } = folder;
  const { Level } = await addonFor(folder);
  try {
    await claimFormat(folder);
    await checkFiles(Level, directory);
    // Opens itself in the next tick, whether or not it is asked to.
    const level = new Level<string, Uint8Array>(directory, { keyEncoding: 'utf8', valueEncoding: 'view' });
    await level.open();
    return told(databaseOver(level, filesIn(directory), false), folder);
  } catch (error) {
    throw isLocked(error) ? error : diskErrorOf(error, folder);
  }
}

/** What another process is writing to may look damaged, so whether there is one comes first. @throws CorruptDiskError */
async function checkFiles(addon: typeof Level, directory: string): Promise<void> {
  try {
    const read = (name: string) => readFile(join(directory, name)).catch(undefinedIfMissing);
    await checkLevelFiles({ names: await readdir(directory), read });
  } catch (damage) {
    // It takes the lock before it looks whether the database exists, and opens neither one that does nor one that does not.
    const probe = new addon(directory, { createIfMissing: false, errorIfExists: true });
    const refused = await probe.open().catch((error: unknown) => error);
    throw isLocked(refused) ? refused : damage;
  }
}

/**
 * LevelDB is machine code, of which not every machine has some, and who keeps data in memory needs none: so it is loaded here
 * alone, and who installs the published package has it only by asking for it.
 */
async function addonFor(folder: DataFolder): Promise<{ readonly Level: typeof Level }> {
  try {
    return await import('level');
  } catch (error) {
    const [detail = ''] = (error as Error).message.split('\n');
    throw new DiskError('addon', folder, detail, { cause: error });
  }
}

/** A folder and those above it. Node's own "recursive" never returns where the system makes none, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  const isThere = async (path: string) => (await stat(path).catch(undefinedIfMissing))?.isDirectory() === true;
  if (await isThere(folder)) return;
  const above = dirname(folder);
  if ((await stat(above).catch(undefinedIfMissing)) === undefined) await makeFolder(above);
  try {
    await mkdir(folder);
  } catch (error) {
    // Another member may have made it just now.
    if (!(await isThere(folder))) throw error;
  }
}

/**
 * Makes the folder if it is not there, and sees to it that it says in which format its data are; those that say nothing were
 * written when there was but one.
 */
async function claimFormat(folder: DataFolder): Promise<void> {
  await makeFolder(folder.directory);
  const file = join(folder.directory, FORMAT_FILE);
  const text = await readFile(file, 'utf8').catch(undefinedIfMissing);
  if (text !== undefined) {
    checkFormat(text, folder);
    return;
  }
  // Whole or not at all: a process that is killed meanwhile must not leave a folder that nobody opens.
  await writeFile(`${file}.new`, `${JSON.stringify({ format: FORMAT })}\n`, { flush: true });
  await rename(`${file}.new`, file);
}

function checkFormat(text: string, folder: DataFolder): void {
  const format = formatIn(text);
  if (format === FORMAT) return;
  const detail =
    typeof format === 'number'
      ? `${FORMAT_FILE} says format ${format}, and this replsim knows format ${FORMAT} alone`
      : `${FORMAT_FILE} does not say in which format the data are`;
  throw new DiskError('format', folder, detail);
}

function formatIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { format?: unknown } | null)?.format;
  } catch {
    return undefined;
  }
}

/** LevelDB says so of a folder that somebody else has open, which is no fault of the disk. */
function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'LEVEL_LOCKED' || isLocked(error.cause);
}

/** The same database, whose failures say whose data they are and what to do. */
function told(database: Database, folder: DataFolder): Database {
  const telling =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      method(...args).catch((error: unknown) => {
        throw diskErrorOf(error, folder);
      });
  return {
    immediate: database.immediate,
    read: telling(database.read),
    segments: telling(database.segments),
    write: telling(database.write),
    append: telling(database.append),
    writeFile: telling(database.writeFile),
    files: telling(database.files),
    clear: telling(database.clear),
    close: telling(database.close),
  };
}

/** Files under `rollback/` of the directory, as a mongod has them under its `--dbpath`. */
function filesIn(directory: string): FileStore {
  const root = join(directory, FILES_FOLDER);
  return {
    writeFile: async (path, bytes) => {
      const file = join(directory, path);
      await makeFolder(dirname(file));
      await writeFile(file, bytes, { flush: true });
    },
    files: async () => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing);
      const paths = (entries ?? [])
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
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

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
