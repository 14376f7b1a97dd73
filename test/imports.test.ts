import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// The direction of imports, and what the core may never reach for (docs/architecture.md). Sources are read as text.

const root = fileURLToPath(new URL('..', import.meta.url));

/** Layers from the bottom up; a package may import those below its own layer, and in `words` those before it. */
const LAYERS = [
  ['kernel', 'protocol', 'query'],
  ['oplog', 'ttl', 'checker'],
  ['storage', 'database', 'node'],
  ['replset'],
  ['scenario', 'server'],
  ['cli', 'replsim'],
];
/** Where two packages of one layer may see each other: these two, and in this direction. */
const WITHIN: Record<string, string[]> = {
  query: ['protocol'],
  database: ['storage'],
  node: ['storage', 'database'],
  replsim: ['cli'],
};
/** Walls beside the layers. */
const FORBIDDEN: Record<string, string[]> = {
  oplog: ['kernel'],
  ttl: ['kernel'],
  checker: ['kernel', 'query'],
  node: ['kernel'],
  database: ['kernel', 'oplog', 'checker'],
  storage: ['kernel', 'oplog', 'ttl', 'checker'],
};
/** Files that may touch the outside world although their package is part of the core. */
const DOORS = ['packages/storage/src/directoryDatabase.ts', 'packages/scenario/src/writeSchema.ts'];
const CORE = [
  'protocol',
  'kernel',
  'query',
  'oplog',
  'ttl',
  'checker',
  'storage',
  'database',
  'node',
  'replset',
  'scenario',
];
/** Packages whose rules are pure: they may not even wait. `storage` awaits its disk, `replset` and `scenario` the run. */
const SYNCHRONOUS = ['protocol', 'kernel', 'query', 'oplog', 'ttl', 'checker', 'database', 'node'];

const IMPURE =
  /\b(Date\.now|new Date\(\)|Math\.random|performance\.now|process\.(hrtime|env|cwd)|setTimeout|setInterval|setImmediate|queueMicrotask|crypto\.|new ObjectId\(\)|new UUID\(\)|localeCompare|toLocale\w+|Intl\.)/;

function sourcesOf(name: string): { path: string; text: string }[] {
  const folder = join(root, 'packages', name, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({
      path: relative(root, join(folder, file)),
      text: withoutComments(readFileSync(join(folder, file), 'utf8')),
    }));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)].map((match) => match[1]!);
}

const packages = readdirSync(join(root, 'packages'));

test('every package has its place in the layers', () => {
  expect([...packages].sort()).toEqual(
    LAYERS.flat()
      .filter((name) => packages.includes(name))
      .sort(),
  );
});

test.for(packages)('%s imports only what lies below it', (name) => {
  const layer = LAYERS.findIndex((names) => names.includes(name));
  const allowed = new Set([...LAYERS.slice(0, layer).flat(), ...(WITHIN[name] ?? [])]);
  for (const wall of FORBIDDEN[name] ?? []) allowed.delete(wall);
  for (const { path, text } of sourcesOf(name)) {
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith('@replsim/')) continue;
      expect(allowed, `${path} imports ${specifier}`).toContain(specifier.slice('@replsim/'.length));
    }
  }
});

/** What the bundle of a package needs beside it, as it cannot take it in. */
const IN_THE_BUNDLE: Record<string, string[]> = { replsim: ['level'] };

test.for(packages)('%s names in its package.json just what it imports', (name) => {
  const file = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8');
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(file);
  const used = new Set<string>(IN_THE_BUNDLE[name]);
  for (const { text } of sourcesOf(name)) {
    for (const specifier of importsOf(text)) {
      // A message may say "from '${name}'" too.
      if (/^(\.|node:|\$)/.test(specifier)) continue;
      used.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  expect(Object.keys({ ...dependencies, ...peerDependencies }).sort()).toEqual([...used].sort());
});

test.for(CORE)('%s runs in a browser: it imports no node: module', (name) => {
  for (const { path, text } of sourcesOf(name)) {
    if (DOORS.includes(path)) continue;
    expect(
      importsOf(text).filter((specifier) => specifier.startsWith('node:')),
      path,
    ).toEqual([]);
  }
});

test.for(CORE)('%s reaches for no clock, chance, timer, environment or locale', (name) => {
  for (const { path, text } of sourcesOf(name)) {
    if (DOORS.includes(path)) continue;
    expect(IMPURE.exec(text)?.[0], path).toBeUndefined();
  }
});

test.for(SYNCHRONOUS)('%s never waits', (name) => {
  for (const { path, text } of sourcesOf(name))
    expect(/\b(await|async|Promise)\b/.exec(text)?.[0], path).toBeUndefined();
});

test('the guards see what they are to forbid', () => {
  expect(IMPURE.test('const now = Date.now();')).toBe(true);
  expect(IMPURE.test('new Date(wallMs)')).toBe(false);
  expect(importsOf(`import { a } from '@replsim/kernel';\nawait import("node:fs")`)).toEqual([
    '@replsim/kernel',
    'node:fs',
  ]);
  expect(withoutComments('a // Date.now\n/* Math.random */ b')).not.toMatch(IMPURE);
});
