import { InputError } from '../io.ts';
import { VERSION } from '../version.ts';
import { SCRIPT } from './firstFiles.ts';

/**
 * What a project's `replsim` is, beside its `package.json`. The name alone would let npm install whatever somebody has published
 * under it; a registry does not have ours yet.
 */
export const TARBALL = `replsim-${VERSION}.tgz`;

/** What of a `package.json` matters here. */
interface PackageFile {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** A `package.json` with the script, and with replsim among what it needs. */
export interface WithScript {
  readonly text: string;
  /** Whose script of this name it has already; undefined where ours was added. */
  readonly kept: string | undefined;
  /** Whether npm takes replsim from the tarball. */
  readonly fromTarball: boolean;
}

/** A `package.json` for a project that has none. */
export function newPackageFile(): WithScript {
  return withScript('{\n  "private": true\n}\n');
}

/** @param text as it is, whose order and indentation stay @throws InputError if it is none */
export function withScript(text: string): WithScript {
  const file = parsed(text);
  const kept = file.scripts?.[SCRIPT.name];
  const scripts = kept === undefined ? { ...file.scripts, [SCRIPT.name]: SCRIPT.command } : file.scripts;
  const ours = `file:${TARBALL}`;
  const theirs = file.dependencies?.replsim ?? file.devDependencies?.replsim;
  const devDependencies = theirs === undefined ? { ...file.devDependencies, replsim: ours } : file.devDependencies;
  const changed = { ...file, ...(scripts && { scripts }), ...(devDependencies && { devDependencies }) };
  const [, indentation = '  '] = /^[{[]\r?\n([ \t]+)/.exec(text) ?? [];
  const end = /\r?\n$/.exec(text)?.[0] ?? '';
  return { text: JSON.stringify(changed, undefined, indentation) + end, kept, fromTarball: (theirs ?? ours) === ours };
}

function parsed(text: string): PackageFile {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new InputError(
      `package.json is not valid JSON (${(error as Error).message}): fix it first; nothing was written`,
    );
  }
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw new InputError('package.json is not an object: fix it first; nothing was written');
  return file;
}
