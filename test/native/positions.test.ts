import { readFileSync } from 'node:fs';
import { Random } from '@replsim/kernel';
import { expect, test } from 'vitest';

test('an error that passes through a source names its line and column there', () => {
  let stack = '';
  const seed = {
    toString: () => {
      stack = new Error('asked for its name').stack!;
      return '1';
    },
  };
  Random.fromSeed(seed as unknown as string);
  const [, line, column] = /kernel\/src\/random\.ts:(\d+):(\d+)/.exec(stack)!;
  const text = readFileSync(new URL('../../packages/kernel/src/random.ts', import.meta.url), 'utf8');
  expect(text.split('\n')[Number(line) - 1]!.slice(Number(column) - 1)).toMatch(/^(String\()?seed\)/);
});
