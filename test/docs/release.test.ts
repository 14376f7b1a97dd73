import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { githubMistakes } from '../../packages/cli/test/githubFiles.ts';
import { released } from '../../release/changelog.ts';
import { statementOf } from '../../release/statement.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const LOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- This.\n\n## 0.1.0 (2025-01-01)\n\n- That.\n';

test('what was unreleased gets the number, under what the changesets say', () => {
  expect(released(LOG, '0.2.0', '2026-01-02', ['One sentence.\n'])).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-01-02)\n\nOne sentence.\n\n### Added\n\n- This.\n\n## 0.1.0 (2025-01-01)\n\n- That.\n',
  );
  const first = LOG.slice(0, LOG.indexOf('\n## 0.1.0'));
  expect(released(first, '0.1.0', '2026-01-02', [])).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-01-02)\n\n### Added\n\n- This.\n',
  );
});

test('the changelog of this repository can be released', () => {
  const text = released(read('CHANGELOG.md'), '9.9.9', '2026-01-02', ['One sentence.']);
  expect(text).toContain('\n## Unreleased\n\n## 9.9.9 (2026-01-02)\n\nOne sentence.\n\n###');
});

test.for([
  [LOG.replace('Unreleased', 'Next'), /no section "Unreleased"/],
  [LOG.replace('### Added\n\n- This.\n\n', ''), /nothing under "Unreleased"/],
] as const)('nothing to release is a mistake: %j', ([text, message]) => {
  expect(() => released(text, '0.2.0', '2026-01-02', [])).toThrow(message);
});

test('the statement names the tarball by what is in it', () => {
  const tarball = Buffer.from('tarball');
  const made = {
    name: 'replsim',
    version: '0.2.0',
    tarball,
    lockfile: tarball,
    commit: 'abc',
    changed: false,
    tools: {},
  };
  expect(statementOf(made)).toMatchObject({
    subject: [
      { name: 'pkg:npm/replsim@0.2.0', digest: { sha512: createHash('sha512').update(tarball).digest('hex') } },
    ],
    predicate: {
      buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: 'abc' } }, { name: 'package-lock.json' }] },
    },
  });
});

test('a changeset moves every package, and what they say of each other', () => {
  const copy = mkdtempSync(join(tmpdir(), 'replsim-release-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const [major, minor] = JSON.parse(read('packages/replsim/package.json')).version.split('.').map(Number);
  const folders = [...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`), 'site'];
  const manifests = ['.', ...folders].map((folder) => join(folder, 'package.json'));
  for (const path of ['.changeset/config.json', 'package-lock.json', ...manifests])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  writeFileSync(join(copy, '.changeset/changelog.md'), '---\n"replsim": minor\n---\n\nMore.\n');
  execFileSync(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'], {
    cwd: copy,
    stdio: 'pipe',
  });
  for (const folder of folders) {
    const { version, dependencies, devDependencies } = JSON.parse(
      readFileSync(join(copy, folder, 'package.json'), 'utf8'),
    );
    const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith('@replsim/'),
    );
    expect([version, ...ours.map(([, range]) => range)], folder).toEqual(
      Array(ours.length + 1).fill(`${major}.${minor + 1}.0`),
    );
    expect(existsSync(join(copy, folder, 'CHANGELOG.md'))).toBe(false);
  }
});

test('only what is to be published can be', () => {
  const open = readdirSync(join(root, 'packages')).filter(
    (name) => !JSON.parse(read(`packages/${name}/package.json`)).private,
  );
  expect(open).toEqual(['replsim']);
  expect(JSON.parse(read('packages/replsim/package.json')).publishConfig).toEqual({
    access: 'public',
    provenance: true,
  });
});

test("the workflow that publishes is one by the word of GitHub's own parser", async () => {
  const text = read('.github/workflows/release.yml');
  expect(await githubMistakes('workflow', text)).toEqual([]);
  expect(await githubMistakes('workflow', text.replace('runs-on', 'runs-in'))).not.toEqual([]);
});
