import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { diskFailure, InputError } from './io.ts';

/** A scenario file as it lies on disk. */
export interface ScenarioFile {
  /** As shown to the user and in the command that repeats a run. */
  readonly path: string;
  readonly text: string;
  /** The one of its variants that is meant; undefined: the scenario as it is written. */
  readonly variant?: string;
}

/**
 * The scenario files that paths name; folders are searched through and through, in order of names, but for hidden
 * files and folders and node_modules.
 * Throws InputError for what does not exist and for a folder without scenarios.
 */
export function scenarioPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => expand(path)))];
}

/** A file's text. @throws InputError if it cannot be read, or is no UTF-8, in which all our files are */
export function readText(path: string): string {
  const bytes = readBytes(path);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new InputError(
      `${path}: this file is packed by gzip; unpack it first, or, if it is of a dump, give the folder to "replsim serve --load"`,
    );
  const offset = firstWrongByte(bytes);
  const line = 1 + bytes.subarray(0, offset).filter((byte) => byte === LINE_FEED).length;
  const found = `0x${bytes.subarray(offset, offset + 1).toString('hex')}`;
  throw new InputError(
    `${path}:${line}: this is not UTF-8: the byte ${found} at offset ${offset} does not belong there; save the file as UTF-8`,
  );
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const why = unreadable(error as NodeJS.ErrnoException);
    throw new InputError(`${path}: this file cannot be read: ${why}`, { cause: error });
  }
}

/** What the system says in its own words, and what to do. */
export function unreadable({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'it does not exist, or is a broken link';
  if (code === 'EISDIR') return 'it is a folder; name a file';
  if (code === 'EACCES' || code === 'EPERM') return 'you have no permission to read it';
  return `${message}; name a file that can be read`;
}

const LINE_FEED = 10;

/** Where the first character stands that is none. What is cut off within one may go on: up to there all is well. */
function firstWrongByte(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isPrefixOfUtf8(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isPrefixOfUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function expand(path: string): string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch {
    throw new InputError(
      path === '-'
        ? '-: no such file or folder; to read from a pipe, name /dev/stdin'
        : `${path || '""'}: no such file or folder; replsim list FOLDER shows which scenarios there are`,
    );
  }
  if (!isFolder) return [path];
  const found = filesIn(path, '')
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(path, name));
  if (found.length === 0) {
    throw new InputError(
      `${path}: no scenarios here; they are files that end in .yaml or .yml. Hidden files and node_modules ` +
        'count only if you name them',
    );
  }
  return found;
}

/** Whether a file or folder, found in a folder, is other programs' by its name: nobody keeps scenarios there. */
export function isPassedOver(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** What lies under a folder, but for what is passed over. @param inside where in it, `''` for all of it */
function filesIn(folder: string, inside: string): string[] {
  return namesIn(join(folder, inside))
    .filter((name) => !isPassedOver(name))
    .flatMap((name) => {
      const path = join(inside, name);
      return isFolder(join(folder, path)) ? filesIn(folder, path) : [path];
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new InputError(`${folder}: this folder cannot be read: ${unreadable(error as NodeJS.ErrnoException)}`);
  }
}

/** A link counts as where it leads, if it leads anywhere. */
function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** A path relative to where the command was called, which is how it will be called again. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short !== '' && !short.startsWith('..') ? short : path;
}

/** A path as a shell reads it back. */
export function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * Opens a file for writing. @param what of what it is to hold @param force even if it holds something already
 * @throws InputError
 */
export function openToWrite(path: string, what: string, force: boolean, flag: 'w' | 'a' = 'w'): number {
  if (path === '') throw new InputError(`cannot write the ${what}: it has no name; name a file`);
  if (!force && holdsSomething(path))
    throw new InputError(`${path} already exists: choose another name for the ${what}, or overwrite it with --force`);
  try {
    return openSync(path, flag);
  } catch (error) {
    if (diskFailure(error) !== undefined) throw error;
    throw new InputError(`cannot write the ${what}: ${plain(path, error as NodeJS.ErrnoException)}`);
  }
}

/** A file that is written when there is something to write. */
export interface LateFile {
  readonly write: (text: string) => void;
  readonly close: () => void;
}

/**
 * Sees to it that a file can be written, and leaves what is there until something takes its place: who is interrupted before keeps the report that was
 * there, and gets no empty one. A pipe is opened at once, and once. @throws InputError
 */
export function openLate(path: string, what: string, force: boolean): LateFile {
  const before = foundAt(path);
  const isKept = before === undefined || before.isFile();
  let file: number | undefined = isKept ? undefined : openToWrite(path, what, force);
  if (isKept) {
    closeSync(openToWrite(path, what, force, 'a'));
    if (before === undefined) unlinkSync(path);
  }
  return {
    write(text) {
      // What lies there by now was looked at before.
      file ??= openToWrite(path, what, true);
      writeSync(file, text);
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}

/** A folder and those above it. Node's own "recursive" never returns where the system makes none, as in /proc. */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Somebody else may have made it just now.
    if (!isFolder(path)) throw error;
  }
}

/** What stands in the way of a folder at a path; undefined if nothing does. */
export function noFolderAt(path: string): string | undefined {
  if (path === '') return 'it has no name; name a folder';
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined || found.isDirectory() ? undefined : `${path} is a file; name a folder`;
  } catch (error) {
    return plain(path, error as NodeJS.ErrnoException);
  }
}

/** Why nothing can be written there, in the system's own words, and what to do. */
export function plain(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' && existsSync(dirname(path))) return `${path} cannot be made; choose another place`;
  if (code === 'ENOENT') return `there is no folder ${dirname(path)}; create it first`;
  if (code === 'EISDIR') return `${path} is a folder; name a file in it`;
  if (code === 'ENOTDIR') return `${path} would be inside a file; name an existing folder`;
  if (code === 'ELOOP') return `${path} is a symbolic link that points to itself; choose another place`;
  if (code === 'ENAMETOOLONG') return `${path} is too long for a name; choose a shorter one`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `${path} is not writable; choose another place`;
  return `${path}: ${message}; choose another place`;
}

/** A pipe or a terminal keeps nothing that could be lost. */
export function holdsSomething(path: string): boolean {
  const found = foundAt(path);
  return found?.isFile() === true && found.size > 0;
}

/** What a path leads to; nowhere, if it cannot be a path at all. The error comes when it is opened. */
function foundAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
