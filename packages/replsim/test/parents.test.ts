import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { lookAt, type SeenProcess, startersOf, whenStarterGone } from '../src/parents.ts';

/** What a shell under npx runs: it says who it and its parent are, and stays, for a second after it is killed. */
const LEAF = 'echo $$ $PPID; while :; do sleep 1; done';
/** npm gives itself such a title. */
const NPM = `process.title = 'npm exec replsim serve'; require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(LEAF)}], { stdio: 'inherit' })`;
const SCRIPT = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(NPM)}], { stdio: 'inherit' })`;

let script: ChildProcess | undefined;
let others: number[] = [];

afterEach(() => {
  for (const pid of others.splice(0)) process.kill(pid, 'SIGKILL');
  script?.kill('SIGKILL');
});

/** A script that calls npx, which calls a shell. */
async function started(): Promise<{ shell: number; npm: number; script: ChildProcess }> {
  script = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(script.stdout!, 'data');
  const [shell, npm] = String(line).trim().split(' ').map(Number) as [number, number];
  others = [shell, npm];
  return { shell, npm, script };
}

test.skipIf(process.platform === 'win32')('a killed script ends what npx runs for it', async () => {
  const { shell, npm, script } = await started();
  expect(startersOf(shell, lookAt)).toEqual([shell, npm, script.pid]);
  const stopped = new Promise<void>((resolve) => whenStarterGone(resolve, shell));
  script.kill('SIGKILL');
  await stopped;
  expect(lookAt(npm)).toMatchObject({ words: expect.arrayContaining(['npm']) });
});

test.skipIf(process.platform === 'win32')('so does a killed npx', async () => {
  const { shell, npm } = await started();
  const stopped = new Promise<void>((resolve) => whenStarterGone(resolve, shell));
  process.kill(npm, 'SIGKILL');
  others = [shell];
  await stopped;
});

const node = (parent: number, ...words: string[]): SeenProcess => ({ parent, words: ['/usr/bin/node', ...words] });
const sh = (parent: number): SeenProcess => ({ parent, words: ['sh', '-c', 'replsim serve'] });

test.for<[what: string, processes: Record<number, SeenProcess>, starters: number[]]>([
  ['a script', { 9: node(8, 'test.js'), 8: sh(7), 7: sh(1) }, [9]],
  ['a script with npm for an argument', { 9: node(8, 'run.js', 'npm'), 8: sh(7) }, [9]],
  ['a shell', { 9: sh(8), 8: node(7, 'test.js') }, [9]],
  ['npx', { 9: sh(8), 8: { parent: 7, words: ['npm', 'exec', 'replsim'] }, 7: sh(6), 6: sh(1) }, [9, 8, 7]],
  ['an older npx', { 9: sh(8), 8: node(7, '/lib/npm/bin/npx-cli.js'), 7: node(6, 'a.js') }, [9, 8, 7]],
  ['pnpm, without a shell', { 9: node(8, '/lib/pnpm/bin/pnpm.cjs', 'exec'), 8: node(7, 'a.js'), 7: sh(6) }, [9, 8]],
  ['npx that nobody has called', { 9: sh(8), 8: { parent: 1, words: ['npm', 'exec'] } }, [9, 8]],
  ['a system that shows nothing', {}, [9]],
])('%s', ([, processes, starters]) => {
  expect(startersOf(9, (pid) => processes[pid])).toEqual(starters);
});

test('a process that is gone is not seen', () => {
  expect(lookAt(2 ** 30)).toBeUndefined();
});
