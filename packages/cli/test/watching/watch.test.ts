import { mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchCommand } from '../../src/commands/watch.ts';
import { ExitCodes, type Io } from '../../src/io.ts';
import { main } from '../../src/main.ts';
import { changedFiles } from '../../src/watching/changedFiles.ts';
import { testIo } from '../io.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'replsim-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const scenario = (name: string, check: string) =>
  `name: ${name}\nreplicaSet: { members: 3 }\nsteps:\n  - advance: 20s\n  - expect: { primary: ${check} }\n`;

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A terminal with somebody who waits for words before they do anything. */
function terminal() {
  const io = testIo();
  let seen = 0;
  let look = (): void => {};
  let pressed: ((key: string) => void) | undefined;
  let interrupted: (() => void) | undefined;
  const out = (text: string) => {
    io.out(text);
    look();
  };
  return {
    io: {
      ...io,
      out,
      err: out,
      onKey(listener) {
        pressed = listener;
        return () => {
          pressed = undefined;
        };
      },
      onInterrupt(stop) {
        interrupted = stop;
      },
    } satisfies Io,
    /** What is said up to these words, since the last that were waited for. */
    until: (words: string | RegExp) =>
      new Promise<string>((resolve) => {
        const pattern = typeof words === 'string' ? new RegExp(words.replace(/[;.]/g, '\\$&')) : words;
        look = () => {
          const unread = io.stdout.slice(seen);
          const match = pattern.exec(unread);
          if (match === null) return;
          look = () => {};
          const end = match.index + match[0].length;
          seen += end;
          resolve(unread.slice(0, end));
        };
        look();
      }),
    press: (key: string) => pressed?.(key),
    interrupt: () => interrupted?.(),
    listens: () => pressed !== undefined,
  };
}

const WAITING = 'waiting for changes; h shows the keys\n';

test('plays again what changes, appears and is mended, on a real disk', async () => {
  write('a.yaml', scenario('The first', 'any'));
  const { io, until, press, listens } = terminal();
  const code = main(['run', '--watch', '--verbose', folder], io);
  // A disk may tell of one change twice.
  const saysAndWaits = (text: RegExp) => until(new RegExp(`${text.source}[\\s\\S]*?waiting for changes`));
  await saysAndWaits(/The first\n\n[\s\S]*\nheld: /);
  write('b.yaml', scenario('The second', 'none'));
  await saysAndWaits(/The second\n\n[\s\S]*\nfailed: [\s\S]*\n1 failed; /);
  write('b.yaml', 'name: The second\nreplicaSt: {}\n');
  await saysAndWaits(/b\.yaml:2:1: unknown key "replicaSt"/);
  write('b.yaml', scenario('The second', 'any'));
  await saysAndWaits(/The second\n\n[\s\S]*\nheld: /);
  write('a.transcript', 'something else\n');
  await saysAndWaits(/The first\n\n[\s\S]*failed: the transcript differs/);
  unlinkSync(join(folder, 'a.transcript'));
  await saysAndWaits(/The first\n\n[\s\S]*\nheld: /);
  press('enter');
  await saysAndWaits(/✓ The first .*\n✓ The second .*\n/);
  press('q');
  expect(await code).toBe(ExitCodes.ok);
  expect(listens()).toBe(false);
});

test('nobody is told of what is not searched', async () => {
  const told: string[] = [];
  let look = (): void => {};
  for (const name of ['node_modules', '.git', '.named']) mkdirSync(join(folder, name));
  const watcher = await changedFiles([folder, join(folder, '.named')], (_, file) => {
    told.push(relative(folder, file));
    look();
  });
  const until = (name: string) =>
    new Promise<void>((resolve) => {
      look = () => told.includes(name) && resolve();
      write(name, '');
    });
  for (const name of ['node_modules/a.yaml', '.git/a.yaml', '.a.yaml']) write(name, '');
  // What was written before is told before, or in the meantime.
  for (const name of ['.named/a.yaml', 'b.yaml', 'c.yaml']) await until(name);
  expect([...new Set(told)].sort()).toEqual(['.named/a.yaml', 'b.yaml', 'c.yaml']);
  await watcher.close();
});

test('a file of documents is a part of the scenarios that name it, wherever it lies', async () => {
  const told: string[] = [];
  let look = (): void => {};
  mkdirSync(join(folder, 'scenarios'));
  const inserting = (file: string) => `name: a\nsteps:\n  - insert: { into: app.a, file: ${file} }\n`;
  write('beside.jsonl', '{}\n');
  write('scenarios/within.jsonl', '{}\n');
  write('scenarios/a.yaml', inserting('../beside.jsonl'));
  write('scenarios/b.yaml', inserting('within.jsonl'));
  const watcher = await changedFiles([join(folder, 'scenarios')], (_, file) => {
    told.push(relative(folder, file));
    look();
  });
  const after = (name: string, text: string, file: string) =>
    new Promise<void>((resolve) => {
      told.length = 0;
      look = () => told.includes(file) && resolve();
      write(name, text);
    });
  await after('beside.jsonl', '{ "a": 1 }\n', 'scenarios/a.yaml');
  expect(told).not.toContain('scenarios/b.yaml');
  await after('scenarios/within.jsonl', '{ "a": 1 }\n', 'scenarios/b.yaml');
  // From now on the other one, which is not there yet.
  await after('scenarios/b.yaml', inserting('../later.jsonl'), 'scenarios/b.yaml');
  await after('later.jsonl', '{ "a": 1 }\n', 'scenarios/b.yaml');
  await watcher.close();
});

/** Files that change when a test says so. */
function files() {
  let told: Parameters<typeof changedFiles>[1] = () => {};
  let isClosed = false;
  return {
    watch: async (_: readonly string[], listener: typeof told) => {
      told = listener;
      return {
        async close() {
          isClosed = true;
        },
      };
    },
    told: (type: 'changed' | 'removed', file: string) => told(type, file),
    isClosed: () => isClosed,
  };
}

test('keys: only what failed, by file, by name', async () => {
  write('a.yaml', scenario('The first', 'any'));
  write('b.yaml', scenario('The second', 'none'));
  write('c.yaml', scenario('Another', 'any'));
  const { io, until, press } = terminal();
  const { watch, isClosed } = files();
  const code = watchCommand([folder], { verbose: true, grep: 'the' }, io, watch);
  expect(await until(WAITING)).toMatch(/^✓ The first[\s\S]*\n✗ The second[\s\S]*\n✓ Another/);
  press('f');
  expect(await until(WAITING)).toMatch(/^The second\n/);
  press('p');
  for (const letter of 'C.Y') press(letter);
  press('enter');
  expect(await until(WAITING)).toMatch(/: C\.Y\nAnother\n[\s\S]*1 failed; waiting/);
  press('a');
  expect(await until(WAITING)).toMatch(/✓ The first[\s\S]*\n✓ Another/);
  press('t');
  for (const letter of 'zebra') press(letter);
  press('enter');
  expect(await until(WAITING)).toContain('no scenario matches the filter\n');
  press('q');
  expect(await code).toBe(ExitCodes.failed);
  expect(isClosed()).toBe(true);
});

test('a removed file has failed no longer', async () => {
  write('a.yaml', scenario('The first', 'any'));
  const path = write('b.yaml', scenario('The second', 'none'));
  const { io, until, press } = terminal();
  const { watch, told } = files();
  const code = watchCommand([folder], {}, io, watch);
  await until('1 failed; waiting');
  unlinkSync(path);
  told('removed', path);
  press('f');
  await until('nothing has failed\n');
  press('q');
  expect(await code).toBe(ExitCodes.ok);
});

test('whoever interrupts does not wait for the rest', async () => {
  for (const name of ['a', 'b', 'c']) write(`${name}.yaml`, scenario(name, 'any'));
  const { io, until, interrupt } = terminal();
  const code = watchCommand([folder], { verbose: true, reporter: [{ name: 'tap' }] }, io, files().watch);
  await until('ok 1');
  interrupt();
  expect(await code).toBe(ExitCodes.ok);
  expect(await until('Bail out! the rest is not run\n')).not.toContain('ok 3');
});

test('a bug of ours ends it, and is not taken for a mistake in a file', async () => {
  write('a.yaml', scenario('a', 'any'));
  const { io } = terminal();
  const broken: Io = {
    ...io,
    out() {
      throw new Error('broken');
    },
  };
  await expect(watchCommand([folder], {}, broken, files().watch)).rejects.toThrow('broken');
});

test('refuses what makes no sense with it', async () => {
  const path = write('a.yaml', scenario('a', 'any'));
  const { io } = terminal();
  const said = async (given: Io, ...args: string[]) => {
    const kept = testIo();
    return { code: await main(['run', '--watch', ...args], { ...given, err: kept.err }), text: kept.stderr };
  };
  expect(await said({ ...io, ci: true }, path)).toEqual({ code: 2, text: expect.stringContaining('where CI is set') });
  expect(await said(io, '--check-determinism', path)).toEqual({
    code: 2,
    text: expect.stringContaining('leave out --watch'),
  });
  expect(await said(io, join(folder, 'nowhere'))).toEqual({ code: 2, text: expect.stringContaining('no such file') });
});
