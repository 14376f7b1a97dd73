import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIGURES } from '@replsim/explore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main } from '../src/index.ts';
import { histogram } from '../src/measuring/histogram.ts';
import { testIo } from './io.ts';

let folder: string;
let file: string;
const FAILOVER = `name: A set, whose primary dies
replicaSet: { members: 3, settings: { electionTimeoutMillis: 1000 } }
begin: with a primary
steps:
  - kill: primary
  - advance: 5s
  - expect: { primary: any }
variants:
  "slow, by 3 s": { replicaSet: { settings: { electionTimeoutMillis: 3000 } } }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'measure-'));
  file = join(folder, 'failover.yaml');
  writeFileSync(file, FAILOVER);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function replsim(...args: string[]) {
  const io = testIo();
  const code = await main(args, io);
  return { code, out: io.stdout, err: io.stderr };
}

test('figures of a scenario and its variants, what differs, and the run to look at', async () => {
  const [csv, html] = [join(folder, 'runs.csv'), join(folder, 'page.html')];
  const { code, out, err } = await replsim('measure', file, '--seeds', '1..8', '--csv', csv, '--html', html);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^A set, whose primary dies\n8 runs of each of 2 variants, from seed 1, in [\d.]+ s\n/);
  expect(out).toMatch(/\n {2}fault to new primary\n {4}as written {2,}8 {2}.* #\d+ .*\n {4}slow, by 3 s /);
  expect(out).toMatch(
    /\nslow, by 3 s instead of as written, .*\n {2}fault to new primary: median \S+s instead of \S+ \(more in 8 of 8 runs\)\n/,
  );
  expect(out).toMatch(/\n0 in every run: .*rollbacks/);
  const [, seed] = /of each, again:\n {2}as written, \S+: replsim run \S+ --seed (\d+)\n/.exec(out)!;
  expect(out).toMatch(/\n {2}slow, by 3 s, \S+: replsim run \S+ --variant 'slow, by 3 s' --seed \d+\n$/);
  const rows = readFileSync(csv, 'utf8').trimEnd().split('\n');
  expect(rows[0]).toMatch(/^variant,seed,whole,held,faultToPrimaryMs,neverReplaced,/);
  expect(rows).toHaveLength(1 + 16);
  expect(rows[9]).toMatch(/^"slow, by 3 s",1,true,true,\d/);
  const asWritten = rows.slice(1, 9).map((row) => row.split(','));
  const worst = Math.max(...asWritten.map((row) => Number(row[4])));
  expect(asWritten.find((row) => row[1] === seed)![4]).toBe(String(worst));
  const page = readFileSync(html, 'utf8');
  expect(page).toContain('<h2>fault to new primary</h2>');
  expect(page).toContain('aria-label="Histogram of fault to new primary, slow, by 3 s: ');
  expect(page).not.toMatch(/<script|https?:|style="/);
  // Written once, it is not overwritten.
  expect(await replsim('measure', file, '--html', html)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--force'),
  });
});

test('JSON has every figure with the seeds of its percentiles; CSV may be what is printed', async () => {
  const { out } = await replsim('measure', file, '--seeds', '3..5', '--json');
  const { arms, seeds, comparisons, absent } = JSON.parse(out);
  expect(seeds).toEqual({ from: 3, to: 5 });
  expect(arms).toMatchObject([{ name: 'as written', runs: 3, whole: 3, failed: 0 }, { variant: 'slow, by 3 s' }]);
  expect(arms[0].figures[0]).toMatchObject({ key: 'faultToPrimaryMs', unit: 'ms', runs: 3, medianWithin: null });
  for (const name of ['min', 'median', 'p95', 'p99', 'max'])
    expect(arms[0].figures[0][name]).toEqual({ seed: expect.any(Number), value: expect.any(Number) });
  expect(comparisons).toMatchObject([{ one: 'as written', other: 'slow, by 3 s' }]);
  expect(absent).toContain('worst TTL lateness');
  const printed = await replsim('measure', file, '--seeds', '3..5', '--csv', '-');
  expect(printed.out.split('\n')).toHaveLength(1 + 6 + 1);
});

test('runs whose checks failed count; those that did not come to their end are no figures, and none at all no green', async () => {
  const failing = join(folder, 'failing.yaml');
  writeFileSync(failing, FAILOVER.replace('primary: any', 'primary: none').replace(/variants:\n.*\n/, ''));
  const failed = await replsim('measure', failing, '--seeds', '1..2');
  expect(failed.code).toBe(0);
  expect(failed.out).toMatch(/\n {2}in 2 a check failed, and the run went on; seed 1: step 3, line 7: /);
  const blocked = join(folder, 'blocked.yaml');
  writeFileSync(blocked, FAILOVER.replace('  - advance: 5s\n', '  - kill: primary\n'));
  const nothing = await replsim('measure', blocked, '--seeds', '1..2');
  expect(nothing.code).toBe(1);
  expect(nothing.err).toMatch(
    /^as written: no run came to its end, so nothing is measured; .*step 2, line 6: kill: primary\n/,
  );
});

test.for<[args: string[], message: RegExp]>([
  [['--seeds', '5..1'], /the smaller one first/],
  [['--csv', '-', '--json'], /--csv - and --json both print/],
  [['--csv', 'x', '--html', 'x'], /the same file/],
  [['--time', '0s'], /must be a duration/],
  [['--jobs', '2'], /--jobs: the caller/],
])('%j is refused', async ([args, message]) => {
  expect(await replsim('measure', file, ...args)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
});

test('a folder, a file that is not there, a file with mistakes', async () => {
  expect(await replsim('measure', folder)).toMatchObject({ code: 2, err: expect.stringMatching(/this is a folder/) });
  expect(await replsim('measure', join(folder, 'no.yaml'))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/no such file/),
  });
  const wrong = join(folder, 'wrong.yaml');
  writeFileSync(wrong, FAILOVER.replace('electionTimeoutMillis: 3000', 'electionTimeoutMilis: 3000'));
  expect(await replsim('measure', wrong)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/wrong\.yaml:9:\d+: unknown key/),
  });
});

test('every value falls into one bin', () => {
  expect(histogram([0, 1, 2, 3, 4], [0, 4], 2).map(({ runs }) => runs)).toEqual([2, 3]);
  expect(histogram([7, 7], [7, 7], 3).map(({ runs }) => runs)).toEqual([2, 0, 0]);
});

const docs = readFileSync(new URL('../../../docs/measure.md', import.meta.url), 'utf8');

test('the docs have every figure, as the table of figures has it', () => {
  const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  const rows = FIGURES.map(({ name, title, unit, of, what, how }) =>
    [title, `\`${of === 'run' ? name : `W.${name}`}\``, unit, `${capital(what)}. ${capital(how)}`].join(' | '),
  );
  expect([...docs.matchAll(/^\| (.* \| (?:ms|count) \| .*) \|$/gm)].map(([, row]) => row)).toEqual(rows);
});

test('the example of the docs differs as they say', async () => {
  const example = join(folder, 'variants.yaml');
  writeFileSync(example, /^```yaml\n([\s\S]*?)^```$/m.exec(docs)![1]!.replace(/ {2}one acknowledges[\s\S]*/, ''));
  const { code, out } = await replsim('measure', example, '--seeds', '1..8');
  expect(code).toBe(0);
  const [shown] = /^2 s timeout instead of[\s\S]*?(?=^```$)/m.exec(docs)!;
  expect(out).toContain(shown);
});

test('two files under the same seeds, or a run of each side by side', async () => {
  const quick = join(folder, 'quick.yaml');
  writeFileSync(quick, FAILOVER.replace(/variants:\n.*\n/, ''));
  const slow = join(folder, 'slow.yaml');
  writeFileSync(
    slow,
    FAILOVER.replace(/variants:\n.*\n/, '')
      .replace('Millis: 1000', 'Millis: 3000')
      .replace('primary: any', 'primary: none'),
  );
  const many = await replsim('compare', quick, slow, '--seeds', '1..2', '--json');
  expect(JSON.parse(many.out)).toMatchObject({
    arms: [{ name: quick }, { name: slow }],
    comparisons: [{ one: quick, other: slow }],
  });
  const { code, out } = await replsim('compare', quick, slow, '--seed', '3');
  expect(code).toBe(0);
  expect(out).toMatch(/^the first \d+ lines that matter say the same; from [\d.]+s on they differ:\n/);
  expect(out).toMatch(/asks for votes/);
  expect(out).toMatch(/quick\.yaml: every check held\n.*slow\.yaml: step 3, line 7: .*\n$/);
  const same = join(folder, 'same.yaml');
  writeFileSync(same, FAILOVER.replace('primary: any', 'primary: none'));
  expect((await replsim('compare', quick, same, '--seed', '3')).out).toMatch(
    /^with seed 3 the same comes about in both sets\n/,
  );
  for (const [args, message] of [
    [[quick, quick], /named twice/],
    [[quick, slow, '--seed', '1', '--json'], /leave out --json/],
  ] as const)
    expect(await replsim('compare', ...args)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
});
