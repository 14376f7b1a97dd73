import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type Checker, Checkers } from '../src/index.ts';
import { at, EPOCH_SECS, runStarted, ttlDeleted, won, wrote } from './support.ts';

function listener(name: string, events: Checker['events'], detail?: string) {
  const seen: TraceEvent[] = [];
  const epochs: number[] = [];
  const checker: Checker = {
    name,
    events,
    observe(event, epochSecs) {
      seen.push(event);
      epochs.push(epochSecs);
      return detail;
    },
  };
  return { checker, seen, epochs };
}

test('a checker sees the events it asked for, in order, and learns the epoch', () => {
  const wins = listener('wins', ['electionWon']);
  const both = listener('both', ['oplogWritten', 'electionWon', 'electionWon']);
  const checkers = new Checkers([wins.checker, both.checker]);
  const events = [runStarted, won('n1', 1), wrote('n1', at(1, 1)), ttlDeleted('n1'), won('n2', 2)];
  for (const event of events) expect(checkers.observe(event)).toBeUndefined();
  expect(wins.seen).toEqual([events[1], events[4]]);
  expect(both.seen).toEqual([events[1], events[2], events[4]]);
  expect(new Set([...wins.epochs, ...both.epochs])).toEqual(new Set([EPOCH_SECS]));
  expect(checkers.events).toEqual(new Set(['runStarted', 'electionWon', 'oplogWritten']));
});

test('the first violation is returned, and all are kept', () => {
  const checkers = new Checkers([
    listener('silent', ['electionWon']).checker,
    listener('one', ['electionWon'], 'is broken').checker,
    listener('two', ['electionWon'], 'is broken too').checker,
  ]);
  const event = won('n1', 1);
  expect(checkers.observe(event)).toEqual({ name: 'one', detail: 'is broken', event });
  expect(checkers.violations.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('a run that breaks at every event does not grow for ever', () => {
  const checkers = new Checkers([listener('one', ['electionWon'], 'is broken').checker]);
  for (let i = 0; i < 5000; i++) expect(checkers.observe(won('n1', i))).toBeDefined();
  expect(checkers.violations).toHaveLength(1000);
});

test('runs do not know of each other', () => {
  new Checkers().observe(won('n1', 1));
  expect(new Checkers().observe(won('n2', 1))).toBeUndefined();
});
