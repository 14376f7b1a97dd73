import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReplSet } from '@replsim/replset';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { Source } from '../../scenario/src/file/source.ts';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

// One bad file never stops the others: each is told of, and the exit code is the worst of all.

const folder = mkdtempSync(join(tmpdir(), 'replsim-bad-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const scenario = (name: string, primary: string) =>
  `name: ${name}\nsteps: [{ advance: 30s }, { expect: { primary: ${primary} } }]\n`;
const GOOD = scenario('One that holds', 'any');
const LAST = scenario('The last', 'any');
const FAILING = scenario('One that fails', 'none');

/** What is wrong with a file, how it comes about, and what is said. */
const BAD: Readonly<Record<string, [make: (path: string) => void, told: RegExp]>> = {
  mistakes: [(path) => writeFileSync(path, 'name: 3\nsteps: []\n'), /b\.yaml:1:7: a name is text: put it in quotes/],
  'no YAML': [(path) => writeFileSync(path, 'a: [\n'), /b\.yaml:\d+:\d+: /],
  empty: [(path) => writeFileSync(path, ''), /b\.yaml:1:1: the file is empty/],
  'no UTF-8': [(path) => writeFileSync(path, Buffer.of(0xff, 0xfe)), /b\.yaml:1: this is not UTF-8/],
  'a link that leads nowhere': [(path) => symlinkSync('nowhere.yaml', path), /b\.yaml: this file cannot be read/],
};

/** A folder with a good file, a bad one, and a good one. */
function folderWith(make: (path: string) => void, first = GOOD): string {
  const made = mkdtempSync(join(folder, 'f-'));
  writeFileSync(join(made, 'a.yaml'), first);
  make(join(made, 'b.yaml'));
  writeFileSync(join(made, 'c.yaml'), LAST);
  return made;
}

async function call(...args: string[]) {
  const io = testIo();
  const code = await main(args, io);
  return { code, stdout: io.stdout, stderr: io.stderr };
}

test.for(Object.entries(BAD))('run, check and list go on: %s', async ([, [make, told]]) => {
  const made = folderWith(make);
  const played = await call('run', made);
  expect(played.stderr).toMatch(told);
  expect(played.stdout).toMatch(/✗ .*b\.yaml.*\nerror: the file has mistakes and is not run\n/);
  expect(played.stdout).toMatch(/2 passed, 0 failed, 1 error\n$/);
  const checked = await call('check', made);
  expect(checked.stderr).toMatch(told);
  expect(checked.stdout).toMatch(
    /a\.yaml: One that holds\n.*c\.yaml: The last\n2 scenarios, and 1 file with mistakes\n$/,
  );
  const listed = await call('list', made);
  expect(listed.stdout).toMatch(/One that holds\n.*The last\n$/);
  const compared = await call('run', '--check-determinism', made);
  expect(compared.stdout).toMatch(/^same: One that holds.*\nsame: The last/);
  for (const { code } of [played, checked, listed, compared]) expect(code).toBe(2);
});

test('mistakes are worse than what fails; --bail stops at whichever comes first', async () => {
  const [make] = BAD.mistakes!;
  expect((await call('run', folderWith(make, FAILING))).code).toBe(2);
  const bailed = await call('run', '--bail', folderWith(make, FAILING));
  expect(bailed.stdout).toMatch(/0 passed, 1 failed\n$/);
  expect(bailed.code).toBe(1);
  const atMistakes = await call('run', '--bail', folderWith(make));
  expect(atMistakes.stdout).toMatch(/1 passed, 0 failed, 1 error\n$/);
  expect(atMistakes.code).toBe(2);
});

test.for([
  ['junit', /errors="1"[\s\S]*<error message="the file has mistakes[^"]*" type="mistakes">[^<]*b\.yaml:1\n/],
  [
    'tap',
    /1\.\.3\nok 1 - One that holds\nnot ok 2 - .*b\.yaml\n {2}---\n {2}severity: error\n[\s\S]*ok 3 - The last\n/,
  ],
  ['json', /"passed": 2,\n {2}"failed": 1,\n {2}"errors": 1,[\s\S]*"error": "mistakes"/],
  ['github', /^::error title=.*b\.yaml,file=.*b\.yaml,line=1::the file has mistakes and is not run%0A/],
  ['html', /2 passed, 0 failed, 1 error[\s\S]*>error<\/a>/],
] as const)('the report shows a file with mistakes as an error: %s', async ([reporter, shown]) => {
  const { stdout, code } = await call('run', '--reporter', reporter, folderWith(BAD.mistakes![0]));
  expect(stdout).toMatch(shown);
  expect(code).toBe(2);
});

test('even where there is nothing else, if a report is asked for', async () => {
  const path = join(folder, 'alone.yaml');
  writeFileSync(path, 'name: 3\nsteps: []\n');
  expect((await call('run', '--reporter', 'junit', path)).stdout).toMatch(/tests="1" failures="0" errors="1"/);
  expect((await call('run', path)).stdout).toBe('');
});

test('what --grep does not find by name is told of nevertheless', async () => {
  const { stdout, code } = await call('run', '--grep', 'the last', folderWith(BAD.mistakes![0]));
  expect(stdout).toMatch(/1 passed, 0 failed, 1 error\n$/);
  expect(code).toBe(2);
});

test('with --seeds a file with mistakes is one error', async () => {
  const { stdout } = await call('run', '--seeds', '1..2', folderWith(BAD.mistakes![0]));
  expect(stdout).toMatch(/4 passed, 0 failed, 1 error\n$/);
});

test('a bug of ours while a file is read, or played, is worst of all, and the others are played', async () => {
  const made = folderWith((path) => writeFileSync(path, `seed: 13\n${scenario('One', 'any')}`));
  const { lineOf } = Source.prototype;
  vi.spyOn(Source.prototype, 'lineOf').mockImplementation(function (this: Source, path) {
    if (this.file.endsWith('b.yaml')) throw new TypeError('parsed to pieces');
    return lineOf.call(this, path);
  });
  const read = await call('run', made);
  expect(read.stderr).toMatch(/b\.yaml: this is a bug in replsim, which cannot read the file: TypeError: parsed/);
  expect(read.stdout).toMatch(/2 passed, 0 failed, 1 error\n$/);
  expect(read.code).toBe(3);
  expect((await call('check', made)).code).toBe(3);
  vi.restoreAllMocks();
  const { create } = ReplSet;
  vi.spyOn(ReplSet, 'create').mockImplementation((options) => {
    if (options.seed === 13) throw new TypeError('played to pieces');
    return create.call(ReplSet, options);
  });
  const played = await call('run', '--reporter', 'junit', made);
  expect(played.stderr).toMatch(
    /this is a bug in replsim; repeat with: replsim run .*b\.yaml --seed 13\nTypeError: played/,
  );
  expect(played.stdout).toMatch(/<error message="this is a bug[^"]*" type="bug">/);
  expect(played.stdout).toMatch(/name="The last"/);
  expect(played.code).toBe(3);
});
