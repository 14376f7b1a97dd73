import { expect, test } from 'vitest';
import { prose, read, repositoryFiles } from './markdown.ts';

// Of each attack on the page about security there is a test.

const rows = [...prose('docs/security.md').matchAll(/^\| (.*) \|$/gm)]
  .map(([, row]) => row!.split(' | '))
  .filter(([door, , , tested]) => door !== 'door' && tested !== undefined);

test('there are attacks on every door', () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const door of ['wire port', '`studio`', '`serve --studio`', '`serve --control`', 'scenario file', '`import`'])
    expect(rows.map(([first]) => first)).toContain(door);
});

test.for(rows)('%s: %s', ([, , , tested]) => {
  const [, file = '', title = ''] = /^`(\S+)`: "(.+)"$/.exec(tested!) ?? [];
  expect(repositoryFiles, tested).toContain(file);
  // In a title of a table a placeholder stands before or behind what is said here.
  expect(read(file).includes(title), `${file} has no test "${title}"`).toBe(true);
});
