import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { main } from '../src/main.ts';
import { VERSION } from '../src/version.ts';
import { testIo } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'replsim-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function run(...args: string[]) {
  const io = testIo();
  const code = await main(args, io);
  return { code, stdout: io.stdout, stderr: io.stderr };
}

const GOOD = `
name: A set elects a primary
description: The smallest scenario.
replicaSet: { members: 3 }
steps:
  - eventually: { within: 30s, primary: any }
`;
const FAILING = `
name: Nobody is ever elected
description: A claim that is wrong.
replicaSet: { members: 3 }
steps:
  - advance: 30s
  - expect: { primary: none }
`;

test.for([
  ['latin-1', Buffer.from('name: na\xefve\nsteps: []\n', 'latin1'), 1, '0x76 at offset 9'],
  ['UTF-16', Buffer.from('\uFEFFname: a\n', 'utf16le'), 1, '0xff at offset 0'],
  ['half a character', Buffer.concat([Buffer.from('name: a\n# é'), Buffer.of(0xe2)]), 2, '0xe2 at offset 12'],
  [
    'a byte of none',
    Buffer.concat([Buffer.from('name: a\n#\n'), Buffer.of(0xff), Buffer.from('\n')]),
    3,
    '0xff at offset 10',
  ],
] as const)('a file that is not UTF-8 is not read: %s', async ([name, bytes, line, byte]) => {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, bytes);
  const message = `${path}:${line}: this is not UTF-8: the byte ${byte} does not belong there; save the file as UTF-8\n`;
  for (const args of [
    ['check', path],
    ['run', path],
    ['forecast', path],
    ['serve', '--port', '0', '--config', path],
  ])
    expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: message });
});

const wrong: [name: string, args: () => string[], gist: RegExp][] = [
  ['no such file', () => ['run', join(folder, 'nowhere.yaml')], /no such file or folder/],
  ['a folder without scenarios', () => ['run', mkdtempSync(join(folder, 'empty-'))], /no scenarios here/],
  ['an empty file', () => ['run', file('empty.yaml', '')], /empty\.yaml:1:1/],
  ['bad YAML', () => ['run', file('bad.yaml', 'name: [1\nsteps: }')], /bad\.yaml:\d+:\d+/],
  ['an unknown step', () => ['check', file('step.yaml', `${GOOD}  - explode: n1\n`)], /step\.yaml:7:\d+[\s\S]*explode/],
  ['a bad duration', () => ['check', file('time.yaml', `${GOOD}  - advance: soon\n`)], /time\.yaml:7:\d+[\s\S]*soon/],
  ['an unknown member', () => ['check', file('who.yaml', `${GOOD}  - kill: n9\n`)], /who\.yaml:7:\d+[\s\S]*n9/],
  ['an unknown reporter', () => ['run', '--reporter', 'loud', file('r.yaml', GOOD)], /Allowed choices are/],
  ['a seed that is no number', () => ['run', '--seed', 'x', file('s.yaml', GOOD)], /whole number/],
  [
    'a folder for logs that is a file',
    () => ['run', '--logs', file('taken', ''), file('l.yaml', GOOD)],
    /--logs: cannot write there: .*taken is a file; name a folder/,
  ],
  [
    'a folder for logs below a file',
    () => ['run', '--logs', join(file('taken2', ''), 'logs'), file('l.yaml', GOOD)],
    /--logs: cannot write there: .*taken2\/logs would be inside a file; name an existing folder/,
  ],
  [
    'causes without a trace',
    () => ['run', '--causes', file('m.yaml', GOOD)],
    /--causes adds to the file of --trace: add --trace FILE/,
  ],
  [
    'two reporters for one place',
    () => ['run', '--reporter', 'json', '--reporter', 'tap', file('r.yaml', GOOD)],
    /json and tap would both write to stdout; give one an --output FILE/,
  ],
  ['an output of nobody', () => ['run', '--output', 'x', file('r.yaml', GOOD)], /after the --reporter whose output/],
  [
    'two outputs of one reporter',
    () => ['run', '--reporter', 'tap', '--output', 'x', '--output', 'y', file('r.yaml', GOOD)],
    /tap writes to x already/,
  ],
  [
    'a report where no file can be',
    () => ['run', '--reporter', 'tap', '--output', join(folder, 'nowhere/x'), file('r.yaml', GOOD)],
    /cannot write the tap report: there is no folder /,
  ],
  [
    'text that no scenario has',
    () => ['run', '--grep', 'zebra', file('r.yaml', GOOD)],
    /none of 1 scenarios has "zebra"/,
  ],
  ['seeds that go backwards', () => ['run', '--seeds', '3..1', file('r.yaml', GOOD)], /the smaller one first/],
  ['seeds that are none', () => ['run', '--seeds', '1-3', file('r.yaml', GOOD)], /such as 1\.\.100/],
  ['a seed and seeds', () => ['run', '--seeds', '1..3', '--seed', '1', file('r.yaml', GOOD)], /leave out --seed\n/],
  ['transcripts of many seeds', () => ['run', '--seeds', '1..3', '-u', file('r.yaml', GOOD)], /leave out --update\n/],
  [
    'a trace of many seeds',
    () => ['run', '--seeds', '1..3', '--trace', 'x', file('r.yaml', GOOD)],
    /--trace takes one/,
  ],
  ['no scenarios where they are looked for', () => ['list', join(folder, 'nowhere')], /no such file or folder/],
  ['no jobs', () => ['run', '--jobs', '0', file('j.yaml', GOOD)], /must be 1 or more/],
  ['processes that nobody has provided', () => ['run', '--jobs', '2', file('j.yaml', GOOD)], /--jobs: the caller/],
  ['an unknown command', () => ['walk'], /unknown command/],
];

test.for(wrong)('exit code 2: %s', async ([, args, gist]) => {
  const { code, stderr, stdout } = await run(...args());
  expect(stderr).toMatch(gist);
  expect(code).toBe(2);
  expect(stdout).toBe('');
});

test('run: a scenario that holds', async () => {
  const { code, stdout } = await run('run', file('holds.yaml', GOOD));
  expect(stdout).toMatch(/^A set elects a primary\n/);
  expect(stdout).toMatch(/n\d accepts writes, in term 1/);
  expect(stdout).toMatch(/\nheld: 1 steps, \d+\.\d{3}s of virtual time, seed 1\n$/);
  expect(code).toBe(0);
});

test('run: a claim that is wrong says what was asked, what came back, and how to repeat it', async () => {
  const path = file('fails.yaml', FAILING);
  const { code, stdout } = await run('run', path, '--seed', '9');
  expect(code).toBe(1);
  expect(stdout).toMatch(/failed: .*line 7/);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`repeat with: replsim run ${path} --seed 9`);
});

test('run: --bail stops at the first failure', async () => {
  const paths = [file('f1.yaml', FAILING), file('f2.yaml', FAILING)];
  expect((await run('run', ...paths)).stdout).toMatch(/0 passed, 2 failed\n$/);
  expect((await run('run', '--bail', ...paths)).stdout).toMatch(/0 passed, 1 failed\n$/);
});

test('run: of several scenarios the folders are told, and with --verbose each', async () => {
  const two = mkdtempSync(join(folder, 'two-'));
  for (const [name, text] of [
    ['a/one', GOOD],
    ['a/two', GOOD],
    ['b/three', FAILING],
  ] as const) {
    mkdirSync(join(two, name.slice(0, 1)), { recursive: true });
    writeFileSync(join(two, `${name}.yaml`), text);
  }
  const short = (await run('run', two)).stdout;
  expect(short).toMatch(/^a {4}2 held +[\d.]+ s\n✗ Nobody is ever elected .*\nfailed: step 2, line 7: .*\n/);
  expect(short).toMatch(/\nrepeat with: .*three\.yaml --seed 1\nb {4}0 held, 1 failed +[\d.]+ s\n\nthe slowest:\n/);
  expect(short).toMatch(
    /\n\d\d invariants watched [\d,]+ events\n51s of virtual time in [\d.]+ s\n\n2 passed, 1 failed\n$/,
  );
  const long = (await run('run', '--verbose', two)).stdout;
  expect(long).toMatch(/^(✓ A set elects a primary .*\n){2}✗ Nobody is ever elected /);
  expect(long).not.toMatch(/held/);
});

test('run: several reporters, each with its own output', async () => {
  const [tap, junit] = [join(folder, 'report.tap'), join(folder, 'report.xml')];
  writeFileSync(tap, 'what an earlier run has left\n');
  const path = file('reported.yaml', FAILING);
  const files = ['--reporter', 'tap', '--output', tap, '--reporter', 'junit', '--output', junit];
  const { code, stdout } = await run('run', ...files, '--reporter', 'pretty', '--reporter', 'github', path);
  expect(code).toBe(1);
  expect(readFileSync(tap, 'utf8')).toMatch(/^TAP version 14\n1\.\.1\nnot ok 1 - Nobody is ever elected\n/);
  expect(readFileSync(junit, 'utf8')).toMatch(
    /"line" value="7"[\s\S]*<system-out> +0\.000s rs0: [\s\S]*<\/testsuites>\n$/,
  );
  expect(stdout).toMatch(/^Nobody is ever elected\n\n[\s\S]*\nfailed: step 2, line 7:/);
  expect(stdout).toContain(`\n::error title=Nobody is ever elected,file=${path},line=7::step 2, line 7`);
});

test('run: a TAP report bails out where a run comes to no outcome', async () => {
  const logs = join(folder, 'broken-logs');
  mkdirSync(join(logs, 'n1.log'), { recursive: true });
  const { code, stderr, stdout } = await run('run', '--reporter', 'tap', '--logs', logs, file('broken.yaml', GOOD));
  expect(stdout).toBe('TAP version 14\n1..1\nBail out! a run had no outcome; stderr says what happened\n');
  expect(stderr).toMatch(/^cannot write the log: .*n1\.log is a folder; name a file in it\n$/);
  expect(code).toBe(2);
});

test('run: the JSON report is as its schema says', async () => {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(new URL('../report.schema.json', import.meta.url), 'utf8')));
  const workload = 'workload: { name: w1, every: 1s, insert: { into: a.b, document: { a: 1 } } }';
  const steps = `${LATE}  - ${workload}\n  - advance: 5s\n`;
  const paths = [file('schema1.yaml', steps), file('schema2.yaml', FAILING)];
  const report = JSON.parse((await run('run', '--reporter', 'json', ...paths)).stdout);
  expect(report.scenarios[0]).toMatchObject({ workloads: [{ workload: 'w1' }], ttl: [{ index: 'ttl' }] });
  expect(schema.parse(report)).toEqual(report);
  expect(() => schema.parse({ ...report, version: 2 })).toThrow();
  expect(() => schema.parse({ ...report, more: 1 })).toThrow();
  for (const left of Object.keys(report)) expect(() => schema.parse({ ...report, [left]: undefined }), left).toThrow();
});

test('run: --seeds plays each scenario with every seed, logs and all', async () => {
  const path = file('seeded.yaml', FAILING);
  const logs = join(folder, 'seed-logs');
  const { code, stdout } = await run('run', '--seeds', '8..10', '--logs', logs, '--reporter', 'json', path);
  expect(code).toBe(1);
  const { scenarios } = JSON.parse(stdout);
  const told = [8, 9, 10].map((seed) => ({
    seed,
    name: `Nobody is ever elected, seed ${seed}`,
    failure: { repeat: `replsim run ${path} --seed ${seed}` },
  }));
  expect(scenarios).toMatchObject(told);
  for (const seed of ['8', '9', '10'])
    expect(logOf(logs, path.replace('.yaml', ''), seed, 'n1.log').length).toBeGreaterThan(5);
  expect((await run('run', '--seeds', '8..10', '--bail', path)).stdout).toMatch(
    /✗ Nobody is ever elected, seed 8 [\s\S]*\n0 passed, 1 failed\n$/,
  );
});

test('list, and --grep by name and by file, in any case', async () => {
  const [one, two] = [file('listed-one.yaml', GOOD), file('listed-second.yaml', FAILING)];
  const lines = [`${one}     A set elects a primary\n`, `${two}  Nobody is ever elected\n`];
  expect(await run('list', one, two)).toEqual({ code: 0, stdout: lines.join(''), stderr: '' });
  expect((await run('list', '--grep', 'NOBODY', one, two)).stdout).toBe(lines[1]);
  expect((await run('list', '--grep', 'listed-ONE', one, two)).stdout).toBe(lines[0]!.replace(/ {5}/, '  '));
  expect((await run('run', '--grep', 'set elects', one, two)).stdout).toMatch(/^A set elects a primary\n/);
});

test('what is hidden, and node_modules, is searched only where a path leads there', async () => {
  const project = join(folder, 'project');
  const write = (path: string) => {
    mkdirSync(join(project, dirname(path)), { recursive: true });
    writeFileSync(join(project, path), GOOD);
  };
  const files = ['one.yaml', 'deep/two.yml', 'deep/node_modules/three.yaml', '.github/four.yaml', '.five.yml'];
  for (const path of files) write(path);
  mkdirSync(join(project, 'folder.yaml'));
  symlinkSync(join(project, '.github'), join(project, 'link'));
  symlinkSync('nowhere', join(project, 'broken'));
  const listed = async (...paths: string[]) => {
    const { stdout } = await run('list', ...paths.map((path) => join(project, path)));
    return [...stdout.matchAll(/project\/(\S+)/g)].map(([, path]) => path);
  };
  expect(await listed('.')).toEqual(['deep/two.yml', 'link/four.yaml', 'one.yaml']);
  expect(await listed('.github', 'deep/node_modules', '.five.yml')).toEqual([
    '.github/four.yaml',
    'deep/node_modules/three.yaml',
    '.five.yml',
  ]);
  rmSync(join(project, 'deep/two.yml'));
  expect((await run('list', join(project, 'deep'))).stderr).toMatch(
    /no scenarios here; .* Hidden files and node_modules/,
  );
});

test('list: without a folder, scenarios', async () => {
  expect((await run('list')).stdout).toMatch(/^scenarios\/access\/\S+ +\S/);
});

test('run: --trace writes a line of JSON for each event, the version first', async () => {
  const trace = join(folder, 'trace.ndjson');
  await run('run', file('traced.yaml', GOOD), '--trace', trace);
  const events = readFileSync(trace, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events[0]).toMatchObject({ type: 'runStarted', traceVersion: 2, seed: 1 });
  expect(events.some(({ type }) => type === 'electionWon')).toBe(true);
});

const RESTART = `
name: A member is killed and comes back
description: Its log goes on where it ended.
replicaSet: { members: 3 }
steps:
  - eventually: { within: 30s, primary: any }
  - kill: n3
  - start: n3
  - eventually: { within: 30s, state: { n3: SECONDARY } }
  - shutdown: n3
  - advance: 20s
`;

/** The lines of a log file, each parsed; none may be anything but JSON. */
function logOf(...path: string[]): { t: { $date: string }; id: number; c: string; attr?: Record<string, unknown> }[] {
  const text = readFileSync(join(...path), 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test("run: --logs writes one file a member in mongod's format, all lives of its process one after the other", async () => {
  const logs = join(folder, 'logs');
  expect((await run('run', '--logs', logs, file('logged.yaml', RESTART))).code).toBe(0);
  const lines = logOf(logs, 'n3.log');
  expect(lines[0]).toMatchObject({ t: { $date: '2025-01-01T00:00:00.000+00:00' }, s: 'I', c: 'CONTROL', id: 4615611, svc: 'S' }); // biome-ignore format: one line
  const wanted = new Set([4615611, 20698, 23016, 23377, 23138]);
  expect(lines.map(({ id }) => id).filter((id) => wanted.has(id))).toEqual([
    4615611, 23016, 20698, 4615611, 23016, 23377, 23138,
  ]);
  expect(lines.at(-1)).toMatchObject({ id: 23138, attr: { exitCode: 0 } });
  const dates = lines.map(({ t }) => t.$date);
  expect(dates).toEqual([...dates].sort());
  // The columns of a mongod 8.0.
  const text = readFileSync(join(logs, 'n1.log'), 'utf8');
  expect(text).toContain('"s":"I",  "c":"REPL",     "id":21358,   "svc":"S", "ctx":"');
  expect(logOf(logs, 'n1.log').some(({ id }) => id === 20698)).toBe(false);
});

test('run: the same run gives the same logs, and replaces those that are there', async () => {
  const logs = join(folder, 'twice-logs');
  const path = file('again.yaml', RESTART);
  await run('run', '--logs', logs, path);
  const first = readFileSync(join(logs, 'n2.log'), 'utf8');
  await run('run', '--logs', logs, path);
  expect(readFileSync(join(logs, 'n2.log'), 'utf8')).toBe(first);
});

test('run: several scenarios get a folder of logs each', async () => {
  const logs = join(folder, 'many-logs');
  const [one, two] = [file('one.yaml', GOOD), file('two.yaml', GOOD)];
  await run('run', '--logs', logs, one, two);
  for (const path of [one, two]) expect(logOf(logs, path.replace('.yaml', ''), 'n1.log').length).toBeGreaterThan(5);
});

test('run: a transcript beside the scenario is compared, and -u rewrites it', async () => {
  const path = file('told.yaml', GOOD);
  const beside = path.replace('.yaml', '.transcript');
  expect((await run('run', '-u', path)).code).toBe(0);
  const told = readFileSync(beside, 'utf8');
  expect(told).toMatch(/wins term 1/);
  expect((await run('run', path)).code).toBe(0);
  writeFileSync(beside, told.replace('wins term 1', 'wins term 2'));
  const differs = await run('run', path);
  expect(differs.code).toBe(1);
  expect(differs.stdout).toMatch(/- .*wins term 2[\s\S]*\+ .*wins term 1/);
  expect((await run('run', '-u', path)).code).toBe(0);
  expect(readFileSync(beside, 'utf8')).toBe(told);
  // Written though it says the same, it would be a change without end to --watch.
  utimesSync(beside, 0, 0);
  expect((await run('run', '-u', path)).code).toBe(0);
  expect(statSync(beside).mtimeMs).toBe(0);
  // Another seed tells another story; the transcript is that of the scenario's own.
  expect((await run('run', path, '--seed', '5')).code).toBe(0);
});

test('the same seed twice gives the same output, but for the wall clock', async () => {
  const path = file('twice.yaml', GOOD);
  expect((await run('run', path)).stdout).toBe((await run('run', path)).stdout);
});

test('check: says what it found, and runs nothing', async () => {
  const { code, stdout } = await run('check', file('checked.yaml', GOOD));
  expect(stdout).toMatch(/checked\.yaml: A set elects a primary\n1 scenario, no mistakes\n/);
  expect(code).toBe(0);
});

test('check: a warning is no mistake', async () => {
  const { code, stdout, stderr } = await run('check', file('warned.yaml', `${GOOD}  - expect: { same: [app.none] }\n`));
  expect(stderr).toMatch(/^warning: .*warned\.yaml:7:22: no step writes or creates app\.none\n/);
  expect(stdout).toMatch(/1 scenario, no mistakes\n/);
  expect(code).toBe(0);
});

const LATE = `
name: A document is late
description: It was due in the middle of the monitor's sleep.
replicaSet: { members: [n1, { name: n2, priority: 0 }] }
steps:
  - eventually: { within: 30s, primary: n1 }
  - createIndex: { in: app.s, keys: { at: 1 }, options: { name: ttl, expireAfterSeconds: 0 } }
  - insert: { into: app.s, documents: [{ at: { $date: "2025-01-01T00:00:40Z" } }] }
  - advance: { to: 70s }
`;

test('run: --ttl-report says how late TTL deleted, and why', async () => {
  const { code, stdout } = await run('run', '--ttl-report', file('late.yaml', LATE));
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /\n\nlateness of app\.s ttl: 1 deleted\n +gone +median +99% +worst +why the worst\n +primary +1 +20\.001s +20\.001s +20\.001s +20\.00\ds sleep.*\n +n1 +1 .*\n +n2 +1 .* lag.*\n +all together: 100% sleep\n\nheld: /,
  );
  expect((await run('run', file('late2.yaml', LATE))).stdout).not.toMatch(/lateness/);
  expect((await run('run', '--ttl-report', file('none.yaml', GOOD))).stdout).toMatch(/no TTL index/);
});

test('run: --ttl-report says what passes cost the application, where there is a workload', async () => {
  const workload =
    '  - workload: { name: orders, every: 1s, insert: { into: app.o, document: { _id: $i } }, writeConcern: { w: 1 } }';
  const [before, after] = LATE.split(/(?= {2}- advance: )/) as [string, string];
  const path = file('late5.yaml', `${before}${workload}\n${after}`);
  const { stdout } = await run('run', '--ttl-report', path);
  expect(stdout).toMatch(
    /\n\nlatency of workloads\n +operations +median +99%\n {2}orders before TTL passes +\d+ +\S+ms +\S+ms\n( {2}orders in TTL passes .*\n)? {2}orders after TTL passes +\d+ +\S+ms +\S+ms\n/,
  );
  const [{ workloads }] = JSON.parse((await run('run', '--reporter', 'json', path)).stdout).scenarios;
  const { beforeTtlPasses, afterTtlPasses, betweenTtlPasses } = workloads[0].latency;
  expect(beforeTtlPasses.operations + afterTtlPasses.operations).toBe(betweenTtlPasses.operations);
  expect((await run('run', '--ttl-report', file('late6.yaml', LATE))).stdout).not.toMatch(/latency of/);
});

test('run: the JSON report says it too, where there is a TTL index', async () => {
  const { stdout } = await run('run', '--reporter', 'json', file('late3.yaml', LATE), file('none2.yaml', GOOD));
  const [late, none] = JSON.parse(stdout).scenarios;
  expect(late.ttl).toMatchObject([
    {
      ns: 'app.s',
      index: 'ttl',
      primary: { count: 1, because: 'sleep' },
      members: [{ on: 'n1' }, { on: 'n2' }],
      pending: { on: 'n1', count: 0 },
    },
  ]);
  expect(none.ttl).toBeUndefined();
});

test('run: the command that repeats a failure stays the last line', async () => {
  const path = file('late4.yaml', `${LATE}  - expect: { ttl: { index: ttl, lateness: { worstMs: 5 } } }\n`);
  const { code, stdout } = await run('run', '--ttl-report', path);
  expect(code).toBe(1);
  expect(stdout).toMatch(/lateness of app\.s ttl: 1 deleted[\s\S]*\nfailed: step 5/);
  expect(stdout).toMatch(/asked: lateness of app\.s ttl: \{worstMs: 5\}\n +got: +\{worstMs: 20001[.\d]*\}; 1 gone/);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`repeat with: replsim run ${path} --seed 1`);
});

const FORECAST = 'name: A\nduration: 10m\ninsert: 2\nexpireAfterSeconds: 60\n';

test('forecast: answers, charts, a table, and how it was simulated', async () => {
  const path = file('day.yaml', `${FORECAST}outages: [{ at: 5m, for: 1m, what: monitor off }]\n`);
  const { code, stderr, stdout } = await run('forecast', path);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^A\n\ndeleted documents: half of them up to .* late, 99% up to .*, the worst 2m/);
  expect(stdout).toMatch(/\n00:05 monitor off for 1m\n {2}worst lateness 2m.* disabled/);
  expect(stdout).toMatch(/\ndocuments expired and still there\n +\d+ ┤.*█/);
  expect(stdout).toMatch(/\n {2}from +documents +size +expired +worst +lag +oplog +window\n {2}00:00 /);
  expect(stdout).toMatch(
    /\nsimulated document by document: 1,320; seed 1\nlatency is not forecast: "replsim run --ttl-report" measures it, in a scenario with a workload\n$/,
  );
  expect(stdout).not.toContain('\u001b');
  expect((await run('forecast', path, '--documents', '200')).stdout).toMatch(
    /\nsimulated with 189 documents, each standing for 7 of 1,320,/,
  );
});

test('forecast: --json, --seed', async () => {
  const { stdout } = await run('forecast', '--json', '--seed', '5', file('json.yaml', FORECAST));
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({
    version: 1,
    name: 'A',
    seed: 5,
    scale: { factor: 1 },
    outages: [],
    brokenInvariants: [],
    notForecast: { latency: 'replsim run --ttl-report' },
  });
  expect(report.rows).toHaveLength(10);
  expect(report.samples).toHaveLength(121);
});

test.for<[name: string, args: () => string[], gist: RegExp]>([
  ['no such file', () => ['forecast', join(folder, 'nowhere.yaml')], /nowhere\.yaml: no such file/],
  ['a mistake', () => ['forecast', file('f1.yaml', `${FORECAST}insrt: 5\n`)], /f1\.yaml:5:1: unknown key "insrt"[\s\S]*did you mean "insert"\?/],
  ['a workload', () => ['forecast', file('f4.yaml', `${FORECAST}workload: { name: w }\n`)], /f4\.yaml:5:1: unknown key "workload"[\s\S]*latency is not forecast: put the workload in a scenario, and measure it with "replsim run --ttl-report"/],
  ['a parameter that mongod refuses', () => ['forecast', file('f2.yaml', `${FORECAST}parameters: { ttlMonitorSleepSecs: 0 }\n`)], /f2\.yaml:\d+:36: Invalid value for parameter ttlMonitorSleepSecs/],
  ['an unknown option', () => ['forecast', '--jsn', file('f3.yaml', FORECAST)], /unknown option '--jsn'[\s\S]*Did you mean --json\?/],
  ['no documents', () => ['forecast', '--documents', '0', file('f4.yaml', FORECAST)], /It must be 1 or more/],
])('forecast: exit code 2: %s', async ([, args, gist]) => {
  const { code, stderr, stdout } = await run(...args());
  expect(stderr).toMatch(gist);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
}); // biome-ignore format: a row a line

test('--version and --help', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(version);
  expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect((await run('--help')).stdout).toMatch(/Usage: replsim/);
});

test('why: asks of an instant, in text and for programs', async () => {
  const path = file('why.yaml', GOOD);
  const early = await run('why', path, 'primary', 'n1', '--at', '5s');
  expect(early).toMatchObject({ code: 0, stderr: '' });
  expect(early.stdout).toMatch(
    /^n1 has not stood yet: it has been SECONDARY since 0\.\d+s, and its election timer has not gone off; it does not before 1\d\.\d+s, plus a random delay\n$/,
  );
  const { stdout } = await run('why', path, 'state', 'n2', '--at', '500ms', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    atMicros: 500_000,
    question: 'state',
    subject: 'n2',
    reasons: [expect.stringMatching(/^n2 is in its initial sync/)],
  });
  expect((await run('why', path, 'data', 'local.oplog.rs', '--at', '5s')).stdout).toBe(
    'the trace shows nothing that prevents it\n',
  );
});

test('why: an event goes back to what came from outside, by number or by instant', async () => {
  const path = file('why-event.yaml', GOOD);
  const last = await run('why', path, 'event', '--at', '10s');
  expect(last).toMatchObject({ code: 0, stderr: '' });
  const links = last.stdout.trimEnd().split('\n');
  expect(links[0]).toMatch(/^ +\d\.\d{3}s #\d+ .*n\d/);
  expect(links.at(-1)).toMatch(/#0 time zero: the set is started$/);
  const [, number = ''] = /#(\d+)/.exec(links[1] ?? '') ?? [];
  const { stdout } = await run('why', path, 'event', number, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    question: 'event',
    subject: number,
    links: links.slice(1).map((line) => ({ text: line.replace(/^ *[\d.]+s #\d+ /, '') })),
  });
});

const COMING_AND_GOING = `
name: A collection comes and goes
replicaSet: { members: 3 }
begin: with a primary
steps:
  - workload: { name: w1, insert: { into: app.w, document: {} }, every: 1s }
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3 } }
  - run: { db: app, command: { drop: c, writeConcern: { w: 3 } } }
  - advance: 5s
  - expect: { primary: any }
`;

test.for<[args: string[], code: number, said: RegExp]>([
  [['write', 'foo/1'], 2, /there is no workload foo: the workloads are w1\n/],
  [['data', 'nope.nope'], 2, /there is no collection nope\.nope at any time: this run has app\.c, app\.w\n/],
  [['document', 'nope.nope', '1'], 2, /there is no collection nope\.nope at any time: this run has app\.c, app\.w\n/],
  [['write', 'w1/1', '--at', '1s'], 0, /^there is no workload w1 yet\n/],
  [['data', 'app.c', '--at', '1s'], 0, /^app\.c does not exist yet: it is created at 1\d\.\d+s\n/],
  [['data', 'app.c'], 0, /^app\.c was dropped at 1\d\.\d+s\n/],
  [['data', 'local.oplog.rs'], 0, /^(?!.*no collection)/],
])('why %o knows what the whole run has', async ([args, wanted, said]) => {
  const { code, stdout, stderr } = await run('why', file('coming.yaml', COMING_AND_GOING), ...args);
  expect([code, stdout + stderr]).toEqual([wanted, expect.stringMatching(said)]);
});

test.for<[args: string[], complaint: RegExp]>([
  [['event', '999999'], /there is no event 999999: events have the numbers 2 to \d+; --at finds/],
  [['event', 'n1'], /there is no event n1/],
  [['event', '5', '--on', 'n2'], /event 5 is a single event: leave out --on/],
  [['event', '5', '--at', '1s'], /leave out --at/],
  [['primary', '--at', '999s'], /the run is over at [\d.]+s: ask about an instant before that/],
  [['event', '--at', '0s', '--on', 'n3'], /nothing had happened yet on n3/],
  [['event', '--on', 'n9'], /there is no member n9: the members are n1, n2, n3/],
  [['state', 'n9'], /there is no member n9: the members are n1, n2, n3/],
  [['state'], /the question needs a subject: replsim why FILE state MEMBER/],
  [['data'], /the question needs a subject: replsim why FILE data NAMESPACE/],
  [['data', 'app.c', '--on', 'n9'], /there is no member n9/],
  [['write', 'n1'], /n1 is not an operation: replsim why FILE write \[WORKLOAD\/TURN\], as in write w1\/13/],
  [['write', 'w1/0'], /w1\/0 is not an operation/],
  [['write', 'foo/1'], /there is no workload foo: this run has none/],
  [['data', 'nope.nope'], /there is no collection nope\.nope at any time: this run has none/],
  [['document', 'nope.nope', '1'], /there is no collection nope\.nope at any time: this run has none/],
  [['vote'], /the question needs a subject: replsim why FILE vote MEMBER/],
  [['vote', 'n9'], /there is no member n9/],
  [['vote', 'n1', 'n2'], /vote takes no n2: replsim why FILE vote MEMBER/],
  [['event', '1', '2'], /event takes no 2/],
  [['document', 'app.c'], /the question needs a subject: replsim why FILE document NAMESPACE ID/],
  [['document', 'app.c', '1', '--on', 'n9'], /there is no member n9/],
  [['primary', '--on', 'n1'], /--on is only for data/],
  [['weather'], /Allowed choices are primary, vote, state, write, data, document/],
  [['primary', '--at', 'noon'], /a time since the start, such as 19\.5s/],
])('why %o is refused', async ([args, complaint]) => {
  const { code, stderr } = await run('why', file('why.yaml', GOOD), ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(complaint);
});

test('a step-down that nobody can follow says who may not stand, and until when', async () => {
  const step = '  - eventually: { within: 30s, primary: any }\n  - stepDown: primary\n';
  const file = join(mkdtempSync(join(tmpdir(), 'replsim-barred-')), 'thrice.yaml');
  writeFileSync(file, `name: thrice\nsteps:\n${step.repeat(3)}`);
  const io = testIo();
  expect(await main(['run', file], io)).toBe(1);
  expect(io.stdout).toMatch(/^ {2}try: {3}n1 may not stand before \S+, in \S+: it stepped down or was frozen; n2 /m);
  rmSync(dirname(file), { recursive: true });
});
