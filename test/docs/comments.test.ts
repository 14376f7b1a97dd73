import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { read, repositoryFiles } from './markdown.ts';

// Whoever reads a comment can open the page that it names.

// `site/` names the pages that it makes.
const sources = repositoryFiles.filter(
  (path) => /\.(ts|mts|cts|js|mjs|cjs|ya?ml)$|^\.ci\//.test(path) && !path.startsWith('site/'),
);
const pages = new Set(repositoryFiles.map((path) => basename(path).toLowerCase()));

/** Pages that a text names and the repository lacks; a section needs whose it is: "Raft §5.2". */
function missingPages(text: string): string[] {
  const named = [...text.matchAll(/(?<![\w.])[\w-]+\.md\b(?!\.)/g)].map(([name]) => name);
  const notes = [...text.matchAll(/\breference\/[\w-]+|\b(?:DESIGN|STYLE)\b(?= *[,.)§])/g)].map(([name]) => name);
  const sections = [...text.matchAll(/(?<!Raft )§ ?[\d.]+/g)].map(([name]) => name);
  return [...named.filter((name) => !pages.has(name.toLowerCase())), ...notes, ...sections];
}

test('no source names a page that the repository lacks', () => {
  const own = 'test/docs/comments.test.ts';
  const found = sources
    .filter((path) => path !== own)
    .flatMap((path) => missingPages(read(path)).map((name) => `${path}: ${name}`));
  expect(found).toEqual([]);
});

test('it sees what it is to forbid', () => {
  const text = '// See notes.md; reference/expiry, DESIGN §5, and what §9.3 says.';
  expect(missingPages(text)).toEqual(['notes.md', 'reference/expiry', 'DESIGN', '§5', '§9.3']);
  expect(missingPages('// README.md; Raft §5.2; entry.md.indexes; a DESIGNATED one')).toEqual([]);
});
