import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';

/** There is no such folder, and who clears it away does no harm. */
const NO_FOLDER = join(tmpdir(), 'replsim-in-memory');

/**
 * What stands for the path of data that are in memory: mongodb-memory-server always has one, and an empty one would be the folder of
 * the process for whoever resolves it.
 */
export function pathInMemory(port: number): string {
  return join(NO_FOLDER, String(port));
}

/** Whether somebody means to go on with such data. */
export function isPathInMemory(path: string): boolean {
  return resolve(path).startsWith(NO_FOLDER + sep);
}
