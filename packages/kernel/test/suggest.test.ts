import { expect, test } from 'vitest';
import { didYouMean, didYouMeanOneOf, editDistance, nearest } from '../src/suggest.ts';

test.for([
  ['advance', 'advance', 0],
  ['advnce', 'advance', 1],
  ['advacne', 'advance', 1],
  ['expct', 'expect', 1],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
] as const)('%s and %s are %d apart', ([a, b, distance]) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

test('of two that are equally near, the one that begins alike, whichever comes first', () => {
  expect(nearest('rat', ['at', 'rate'])).toBe('rate');
  expect(nearest('rat', ['rate', 'at'])).toBe('rate');
  expect(nearest('zill', ['kill', 'fill'])).toBe('kill');
});

test('the nearest word, if one is near', () => {
  const known = ['advance', 'always', 'kill'];
  expect(nearest('Advanc', known)).toBe('advance');
  expect(nearest('kil', known)).toBe('kill');
  expect(nearest('partition', known)).toBeUndefined();
  expect(didYouMean('kll', known)).toBe('did you mean "kill"?');
  expect(didYouMeanOneOf('partition', known)).toBe('known here: advance, always, kill');
  expect(didYouMeanOneOf('partition', Array(50).fill('something'))).toBeUndefined();
});

test('the only word that begins so, where none is near', () => {
  expect(nearest('match', ['matches', 'error'])).toBe('matches');
  expect(nearest('electionTimeout', ['electionTimeoutMillis', 'heartbeatIntervalMillis'])).toBe(
    'electionTimeoutMillis',
  );
  expect(nearest('secondsOfDelay', ['seconds', 'delay'])).toBe('seconds');
  expect(nearest('heartbeat', ['heartbeatIntervalMillis', 'heartbeatTimeoutSecs'])).toBeUndefined();
  expect(nearest('set', ['setName', 'other'])).toBeUndefined();
});
