import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { BSON } from 'mongodb';
import type { SpecificationFile } from './format.ts';

/** One file of tests, and to which specification it belongs. */
export interface Found {
  readonly suite: string;
  readonly name: string;
  readonly file: SpecificationFile;
}

/** What was given on the command line cannot be used; the message says what to do. */
export class BadInput extends Error {}

/** Tests of runners: they are to fail, or are no tests at all. */
const OF_RUNNERS = /\b(valid-fail|invalid)\b/;

/**
 * The unified tests of a checkout of the driver specifications, or of a part of it, by specification.
 * @throws BadInput if there are none
 */
export function findTests(folder: string): ReadonlyMap<string, readonly Found[]> {
  const suites = new Map<string, Found[]>();
  for (const path of jsonFilesIn(folder)) {
    const file = readTests(path);
    if (!file) continue;
    const suite = suiteOf(path);
    const found = suites.get(suite) ?? [];
    suites.set(suite, [...found, { suite, name: basename(path, '.json'), file }]);
  }
  if (suites.size > 0) return suites;
  throw new BadInput(
    `${folder} holds no unified tests: it should be the folder source/ of a checkout of mongodb/specifications, or one below it`,
  );
}

function jsonFilesIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new BadInput(`there is no folder ${folder}`);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.json') && !OF_RUNNERS.test(file))
    .sort()
    .map((file) => join(folder, file));
}

/** Undefined for JSON of another kind; checkouts hold vectors and older formats too. */
function readTests(path: string): SpecificationFile | undefined {
  const text = readFileSync(path, 'utf8');
  if (!/"schemaVersion"/.test(text)) return undefined;
  const file: SpecificationFile = BSON.EJSON.parse(text, { relaxed: true });
  return Array.isArray(file.tests) ? file : undefined;
}

/** The folder above the last one that is called `tests`: upstream, each specification has one. */
function suiteOf(path: string): string {
  const folders = dirname(resolve(path)).split(sep);
  return folders[folders.lastIndexOf('tests') - 1] ?? folders.at(-1) ?? '';
}
