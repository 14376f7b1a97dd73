import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// Where tests live. The package that owns a rule has its tests; `test/` has what needs the whole, in folders.

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A branch or a loop; words of comments and messages do not look like one. */
const DECIDES = /\b(?:if|for|while|switch) \(| \? .+ : | && | \?\? /;
const packages = readdirSync(join(root, 'packages'));

test('nothing lies loose in test/', () => {
  const loose = readdirSync(join(root, 'test'), { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(loose.map(({ name }) => name)).toEqual(['tsconfig.json']);
});

test.for(packages)('the README of %s says in one line where else the package is tested', (name) => {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
  const lines = readme.split('\n').filter((line) => line.startsWith('Also tested in '));
  expect(lines).toHaveLength(1);
  const places = [...lines[0]!.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place);
  expect(places).not.toEqual([]);
  expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([]);
});

/**
 * The share of files that decide something and have a test of their own name in their package; the others are tested through a command, a set
 * or a neighbour. It only grows: whoever adds such a file adds its test, or looks for one about a single file that has another name.
 */
const SAME_NAMED_AT_LEAST = 0.26;

test('a test about one file has its name', async ({ annotate }) => {
  const shares = packages.map((name) => sameNamedIn(name));
  const [named, all] = shares.reduce(([named, all], each) => [named + each.named, all + each.all], [0, 0]);
  await annotate(`${named} of ${all} files that decide something have a test of their own name`);
  expect(named / all).toBeGreaterThanOrEqual(SAME_NAMED_AT_LEAST);
});

function sameNamedIn(name: string): { named: number; all: number } {
  const filesOf = (folder: string) =>
    readdirSync(join(root, 'packages', name, folder), { recursive: true, encoding: 'utf8' });
  const tests = new Set(filesOf('test').map((file) => basename(file).replace(/\.tsx?$/, '')));
  const deciding = filesOf('src').filter(
    (file) => /\.tsx?$/.test(file) && DECIDES.test(readFileSync(join(root, 'packages', name, 'src', file), 'utf8')),
  );
  const named = deciding.filter((file) => tests.has(`${basename(file).replace(/\.tsx?$/, '')}.test`));
  return { named: named.length, all: deciding.length };
}
