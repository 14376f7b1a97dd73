import { expect, test } from 'vitest';
import { saslPrepared } from '../../src/scram/saslPrep.ts';

test.for([
  ['pencil ~!', 'pencil ~!'],
  ['', ''],
  ['I\u00adX', 'IX'],
  ['\u00aa', 'a'],
  ['\u2168', 'IX'],
  ['a\u00a0b', 'a b'],
] as const)('%o becomes %o', ([password, prepared]) => {
  expect(saslPrepared(password)).toBe(prepared);
});

test.for(['\u0007', '\u0627\u0031', '\u0221'])('%o is refused', (password) => {
  expect(() => saslPrepared(password)).toThrow(expect.objectContaining({ code: 2, codeName: 'BadValue', extra: {} }));
});
