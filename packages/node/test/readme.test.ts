import { readFileSync } from 'node:fs';
import * as protocol from '@replsim/protocol';
import * as storage from '@replsim/storage';
import { expect, test } from 'vitest';
import * as node from '../src/index.ts';

test("the README's example prints what the README says", async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const body = example.replace(/import (.*) from '@replsim\/(\w+)';/g, 'const $1 = $2;');
  const lines: string[] = [];
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  await new AsyncFunction('node', 'protocol', 'storage', 'console', body)(node, protocol, storage, {
    log: (line: string) => lines.push(line),
  });
  expect(`${lines.join('\n')}\n`).toBe(output);
});
