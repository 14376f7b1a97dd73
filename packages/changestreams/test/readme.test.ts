import { readFileSync } from 'node:fs';
import * as protocol from '@replsim/protocol';
import { expect, test } from 'vitest';
import * as streams from '../src/index.ts';

test("the README's example prints what the README says", () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const lines: string[] = [];
  // The example is plain enough to run as it stands, once its imports are parameters.
  const body = example
    .replace(/import (.*) from '@replsim\/protocol';/, 'const $1 = protocol;')
    .replace(/import \* as streams from '@replsim\/changestreams';/, '');
  new Function('protocol', 'streams', 'console', body)(protocol, streams, {
    log: (...words: unknown[]) => lines.push(words.join(' ')),
  });
  expect(lines.length).toBeGreaterThan(0);
  expect(`${lines.join('\n')}\n`).toBe(output);
});
