import { expect, test } from 'vitest';
import { beginningOf } from '../../../src/core/edit/beginning.ts';
import { secondOf } from '../../../src/core/edit/differing.ts';

const text = (more = '', w = 'majority') =>
  `name: It\n${more}steps:\n  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: ${w} } }\n`;
const first = (of: string, seed?: number) => ({ text: of, seed, playedSeed: seed ?? 1 });

test.for([
  ['version', text(), '7.0'],
  ['version', text("version: '7.0'\n"), '8.0'],
  ['writeConcern', text(), '1'],
  ['writeConcern', text('', '1'), 'majority'],
  ['setting', text(), '5000'],
  ['setting', text('replicaSet: { settings: { electionTimeoutMillis: 5000 } }\n'), '10000'],
] as const)('a comparison by %s begins with a value that the first text does not have', ([kind, of, value]) => {
  const difference = beginningOf(kind, first(of));
  expect(Object.values(difference)).toContain(value);
  expect(secondOf(of, undefined, difference)).toMatchObject({ text: expect.not.stringContaining(of) });
});

test('a seed is never the one that was played', () => {
  expect(beginningOf('seed', first(text()))).toEqual({ kind: 'seed', seed: 2 });
  expect(beginningOf('seed', first(text(), 2))).toEqual({ kind: 'seed', seed: 3 });
  expect(beginningOf('seed', { text: text('seed: 7\n'), seed: undefined, playedSeed: 7 })).toEqual({
    kind: 'seed',
    seed: 8,
  });
});
