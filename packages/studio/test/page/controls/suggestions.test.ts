import { expect, test } from 'vitest';
import { ledTo, suggestionsFor } from '../../../src/page/controls/suggestions.ts';

const ALL = ['settings.electionTimeoutMillis', 'settings.heartbeatIntervalMillis', 'parameters.ttlMonitorSleepSecs'];

test.for([
  ['', ALL],
  ['ELECTION', ALL.slice(0, 1)],
  [' millis ', ALL.slice(0, 2)],
  ['nothing like that', []],
  // What is chosen already does not hide the others.
  [ALL[0]!, ALL],
] as const)('to %j these are suggested', ([typed, suggested]) => {
  expect(suggestionsFor(typed, ALL)).toEqual(suggested);
});

test.for([
  ['ArrowDown', -1, 0],
  ['ArrowDown', 2, 0],
  ['ArrowUp', -1, 2],
  ['ArrowUp', 0, 2],
  ['ArrowUp', 2, 1],
  ['Home', 1, undefined],
] as const)('%s leads from %d to %d', ([key, from, to]) => {
  expect(ledTo(key, from, 3)).toBe(to);
  expect(ledTo(key, from, 0)).toBeUndefined();
});
