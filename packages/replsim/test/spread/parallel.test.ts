import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Program, program, Running } from './program.ts';

// Several processes on one machine: as jobs of one, and as shards that GNU parallel starts, as docs/explore.md shows it.

let built: Program;
beforeAll(async () => {
  built = await program();
});
afterAll(() => built.remove());

const page = readFileSync(new URL('../../../../docs/explore.md', import.meta.url), 'utf8');
const block = (name: string) => new RegExp(`<!-- ${name} -->\n\n\`\`\`\\w*\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
const commands = block('parallel');

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

describe('the commands of the page, of two shards, come to what one process says', () => {
  /** What each environment gives to the second line of shards, from 1. */
  const SPREAD: Readonly<
    Record<string, (shard: number) => { readonly line: string; readonly env: Record<string, string> }>
  > = {
    shards: (shard) => ({
      line: linesOf('shards')[0]!.replace('3/16', `${shard}/16`).replace('3.json', `${shard}.json`),
      env: {},
    }),
    slurm: (shard) => ({ line: linesOf('slurm')[0]!, env: { SLURM_ARRAY_TASK_ID: `${shard}` } }),
    github(shard) {
      const { jobs } = parse(block('github'));
      const { run } = jobs.explore.steps.findLast(({ run }: { run?: string }) => run?.includes('--shard'));
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what GitHub replaces
      return { line: run.replaceAll('${{ matrix.shard }}', `${shard}`), env: {} };
    },
    kubernetes(shard) {
      const [{ args }] = parse(block('kubernetes')).spec.template.spec.containers;
      return { line: args[0], env: { JOB_COMPLETION_INDEX: `${shard - 1}` } };
    },
  };
  const linesOf = (name: string) => block(name).trim().split('\n');
  const MERGE: Readonly<Record<string, string>> = {
    shards: linesOf('shards')[1]!,
    slurm: linesOf('slurm')[1]!,
    github: 'npx replsim merge *.json',
    kubernetes: 'replsim merge *.json',
  };
  const OPTIONS = '--mode seeds --runs 4 --stop-at 9 --no-shrink --jobs 1';
  let bin: string;

  beforeAll(() => {
    bin = join(built.folder, 'path');
    mkdirSync(bin);
    const replsim = `exec ${process.execPath} ${built.bin} "$@"`;
    for (const [name, does] of Object.entries({
      replsim,
      npx: `[ "$1" != --no-install ] || shift\nshift\n${replsim}`,
      srun: 'exec "$@"',
    })) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${does}\n`);
      chmodSync(join(bin, name), 0o755);
    }
  });

  test.for(Object.keys(SPREAD))('%s', async (name) => {
    const folder = join(built.folder, `with-${name}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'claim.yaml'), WHO);
    const sh = async (line: string, env: Record<string, string> = {}) => {
      const PATH = `${bin}:${process.env.PATH}`;
      const running = new Running('sh', ['-c', `cd '${folder}' && { ${line}\n}`], { ...env, PATH });
      return { code: await running.ended, out: timeless(running.out), err: running.err };
    };
    const asked = (line: string) =>
      line
        .replace(/\/scenarios\/|\/reports\//g, '')
        .replace(' --kinds partition', '')
        .replace('claim.yaml', `claim.yaml ${OPTIONS}`)
        .replace(/\/(16|8) /, '/2 ');
    for (const shard of [1, 2]) {
      const { line, env } = SPREAD[name]!(shard);
      const { code, err } = await sh(asked(line), env);
      expect([err, [0, 1].includes(code!)]).toEqual(['', true]);
    }
    const one = await sh(`replsim explore claim.yaml ${OPTIONS} --json`);
    expect(await sh(MERGE[name]!.replace('*.json', '*.json --json'))).toEqual(one);
  });
});
