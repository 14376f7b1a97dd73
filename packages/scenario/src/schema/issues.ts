import { type PlainIssue, plainIssues } from '@replsim/replset';
import type { Node } from 'yaml';
import type * as z from 'zod';
import type { Path, Source } from '../file/source.ts';
import { isMapNode } from '../file/yamlTree.ts';

type Issue = z.core.$ZodIssue;

/** Turns what the schema found into mistakes of the file, each at the place that is wrong. */
export function reportIssues(source: Source, issues: readonly Issue[], base: Path = []): void {
  let places = placesIn(source, base);
  let placesOf: PlainIssue['path'] = base;
  for (const { path, key, message, suggestion } of plainIssues(issues, base)) {
    if (key === undefined) report(source, path, message, suggestion);
    else {
      // All of a map may be unknown: each is not looked for from the beginning.
      if (path !== placesOf) [placesOf, places] = [path, placesIn(source, path)];
      source.mistakeAt(places.get(key) ?? source.nearestNode(path), message, suggestion);
    }
  }
}

function placesIn(source: Source, path: Path): Map<string, Node> {
  const map = source.nodeAt(path);
  return new Map(isMapNode(map) ? source.entries(map).map(([key, , node]) => [key, node]) : []);
}

function report(source: Source, path: Path, message: string, suggestion?: string): void {
  const key = path.at(-1);
  const parent = source.nodeAt(path.slice(0, -1));
  const isMissing = typeof key === 'string' && isMapNode(parent) && source.child(parent, key) === undefined;
  if (!isMissing) return source.mistakeAtPath(path, message, suggestion);
  // A required key is wanted where its map stands; the message says what it should hold.
  const grand = path.length > 1 ? path.at(-2) : undefined;
  if (typeof grand === 'string') source.mistakeAtKey(path.slice(0, -2), grand, `"${key}" is missing here`, message);
  else source.mistakeAtPath(path.slice(0, -1), `"${key}" is missing here`, message);
}
