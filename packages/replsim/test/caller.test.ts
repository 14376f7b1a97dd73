import { expect, test } from 'vitest';
import { nameCaller } from '../src/caller.ts';

const frame = (file: string) => `    at f (${file}:1:2)`;
const errorOf = (...files: string[]) =>
  Object.assign(new Error('gone'), { stack: ['Error: gone', ...files.map(frame)].join('\n') });
const callOf = (...files: string[]) => ({ stack: ['Error', ...files.map(frame)].join('\n') });

test.for<[of: string, call: { stack?: string }, added: string[]]>([
  [
    'one who called from outside',
    callOf('/ours/a.ts', '/ours/b.ts', '/test/x.ts', '/lib/y.ts'),
    ['/test/x.ts', '/lib/y.ts'],
  ],
  ['one whom the error names already', callOf('/ours/a.ts', '/deep/z.ts'), []],
  ['nobody but ourselves', callOf('/ours/a.ts', '/ours/b.ts'), []],
  ['nobody', callOf(), []],
  ['a stack that there is not', {}, []],
])('the stack of an error leads to %s', ([, call, added]) => {
  const error = errorOf('/deep/z.ts');
  nameCaller(error, call);
  expect(error.stack).toBe(errorOf('/deep/z.ts', ...added).stack);
});
