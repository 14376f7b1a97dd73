import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import * as pipeline from '@replsim/pipeline';
import * as protocol from '@replsim/protocol';
import { expect, test } from 'vitest';
import * as database from '../src/index.ts';

test("the README's example prints what the README says", () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const body = example.replace(/import (.*) from '@replsim\/(\w+)';/g, 'const $1 = $2;');
  const lines: string[] = [];
  new Function('database', 'pipeline', 'protocol', 'console', body)(database, pipeline, protocol, {
    log: (said: unknown) => lines.push(typeof said === 'string' ? said : inspect(said)),
  });
  expect(`${lines.join('\n')}\n`).toBe(output);
});

test('the README names every folder, from the top down', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('| folder |'));
  const named = [...table.matchAll(/`(\w+)\/`/g)].map((match) => match[1]);
  const imports = readFileSync(new URL('../../../test/house/imports.test.ts', import.meta.url), 'utf8');
  const order = /DATABASE_ORDER = \[(.*?)\n\];/s.exec(imports)?.[1] ?? '';
  expect(named).toEqual([...order.matchAll(/(\w+)\//g)].map((match) => match[1]));
});
