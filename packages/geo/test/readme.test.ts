import { readFileSync } from 'node:fs';
import * as protocol from '@replsim/protocol';
import { expect, test } from 'vitest';
import * as geo from '../src/index.ts';

test("the README's example prints what the README says", () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const lines: string[] = [];
  // The example is plain enough to run as it stands, once its imports are parameters.
  const body = example.replaceAll(/import (.*) from '@replsim\/(.*)';/g, 'const $1 = $2;');
  const print = { log: (...words: unknown[]) => lines.push(words.join(' ')) };
  new Function('geo', 'protocol', 'console', body)(geo, protocol, print);
  expect(`${lines.join('\n')}\n`).toBe(output);
});
