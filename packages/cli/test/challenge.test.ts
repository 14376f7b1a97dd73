import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

async function run(...args: string[]) {
  const io = testIo();
  const code = await main(['run', ...args], io);
  return { code, out: io.stdout };
}

test('an open challenge shows what is missing, and why, and is no failure', async () => {
  const { code, out } = await run('scenarios/challenges/01-elect-another.yaml');
  expect(code).toBe(0);
  expect(out).toMatch(/^challenge: open\n {2}n1 must not be running .*\n {2}~ state: \{n1: DOWN\}: n1 is PRIMARY\n/m);
});

test('a solution is solved', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-challenge-'));
  const text = readFileSync('scenarios/challenges/01-elect-another.yaml', 'utf8');
  writeFileSync(join(folder, 'solved.yaml'), text.replace(/^ {2}- advance: \{ to/m, '  - kill: n1\n$&'));
  const { code, out } = await run(join(folder, 'solved.yaml'));
  rmSync(folder, { recursive: true });
  expect(code).toBe(0);
  expect(out).toMatch(/^challenge: solved$/m);
  expect(out).not.toMatch(/^ {2}~ /m);
});

test('the report in JSON has the goals one by one', async () => {
  const { out } = await run('scenarios/challenges/01-elect-another.yaml', '--reporter', 'json');
  const [{ challenge }] = JSON.parse(out).scenarios;
  expect(challenge).toMatchObject({ solved: false, goals: [{ held: false }, { held: true }] });
});
