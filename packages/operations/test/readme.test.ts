import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as operations from '../src/index.ts';

test("the README's example prints what the README says", () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const lines: string[] = [];
  // The example is plain enough to run as it stands, once its import is a parameter.
  const body = example.replace(/import (.*) from '@replsim\/operations';/, 'const $1 = operations;');
  new Function('operations', 'console', body)(operations, {
    log: (...words: unknown[]) => lines.push(words.join(' ')),
  });
  expect(`${lines.join('\n')}\n`).toBe(output);
});
