import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as cli from '../src/index.ts';

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
