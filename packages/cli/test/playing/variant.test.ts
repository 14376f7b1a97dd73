import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../src/index.ts';
import { testIo } from '../io.ts';

// A variant of a scenario, played as measure plays it, so that the run behind each of its figures can be seen.

let folder: string;
let file: string;
const FAILOVER = `name: A set, whose primary dies
replicaSet: { members: 3 }
begin: with a primary
steps:
  - kill: primary
  - advance: 20s
  - expect: { primary: none }
variants:
  soon: { replicaSet: { settings: { electionTimeoutMillis: 1000 } } }
  -later, it's: { replicaSet: { settings: { electionTimeoutMillis: 3000 } } }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'variant-'));
  file = join(folder, 'failover.yaml');
  writeFileSync(file, FAILOVER);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function replsim(...args: readonly string[]) {
  const io = testIo();
  const code = await main(args, io);
  return { code, out: io.stdout, err: io.stderr };
}

/** The arguments that a shell makes of a command. */
const argumentsOf = (command: string) =>
  [...command.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'/g, '$1').replaceAll('\\', "'"),
  );

test('what measure names as the worst is replayed by the command that it prints, and fails as it did', async () => {
  const { out } = await replsim('measure', file, '--seeds', '1..3');
  const commands = [...out.matchAll(/^ {2}(.*), ([\d.]+)s: replsim (run .*)$/gm)];
  expect(commands.map(([, name]) => name)).toEqual(['as written', 'soon', "-later, it's"]);
  for (const [, name, seconds, command = ''] of commands) {
    const { code, out: played } = await replsim(...argumentsOf(command));
    expect(code).toBe(1);
    expect(played).toContain(`repeat with: replsim ${command}`);
    const killed = /([\d.]+)s \S+ .*(?:killed|kill)/.exec(played);
    const leads = [...played.matchAll(/([\d.]+)s \S+ .*accepts writes/g)].at(-1);
    expect(Number(leads![1]) - Number(killed![1]), name).toBeCloseTo(Number(seconds), 1);
  }
});

test('it has the name of the scenario and its own in every report', async () => {
  const { out } = await replsim('run', file, '--variant', 'soon', '--seeds', '1..2', '--reporter', 'json');
  const { scenarios } = JSON.parse(out);
  expect(scenarios).toMatchObject([
    {
      name: 'A set, whose primary dies, soon, seed 1',
      seed: 1,
      failure: { repeat: expect.stringMatching(/ --variant soon --seed 1$/) },
    },
    { name: 'A set, whose primary dies, soon, seed 2', seed: 2 },
  ]);
});

test('"as written" is the scenario itself', async () => {
  const told = async (...args: string[]) => JSON.parse((await replsim('run', file, '--reporter', 'json', ...args)).out);
  const [{ scenarios: asWritten }, { scenarios: plain }] = [await told('--variant', 'as written'), await told()];
  expect(asWritten[0].transcript).toEqual(plain[0].transcript);
});

test('a transcript is that of the scenario as it is written', async () => {
  const held = join(folder, 'held.yaml');
  writeFileSync(held, FAILOVER.replace('  - expect: { primary: none }\n', ''));
  expect((await replsim('run', held, '-u')).code).toBe(0);
  const transcript = readFileSync(join(folder, 'held.transcript'), 'utf8');
  const soon = await replsim('run', held, '--variant', 'soon');
  expect(soon).toMatchObject({ code: 0, out: expect.not.stringContaining('transcript differs') });
  expect(soon.out).not.toContain(transcript.trimEnd().split('\n').at(-1));
  const { code, err } = await replsim('run', held, '--variant', 'soon', '-u');
  expect([code, err]).toEqual([2, expect.stringContaining('leave out --variant')]);
  expect(readFileSync(join(folder, 'held.transcript'), 'utf8')).toBe(transcript);
});

test('it is played twice and compared, and asked why', async () => {
  const twice = await replsim('run', file, '--check-determinism', '--variant', 'soon');
  expect(twice).toMatchObject({ code: 0, out: expect.stringContaining('same: A set, whose primary dies, soon: ') });
  const why = async (...args: string[]) => (await replsim('why', file, 'primary', '--at', '2s', '--json', ...args)).out;
  expect(JSON.parse(await why('--variant', 'soon'))).toMatchObject({ variant: 'soon' });
  expect(JSON.parse(await why('--variant', 'soon')).reasons).not.toEqual(JSON.parse(await why()).reasons);
});

describe('refused', () => {
  test.for([
    [['run'], []],
    [['run'], ['--check-determinism']],
    [['why'], ['primary']],
  ] as const)('a name that there is not: %j', async ([command, args]) => {
    const { code, err } = await replsim(...command, file, ...args, '--variant', 'sooner');
    expect(code).toBe(2);
    expect(err).toContain('failover.yaml:1:1: this scenario has no variant "sooner"');
    expect(err).toContain(`its variants are: "as written", "soon", "-later, it's"`);
  });

  test('a scenario without variants, and the others of the folder are played', async () => {
    const other = join(folder, 'plain.yaml');
    writeFileSync(other, FAILOVER.slice(0, FAILOVER.indexOf('variants:')));
    const { code, out, err } = await replsim('run', other, file, '--variant', 'soon');
    expect(code).toBe(2);
    expect(err).toContain('plain.yaml:1:1: this scenario has no variant "soon"\n      it has none;');
    expect(out).toContain('A set, whose primary dies, soon');
  });

  test('a page, which shows the file', async () => {
    const page = join(folder, 'page.html');
    const { code, err } = await replsim('run', file, '--variant', 'soon', '--html', page);
    expect([code, err]).toEqual([2, expect.stringContaining('--html shows the scenario as it is written')]);
  });
});
