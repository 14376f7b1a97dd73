import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { TARBALL } from '../../packages/cli/src/starting/packageFile.ts';
import { ownerOf, ownersIn, PACKAGE_FILE, withOwner } from '../../release/owner.ts';
import { read, root } from './markdown.ts';

// Until a registry has replsim, its name alone is anybody's: no page, file or message may have npm fetch it.

const files = execFileSync('git', ['ls-files', '*.md', '*.yml', '*.ts', '*.tsx', '*.sh', '*.json', 'Dockerfile'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((path) => !/(^|\/)test\/|package-lock/.test(path));

/** Commands that would fetch replsim from a registry. */
const FETCHES =
  /\b(?:npx|npm exec) [^\n`]*(?:--yes|-y|--package|-p) [^\n`]*\breplsim|\bnpm (?:install|i|add) [^\n`'"]*(?<![\w./-])replsim(?![\w./-])|\breplsim@(?!v?\d[\d.]*$)[\d^~*]|"replsim": "[\d^~*]/gm;

const fetching = (text: string) => [...text.matchAll(FETCHES)].map(([found]) => found);

test('nothing has npm fetch replsim by its name', () => {
  expect(files.flatMap((path) => fetching(read(path)).map((found) => `${path}: ${found}`))).toEqual([]);
});

test.for([
  'npx --yes replsim serve',
  'npx --package replsim --package level@10 replsim serve',
  'npm install --save-dev replsim mongodb',
  'npm i replsim',
  'install replsim@^0.2.0',
  '"replsim": "^0.1.0"',
])('it would see %s', (command) => {
  expect(fetching(command)).not.toEqual([]);
});

test('the pages install the tarball that a release of this version makes', () => {
  const { name, version } = JSON.parse(read(PACKAGE_FILE));
  expect(TARBALL).toBe(`${name}-${version}.tgz`);
  const named = files
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) => read(path).match(/replsim-\d[\d.]*\.tgz/g) ?? []);
  expect(new Set(named)).toEqual(new Set([TARBALL]));
});

test('every page names the owner that package.json does, and a release can name another', () => {
  const packageFile = read(PACKAGE_FILE);
  const owner = ownerOf(packageFile);
  const pages = files.filter((path) => /\.(md|json)$/.test(path)).filter((path) => ownersIn(read(path)).length > 0);
  expect(pages.length).toBeGreaterThan(2);
  for (const path of pages) {
    expect(ownersIn(read(path)), `${path}: "npm run release -- --owner NAME" writes it everywhere`).toEqual([owner]);
    expect(ownersIn(withOwner(read(path), packageFile, 'some-body'))).toEqual(['some-body']);
  }
  expect(() => withOwner('', packageFile, 'a/b')).toThrow(/--owner must be the name of a user .*; got a\/b/);
});
