import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the repository; the program lies deeper when it is built than when tests read its source. */
export const root = topOf(fileURLToPath(import.meta.url));

function topOf(path: string): string {
  return existsSync(join(path, 'package-lock.json')) ? path : topOf(dirname(path));
}

/** A file's text. @param path from the top */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The names in a folder, in an order that no file system decides. @param folder from the top */
export const namesIn = (folder: string): string[] => readdirSync(join(root, folder)).sort();

/**
 * Where a file of the repository is read on the web, by path from the top, which follows. The package that is published
 * has no other way to point to files that it does not bring.
 */
export const filesUrl: string = `${JSON.parse(read('packages/replsim/package.json'))
  .repository.url.replace(/^git\+/, '')
  .replace(/\.git$/, '')}/blob/HEAD/`;
