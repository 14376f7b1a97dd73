import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import getChangesets from '@changesets/read';
import { released } from './changelog.ts';
import { PACKAGE_FILE, withOwner } from './owner.ts';
import { statementOf } from './statement.ts';

// Makes a release, and publishes nothing. `npm run release` takes the changesets: it sets the versions, gives the changelog's
// unreleased section its number, and packs. With `--pack` it only packs what the repository says, as CI does before it publishes.
// With `--owner NAME` it only writes who owns the repository on GitHub, wherever a file says so.

const root = fileURLToPath(new URL('../..', import.meta.url));
const OUT = join(root, 'release/dist/packed');
const { values } = parseArgs({ options: { pack: { type: 'boolean', default: false }, owner: { type: 'string' } } });

const inRoot = (program: string, ...args: readonly string[]) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const rewrite = (path: string, change: (text: string) => string) => writeFileSync(join(root, path), change(read(path)));
const versionNow = (): string => JSON.parse(read('packages/replsim/package.json')).version;

async function takeChangesets(): Promise<void> {
  const summaries = (await getChangesets(root)).map(({ summary }) => summary);
  if (summaries.length === 0) throw new Error('there is no changeset: "npx changeset" writes one');
  inRoot('npx', '--no', 'changeset', 'version');
  const version = versionNow();
  rewrite('CHANGELOG.md', (text) => released(text, version, new Date().toISOString().slice(0, 10), summaries));
  rewrite('packages/cli/src/version.ts', (text) => text.replace(/VERSION = '.*'/, `VERSION = '${version}'`));
  inRoot('npm', 'install', '--package-lock-only', '--ignore-scripts');
}

function pack(): void {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  inRoot('npm', 'run', '--silent', 'build');
  inRoot('npm', 'pack', '--workspace=replsim', '--pack-destination', OUT);
  const [file = ''] = readdirSync(OUT);
  const { name, version } = JSON.parse(read('packages/replsim/package.json'));
  const statement = statementOf({
    name,
    version,
    tarball: readFileSync(join(OUT, file)),
    lockfile: readFileSync(join(root, 'package-lock.json')),
    commit: inRoot('git', 'rev-parse', 'HEAD').trim(),
    changed: inRoot('git', 'status', '--porcelain') !== '',
    tools: { node: process.version, npm: inRoot('npm', '--version').trim() },
  });
  const beside = join(OUT, file.replace(/\.tgz$/, '.intoto.json'));
  writeFileSync(beside, `${JSON.stringify(statement, null, 2)}\n`);
  console.log(`${join(OUT, file)}\n${beside}`);
}

function setOwner(owner: string): void {
  const packageFile = read(PACKAGE_FILE);
  for (const path of inRoot('git', 'ls-files', '*.md', '*.json').trim().split('\n')) {
    const changed = withOwner(read(path), packageFile, owner);
    if (changed === read(path)) continue;
    writeFileSync(join(root, path), changed);
    console.log(`wrote ${path}`);
  }
}

if (values.owner !== undefined) setOwner(values.owner);
else {
  if (!values.pack) await takeChangesets();
  pack();
}
