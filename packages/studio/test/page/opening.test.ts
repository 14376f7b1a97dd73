import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { NOT_YET, openingOf } from '../../src/page/opening.ts';

// Where a run is opened: not while its set starts.

const event = (atMicros: number, rest: object) => ({ atMicros, ...rest }) as unknown as TraceEvent;
const WRITES = event(2, { type: 'acceptsWrites', member: 'n1', value: true });
const HOLDS = event(3, { type: 'checked', held: true });

test.for([
  ['an act', event(5, { type: 'act', title: 'A' })],
  ['a fault', event(5, { type: 'input', kind: 'fault', what: 'kill: n1' })],
  ['a check that failed', event(5, { type: 'checked', held: false })],
  ['an invariant that is broken', event(5, { type: 'invariantBroken' })],
] as const)('at %s', ([, first]) => {
  const events = [event(1, { type: 'step' }), WRITES, HOLDS, first, event(9, { type: 'act', title: 'B' })];
  expect(openingOf(events, NOT_YET).atMicros).toBe(5);
});

test('it is looked for only in what has come since, while the run is played', () => {
  const events = [WRITES, HOLDS];
  const looked = openingOf(events, NOT_YET);
  expect(looked).toEqual({ events: 2, atMicros: undefined, writableMicros: 2 });
  events.push(event(7, { type: 'act', title: 'A' }));
  expect(openingOf(events, looked).atMicros).toBe(7);
});
