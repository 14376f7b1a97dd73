import { IdSource } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type FailPointMode, FailPoints } from '../../src/index.ts';

function fires(mode: FailPointMode, comings: number): boolean[] {
  const points = new FailPoints(new IdSource([1, 2]));
  points.configure('failCommand', mode, { x: 1 });
  return Array.from({ length: comings }, () => points.enter('failCommand') !== undefined);
}

test.for([
  { mode: 'off', fired: [false, false, false] },
  { mode: 'alwaysOn', fired: [true, true, true] },
  { mode: { times: 2 }, fired: [true, true, false] },
  { mode: { times: 0 }, fired: [false, false, false] },
  { mode: { skip: 2 }, fired: [false, false, true] },
  { mode: { skip: 0 }, fired: [true, true, true] },
  { mode: { activationProbability: 0 }, fired: [false, false, false] },
  { mode: { activationProbability: 1 }, fired: [true, true, true] },
] as const)('mode $mode', ({ mode, fired }) => {
  expect(fires(mode, 3)).toEqual(fired);
});

test('an occasion that the data do not speak of uses up nothing', () => {
  const points = new FailPoints(new IdSource([1, 2]));
  points.configure('failCommand', { times: 1 }, { ns: 'a.b' });
  expect(points.enter('failCommand', ({ ns }) => ns === 'c.d')).toBeUndefined();
  expect(points.isArmed('failCommand')).toBe(true);
  expect(points.enter('failCommand', ({ ns }) => ns === 'a.b')).toEqual({ ns: 'a.b' });
  expect(points.isArmed('failCommand')).toBe(false);
  expect(points.timesEntered('failCommand')).toBe(1);
});

test('each configuration tells how often the point was entered before', () => {
  const points = new FailPoints(new IdSource([1, 2]));
  expect(points.configure('failCommand', 'alwaysOn', {})).toBe(0);
  points.enter('failCommand');
  points.enter('failCommand');
  expect(points.configure('failCommand', 'off', {})).toBe(2);
  expect(() => points.configure('noSuchPoint', 'alwaysOn', {})).toThrow(/noSuchPoint not found/);
});
