import { openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { InputError } from './io.ts';

/** A scenario file as it lies on disk. */
export interface ScenarioFile {
  /** As shown to the user and in the command that repeats a run. */
  readonly path: string;
  readonly text: string;
}

/**
 * The scenario files that paths name; folders are searched through and through, in order of names.
 * Throws InputError for what does not exist and for a folder without scenarios.
 */
export function findScenarios(paths: readonly string[]): ScenarioFile[] {
  const files = paths.flatMap((path) => expand(path));
  const seen = new Set<string>();
  const distinct = files.filter((path) => !seen.has(path) && seen.add(path));
  return distinct.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

function expand(path: string): string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch {
    throw new InputError(`${path}: no such file or folder`);
  }
  if (!isFolder) return [path];
  const found = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(path, name));
  if (found.length === 0) {
    throw new InputError(`${path}: no scenarios here; they are files that end in .yaml or .yml`);
  }
  return found;
}

/** A path relative to where the command was called, which is how it will be called again. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short !== '' && !short.startsWith('..') ? short : path;
}

/**
 * Opens a file for writing. @param what of what it is to hold @param force even if it holds something already
 * @throws InputError
 */
export function openToWrite(path: string, what: string, force: boolean): number {
  if (!force && holdsSomething(path))
    throw new InputError(`${path} is there already: choose another name for the ${what}, or overwrite it with --force`);
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new InputError(`cannot write the ${what}: ${(error as Error).message}`);
  }
}

/** A pipe or a terminal keeps nothing that could be lost. */
function holdsSomething(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size > 0;
}
