import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as why from '../src/index.ts';

test("the README's example prints what the README says", () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const lines: string[] = [];
  const body = example.replace(/import (.*) from '@replsim\/why';/, 'const $1 = why;');
  new Function('why', 'console', body)(why, { log: (...words: unknown[]) => lines.push(words.join(' ')) });
  expect(`${lines.join('\n')}\n`).toBe(output);
});
