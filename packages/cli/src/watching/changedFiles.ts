import { existsSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { isPassedOver } from '../files.ts';

/** Tells of scenario files that change, come and go, until it is closed. */
export interface ChangedFiles {
  close(): Promise<void>;
}

/**
 * Watches files, and folders through and through; a change of the transcript beside a scenario is one of the scenario.
 * @param told of the file, as it is named by the paths @returns when all of it is watched
 */
export async function changedFiles(
  paths: readonly string[],
  told: (type: 'changed' | 'removed', file: string) => void,
): Promise<ChangedFiles> {
  // An editor that writes in two goes, or by way of another file, has changed it once.
  const watcher = watch([...paths], {
    ignoreInitial: true,
    ignored: (path) => isPassedOverBelow(paths, path),
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 10 },
  });
  const changed = (path: string) => {
    const file = scenarioOf(path);
    if (file !== undefined) told('changed', file);
  };
  watcher.on('add', changed).on('change', changed);
  watcher.on('unlink', (path) => {
    if (isScenario(path)) told('removed', path);
    else changed(path);
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return watcher;
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
