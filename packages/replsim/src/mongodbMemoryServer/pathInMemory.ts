import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';

/** This folder does not exist, so code that deletes it does no harm. */
const NO_FOLDER = join(tmpdir(), 'replsim-in-memory');

/**
 * The `dbPath` of a server whose data is in memory. mongodb-memory-server always has a path, and an empty one would resolve to the
 * working directory.
 */
export function pathInMemory(port: number): string {
  return join(NO_FOLDER, String(port));
}

/** Whether a path is the `dbPath` of a server whose data was in memory. */
export function isPathInMemory(path: string): boolean {
  return resolve(path).startsWith(NO_FOLDER + sep);
}
