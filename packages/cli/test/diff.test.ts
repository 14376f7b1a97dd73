import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'replsim-diff-'));
afterAll(() => rmSync(folder, { recursive: true }));

const START = { atMicros: 0, type: 'runStarted', traceVersion: 2, seed: 1 };
const VOTE = {
  atMicros: 10_429_001,
  type: 'voteGranted',
  member: 'n2',
  term: 3,
  to: { host: 'n1:27017', votes: [1, 2] },
};
const NOTE = { atMicros: 10_430_000, type: 'note', text: 'later' };

function trace(name: string, events: readonly unknown[], end = '\n'): string {
  const path = join(folder, name);
  writeFileSync(path, events.map((event) => JSON.stringify(event)).join('\n') + end);
  return path;
}

/** Compares, and has the files be called A and B. */
async function diff(first: readonly unknown[], second: readonly unknown[]) {
  const [a, b] = [trace('a', first), trace('b', second)];
  const io = testIo();
  const code = await main(['diff', a, b], io);
  return { code, out: io.stdout.replaceAll(a, 'A').replaceAll(b, 'B'), err: io.stderr };
}

test('equal traces', async () => {
  expect(await diff([START, VOTE], [START, VOTE])).toEqual({ code: 0, out: 'the same: 2 events\n', err: '' });
});

const BEFORE = `the last equal events before it:\n  ${JSON.stringify(START)}\n`;
const HEAD = 'the same for 1 events; in event 2 they differ:\n';

test.for<[string, readonly unknown[], readonly unknown[], string]>([
  ['another event', [VOTE, NOTE], [NOTE], '  A: n2 voteGranted at 10.429001s\n  B: note at 10.430000s\n'],
  [
    'another member',
    [VOTE],
    [{ ...VOTE, member: 'n3' }],
    '  A: n2 voteGranted at 10.429001s\n  B: n3 voteGranted at 10.429001s\n',
  ],
  [
    'other values, deep within',
    [VOTE],
    [{ ...VOTE, term: 4, to: { host: 'n1:27017', votes: [1, 3] }, dryRun: true }],
    '  n2 voteGranted, at 10.429001s in both\n    term is 3 in A, 4 in B\n    to.votes.1 is 2 in A, 3 in B\n    dryRun is absent in A, true in B\n',
  ],
  [
    'another time',
    [VOTE],
    [{ ...VOTE, atMicros: 11_000_000 }],
    '  n2 voteGranted, at 10.429001s in A, at 11.000000s in B\n',
  ],
  ['the first ends', [], [NOTE], '  A has ended, B continues: note at 10.430000s\n'],
  ['the second ends', [NOTE], [], '  B has ended, A continues: note at 10.430000s\n'],
  [
    'more than anybody reads',
    [{ ...NOTE, a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 }],
    [NOTE],
    `  note, at 10.430000s in both\n${[...'abcde'].map((each) => `    ${each} is 1 in A, absent in B\n`).join('')}    and 2 more differ\n`,
  ],
])('%s', async ([, first, second, words]) => {
  expect(await diff([START, ...first], [START, ...second])).toEqual({ code: 1, out: HEAD + words + BEFORE, err: '' });
});

test('of what was before, the last three', async () => {
  const notes = [1, 2, 3, 4].map((n) => ({ ...NOTE, text: String(n) }));
  const { out } = await diff([START, ...notes], [START, ...notes, VOTE]);
  expect(out.match(/"text":"\d"/g)).toEqual(['"text":"2"', '"text":"3"', '"text":"4"']);
});

test.for<[string, () => string, RegExp]>([
  ['nothing there', () => join(folder, 'nowhere'), /nowhere: no such file; replsim run FILE --trace /],
  ['a folder', () => folder, /: this trace cannot be read: it is a folder; name a file/],
  [
    'a scenario',
    () => trace('scenario.yaml', [], 'name: A\nsteps: []\n'),
    /scenario\.yaml:1: this is not an event of a trace; /,
  ],
  ['JSON of something else', () => trace('other.json', [{ a: 1 }]), /other\.json:1: this is not an event of a trace; /],
  ['a trace without its beginning', () => trace('tail', [VOTE]), /tail:1: this is not an event of a trace; /],
  ['another version', () => trace('old', [{ ...START, traceVersion: 1 }]), /old:1: this trace has version 1, /],
  [
    'half a line',
    () => trace('half', [START], '\n{"atMicros":'),
    /half:2: this line is incomplete: the trace was not written to its end; replsim run /,
  ],
])('exit code 2: %s', async ([, path, message]) => {
  const io = testIo();
  expect(await main(['diff', path(), trace('whole', [START, VOTE])], io)).toBe(2);
  expect(io.stderr).toMatch(message);
  expect(io.stdout).toBe('');
});

test('two seeds of one scenario', async () => {
  const scenario = join(folder, 'one.yaml');
  writeFileSync(scenario, 'name: One\nreplicaSet: { members: 3 }\nsteps:\n  - advance: 20s\n');
  const [a, b] = [join(folder, 'one.trace'), join(folder, 'two.trace')];
  for (const [seed, path] of [
    ['1', a],
    ['2', b],
  ] as const)
    expect(await main(['run', scenario, '--seed', seed, '--trace', path], testIo())).toBe(0);
  const io = testIo();
  expect(await main(['diff', a, b], io)).toBe(1);
  // The head says what was asked for, and the difference is what came of it.
  const seeds = `they began differently:\n    seed is 1 in ${a}, 2 in ${b}\n`;
  expect(io.stdout.startsWith(`${seeds}then the same for `)).toBe(true);
  const [lines, others] = [a, b].map((path) => readFileSync(path, 'utf8').split('\n'));
  const parted = lines!.findIndex((line, i) => i > 0 && line !== others![i]);
  expect(io.stdout).toContain(`then the same for ${parted - 1} events; in event ${parted + 1} they differ:\n`);
  expect(JSON.parse(lines![parted]!).atMicros).toBeGreaterThan(0);
});

test('another beginning, and nothing comes of it', async () => {
  expect(await diff([START, NOTE], [{ ...START, seed: 2 }, NOTE])).toEqual({
    code: 1,
    out: 'they began differently:\n    seed is 1 in A, 2 in B\notherwise the same: 1 events\n',
    err: '',
  });
});
