import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { CI_FILES, type CiServer, type FirstFile, SCENARIO, SCRIPT } from '../starting/firstFiles.ts';
import { newPackageFile, withScript } from '../starting/packageFile.ts';

export interface InitOptions {
  readonly ci?: CiServer | 'none';
}

/** `replsim init`: what one begins with. Nothing that is there is written over. */
export function initCommand(folder = '.', { ci = 'github' }: InitOptions, io: Io): number {
  try {
    mkdirSync(folder, { recursive: true });
    // It may be refused, and then nothing is to be half done.
    const addScript = scriptOf(join(folder, 'package.json'));
    const files = [SCENARIO, ...(ci === 'none' ? [] : [CI_FILES[ci]])];
    for (const file of files) io.out(`${written(folder, file)}\n`);
    io.out(`${addScript()}\n`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || !REFUSED.includes(code)) throw error;
    throw new InputError(`cannot write there: ${message}`);
  }
  const inFolder = folder === '.' ? '' : `cd ${shown(folder)} && `;
  io.out(`\nnext: ${inFolder}npm install && npm run ${SCRIPT.name}\n`);
  return ExitCodes.ok;
}

/** What a folder answers where nothing can be written. */
const REFUSED = ['EEXIST', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EISDIR'];

/** @returns what has become of the file, for whoever asked for it */
function written(folder: string, { path, what, text }: FirstFile): string {
  const file = join(folder, path);
  if (existsSync(file)) return `kept ${shown(file)}, which is there already`;
  mkdirSync(dirname(file), { recursive: true });
  // Should it have come about just now, it stays too.
  writeFileSync(file, text, { flag: 'wx' });
  return `wrote ${shown(file)}: ${what}`;
}

/** Reads a `package.json`, if there is one. @returns what writes it, and says so */
function scriptOf(path: string): () => string {
  const said = `npm run ${SCRIPT.name}`;
  if (!existsSync(path)) {
    return () => {
      writeFileSync(path, newPackageFile(), { flag: 'wx' });
      return `wrote ${shown(path)}: ${said}`;
    };
  }
  const before = readFileSync(path, 'utf8');
  const { text, kept } = withScript(before);
  return () => {
    if (text !== before) writeFileSync(path, text);
    if (kept === undefined) return `added to ${shown(path)}: ${said}`;
    return `kept the script "${SCRIPT.name}" of ${shown(path)}: ${kept}`;
  };
}
