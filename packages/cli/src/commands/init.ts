import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, noFolderAt, plain, readText, shown } from '../files.ts';
import { diskFailure, ExitCodes, InputError, type Io } from '../io.ts';
import { CI_FILES, type CiServer, type FirstFile, SCENARIO, SCRIPT } from '../starting/firstFiles.ts';
import { newPackageFile, TARBALL, withScript } from '../starting/packageFile.ts';

export interface InitOptions {
  readonly ci?: CiServer | 'none';
}

/** `replsim init`: what one begins with. Nothing that is there is written over. */
export function initCommand(folder = '.', { ci = 'github' }: InitOptions, io: Io): number {
  const noFolder = noFolderAt(folder);
  if (noFolder !== undefined) throw new InputError(`init: ${noFolder}`);
  try {
    makeFolder(folder);
    // It may be refused, and then nothing is to be half done.
    const addScript = scriptOf(join(folder, 'package.json'));
    const files = [SCENARIO, ...(ci === 'none' ? [] : [CI_FILES[ci]])];
    for (const file of files) io.out(`${written(folder, file)}\n`);
    const { said, fromTarball } = addScript();
    io.out(`${said}\n`);
    if (fromTarball && !existsSync(join(folder, TARBALL))) io.out(missingTarball(folder));
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    if (code === undefined || diskFailure(error) !== undefined) throw error;
    throw new InputError(`init: ${noFolderAt(path) ?? plain(path, error as NodeJS.ErrnoException)}`);
  }
  const inFolder = folder === '.' ? '' : `cd ${shown(folder)} && `;
  io.out(`\nnext: ${inFolder}npm install && npm run ${SCRIPT.name}\n`);
  return ExitCodes.ok;
}

/** @returns what has become of the file, for whoever asked for it */
function written(folder: string, { path, what, text }: FirstFile): string {
  const file = join(folder, path);
  if (existsSync(file)) return `kept ${shown(file)}, which is there already`;
  makeFolder(dirname(file));
  // Should it have come about just now, it stays too.
  writeFileSync(file, text, { flag: 'wx' });
  return `wrote ${shown(file)}: ${what}`;
}

/** What CI installs too must lie in the project. */
function missingTarball(folder: string): string {
  return (
    `\nreplsim is not in a registry yet: copy ${TARBALL} to ${shown(folder)} and commit it. ` +
    'In a checkout of replsim, "npm run release -- --pack" makes it.\n'
  );
}

/** What became of a `package.json`. */
interface Added {
  readonly said: string;
  /** Whether npm takes replsim from the tarball. */
  readonly fromTarball: boolean;
}

/** Reads a `package.json`, if there is one. @returns what writes it, and says so */
function scriptOf(path: string): () => Added {
  const said = `npm run ${SCRIPT.name}`;
  if (!existsSync(path)) {
    return () => {
      const { text, fromTarball } = newPackageFile();
      writeFileSync(path, text, { flag: 'wx' });
      return { said: `wrote ${shown(path)}: ${said}`, fromTarball };
    };
  }
  const before = readText(path);
  const { text, kept, fromTarball } = withScript(before);
  return () => {
    if (text !== before) writeFileSync(path, text);
    if (kept === undefined) return { said: `added to ${shown(path)}: ${said}`, fromTarball };
    return { said: `kept the script "${SCRIPT.name}" of ${shown(path)}: ${kept}`, fromTarball };
  };
}
