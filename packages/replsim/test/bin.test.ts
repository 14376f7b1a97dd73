import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Streams of a process that have no room. The program is bundled as it is published, with less of a library.

const published = fileURLToPath(new URL('..', import.meta.url));
const cache = join(published, '../../node_modules/.cache');
let folder: string;
let file: string;

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'replsim-bin-'));
  file = join(folder, 'holds.yaml');
  writeFileSync(file, 'name: holds\nbegin: with a primary\nsteps:\n  - advance: 1s\n  - expect: { primary: any }\n');
  const { bundlesIn } = await import(pathToFileURL(join(published, 'rolldown.config.js')).href);
  const [bundle] = bundlesIn(join(folder, 'bundle')) as BuildOptions[];
  const needed = ['late-randomness', 'ascii', 'lazy'];
  const plugins = ((bundle?.plugins ?? []) as Plugin[]).filter(({ name }) => needed.includes(name));
  await build({ ...bundle, plugins, input: { bin: 'src/bin.ts' }, cwd: published });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @param full which of its streams have no room */
function replsim(full: readonly ('stdout' | 'stderr')[], ...args: readonly string[]) {
  const device = openSync('/dev/full', 'w');
  const of = (stream: 'stdout' | 'stderr') => (full.includes(stream) ? device : ('pipe' as const));
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bundle/bin.cjs'), ...args], {
    stdio: ['ignore', of('stdout'), of('stderr')],
    encoding: 'utf8',
  });
  closeSync(device);
  return { status, stderr };
}

test.for([
  ['run', '--jobs', '1'],
  ['check'],
  ['list'],
  ['why', 'FILE', 'primary'],
  ['explore', '--mode', 'seeds', '--runs', '1', '--jobs', '1'],
  ['measure', '--seeds', '1..1', '--jobs', '1'],
  ['--help'],
])('an output that is full is a full disk: %j', (args) => {
  const [command = '', ...rest] = args;
  const given = rest[0] === 'FILE' ? [file, ...rest.slice(1)] : command === '--help' ? [] : [file, ...rest];
  const { status, stderr } = replsim(['stdout'], command, ...given);
  expect(stderr).toMatch(/^the disk is full: .*; make room and start again\n$/);
  expect(status).toBe(4);
});

test('so is one for what is wrong, of which nothing can be said', () => {
  expect(replsim(['stderr'], 'run', join(folder, 'nowhere.yaml')).status).toBe(4);
});
