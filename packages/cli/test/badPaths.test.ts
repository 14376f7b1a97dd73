import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExitCodes, type Io } from '../src/io.ts';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

// Every option and argument that names a file or a folder: whatever lies there, the message says which path it is and what to do.

const back = process.cwd();
let folder: string;

const SCENARIO = 'name: good\nsteps:\n  - advance: 20s\n  - expect: { primary: any }\n';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'replsim-paths-'));
  process.chdir(folder);
  writeFileSync('good.yaml', SCENARIO);
  writeFileSync('a-file', 'words\n');
  writeFileSync('conf.js', "{ _id: 'a', version: 1, members: [ { _id: 0, host: 'a:1' } ] }\n");
  mkdirSync('a-folder');
  symlinkSync('loop', 'loop');
  mkdirSync('with-log/n1.log', { recursive: true });
  mkdirSync('with-transcript/t.transcript', { recursive: true });
  writeFileSync('with-transcript/t.yaml', SCENARIO);
  mkdirSync('with-package/package.json', { recursive: true });
  mkdirSync('with-scenarios');
  writeFileSync('with-scenarios/scenarios', '');
  mkdirSync('page');
  writeFileSync('page/index.html', '');
  await outcome(['run', 'good.yaml', '--trace', 'trace']);
});

afterAll(() => {
  process.chdir(back);
  rmSync(folder, { recursive: true });
});

/** Ends whatever waits for it as soon as it does. */
async function outcome(words: readonly string[], more: Partial<Io> = {}) {
  const io = testIo();
  const { out, err, colours, progress } = io;
  const drawings = async () => () => ({ instant: () => '', stretch: () => '', refusal: () => undefined });
  const studioPage = pathToFileURL(`${join(folder, 'page')}/`);
  const code = await main(words, {
    out,
    err,
    colours,
    progress,
    studioPage,
    drawings,
    onInterrupt: (stop) => stop(),
    ...more,
  });
  return { code, said: io.stderr, out: io.stdout };
}

const TOO_LONG = 'x'.repeat(300);
/** Where no file can be written. */
const NO_FILE = ['', 'a-folder', 'a-file/x', 'missing/x', 'loop', TOO_LONG, '/proc/replsim', '/sys/replsim'];
/** Where no folder can be made. */
const NO_FOLDER = ['', 'a-file', 'a-file/x', 'loop', TOO_LONG, '/proc/replsim', '/proc/replsim/x', '/sys/replsim'];
/** Where nothing can be read; the last breaks off while it is read. */
const UNREAD = ['', 'missing', 'a-file/x', 'loop', TOO_LONG, '/proc/self/mem'];

/** By the command line in which PATH is tried. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  'run good.yaml --reporter junit --output PATH': NO_FILE,
  'run good.yaml --trace PATH': NO_FILE,
  'run good.yaml --trace PATH --force': NO_FILE,
  'run good.yaml --html PATH': NO_FILE,
  'run good.yaml --logs PATH': [...NO_FOLDER, 'with-log'],
  'run PATH': [...UNREAD, '-', 'a-folder'],
  'run --check-determinism PATH': UNREAD,
  'run --watch PATH': UNREAD,
  'check PATH': UNREAD,
  'list PATH': UNREAD,
  'diff trace PATH': [...UNREAD, 'a-folder'],
  'diff PATH trace': [...UNREAD, 'a-folder'],
  'why PATH primary': [...UNREAD, 'a-folder'],
  'forecast PATH': [...UNREAD, 'a-folder'],
  'explore good.yaml --runs 1 --out PATH': NO_FOLDER,
  'draw good.yaml --at 1s --out PATH': NO_FILE,
  'serve --port 0 --quiet --dbpath PATH': NO_FOLDER.filter((path) => !path.startsWith('/')),
  'import PATH': [...UNREAD, 'a-folder'],
  'import conf.js --out PATH': NO_FILE,
  'serve --port 0 --quiet --config PATH': [...UNREAD, 'a-folder'],
  'serve --port 0 --quiet --replset-config PATH': [...UNREAD, 'a-folder'],
  'serve --port 0 --quiet --keyFile PATH': [...UNREAD, 'a-folder'],
  'serve --port 0 --quiet --tlsMode requireTLS --tlsCertificateKeyFile PATH --tlsCAFile PATH': [...UNREAD, 'a-folder'],
  'serve --port 0 --quiet --record PATH': NO_FILE,
  'serve --port 0 --quiet --record PATH --force': NO_FILE,
  'serve --port 0 --quiet --trace PATH': NO_FILE,
  'serve --port 0 --quiet --trace PATH --force': NO_FILE,
  'studio --port 0 PATH': UNREAD.slice(0, -1),
  'init PATH': [...NO_FOLDER, 'with-package', 'with-scenarios'],
};

describe.for(Object.entries(PATHS))('%s', ([line, paths]) => {
  test.for(paths)('%s', async (path) => {
    const words = line.split(' ').map((word) => (word === 'PATH' ? path : word));
    const { code, said } = await outcome(words);
    expect(said).not.toMatch(/^ {4}at /m);
    // There is a folder /proc, so it would be no help to make it.
    if (path.startsWith('/proc/replsim')) expect(said).not.toContain('create it first');
    expect(code).toBe(ExitCodes.badInput);
    // Of a file in a folder that is not there, the folder is what is missing.
    const named = [path, dirname(path)].filter((each) => each !== '.' && each !== '');
    expect(named.length === 0 || named.some((each) => said.includes(each)), said).toBe(true);
    // What is wrong, and then what to do.
    expect(said).toMatch(/[;:,] (name|choose|create|replsim|use|add|for|they are|why asks) |no such file/);
  });
});

test('a disk that may not be written to is the fourth exit code', async () => {
  expect(await outcome(['serve', '--port', '0', '--quiet', '--dbpath', '/sys/replsim'])).toMatchObject({
    code: ExitCodes.disk,
    said: expect.stringContaining('/sys/replsim'),
  });
  expect(await outcome(['serve', '--port', '0', '--quiet', '--dbpath', '/proc/replsim'])).toMatchObject({
    code: ExitCodes.disk,
    said: expect.stringContaining('/proc/replsim'),
  });
  expect((await outcome(['run', 'good.yaml', '--trace', '/dev/full'])).code).toBe(ExitCodes.disk);
});

test.for([
  'run good.yaml --reporter junit --output /dev/full',
  'run good.yaml --reporter html --output /dev/full',
  'serve --port 0 --quiet --record /dev/full',
  'serve --port 0 --quiet --trace /dev/full',
  'import conf.js --out /dev/full',
])('a device that takes nothing is a full disk: %s', async (line) => {
  const { code, said } = await outcome(line.split(' '));
  expect(said).toMatch(/no space|full/);
  expect(said).not.toMatch(/^ {4}at /m);
  expect(code).toBe(ExitCodes.disk);
});

test.for([
  'run good.yaml --trace link',
  'serve --port 0 --quiet --record link',
  'serve --port 0 --quiet --trace link',
  'import conf.js --out link',
])('what a symbolic link leads to is kept: %s', async (line) => {
  writeFileSync('kept', 'kept\n');
  if (!existsSync('link')) symlinkSync('kept', 'link');
  const { code, said } = await outcome(line.split(' '));
  const isKept = readFileSync('kept', 'utf8') === 'kept\n';
  expect([line, isKept, code]).toEqual([line, true, ExitCodes.badInput]);
  expect(said).toContain('link already exists');
});

test('each option that names a file or a folder is tried', async () => {
  const commands = ['run', 'check', 'list', 'diff', 'why', 'forecast', 'import', 'serve', 'studio', 'init'];
  for (const command of commands) {
    const { out } = await outcome([command, '--help']);
    const tried = Object.keys(PATHS).filter((line) => line.startsWith(`${command} `));
    for (const [, option] of out.matchAll(/(--[\w-]+) <(?:file|dir)>/g))
      expect(
        tried.some((line) => line.includes(`${option} PATH`)),
        `${command} ${option}`,
      ).toBe(true);
    expect(tried).not.toEqual([]);
  }
});

test.for([[], ['--update']])(
  'a folder in the place of a transcript keeps nobody from the others: run %s',
  async (more) => {
    const { code, out, said } = await outcome(['run', ...more, 'with-transcript/t.yaml', 'good.yaml']);
    // Of several, those that are not there are not made.
    expect(out).toMatch(/t\.transcript: this file cannot be read: it is a folder; name a file/);
    expect(out).toMatch(/1 passed, 0 failed, 1 error\n$/);
    expect(said).not.toMatch(/^ {4}at /m);
    expect(code).toBe(ExitCodes.badInput);
  },
);

test('the summary of a job, too, says which path cannot be written to', async () => {
  const { code, said } = await outcome(['run', 'good.yaml', '--reporter', 'github'], { stepSummary: 'a-folder' });
  expect(said).toMatch(/GITHUB_STEP_SUMMARY\): a-folder is a folder; name a file in it/);
  expect(code).toBe(ExitCodes.badInput);
});

test('the transcript of a scenario with another ending is not the scenario', async () => {
  writeFileSync('good.txt', SCENARIO);
  expect(await outcome(['run', 'good.txt'])).toMatchObject({ code: ExitCodes.ok });
  expect(await outcome(['run', '--update', 'good.txt'])).toMatchObject({ code: ExitCodes.ok });
  expect(readFileSync('good.txt', 'utf8')).toBe(SCENARIO);
  expect(existsSync('good.txt.transcript')).toBe(true);
});

describe('pipes', () => {
  beforeAll(() => void execFileSync('mkfifo', ['pipe']));

  test.for([
    ['run', 'pipe'],
    ['run', '--update', 'pipe'],
    ['check', 'pipe'],
  ])('a scenario comes by one: %s', async (words) => {
    const writer = spawn('cp', ['good.yaml', 'pipe']);
    const { code, said } = await outcome(words);
    expect(said).toBe('');
    expect(code).toBe(ExitCodes.ok);
    await new Promise((resolve) => (writer.exitCode === null ? writer.once('close', resolve) : resolve(0)));
  });

  test('a trace to compare comes by one', async () => {
    const writer = spawn('cp', ['trace', 'pipe']);
    expect(await outcome(['diff', 'pipe', 'trace'])).toMatchObject({ code: ExitCodes.ok, said: '' });
    await new Promise((resolve) => (writer.exitCode === null ? writer.once('close', resolve) : resolve(0)));
  });

  test('a reader of the trace who has read enough is no error', async () => {
    const reader = spawn('head', ['-n', '1', 'pipe']);
    const { code, said } = await outcome(['run', 'good.yaml', '--trace', 'pipe']);
    expect(said).toBe('');
    expect(code).toBe(ExitCodes.ok);
    await new Promise((resolve) => (reader.exitCode === null ? reader.once('close', resolve) : resolve(0)));
  });
});
