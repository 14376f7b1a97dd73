import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../src/index.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-'));
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

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const docs = readFileSync(new URL('../../../docs/import.md', import.meta.url), 'utf8');
/** What is run, what it prints, and a part of the scenario; the usage stands before them. */
const [, commands = '', printed, evidence] = [...docs.matchAll(/^```(?:sh)?\n((?:.|\n)*?)^```$/gm)].map(
  ([, text]) => text!,
);

test('the commands of the docs print what the docs show', async () => {
  const here = (text: string) => text.replaceAll('/tmp/', `${folder}/`);
  const [play = '', importing = ''] = commands.trim().split('\n');
  const scenarios = new URL('../../../scenarios/', import.meta.url).pathname;
  await replsim(...here(play).replace('scenarios/', scenarios).split(' ').slice(2));
  const { code, out, err } = await replsim(...here(importing).split(' ').slice(2));
  expect(code).toBe(0);
  expect(out).toBe(here(printed ?? ''));
  expect(err).toBe('');
  expect(readFileSync(join(folder, 'incident.yaml'), 'utf8')).toContain(here(evidence ?? ''));
});

test('a scenario that does not go as the logs show says so, from where on, and how often it was tried', async () => {
  const logs = join(folder, 'departing');
  const scenario = new URL('../../../scenarios/clients/w1-writes-lost-at-a-partition.yaml', import.meta.url).pathname;
  await replsim('run', scenario, '--logs', logs);
  const { code, out, err } = await replsim('import', logs, '--tries', '2', '--json');
  expect(code).toBe(0);
  const said =
    /^warning: (from 58\.011s on, the scenario may differ from what happened: the logs show that n1:27017 rolls back at 58\.011s \(.*n1\.log:\d+\), the run shows nothing more; of 2 seeds, none does better)\n$/.exec(
      err,
    )?.[1];
  expect(said).toBeDefined();
  const { scenario: text, playedBack } = JSON.parse(out);
  expect(text).toContain(`# ${said}`);
  expect(playedBack).toMatchObject({
    tries: 2,
    comparison: { shared: 3, departure: { logs: { what: 'rolls back' } } },
  });
  const unplayed = await replsim('import', logs, '--tries', '0');
  expect(unplayed.err).toBe('');
  expect(unplayed.out).not.toContain('# played');
});

test('the scenario has the seed under which it goes as the logs show, and then plays without a failure', async () => {
  const logs = join(folder, 'by chance');
  const out = join(folder, 'by-chance.yaml');
  const scenario = new URL('../../../scenarios/lessons/03-why-an-even-number-gains-nothing.yaml', import.meta.url)
    .pathname;
  await replsim('run', scenario, '--logs', logs);
  const imported = await replsim('import', logs, '--out', out);
  const seed = /played under seed (\d+): /.exec(imported.out)?.[1];
  expect([Number(seed) > 1, imported.err]).toEqual([true, '']);
  expect(readFileSync(out, 'utf8')).toMatch(new RegExp(`^seed: ${seed}$`, 'm'));
  expect((await replsim('run', out)).code).toBe(0);
});

test('--tries without logs is refused, as it would do nothing', async () => {
  const { code, err } = await replsim('import', file('only.js', CONF), '--tries', '3');
  expect([code, err]).toEqual([2, expect.stringContaining('without logs there is nothing to compare')]);
});

const CONF = `shop [direct: primary] test> rs.conf()
{ _id: 'shop', version: 1, members: [ { _id: 0, host: 'a.example.org:27017' }, { _id: 1, host: 'b.example.org:27017' } ] }
`;
const STATUS = `{ set: 'shop', members: [ { _id: 0, name: 'a.example.org:27017', stateStr: 'SECONDARY' },
  { _id: 1, name: 'b.example.org:27017', stateStr: 'PRIMARY', optime: { ts: Timestamp({ t: 1, i: 1 }), t: Long('2') } } ], ok: 1 }
`;
const LINE =
  '{"t":{"$date":"2024-05-01T10:00:00.000+00:00"},"s":"I","c":"REPL","id":21393,"ctx":"x","msg":"m","attr":{"hostAndPort":"a.example.org:27017"}}';

test('a config and a status, from one pasted text, make a set with its primary', async () => {
  const { code, out } = await replsim('import', file('pasted.txt', CONF + STATUS));
  expect(code).toBe(0);
  expect(out).toContain('- { name: a, host: a.example.org:27017 }');
  expect(out).toContain('primary: b');
});

const AS_FOUND = `{
  set: 'shop',
  members: [
    { _id: 0, name: 'a.example.org:27017', state: 1, stateStr: 'PRIMARY' },
    { _id: 1, name: 'b.example.org:27017', state: 8, stateStr: '(not reachable/healthy)' },
    { _id: 2, name: 'c.example.org:27017', state: 7, stateStr: 'ARBITER' }
  ]
}
`;

test('a status alone: its arbiter is one, who is down is killed, and the check holds at the end too', async () => {
  const path = file('status.js', AS_FOUND);
  const out = join(folder, 'asFound.yaml');
  expect((await replsim('import', path, '--out', out)).code).toBe(0);
  const text = readFileSync(out, 'utf8');
  expect(text).toMatch(/^# c\.example\.org:27017 is an arbiter: .*status\.js:6 says so$/m);
  expect(text).toContain('{ name: c, host: c.example.org:27017, arbiterOnly: true }');
  expect(text).toMatch(/kill: b \} # not reachable: .*status\.js:5 says so/);
  expect(text).toMatch(/# .*status\.js:4 says so\n {2}- eventually: \{ within: 2m, primary: a \}/);
  expect(text).toMatch(/advance: \{ to: 60s \}\n {2}- eventually: \{ within: 2m, primary: a \}\n$/);
  expect((await replsim('run', out)).code).toBe(0);
});

test('a scenario that checks nothing is warned of, as check does', async () => {
  const lines = [
    '{"t":{"$date":"2024-05-01T10:00:00.000+00:00"},"s":"I","c":"REPL","id":21392,"ctx":"x","msg":"m","attr":{"config":{"_id":"shop","version":1,"term":1,"members":[{"_id":0,"host":"a.example.org:27017"},{"_id":1,"host":"b.example.org:27017"}]}}}',
    LINE,
    '{"t":{"$date":"2024-05-01T10:00:09.000+00:00"},"s":"I","c":"REPL","id":21216,"ctx":"x","msg":"m","attr":{"hostAndPort":"b.example.org:27017","heartbeatMessage":"Connection refused"}}',
  ];
  const { code, err } = await replsim('import', file('a.log', `${lines.join('\n')}\n`));
  expect([code, err]).toEqual([0, expect.stringContaining('no step of this scenario checks anything')]);
});

test('packed files, folders, byte order marks, ends of lines from elsewhere and a last line that is cut off do no harm', async () => {
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  writeFileSync(join(logs, 'a.log.gz'), gzipSync(`\uFEFF${LINE}\r\n${LINE.slice(0, 70)}`));
  writeFileSync(join(logs, 'conf.js'), CONF);
  const { code, out } = await replsim('import', logs, '--json');
  expect(code).toBe(0);
  const { notes, members } = JSON.parse(out);
  expect(members).toHaveLength(2);
  expect(notes.join('\n')).toContain('a.log: 1 lines are none of a log, the first is line 2');
});

describe('what cannot be used is an error with its file and line, and exit code 2', () => {
  test.for([
    ['empty.log', '', 'empty.log: this file is empty'],
    ['cat.txt', 'meow\n', 'cat.txt: this is neither a log, nor a config, nor a status'],
    [
      'old.log',
      '2019-03-01T10:00:00.000+0000 I  REPL     [x] hello\n',
      'old.log:1: this is a log of a release before 4.4',
    ],
    ['cut.js', CONF.slice(0, 90), 'cut.js:2: the document that begins in line 2 is cut off'],
    [
      'bad.js',
      CONF.replace("host: 'b.", "priority: -1, host: 'b."),
      "bad.js:2:90: BSON field 'ReplSetConfig.members.priority'",
    ],
    ['code.js', CONF.replace('version: 1', 'version: f()'), 'code.js:2: "f(…)" is not a value that mongosh prints'],
    [
      'status.js',
      "{ set: 'shop', members: [ { stateStr: 'PRIMARY' } ] }",
      'status.js:1: a member of this status has no name',
    ],
    ['x.log.gz', 'no gzip', 'x.log.gz:1: this is not a complete gzip file'],
    ['conf.yaml', '_id: shop\nversion: 1\nmembers: [{ _id: 0, host: "a:0" }]\n', 'conf.yaml:3'],
    ['some.yaml', 'name: x\nsteps: []\n', 'some.yaml'],
    ['deep.js', `{ a: ${'['.repeat(20_000)}`, 'deep.js:1: '],
  ] as const)('%s', async ([name, content, said]) => {
    const { code, err } = await replsim('import', file(name, content));
    expect(err).toContain(said);
    expect(code).toBe(2);
  });

  test('a path that leads nowhere, a log of a stranger, and a file that is there already', async () => {
    expect((await replsim('import', join(folder, 'none'))).err).toContain('no such file or folder');
    const stranger = file('stranger.log', LINE.replace('a.example', 'z.example'));
    const conf = file('conf.js', CONF);
    const { code, err } = await replsim('import', conf, stranger);
    expect(err).toContain('stranger.log: this is the log of z.example.org:27017, which is in no config of the set');
    expect(code).toBe(2);
    const taken = await replsim('import', conf, '--out', conf);
    expect(taken.err).toContain('already exists');
    expect(taken.code).toBe(2);
  });
});
