import { readFileSync } from 'node:fs';
import * as bson from 'bson';
import { expect, test } from 'vitest';
import * as replset from '../src/index.ts';

test("the README's example prints what the README says", async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const lines: string[] = [];
  // The example is plain enough to run as it stands, once its imports are parameters.
  const body = example
    .replace(/import (.*) from '@replsim\/replset';/, 'const $1 = replset;')
    .replace(/import (.*) from 'bson';/, 'const $1 = bson;');
  const run = new Function('replset', 'bson', 'console', `return (async () => {${body}})();`);
  await run(replset, bson, { log: (...words: unknown[]) => lines.push(words.join(' ')) });
  expect(`${lines.join('\n')}\n`).toBe(output);
});
