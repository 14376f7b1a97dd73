import { isMap } from 'yaml';
import type * as z from 'zod';
import type { UnknownKeyNote } from './schema/parts.ts';
import type { Path, Source } from './source.ts';
import { didYouMeanOneOf } from './suggest.ts';

type Issue = z.core.$ZodIssue;

/** Turns what the schema found into mistakes of the file, each at the place that is wrong. */
export function reportIssues(source: Source, issues: readonly Issue[], base: Path = []): void {
  for (const issue of issues) {
    const path = [...base, ...(issue.path as (string | number)[])];
    if (issue.code === 'unrecognized_keys') reportUnknownKeys(source, issue, path);
    else if (issue.code === 'invalid_union') reportUnion(source, issue, path);
    else if (issue.code === 'invalid_key')
      source.mistakeAtKey(path.slice(0, -1), String(path.at(-1)), issue.issues[0]?.message ?? issue.message);
    else report(source, path, issue.message);
  }
}

function report(source: Source, path: Path, message: string): void {
  const key = path.at(-1);
  const parent = source.nodeAt(path.slice(0, -1));
  const isMissing = typeof key === 'string' && parent && isMap(parent) && source.child(parent, key) === undefined;
  if (!isMissing) return source.mistakeAtPath(path, message);
  // A required key is wanted where its map stands; the message says what it should hold.
  const grand = path.length > 1 ? path.at(-2) : undefined;
  if (typeof grand === 'string') source.mistakeAtKey(path.slice(0, -2), grand, `"${key}" is missing here`, message);
  else source.mistakeAtPath(path.slice(0, -1), `"${key}" is missing here`, message);
}

function reportUnknownKeys(source: Source, issue: Issue & { code: 'unrecognized_keys' }, path: Path): void {
  const { what, known } = JSON.parse(issue.message) as UnknownKeyNote;
  const map = source.nodeAt(path);
  // All of a map may be unknown: each is not looked for from the beginning.
  const places = new Map(map && isMap(map) ? source.entries(map).map(([key, , node]) => [key, node]) : []);
  for (const key of issue.keys) {
    const message = `unknown key "${key}" in ${what}`;
    source.mistakeAt(places.get(key) ?? source.nearestNode(path), message, didYouMeanOneOf(key, known));
  }
}

/** Of several forms the one counts whose kind (text, list, map) was meant; else the forms are named. */
function reportUnion(source: Source, issue: Issue & { code: 'invalid_union' }, path: Path): void {
  const meant = issue.errors.find((errors) => errors.every((each) => each.path.length > 0 || !isWrongKind(each)));
  if (meant && meant.length > 0) reportIssues(source, meant, path);
  else report(source, path, issue.message);
}

function isWrongKind(issue: Issue): boolean {
  if (issue.code === 'invalid_union')
    return issue.errors.every((errors) => errors.some((each) => each.path.length === 0 && isWrongKind(each)));
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}
