import { describe, expect, test } from 'vitest';
import { NO_COVERAGE, type Trial } from '../../src/index.ts';
import { finalChecksAt } from '../../src/search/finalChecks.ts';

const trial = (ends: Trial['ends']): Trial => ({
  ...{ coverage: NO_COVERAGE, seed: 1, beganMicros: 10_000_000, endMicros: 100_000_000, members: ['n1', 'n2', 'n3'] },
  ...{ steps: new Map(), ends },
});

describe('the final checks begin', () => {
  test.for([
    ['at the last check', ['workload: W', 'advance: 20s', 'expect: C'], { 1: 10, 2: 30 }, 30],
    [
      'at an earlier one, and what stands between',
      ['workload: W', 'advance: 20s', 'eventually: E', 'advance: 5s', 'expect: C'],
      { 1: 10, 2: 30, 'eventually: E': 31, 4: 36 },
      30,
    ],
    [
      'not before most of the time',
      ['insert: I', 'eventually: E', 'advance: 60s', 'expect: C'],
      { 1: 11, 'eventually: E': 12, 3: 72 },
      72,
    ],
    ['not at the first step', ['eventually: E', 'advance: 60s', 'expect: C'], { 'eventually: E': 12, 2: 72 }, 72],
    ['at the end where there are none', ['workload: W', 'always: A'], { 1: 10, 'always: A': 100 }, 100],
  ] as const)('%s', ([, steps, ends, at]) => {
    const read = steps.map((text, i) => ({
      index: i + 1,
      line: i,
      key: /^\w+/.exec(text)![0],
      text,
      action: { kind: '' },
    }));
    const ended = new Map(Object.entries(ends).map(([key, s]) => [/^\d/.test(key) ? Number(key) : key, s * 1_000_000]));
    expect(finalChecksAt({ steps: read }, trial(ended))).toBe(at * 1_000_000);
  });
});
