import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cutText, endOf } from '../../src/exploring/endOf.ts';
import { main } from '../../src/index.ts';
import { testIo } from '../io.ts';

let folder: string;
let file: string;
const HOLDS = `name: There is a primary
replicaSet: { members: 3 }
begin: with a primary
steps:
  - advance: 1s
  - expect: { primary: any }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'end-'));
  file = join(folder, 'holds.yaml');
  writeFileSync(file, HOLDS);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Somebody presses Ctrl-C when the progress line is at that run. */
async function interruptedAt(run: number, ...args: string[]) {
  const io = testIo();
  let stop = () => {};
  const code = await main(args, {
    ...io,
    progress: true,
    err: (text) => {
      if (text.includes(`run ${run}`)) stop();
    },
    onInterrupt: (given) => {
      stop = given;
    },
  });
  return { code, out: io.stdout };
}

const SEEDS = ['--mode', 'seeds', '--runs', '9'];

describe('who interrupts an exploration has no answer', () => {
  test('and none that looks like one', async () => {
    const { code, out } = await interruptedAt(3, 'explore', file, ...SEEDS);
    expect(out).toMatch(
      /\ninterrupted after 3 of 9 runs: no run in which the claim does not hold was found in these\n$/,
    );
    expect(code).toBe(130);
  });

  test('in no format', async () => {
    const formats = ['json', 'junit', 'github', 'html'].map((name) => [name, join(folder, `report.${name}`)] as const);
    const args = formats.flatMap(([name, output]) => ['--reporter', name, '--output', output]);
    const { code } = await interruptedAt(3, 'explore', file, ...SEEDS, ...args);
    const [json = '', ...others] = formats.map(([, output]) => readFileSync(output, 'utf8'));
    expect(JSON.parse(json)).toMatchObject({ runs: 3, of: 9, cutShort: 'interrupted', findings: [] });
    for (const text of others) expect(text).toContain('interrupted after 3 of 9 runs');
    expect(others[0]).toContain('failures="1"');
    expect(others[1]).toMatch(/^::error /);
    expect(code).toBe(130);
  });

  test('but what was found until then is found', async () => {
    const fails = join(folder, 'fails.yaml');
    writeFileSync(fails, HOLDS.replace('primary: any', 'primary: none'));
    const { code, out } = await interruptedAt(3, 'explore', fails, ...SEEDS, '--stop-at', '5', '--no-shrink');
    expect(out).toContain('\ninterrupted after 3 of 9 runs: 1 found in these\n');
    expect(code).toBe(1);
  });

  test('and what should come about may still have done so', async () => {
    const sometimes = join(folder, 'sometimes.yaml');
    writeFileSync(sometimes, `${HOLDS}  - sometimes: { primary: none }\n`);
    const { code, out } = await interruptedAt(3, 'explore', sometimes, ...SEEDS);
    expect(out).not.toContain('NEVER');
    expect(code).toBe(130);
  });
});

test('a measurement that is interrupted says so, in each form', async () => {
  const html = join(folder, 'measured.html');
  const { code, out } = await interruptedAt(3, 'measure', file, '--seeds', '1..9', '--html', html);
  expect(out).toMatch(/\ninterrupted after 3 of 9 runs, from seed 1, in /);
  expect(readFileSync(html, 'utf8')).toContain('interrupted after 3 of 9 runs.');
  expect(code).toBe(130);
  const asJson = await interruptedAt(3, 'measure', file, '--seeds', '1..9', '--json');
  expect(JSON.parse(asJson.out)).toMatchObject({ cutShort: 'interrupted' });
});

test('a budget that is used up is said, and is no failure', async () => {
  const io = testIo();
  expect(await main(['explore', file, ...SEEDS, '--time', '1us'], io)).toBe(0);
  expect(io.stdout).toMatch(/\ntime is up after 1 of 9 runs: no run in which .* was found in these\n$/);
  const measured = testIo();
  expect(await main(['measure', file, '--seeds', '1..9', '--time', '1us'], measured)).toBe(0);
  expect(measured.stdout).toContain('\ntime is up after 1 of 9 runs, from seed 1, in ');
});

test('all runs were made: then it does not matter that somebody asks for the end', async () => {
  const { code, out } = await interruptedAt(9, 'explore', file, ...SEEDS);
  expect(out).toMatch(/\nno run was found in which the claim does not hold\n$/);
  expect(code).toBe(0);
});

test('whoever asked for the end comes before the time that is up since', () => {
  let stop = () => {};
  const { isOver, why } = endOf(undefined, {
    onInterrupt: (given) => {
      stop = given;
    },
  });
  expect([isOver(), why()]).toEqual([false, undefined]);
  stop();
  expect([isOver(), why()]).toEqual([true, 'interrupted']);
  expect(cutText('timeUp', 1, undefined)).toBe('time is up after 1 run');
});
