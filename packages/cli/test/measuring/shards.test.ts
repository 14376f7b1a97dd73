import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../src/index.ts';
import { testIo } from '../io.ts';

// Parts of a measurement, each played by itself, and what is made of their reports.

let folder: string;
let file: string;
let other: string;

const FAILOVER = `name: A set, whose primary dies
replicaSet: { members: 3, settings: { electionTimeoutMillis: 1000 } }
begin: with a primary
steps:
  - workload: { name: w, every: 500ms, insert: { into: app.c, document: { _id: $i } } }
  - kill: primary
  - advance: 5s
  - expect: { workload: w, lost: 0 }
variants:
  later: { replicaSet: { settings: { electionTimeoutMillis: 2000 } } }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'measured-'));
  [file, other] = [join(folder, 'failover.yaml'), join(folder, 'other.yaml')] as const;
  writeFileSync(file, FAILOVER);
  writeFileSync(other, FAILOVER.slice(0, FAILOVER.indexOf('variants:')).replace('1000', '1500'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function replsim(...args: readonly string[]) {
  const io = testIo();
  const code = await main(args, io);
  return { code, out: io.stdout, err: io.stderr };
}

/** All but how long it took. */
const timeless = (text: string) => text.replace(/ in [\d.]+ s$/gm, '').replace(/"tookMs": \d+/, '');

async function shards(of: number, ...command: readonly string[]): Promise<readonly string[]> {
  const reports = Array.from({ length: of }, (_, i) => join(folder, `${command[0]}-${i + 1}.json`));
  for (const [i, report] of reports.entries())
    await replsim(...command, '--shard', `${i + 1}/${of}`, '--report', report);
  return reports;
}

test.for([
  [3, (): readonly string[] => ['measure', file, '--seeds', '4..10']],
  [2, (): readonly string[] => ['compare', file, other, '--seeds', '1..3']],
] as const)('%i shards come to what one process comes to, byte for byte', async ([of, command]) => {
  const reports = await shards(of, ...command());
  const [first, second] = ['one', 'merged'].map((name) => join(folder, name)) as [string, string];
  for (const form of [[], ['--json'], ['--csv', '-']]) {
    const files = (name: string) => ['--csv', `${name}.csv`, '--html', `${name}.html`, '--force'];
    const more = (name: string) => (form.includes('--csv') ? [] : files(name));
    const one = await replsim(...command(), ...form, ...more(first));
    const merged = await replsim('merge', ...[...reports].reverse(), ...form, ...more(second));
    expect(timeless(merged.out)).toBe(timeless(one.out));
    expect(merged).toEqual({ ...one, out: merged.out });
  }
  for (const kind of ['csv', 'html'])
    expect(readFileSync(`${second}.${kind}`, 'utf8')).toBe(readFileSync(`${first}.${kind}`, 'utf8'));
});

test('a shard shows its own seeds, or writes its report to stdout', async () => {
  const shown = await replsim('measure', file, '--seeds', '1..4', '--shard', '2/2', '--report', join(folder, 'x.json'));
  expect(shown.out).toMatch(/^A set, whose primary dies, shard 2\/2\n2 runs of each of 2 variants, from seed 3/);
  const { out } = await replsim('measure', file, '--seeds', '1..4', '--shard', '2/2');
  expect(JSON.parse(out)).toMatchObject({
    format: 'replsim report',
    question: { kind: 'measure', seeds: { from: 1, to: 4 } },
    answer: { from: 2, to: 4, of: 4 },
  });
});

describe('refused', () => {
  const refusal = async (...args: readonly string[]) => {
    const { code, out, err } = await replsim(...args);
    expect([code, out]).toEqual([2, '']);
    return err;
  };
  let reports: readonly string[];
  beforeAll(async () => {
    reports = await shards(2, 'measure', file, '--seeds', '1..2');
  });

  test('one that is missing, and what there is without it', async () => {
    const [, second = ''] = reports;
    expect(await refusal('merge', second)).toContain('missing: seed 1, of shard 1/2');
    const { code, out, err } = await replsim('merge', second, '--allow-missing');
    expect([code, err]).toEqual([0, 'missing: seed 1, of shard 1/2\n']);
    expect(out).toContain('1 of 2 runs of each of 2 variants, from seed 2');
  });

  test('reports that do not belong together', async () => {
    const [first = '', second = ''] = reports;
    expect(await refusal('merge', first, second, second)).toContain('both have shard 2/2: leave one out');
    const report = join(folder, 'others.json');
    await replsim('measure', file, '--seeds', '1..3', '--shard', '2/2', '--report', report);
    expect(await refusal('merge', first, report)).toContain('have different seeds');
    await replsim('measure', other, '--seeds', '1..2', '--shard', '2/2', '--report', report);
    expect(await refusal('merge', first, report)).toContain('have different scenarios, or variants');
    await replsim('explore', other, '--runs', '2', '--mode', 'seeds', '--shard', '2/2', '--report', report);
    expect(await refusal('merge', first, report)).toContain('have different kinds of question');
    expect(await refusal('merge', report, '--csv', 'x')).toContain('an exploration, to which --csv does not belong');
    expect(await refusal('merge', ...reports, '--out', 'x')).toContain('a measurement, to which --out does not belong');
  });

  test.for([
    ['a run of another seed', '"seed":2', '"seed":7', 'its runs are not those of its seeds'],
    ['one run too few', '"from":1,"to":2', '"from":0,"to":2', 'its runs are not those of its seeds'],
    ['a figure that is not a number', /"elections":\d+/, '"elections":"x"', 'at "answer.arms'],
    ['no arms', /"arms":\[\{.*?\}\],"seeds"/, '"arms":[],"seeds"', 'at "question.arms"'],
  ] as const)('a report with %s', async ([, what, instead, message]) => {
    const changed = join(folder, 'changed.json');
    const text = readFileSync(reports[1]!, 'utf8');
    writeFileSync(changed, text.replace(what, instead));
    expect(readFileSync(changed, 'utf8')).not.toBe(text);
    expect(await refusal('merge', changed, '--allow-missing')).toContain(message);
  });

  test.for([
    [['--shard', '3/2'], 'It must be a part of several'],
    [['--shard', '3/4', '--seeds', '1..2'], 'there are only 2 seeds, of which shard 3/4 has none'],
    [['--shard', '1/2', '--json'], 'give it a file with --report'],
    [['--shard', '1/2', '--queue', 'redis://h'], 'both spread the runs'],
    [['--report', 'x', '--csv', 'x'], '--report and --csv name the same file'],
    [['--range', '3'], '--range belongs to --queue'],
  ] as const)('%j', async ([args, message]) => {
    expect(await refusal('measure', file, ...args)).toContain(message);
  });

  test('a file that is read', async () => {
    expect(await refusal('measure', file, '--report', file)).toContain('is read by this command');
    expect(await refusal('measure', file, '--csv', file, '--force')).toContain('is read by this command');
    expect(await refusal('merge', ...reports, '--html', reports[0]!, '--force')).toContain('is read by this command');
    expect(await refusal('compare', file, other, '--seed', '1', '--queue-name', 'x')).toContain(
      '--seed shows one run of each scenario: leave out --queue-name',
    );
    expect(readFileSync(file, 'utf8')).toBe(FAILOVER);
  });
});
