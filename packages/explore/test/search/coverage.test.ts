import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { CoverageCount, coverageRows, NO_COVERAGE, plus } from '../../src/search/coverage.ts';

// What a run is counted by: a row each, of what came about and of what did not.

const FIRST = { type: 'acceptsWrites', value: true };

/** Of an event only what a row looks at, behind the first primary. */
const counted = (...events: readonly object[]) => countedFromZero(FIRST, ...events);
const countedFromZero = (...events: readonly object[]) => {
  const count = new CoverageCount();
  for (const event of events) count.observe(event as TraceEvent);
  return Object.fromEntries(Object.entries(count.counts).filter(([, times]) => times > 0));
};

const opTime = { ts: { t: 1, i: 1 }, t: 1n };

test.for<[row: string, is: object, isNot: object]>([
  ['elections won', { type: 'electionWon' }, { type: 'stateChanged' }],
  ['elections lost', { type: 'electionLost' }, { type: 'electionLost', dryRun: true }],
  ['step-downs', { type: 'steppedDown' }, { type: 'stateChanged' }],
  ['rollbacks', { type: 'rolledBack' }, { type: 'stateChanged' }],
  ['initial syncs', { type: 'initialSync', phase: 'started' }, { type: 'initialSync', phase: 'finished' }],
  ['kills', { type: 'processStopped', how: 'killed' }, { type: 'processStopped', how: 'shutdown' }],
  ['deaths by a fatal error', { type: 'processStopped', how: 'fatal' }, { type: 'processStopped', how: 'shutdown' }],
  [
    'config changes',
    { type: 'configInstalled', config: { version: 2 } },
    { type: 'configInstalled', config: { version: 1 } },
  ],
  ['TTL passes that deleted', { type: 'ttlPassEnded', deleted: 1 }, { type: 'ttlPassEnded', deleted: 0 }],
  ['writes that got their write concern', { type: 'clientWrote' }, { type: 'clientTold', outcome: 'acknowledged' }],
  [
    'writes that missed their write concern',
    { type: 'clientTold', outcome: 'error', opTime },
    { type: 'clientTold', outcome: 'acknowledged', opTime },
  ],
  [
    'operations of workloads that were refused',
    { type: 'clientTold', outcome: 'error' },
    { type: 'clientTold', outcome: 'read' },
  ],
  [
    'operations of workloads in doubt',
    { type: 'clientTold', outcome: 'unknown' },
    { type: 'clientTold', outcome: 'acknowledged' },
  ],
])('%s', ([row, is, isNot]) => {
  expect(counted(is, is, isNot)).toEqual({ [row]: 2 });
});

test('what every set has when it begins is not counted: else it could never be told that there was none since', () => {
  const start = [{ type: 'initialSync', phase: 'started' }, { type: 'electionWon' }];
  expect(countedFromZero(...start, { type: 'acceptsWrites', value: false })).toEqual({});
  expect(countedFromZero(...start, FIRST, ...start)).toEqual({ 'elections won': 1, 'initial syncs': 1 });
  // A set that never had a primary has lost elections all the same.
  expect(countedFromZero({ type: 'electionLost' })).toEqual({ 'elections lost': 1 });
});

const fault = (index: number, text: string, outcome: string) => [
  { type: 'step', index, text },
  { type: 'stepEnded', index, outcome },
];

test('a fault has come about when it is done, and a step of the scenario is none', () => {
  const drawn = [
    ...fault(-1, 'kill: n1', 'done'),
    ...fault(-2, 'kill: n1', 'failed'),
    ...fault(-3, 'pause: n2', 'done'),
  ];
  expect(counted(...drawn, ...fault(1, 'kill: n1', 'done'))).toEqual({ 'fault: kill': 1, 'fault: pause': 1 });
});

test('runs add up, whichever comes first', () => {
  const one = counted({ type: 'electionWon' }, ...fault(-1, 'pause: n1', 'done'));
  const other = counted({ type: 'electionWon' }, { type: 'rolledBack' });
  expect(plus(one, other)).toEqual(plus(other, one));
  expect(plus(plus(NO_COVERAGE, one), other)).toMatchObject({ 'elections won': 2, rollbacks: 1, 'fault: pause': 1 });
});

test('a fault that could be drawn has a row though it never was', () => {
  const rows = new Map(coverageRows(NO_COVERAGE, ['kill']));
  expect(rows.get('fault: kill')).toBe(0);
  expect(rows.has('fault: pause')).toBe(false);
  expect(rows.get('rollbacks')).toBe(0);
});
