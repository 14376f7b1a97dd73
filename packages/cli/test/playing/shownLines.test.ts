import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { testIo } from '../io.ts';

let folder: string;
let file: string;

const FAILING = '  - expect: { primary: none }\n';
const TEXT = `name: A story in two acts
replicaSet: { members: [n1, n2, n3] }
begin: with a primary
steps:
  - act: All is well
  - insert: { into: app.orders, documents: [{ _id: 1 }], writeConcern: { w: majority } }
  - act: The primary dies
  - kill: primary
  - eventually: { within: 1m, primary: any }
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'replsim-shown-'));
  file = join(folder, 'story.yaml');
  writeFileSync(file, TEXT);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const io = testIo();
  const code = await main(['run', ...args], io);
  return { code, err: io.stderr, lines: io.stdout.split('\n').filter((line) => /^ +\d/.test(line)) };
}
const texts = (lines: readonly string[]) => lines.map((line) => line.replace(/^ *[\d.]+s /, ''));

test('all is the default, and each choice shows less of the same lines', async () => {
  const { lines: all } = await run(file);
  expect((await run(file, '--transcript', 'all')).lines).toEqual(all);
  const { lines: faults } = await run(file, '--transcript', 'faults');
  const { lines: acts } = await run(file, '--transcript', 'acts');
  expect(all).toEqual(expect.arrayContaining(faults));
  expect(faults).toEqual(expect.arrayContaining(acts));
  expect(texts(acts)).toEqual([expect.stringMatching(/^rs0: n1, n2, n3; /), '## All is well', '## The primary dies']);
  expect(
    texts(faults)
      .slice(2)
      .map((text) => text.replace(/n\d/, 'n').replace(/ \(.*/, '')),
  ).toEqual([
    '## The primary dies',
    'n is killed',
    expect.stringMatching(/^n wins term \d+ with 2 votes/),
    expect.stringMatching(/^n accepts writes, in term \d+/),
  ]);
  expect((await run(file, '--transcript', 'none')).lines).toEqual([]);
});

test('a short transcript shows what fails', async () => {
  const failing = join(folder, 'failing.yaml');
  writeFileSync(failing, TEXT + FAILING);
  const { code, lines } = await run(failing, '--transcript', 'acts');
  expect(code).toBe(1);
  expect(texts(lines).at(-1)).toMatch(/^! expect: \{primary: none\}/);
});

test('the file beside the scenario has all lines, whatever is shown', async () => {
  const story = join(folder, 'kept.yaml');
  writeFileSync(story, TEXT);
  const { lines } = await run(story);
  await run(story, '--transcript', 'none', '--update');
  expect(readFileSync(join(folder, 'kept.transcript'), 'utf8').trimEnd().split('\n')).toEqual(lines);
  expect((await run(story, '--transcript', 'acts')).code).toBe(0);
});

test('reports of several have the part that is asked for, and where none is shown it says so', async () => {
  const failing = join(folder, 'again.yaml');
  writeFileSync(failing, TEXT + FAILING);
  const report = join(folder, 'report.xml');
  await run(failing, file, '--transcript', 'acts', '--reporter', 'junit', '--output', report);
  expect(readFileSync(report, 'utf8')).toContain('## The primary dies');
  expect(readFileSync(report, 'utf8')).not.toContain('is killed');
  expect(await run(file, failing, '--transcript', 'acts')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--transcript: no transcript is shown here'),
  });
  expect((await run(file, '--transcript', 'some')).err).toContain('Allowed choices are acts, faults, all, none');
});
