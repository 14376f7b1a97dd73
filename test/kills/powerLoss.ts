import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@replsim/kernel';
import { readManifest } from '@replsim/storage';

/** What processes have noted of their files, one after the other: see `unsynced.ts`. */
interface Noted {
  /** By path of a log of LevelDB: how much of it is on the disk. */
  readonly synced: ReadonlyMap<string, number>;
  /** Files that were written as a whole, and not flushed. */
  readonly unsynced: ReadonlySet<string>;
  /** Whether the last one has begun to open its data. */
  readonly hasOpened: boolean;
}

export function notedIn(log: string): Noted {
  const synced = new Map<string, number>();
  const unsynced = new Set<string>();
  let hasOpened = false;
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  for (const line of lines.slice(0, -1)) {
    const [what, path, more] = JSON.parse(line) as [string, string, (string | number)?];
    if (what === 'born') hasOpened = false;
    else if (what === 'open') hasOpened = true;
    else if (what === 'synced') synced.set(path, Math.max(synced.get(path) ?? 0, Number(more)));
    else if (what === 'unsynced') unsynced.add(path);
    else if (what === 'flushed') unsynced.delete(path);
    else if (unsynced.delete(path)) unsynced.add(String(more));
    else unsynced.delete(String(more));
  }
  return { synced, unsynced, hasOpened };
}

/** The next process begins. */
export function bear(log: string): void {
  note(log, 'born');
}

function note(log: string, ...words: readonly (string | number)[]): void {
  appendFileSync(log, `${JSON.stringify(words)}\n`);
}

/** What a power failure took. */
export interface Cut {
  /** From logs, and from files that are written as a whole. */
  readonly bytes: number;
  /** Manifests and tables of LevelDB that lost their ends. */
  readonly files: number;
}

/** Cuts off what no process has synced, somewhere in it. A process that is killed otherwise leaves that to the next failure. */
export function losePower(dbpath: string, log: string, random: Random): Cut {
  const noted = notedIn(log);
  const cut = { bytes: 0, files: 0 };
  if (!existsSync(dbpath)) return cut;
  for (const entry of readdirSync(dbpath, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) cut.files += loseDescription(path, noted, random);
    if (!entry.isFile() || !(entry.name.endsWith('.log') || noted.unsynced.has(path))) continue;
    const { size } = statSync(path);
    const kept = noted.synced.get(path) ?? 0;
    const length = size <= kept ? size : random.int(kept, size);
    if (length < size) truncateSync(path, length);
    cut.bytes += size - length;
    // What is left was on the disk.
    note(log, 'flushed', path);
    note(log, 'synced', path, length);
  }
  return cut;
}

/**
 * LevelDB syncs a manifest before CURRENT names it, and a table before a manifest does: those that are not named yet may end anywhere. It appends
 * to the manifest that counts, and deletes what this makes useless only when it has synced that: so whatever it appended may be lost as long
 * as nothing is deleted.
 * @returns how many files lost their ends
 */
function loseDescription(folder: string, { synced }: Noted, random: Random): number {
  const names = readdirSync(folder);
  if (!names.some((name) => name.startsWith('MANIFEST-'))) return 0;
  const current = names.includes('CURRENT') ? readFileSync(join(folder, 'CURRENT'), 'utf8').trim() : '';
  let files = 0;
  let tables: ReadonlyMap<number, number> = new Map();
  const cutTo = (path: string, length: number) => {
    if (length >= statSync(path).size) return;
    truncateSync(path, length);
    files += 1;
  };
  const somewhere = (path: string) => cutTo(path, random.int(0, statSync(path).size + 1));
  for (const name of names.filter((each) => each.startsWith('MANIFEST-'))) {
    const path = join(folder, name);
    if (name !== current) {
      somewhere(path);
      continue;
    }
    const bytes = readFileSync(path);
    const length = random.int(Math.min(synced.get(path) ?? bytes.length, bytes.length), bytes.length + 1);
    if (isWhole(names, bytes.subarray(0, length))) cutTo(path, length);
    tables = readManifest(readFileSync(path))?.tables ?? tables;
  }
  for (const name of names.filter((each) => each.endsWith('.ldb')))
    if (!tables.has(Number.parseInt(name, 10))) somewhere(join(folder, name));
  return files;
}

/** Whether all that a manifest counts on is there. */
function isWhole(names: readonly string[], bytes: Uint8Array): boolean {
  const manifest = readManifest(bytes);
  if (manifest === undefined) return false;
  const numbers = new Set(
    names.filter((name) => /^\d+\.(log|ldb)$/.test(name)).map((name) => Number.parseInt(name, 10)),
  );
  return numbers.has(manifest.log) && [...manifest.tables.keys()].every((table) => numbers.has(table));
}
