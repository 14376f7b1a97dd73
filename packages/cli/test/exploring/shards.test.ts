import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../src/index.ts';
import { testIo } from '../io.ts';

// Parts of an exploration, each played by itself, and what is made of their reports.

let folder: string;
let file: string;

/** Who is elected first is a matter of the seed, and of who is cut off. */
const CLAIM = `name: n1 is elected, and stays
replicaSet: { members: 3 }
steps:
  - eventually: { within: 60s, primary: any }
  - expect: { primary: n1 }
  - advance: 5s
  - expect: { primary: n1 }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shards-'));
  file = join(folder, 'claim.yaml');
  writeFileSync(file, CLAIM);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function replsim(...args: readonly string[]) {
  const io = testIo();
  const code = await main(args, io);
  return { code, out: io.stdout, err: io.stderr };
}

/** All but how long it took. */
const timeless = (text: string) => text.replace(/ in [\d.]+ s$/gm, '').replace(/"tookMs": \d+/, '');

const reportsOf = (of: number) => Array.from({ length: of }, (_, i) => join(folder, `report-${i + 1}.json`));

async function shards(of: number, ...args: readonly string[]): Promise<readonly string[]> {
  const reports = reportsOf(of);
  for (const [i, report] of reports.entries())
    await replsim('explore', file, ...args, '--shard', `${i + 1}/${of}`, '--report', report);
  return reports;
}

test.for([
  [3, ['--mode', 'seeds', '--runs', '10', '--stop-at', '9']],
  [3, ['--mode', 'seeds', '--runs', '10']],
  [4, ['--mode', 'faults', '--runs', '9', '--stop-at', '9', '--kinds', 'partition,pause', '--seed', '3']],
  [2, ['--mode', 'everywhere', '--fault', 'kill primary', '--runs', '8', '--stop-at', '9', '--no-shrink']],
] as const)('%i shards of %j come to what one process comes to', async ([of, args]) => {
  const reports = await shards(of, ...args);
  for (const format of ['pretty', 'json', 'junit', 'html']) {
    const one = await replsim('explore', file, ...args, '--reporter', format);
    const merged = await replsim('merge', ...[...reports].reverse(), '--reporter', format);
    const masked = (text: string) => timeless(text).replace(/time="[\d.]+"|<p>[\d.]+ s<\/p>/g, '');
    expect(masked(merged.out)).toBe(masked(one.out));
    expect(merged).toEqual({ ...one, out: merged.out });
  }
});

describe('reports that do not belong together', () => {
  const ARGS = ['--mode', 'seeds', '--runs', '4', '--no-shrink'];
  let reports: readonly string[];
  /** A report with something else in it. */
  const changed = (report: string, change: (text: string) => string) => {
    const other = join(folder, 'changed.json');
    writeFileSync(other, change(readFileSync(report, 'utf8')));
    return other;
  };
  const refusal = async (...args: readonly string[]) => {
    const { code, out, err } = await replsim('merge', ...args);
    expect([code, out]).toEqual([2, '']);
    return err;
  };

  beforeAll(async () => {
    reports = await shards(2, ...ARGS, '--stop-at', '9');
  });

  test.for([
    [['--seed', '9'], 'different seeds'],
    [['--stop-at', '2'], 'different numbers of findings to stop at'],
    [['--runs', '5'], 'different numbers of runs'],
    [['--mode', 'faults'], 'different modes, or faults'],
  ] as const)('of another question: %j', async ([args, what]) => {
    const other = join(folder, 'other.json');
    const given = ['--mode', 'seeds', '--runs', '4', '--no-shrink', '--stop-at', '9', ...args];
    await replsim('explore', file, ...given, '--shard', '2/2', '--report', other);
    expect(await refusal(reports[0]!, other)).toContain(what);
  });

  test('of another file, of another release', async () => {
    const [first = '', second = ''] = reports;
    const renamed = changed(second, (text) => text.replace('and stays', 'or not'));
    expect(await refusal(first, renamed)).toContain('different scenarios');
    const older = changed(second, (text) => text.replace(/"replsim":"[^"]+"/, '"replsim":"0.0.1"'));
    expect(await refusal(first, older)).toContain('different releases of replsim');
    const olderFirst = changed(first, (text) => text.replace(/"replsim":"[^"]+"/, '"replsim":"0.0.1"'));
    expect(await refusal(olderFirst, '--allow-missing')).toContain('merge them with the release that wrote them');
  });

  test('twice the same, one that is missing, parts of other sizes', async () => {
    const [first = '', second = ''] = reports;
    expect(await refusal(first, second, second)).toContain('both have shard 2/2: leave one out');
    expect(await refusal(first)).toContain('missing: runs 3 to 4, of shard 2/2');
    expect(await refusal(second)).toContain('missing: runs 1 to 2, of shard 1/2');
    const third = join(folder, 'third.json');
    await replsim('explore', file, ...ARGS, '--stop-at', '9', '--shard', '3/3', '--report', third);
    expect(await refusal(first, third)).toContain('one of 2 shards');
    const without = await replsim('merge', second, '--allow-missing', '--json');
    expect(without.err).toBe('missing: runs 1 to 2, of shard 1/2\n');
    expect(JSON.parse(without.out)).toMatchObject({ runs: 2, of: 4 });
  });

  test('what is no report, or one that cannot be', async () => {
    const [first = '', second = ''] = reports;
    expect(await refusal(file)).toContain('it is not JSON; write one with --shard and --report');
    expect(await refusal(changed(first, () => '{}'))).toContain('this is not a report of a shard, at "format"');
    expect(await refusal(changed(first, () => 'null'))).toContain('this is not a report of a shard');
    const more = changed(second, (text) => text.replace(/"runs":2,"coverage"/, '"runs":3,"coverage"'));
    expect(await refusal(first, more)).toMatch(
      /this is not a report of a shard, at "answer": \d runs are counted where/,
    );
    expect(await refusal(join(folder, 'nowhere.json'))).toContain('this file cannot be read');
    expect(await refusal(first, second, '--reporter', 'json', '--output', first)).toContain('is read by this command');
  });

  test('nobody else need be there where one process would have ended before', async () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, CLAIM.replaceAll('primary: n1', 'primary: none'));
    const first = join(folder, 'first.json');
    await replsim('explore', wrong, ...ARGS, '--shard', '1/2', '--report', first);
    const one = await replsim('explore', wrong, ...ARGS);
    const alone = await replsim('merge', first);
    expect(one.code).toBe(1);
    expect(timeless(alone.out)).toBe(timeless(one.out));
    expect(alone).toMatchObject({ code: 1, err: '' });
  });
});

describe('a shard', () => {
  test('writes its report to stdout if there is no file for it', async () => {
    const { code, out } = await replsim('explore', file, '--mode', 'seeds', '--runs', '2', '--shard', '2/2');
    expect(JSON.parse(out)).toMatchObject({ format: 'replsim report', shard: { index: 2, of: 2 } });
    expect([0, 1]).toContain(code);
  });

  test.for([
    [['--shard', '0/3'], 'It must be a part of several, counted from 1, as in 3/16.'],
    [['--shard', '4/3'], 'It must be a part of several'],
    [['--shard', '1'], 'It must be a part of several'],
    [['--shard', '1/2', '--time', '1s'], '--shard needs a number of runs to take a part of'],
    [['--shard', '1/2', '--json'], 'give it a file with --report'],
    [['--shard', '3/9', '--runs', '2'], 'there are only 2 runs, of which shard 3/9 has none; use fewer shards'],
  ] as const)('%j', async ([args, message]) => {
    const { code, err } = await replsim('explore', file, ...args);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test('does not write over what it reads', async () => {
    const { code, err } = await replsim('explore', file, '--report', file);
    expect([code, err]).toEqual([2, expect.stringContaining('is read by this command')]);
    expect(readFileSync(file, 'utf8')).toBe(CLAIM);
  });
});
