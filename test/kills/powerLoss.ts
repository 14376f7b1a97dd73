import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@replsim/kernel';

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

/**
 * Cuts off what no process has synced, somewhere in it. A process that is killed otherwise leaves that to the next failure.
 * @returns how many bytes are gone
 */
export function losePower(dbpath: string, log: string, random: Random): number {
  const { synced, unsynced } = notedIn(log);
  let cut = 0;
  if (!existsSync(dbpath)) return 0;
  for (const entry of readdirSync(dbpath, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !(entry.name.endsWith('.log') || unsynced.has(path))) continue;
    const { size } = statSync(path);
    const kept = synced.get(path) ?? 0;
    const length = size <= kept ? size : random.int(kept, size - 1);
    if (length < size) truncateSync(path, length);
    cut += size - length;
    // What is left was on the disk.
    note(log, 'flushed', path);
    note(log, 'synced', path, length);
  }
  return cut;
}
