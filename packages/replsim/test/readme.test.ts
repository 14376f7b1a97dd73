import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as replsim from '../src/index.ts';

test("the README's example prints what the README says", async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const body = example.replace(/import (.*) from 'replsim';/, 'const $1 = replsim;');
  const lines: string[] = [];
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  await new AsyncFunction('replsim', 'console', body)(replsim, {
    log: (...words: unknown[]) => lines.push(words.join(' ')),
  });
  expect(`${lines.join('\n')}\n`).toBe(output);
});
