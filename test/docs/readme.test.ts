import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// What the README promises of itself. Its examples and links, as those of every page, are held by `test/docs`.

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('the two commands stand first', () => {
  const first = /```sh\n([\s\S]*?)```/.exec(readme)![1]!;
  expect(first).toMatch(/^npm ci && npm start .*\nnpm ci && npm test /);
});

test('it is a doorway: what it is, four doors, a map', () => {
  expect(readme.length).toBeLessThan(12_000);
  const headings = [...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    'In your tests',
    'Served to any driver',
    'Scripted',
    'Asked over many runs',
    'Repeating a run',
    'What holds, and what does not',
    'The map',
  ]);
});

test('the map leads to every page of docs/', () => {
  const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
  for (const page of pages) expect(readme).toContain(`](docs/${page})`);
});

test('the folder list names the packages that exist', () => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(workspaces).toEqual(['packages/*', 'site']);
  const listed = [...readme.matchAll(/^(?:workbench|simulator|engine|\s+) +(\w+)\/ /gm)].map((match) => match[1]!);
  expect(listed.sort()).toEqual(readdirSync(join(root, 'packages')).sort());
});
