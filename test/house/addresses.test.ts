import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// Where tests live. The package that owns a rule has its tests; `test/` has what needs the whole, in folders.

const root = fileURLToPath(new URL('../..', import.meta.url));
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
