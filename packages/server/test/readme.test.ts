import { readFileSync } from 'node:fs';
import * as mongodb from 'mongodb';
import { expect, test } from 'vitest';
import * as server from '../src/index.ts';

test("the README's example prints what the README says", async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const lines: string[] = [];
  // The example is plain enough to run as it stands, once its imports are parameters.
  const body = example
    .replace(/import (.*) from '@replsim\/server';/, 'const $1 = server;')
    .replace(/import (.*) from 'mongodb';/, 'const $1 = mongodb;');
  const run = new Function('server', 'mongodb', 'console', `return (async () => {${body}})();`);
  await run(server, mongodb, { log: (...words: unknown[]) => lines.push(words.join(' ')) });
  expect(`${lines.join('\n')}\n`).toBe(output);
});
