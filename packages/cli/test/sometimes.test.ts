import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main } from '../src/index.ts';

// What need not hold in each run must hold in some of many.

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sometimes-'));
  file = join(folder, 'who.yaml');
  writeFileSync(
    file,
    `name: Chance picks the primary
replicaSet: { members: [n1, n2, { name: n3, priority: 0 }] }
begin: with a primary
steps:
  - sometimes: { primary: n1 }
  - repeat: { times: 2, steps: [{ sometimes: { primary: n3 } }] }
  - expect: { primary: any }
`,
  );
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

test('one run holds without it, and its transcript says so', async () => {
  const { code, out, err } = await replsim('run', file);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/[=~] sometimes: \{primary: n1\}/);
  expect(out).toContain('~ sometimes: {primary: n3}: not now: ');
});

test('of several, what none of them reached is told by its line', async () => {
  const { code, out, err } = await replsim('run', file, '--seeds', '1..8', '--reporter', 'json');
  expect(code).toBe(1);
  expect(err).toBe(`${file}: never in 8 runs: line 6: sometimes: {primary: n3}\n`);
  const { passed, scenarios } = JSON.parse(out);
  expect(passed).toBe(8);
  expect(scenarios[0].sometimes[1]).toEqual({ line: 6, text: 'sometimes: {primary: n3}', asked: 2, held: 0 });
});
