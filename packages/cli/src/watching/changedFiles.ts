import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { isPassedOver, scenarioPaths } from '../files.ts';
import { InputError } from '../io.ts';
import { filesBeside } from '../scenarioText.ts';

/** Tells of scenario files that change, come and go, until it is closed. */
export interface ChangedFiles {
  close(): Promise<void>;
}

/**
 * Watches files, and folders through and through; a change of the transcript beside a scenario, or of a file of documents that it names,
 * is one of the scenario.
 * @param told of the file, as it is named by the paths @returns when all of it is watched
 */
export async function changedFiles(
  paths: readonly string[],
  told: (type: 'changed' | 'removed', file: string) => void,
): Promise<ChangedFiles> {
  const watcher = watch([...paths], { ...ONCE, ignored: (path) => isPassedOverBelow(paths, path) });
  const documents = new DocumentFiles(paths, (file) => changed(file));
  const changed = (path: string) => {
    const file = scenarioOf(path);
    // It may name other documents now; those are watched before anybody hears of the change.
    if (file !== undefined) void documents.read(file).then(() => told('changed', file));
    for (const each of documents.naming(path)) told('changed', each);
  };
  watcher.on('add', changed).on('change', changed);
  watcher.on('unlink', (path) => {
    if (!isScenario(path)) return changed(path);
    documents.forget(path);
    told('removed', path);
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  for (const file of scenariosAt(paths)) await documents.read(file);
  return {
    async close() {
      await Promise.all([watcher.close(), documents.close()]);
    },
  };
}

/** An editor that writes in two goes, or by way of another file, has changed it once. */
const ONCE = { ignoreInitial: true, awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 10 } };

/** Files of documents that scenarios name, wherever they lie. */
class DocumentFiles {
  readonly #paths: readonly string[];
  readonly #changed: (file: string) => void;
  readonly #named = new Map<string, readonly string[]>();
  readonly #watched = new Set<string>();
  readonly #watchers: FSWatcher[] = [];

  /** @param paths what is watched anyway */
  constructor(paths: readonly string[], changed: (file: string) => void) {
    this.#paths = paths;
    this.#changed = changed;
  }

  /** Looks which files a scenario names. @returns when they are watched */
  async read(scenario: string): Promise<void> {
    const named = filesBeside(scenario);
    this.#named.set(scenario, named);
    const isNew = (file: string) => !this.#watched.has(file) && !this.#paths.some((path) => isWithin(path, file));
    await this.#watch(new Set(named.filter(isNew)));
  }

  forget(scenario: string): void {
    this.#named.delete(scenario);
  }

  /** The scenarios that name a file. */
  naming(file: string): readonly string[] {
    const whole = resolve(file);
    return [...this.#named].flatMap(([scenario, named]) => (named.includes(whole) ? [scenario] : []));
  }

  async close(): Promise<void> {
    await Promise.all(this.#watchers.map((each) => each.close()));
  }

  /** By way of their folders, as they may not be there yet. */
  async #watch(files: ReadonlySet<string>): Promise<void> {
    if (files.size === 0) return;
    for (const file of files) this.#watched.add(file);
    const folders = new Set(Array.from(files, (file) => dirname(file)));
    const ignored = (path: string) => !folders.has(path) && !files.has(path);
    const watcher = watch([...folders], { ...ONCE, depth: 0, ignored });
    this.#watchers.push(watcher);
    for (const event of ['add', 'change', 'unlink'] as const) watcher.on(event, this.#changed);
    await new Promise<void>((resolve) => watcher.once('ready', resolve));
  }
}

/** None where there are none yet. */
function scenariosAt(paths: readonly string[]): readonly string[] {
  try {
    return scenarioPaths(paths);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** Whether watching the path shows the file, too. */
function isWithin(path: string, file: string): boolean {
  const names = relative(path, file).split(sep);
  return names[0] !== '..' && !names.some(isPassedOver);
}

/** Whether each of the paths that lead to a file or folder leads there over a name that is passed over. */
function isPassedOverBelow(paths: readonly string[], path: string): boolean {
  const ways = paths.map((root) => relative(root, path).split(sep)).filter(([first]) => first !== '..');
  return ways.length > 0 && ways.every((names) => names.some(isPassedOver));
}

const isScenario = (path: string): boolean => /\.ya?ml$/.test(path);

/** The scenario that a file belongs to, if to any. */
function scenarioOf(path: string): string | undefined {
  if (isScenario(path)) return path;
  if (!path.endsWith('.transcript')) return undefined;
  return ['.yaml', '.yml'].map((ending) => path.replace(/\.transcript$/, ending)).find((file) => existsSync(file));
}
