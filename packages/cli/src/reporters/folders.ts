import { dirname } from 'node:path';

/**
 * The folder that each file is counted under, by path: relative to the one that all have in common, `.` for that one itself;
 * where all lie in one folder, that.
 */
export function foldersOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Map(paths.map((path) => [path, dirname(path)]));
  const distinct = [...new Set(folders.values())].map((folder) => folder.split('/'));
  const [first = []] = distinct;
  if (distinct.length < 2) return folders;
  const differs = first.findIndex((name, i) => distinct.some((other) => other[i] !== name));
  const shared = differs === -1 ? first.length : differs;
  return new Map([...folders].map(([path, folder]) => [path, folder.split('/').slice(shared).join('/') || '.']));
}
