import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Program, program, Running } from './program.ts';

// Several processes on one machine: as jobs of one, and as shards that GNU parallel starts, as docs/explore.md shows it.

let built: Program;
beforeAll(async () => {
  built = await program();
});
afterAll(() => built.remove());

const page = readFileSync(new URL('../../../../docs/explore.md', import.meta.url), 'utf8');
const [, commands = ''] = /<!-- parallel -->\n\n```\n([\s\S]*?)```/.exec(page) ?? [];

/** Who is elected first is a matter of the seed. */
const WHO = `name: n1 is elected
replicaSet: { members: 3 }
steps:
  - eventually: { within: 60s, primary: any }
  - expect: { primary: n1 }
`;
const timeless = (text: string) => text.replace(/"tookMs": \d+/, '');

test.for([2, 3])('%i jobs say what one says', async (jobs) => {
  const file = join(built.folder, 'who.yaml');
  writeFileSync(file, WHO);
  const said = async (atOnce: number) => {
    const args = ['explore', file, '--runs', '8', '--stop-at', '9', '--kinds', 'partition', '--no-shrink', '--json'];
    const running = new Running(process.execPath, [built.bin, ...args, '--jobs', `${atOnce}`]);
    return { code: await running.ended, out: timeless(running.out), err: running.err };
  };
  expect(await said(jobs)).toEqual(await said(1));
});

test('shards that GNU parallel starts are merged to what one process says', async () => {
  const folder = join(built.folder, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'claim.yaml'), WHO);
  const replsim = `${process.execPath} ${built.bin}`;
  const asked = '--runs 12 --mode seeds --stop-at 9';
  const [spread = '', merge = ''] = commands
    .replaceAll('npx replsim', replsim)
    .replace('claim.yaml', `claim.yaml ${asked}`)
    .trim()
    .split('\n');
  const sh = async (command: string) => {
    const running = new Running('sh', ['-c', `cd '${folder}' && ${command}`]);
    return { code: await running.ended, out: running.out };
  };
  // Its exit code is the number of shards that found something.
  const { code } = await sh(spread);
  const merged = await sh(`${merge} --json`);
  const one = await sh(`${replsim} explore claim.yaml ${asked} --jobs 1 --json`);
  expect(timeless(merged.out)).toBe(timeless(one.out));
  expect(merged.code).toBe(one.code);
  expect(code).toBeLessThanOrEqual(4);
});
