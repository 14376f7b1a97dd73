import { readFileSync } from 'node:fs';
import * as protocol from '@replsim/protocol';
import { expect, test } from 'vitest';
import * as pipeline from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test("the README's example prints what the README says", () => {
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const [, output = ''] = /```text\n(.*?)```/s.exec(readme) ?? [];
  const body = example.replace(/import (.*) from '@replsim\/(\w+)';/g, 'const $1 = $2;');
  const lines: string[] = [];
  new Function('pipeline', 'protocol', 'console', body)(pipeline, protocol, {
    log: (...said: unknown[]) => lines.push(said.join(' ')),
  });
  expect(`${lines.join('\n')}\n`).toBe(output);
});

test('the README names every folder, from the top down', () => {
  const table = readme.slice(readme.indexOf('| folder |'));
  const named = [...table.matchAll(/`(\w+)\/`/g)].map((match) => match[1]);
  const imports = readFileSync(new URL('../../../test/house/imports.test.ts', import.meta.url), 'utf8');
  const order = /PIPELINE_ORDER = \[(.*?)\n\];/s.exec(imports)?.[1] ?? '';
  expect(named).toEqual([...order.matchAll(/(\w+)\//g)].map((match) => match[1]));
});
