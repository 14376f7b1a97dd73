import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as cli from '../src/index.ts';
import { testIo } from './io.ts';

test("the README's example checks the scenarios of this repository", async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const body = `${example.replace(/import (.*) from '@replsim\/cli';/, 'const $1 = cli;')}\nreturn code;`;
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const code = await new AsyncFunction('cli', 'process', body)(cli, { stdout: stream, stderr: stream });
  expect(written.at(-1)).toMatch(/\d+ scenarios, no mistakes/);
  expect(code).toBe(0);
});

const blocks = [
  ...readFileSync(new URL('../README.md', import.meta.url), 'utf8').matchAll(/```text\n([\s\S]*?)\n```/g),
];
const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

test('the report on lateness is that of a run', async () => {
  const io = testIo();
  const scenario = root('scenarios/ttl/failover-adds-up-to-an-interval.yaml');
  expect(await cli.main(['run', scenario, '--ttl-report'], io)).toBe(0);
  expect(io.stdout).toContain(`\n\n${blocks[0]![1]}\n\nheld: `);
});

test('the forecast is that of the file', { timeout: 120_000 }, async () => {
  const io = testIo();
  expect(await cli.main(['forecast', root('forecasts/tokens.yaml'), '--documents', '10000'], io)).toBe(0);
  expect(io.stdout).toBe(`${blocks[1]![1]}\n`);
});
