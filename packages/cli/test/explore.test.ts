import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../src/index.ts';

let folder: string;
let file: string;
const CLAIM = `name: An acknowledged write is never lost
replicaSet: { members: 3 }
begin: with a primary
steps:
  - workload: { name: w, every: 500ms, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1 } }
  - advance: 20s
  - expect: { workload: w, lost: 0 }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'explore-'));
  file = join(folder, 'claim.yaml');
  writeFileSync(file, CLAIM);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function replsim(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const to = (stream: 'out' | 'err') => (text: string) => {
    said[stream] += text;
  };
  const code = await main(args, { out: to('out'), err: to('err'), colours: false, progress: false });
  return { code, ...said };
}

/** The three blocks of the docs' example: the claim, the command, and what it prints. */
const [claim = '', command = '', printed = ''] = [
  ...readFileSync(new URL('../../../docs/explore.md', import.meta.url), 'utf8').matchAll(
    /^```(?:yaml)?\n((?:.|\n)*?)^```$/gm,
  ),
].map(([, text]) => text!);

test('what is found is shown as the docs have it, and written to a file that fails by itself', async () => {
  const claimed = join(folder, 'claim.yaml');
  writeFileSync(claimed, claim);
  const out = join(folder, 'found');
  const [, , ...args] = command.trim().split(' ');
  const explored = await replsim(...args.map((arg) => (arg === 'claim.yaml' ? claimed : arg)), '--out', out);
  expect(explored.code).toBe(1);
  expect(explored.out).toMatch(/\d+ {2}elections won\n/);
  const found = join(out, 'claim-1.yaml');
  const shown = explored.out.slice(explored.out.indexOf('FOUND')).replace(`, in ${found}`, '');
  expect(shown.replace(/exploration of \S+claim\.yaml/, 'exploration of claim.yaml')).toBe(printed);
  const run = await replsim('run', found);
  expect(run.code).toBe(1);
  expect(run.out).toContain('expect: {workload: w, lost: 0}');
  const why = await replsim('why', found, 'primary', '--at', '25s');
  expect([why.code, why.out]).toEqual([0, expect.stringContaining('it cannot see a majority of the voters')]);
  // Nothing more can be taken out of it.
  const shrunk = await replsim('shrink', found, '--json');
  expect(shrunk.code).toBe(0);
  const { from, to } = JSON.parse(shrunk.out);
  expect(to).toBe(from);
});

test('what holds in all runs ends with 0, as JSON too', async () => {
  const { code, out } = await replsim('explore', file, '--mode', 'seeds', '--runs', '3', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ version: 1, runs: 3, of: 3, findings: [], obstacles: { fault: 0 } });
});

test('a fault happens at one instant after the other', async () => {
  const short = join(folder, 'short.yaml');
  writeFileSync(
    short,
    CLAIM.replace('w: 1 }', 'w: majority }')
      .replace('500ms', '250ms')
      .replace('20s', '20ms\n  - eventually: { within: 60s, primary: any }\n  - advance: 1500ms'),
  );
  const { code, out } = await replsim(
    'explore',
    short,
    '--mode',
    'everywhere',
    '--fault',
    'kill primary',
    '--runs',
    '20',
    '--json',
  );
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ runs: 20, of: 20, coverage: { kills: 19 }, obstacles: { fault: 0 } });
});

test('the command says in which stretch, whom and how long, before the file does', async () => {
  const bounded = join(folder, 'bounded.yaml');
  writeFileSync(
    bounded,
    CLAIM.replace(
      'steps:',
      'zones: { east: [n1] }\nexplore: { members: [n2, n3], during: 9s, faults: [kill] }\nsteps:',
    ),
  );
  const args = ['--runs', '2', '--no-shrink', '--members', 'east', '--during', '100ms', '--no-heal'];
  const report = join(folder, 'bounded.json');
  expect((await replsim('explore', bounded, ...args, '--report', report)).err).toBe('');
  const { question } = JSON.parse(readFileSync(report, 'utf8'));
  expect(question.mode).toEqual({ kind: 'faults', members: ['n1'], duringMicros: 100_000, heal: false });
});

describe('wrong input gets a message', () => {
  test.for([
    [['--mode', 'everywhere'], '--mode everywhere needs a fault: --fault "kill primary"'],
    [['--fault', 'kill n1'], '--fault belongs to --mode everywhere'],
    [['--pairs'], '--pairs belongs to --mode everywhere'],
    [['--mode', 'seeds', '--kinds', 'kill'], '--kinds belongs to --mode faults'],
    [['--mode', 'seeds', '--at-most', '3'], '--at-most belongs to --mode faults'],
    [['--kinds', 'kill,kil'], '--kinds: kil cannot be drawn; these can: kill, shutdown'],
    [['--mode', 'seeds', '--during', '3s'], '--during belongs to --mode faults and --mode everywhere'],
    [['--mode', 'everywhere', '--fault', 'kill n1', '--no-heal'], '--no-heal belongs to --mode faults'],
    [['--mode', 'seeds', '--heal'], '--heal belongs to --mode faults'],
    [['--mode', 'seeds', '--members', 'n1'], '--members belongs to --mode faults'],
    [['--during', '0s'], 'It must be a duration, such as 5m'],
    [['--during', 'soon'], 'It must be a duration, such as 5m'],
    [['--members', 'n1,n9'], '--members: no member is called "n9"'],
    [['--members', ''], '--members: no member is called ""'],
    [['--members', 'n1,n1'], '--members: "n1" is in this list already'],
    [['--kinds', ''], '--kinds: "" cannot be drawn'],
    [['--mode', 'everywhere', '--fault', 'kill'], 'no fault reads "kill"'],
    [['--mode', 'everywhere', '--fault', 'kil n1'], 'unknown key "kil"'],
    [['--mode', 'everywhere', '--fault', 'kill n9'], 'no member is called "n9"'],
    [['--runs', '0'], 'It must be 1 or more.'],
    [['--time', 'soon'], 'It must be a duration'],
    [['--mode', 'some'], 'Allowed choices are faults, seeds, everywhere'],
  ] as const)('%j', async ([args, message]) => {
    const { code, err } = await replsim('explore', file, ...args);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test.for([
    ['explore', 'nowhere.yaml', 'no such file'],
    ['shrink', 'nowhere.yaml', 'no such file'],
    ['explore', '.', 'this is a folder'],
  ])('%s %s', async ([command, path, message]) => {
    const { code, err } = await replsim(command!, path!);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test('a scenario with mistakes', async () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, CLAIM.replace('advance', 'advanse'));
    for (const command of ['explore', 'shrink']) {
      const { code, err } = await replsim(command, wrong);
      expect(err).toContain('unknown key "advanse"');
      expect(err).toContain('wrong.yaml');
      expect(code).toBe(2);
    }
  });

  test('where nothing can be played to its end, nothing is green', async () => {
    const args = ['--mode', 'everywhere', '--fault', 'start n2', '--runs', '3'];
    const { code, out, err } = await replsim('explore', file, ...args);
    expect(err).toContain(
      'none of the runs came to its end, so they show nothing; the first stopped at meanwhile, at ',
    );
    expect([code, out]).toEqual([2, '']);
  });

  test('a scenario that claims nothing', async () => {
    const idle = join(folder, 'idle.yaml');
    writeFileSync(idle, CLAIM.replace(/ {2}- expect.*\n/, '').replace('20s', '1s'));
    const { code, err } = await replsim('explore', idle, '--mode', 'seeds', '--runs', '1');
    expect(err).toMatch(/^warning: .*no step of this scenario checks anything/);
    expect(code).toBe(0);
  });

  test('what cannot be written to', async () => {
    const failing = join(folder, 'failing.yaml');
    writeFileSync(failing, CLAIM.replace('lost: 0', 'acknowledged: 0').replace('20s', '1s'));
    const explored = await replsim('explore', failing, '--runs', '1', '--out', failing);
    expect([explored.code, explored.err]).toEqual([2, expect.stringContaining('is a file; name a folder')]);
    const nowhere = await replsim('shrink', failing, '--out', join(folder, 'none', 'x.yaml'));
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('there is no folder')]);
    // What came of it is shown all the same, and the scenario is still there.
    expect(nowhere.out).toMatch(/^# what fails: /);
    const itself = await replsim('shrink', failing, '--out', failing);
    expect([itself.code, itself.err]).toEqual([2, expect.stringContaining('is read by this command')]);
    expect(readFileSync(failing, 'utf8')).toContain('acknowledged: 0');
  });

  test('to shrink what does not fail', async () => {
    const { code, err } = await replsim('shrink', file);
    expect(err).toContain('does not fail with seed 1, so there is nothing to shrink');
    expect(code).toBe(2);
  });
});
