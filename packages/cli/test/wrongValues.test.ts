import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExitCodes } from '../src/io.ts';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

// Whatever is given to an option that takes a value: it is taken, or refused in words. A stack would say that we have a bug.

const VALUES = ['0', '-1', '8', '99999999999999999999', 'text', ''];

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'serve --port 0 --quiet': [
    ...['--members', '--spares', '--port', '--bind', '--replSet', '--dbpath', '--speed', '--max-lead', '--seed'],
    ...['--version', '--config', '--setParameter', '--any-user', '--record', '--trace', '--studio'],
  ],
  'serve --port 0 --quiet --config good.yaml': ['--members', '--spares', '--seed'],
  'run good.yaml': [
    ...['--seed', '--seeds', '--grep', '--trace', '--html', '--logs', '--speed', '--jobs', '--reporter'],
  ],
  'forecast forecast.yaml': ['--seed', '--documents'],
  'studio good.yaml': ['--port'],
  'why good.yaml primary': ['--at', '--on', '--seed'],
};

const back = process.cwd();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'replsim-values-'));
  process.chdir(folder);
  writeFileSync('good.yaml', 'name: good\nsteps:\n  - advance: 1s\n');
  writeFileSync('forecast.yaml', 'name: f\nduration: 1m\ninsert: 1\nexpireAfter: 30s\n');
});

afterAll(() => {
  process.chdir(back);
  rmSync(folder, { recursive: true });
});

/** Ends whatever waits for it as soon as it does. */
async function outcome(...words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const io = testIo();
  const { out, err, colours, progress } = io;
  const code = await main(words, { out, err, colours, progress, onInterrupt: (stop) => stop() });
  return { code, said: io.stderr };
}

describe.for(Object.entries(OPTIONS).flatMap(([line, options]) => options.map((option) => [line, option] as const)))(
  '%s %s',
  ([line, option]) => {
    test.for(VALUES)('%j', async (value) => {
      const { code, said } = await outcome(...line.split(' '), option, value);
      expect(said).not.toMatch(/^ {4}at /m);
      expect(code).not.toBe(ExitCodes.bug);
      if (code === ExitCodes.badInput) expect(said).toMatch(/\w/);
    });
  },
);

test.for<[line: string, said: string]>([
  [
    'serve --members 8',
    '--members: a replica set has at most 7 voting members; give the others { votes: 0, priority: 0 }',
  ],
  ['serve --members 51', 'members must be a whole number from 1 to 50, not 51'],
  ['serve --dbpath ', '--dbpath: it has no name; name a folder'],
  ['serve --port 0 --trace ', 'cannot write the trace: it has no name; name a file'],
  ['serve --config ', '"": no such file or folder'],
  ['run a.yaml --seed -1', "error: option '--seed <n>' argument '-1' is invalid. It must be 0 or more."],
  ['run a.yaml --jobs -1', "error: option '--jobs <n>' argument '-1' is invalid. It must be 1 or more."],
])('%s is told what to do', async ([line, told]) => {
  const { code, said } = await outcome(...line.split(' '));
  expect(code).toBe(ExitCodes.badInput);
  expect(said.startsWith(told)).toBe(true);
});

test('clocks that the steps set and then let pass 2106 end the run at that step', async () => {
  const jump = 'clock: { on: n1, jump: 29621d }';
  writeFileSync('far.yaml', `name: far\nsteps:\n  - ${jump}\n  - repeat: { times: 9, steps: [{ advance: 3h }] }\n`);
  const { out, err, ...io } = testIo();
  const said: string[] = [];
  const code = await main(['run', 'far.yaml'], { ...io, out: (text) => said.push(text), err });
  expect(code).toBe(ExitCodes.failed);
  expect(said.join('')).toContain('failed: step 2 in turn');
  expect(said.join('')).toContain('a wall clock would pass 2106, which no BSON timestamp can hold');
});
