import { createHash } from 'node:crypto';
import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, relative, resolve, sep } from 'node:path';
import { readText, scenarioPaths } from '../files.ts';
import { InputError } from '../io.ts';

/** A scenario to choose. */
export interface Listed {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  /** As the scenario has it; its path while the file has mistakes. */
  readonly name: string;
}

/** A text as it lies on disk. */
export interface Kept {
  readonly text: string;
  /** Another text has another one. */
  readonly version: string;
}

/** The scenarios of a file or a folder. Nothing else is read or written, whatever path somebody asks for. */
export class Shelf {
  readonly #root: string | undefined;
  readonly #isFolder: boolean;
  /** By path, so that a page that loads again does not wait for all to be parsed. */
  readonly #names = new Map<string, { readonly text: string; readonly name: string }>();

  /** @param root undefined: an empty one @throws InputError if it is not there, or has no scenarios */
  constructor(root: string | undefined) {
    this.#root = root;
    if (root !== undefined) scenarioPaths([root]);
    this.#isFolder = root !== undefined && statSync(root).isDirectory();
  }

  async list(): Promise<readonly Listed[]> {
    const listed: Listed[] = [];
    for (const [path, file] of this.#files()) listed.push({ path, name: await this.#nameOf(path, file) });
    return listed;
  }

  /** @returns undefined for what is not in the list @throws InputError if it is no text */
  read(path: string): Kept | undefined {
    const file = this.#files().get(path);
    return file === undefined ? undefined : keptOf(readText(file));
  }

  /**
   * Writes a file of the list, if nobody else has written it since.
   * @param version of the text that it was before @returns the new one; undefined if the file has another by now
   */
  write(path: string, text: string, version: string): Kept | undefined {
    if (this.read(path)?.version !== version) return undefined;
    writeFileSync(this.#files().get(path)!, text);
    return keptOf(text);
  }

  /** What the list calls a file. */
  pathOf(file: string): string {
    if (this.#root === undefined || !this.#isFolder) return basename(file);
    return relative(this.#root, file).split(sep).join('/');
  }

  /** As they are now, by path. A link that leads out of the folder is none of it. */
  #files(): ReadonlyMap<string, string> {
    const root = this.#root;
    if (root === undefined) return new Map();
    let files: readonly string[];
    try {
      files = scenarioPaths([root]);
    } catch (error) {
      // All were there, and are gone.
      if (error instanceof InputError) return new Map();
      throw error;
    }
    const within = this.#isFolder ? realpathSync(root) + sep : undefined;
    return new Map(files.filter((file) => isFileIn(file, within)).map((file) => [this.pathOf(file), resolve(file)]));
  }

  async #nameOf(path: string, file: string): Promise<string> {
    const { InvalidScenario, parseScenario } = await import('@replsim/scenario');
    try {
      const text = readText(file);
      const known = this.#names.get(path);
      if (known?.text === text) return known.name;
      const { name } = parseScenario(text, path);
      this.#names.set(path, { text, name });
      return name;
    } catch (error) {
      // The page shows the mistakes of what is chosen.
      if (error instanceof InvalidScenario || error instanceof InputError) return path;
      throw error;
    }
  }
}

function isFileIn(file: string, folder: string | undefined): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  return folder === undefined || realpathSync(file).startsWith(folder);
}

function keptOf(text: string): Kept {
  return { text, version: createHash('sha256').update(text).digest('hex') };
}
