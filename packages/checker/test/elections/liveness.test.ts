import type { TraceEvent } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { Liveness } from '../../src/index.ts';
import {
  accepts,
  applied,
  at,
  committed,
  config,
  configInstalled,
  configOf,
  later,
  learned,
  runStarted,
  started,
  stateChanged,
  stopped,
  won,
} from '../support.ts';

const names = ['n1', 'n2', 'n3'];

/** n1 leads, and all have what it has. */
const atRest: readonly TraceEvent[] = [
  runStarted,
  ...names.map((name) => started(name)),
  ...names.map((name) => configInstalled(name, config())),
  won('n1', 1),
  stateChanged('n1', 'SECONDARY', 'PRIMARY', 1),
  accepts('n1', true, 1),
  ...names.slice(1).map((name) => stateChanged(name, 'RECOVERING', 'SECONDARY', 1)),
  ...names.map((name) => applied(name, at(1, 1), 7)),
  committed('n1', at(1, 1)),
  learned('n2', at(1, 1)),
  learned('n3', at(1, 1)),
];

function after(...events: readonly TraceEvent[]): Liveness {
  const liveness = new Liveness();
  for (const event of [...atRest, ...events]) liveness.observe(event);
  return liveness;
}

const preferred = config({
  version: 2,
  members: config().members.map((m, i) => (i === 2 ? { ...m, priority: 5 } : m)),
});
const delayed = config({
  version: 2,
  members: config().members.map((m, i) => (i === 2 ? { ...m, secondaryDelaySecs: 60 } : m)),
});
const added = config({
  version: 2,
  members: config().members.map((m, i) =>
    i === 2 ? { ...m, votes: 0, priority: 0, newlyAdded: { priority: 1, votes: 1 } } : m,
  ),
});

describe('broken', () => {
  test('a set at rest lacks nothing', () => expect(after().broken()).toEqual([]));
  test('nor does one of whose members one is down', () => expect(after(stopped('n3')).broken()).toEqual([]));
  test('a delayed member may have the data later', () =>
    expect(after(...names.map((name) => configInstalled(name, delayed)), applied('n3', at(0, 1), 1)).broken()).toEqual(
      [],
    ));

  test.for<[string, TraceEvent[], string[]]>([
    ['nobody leads', [accepts('n1', false, 1)], ['L1: nobody accepts writes']],
    ['two lead', [accepts('n2', true, 2)], ['L1: n1 and n2 accept writes']],
    ['the primary died', [stopped('n1')], ['L1: nobody accepts writes']],
    [
      'a commit point is not known',
      [committed('n1', at(2, 1)), learned('n2', at(2, 1))],
      ['L2: n3 does not know of the commit point (2,1 t1)'],
    ],
    [
      'a restart forgets it',
      [started('n2'), stateChanged('n2', 'RECOVERING', 'SECONDARY', 1)],
      ['L2: n2 does not know of the commit point (1,1 t1)'],
    ],
    [
      'a config is not known',
      [configInstalled('n1', configOf(2, 1, ...names)), configInstalled('n2', configOf(2, 1, ...names))],
      ['L3: n3 does not have config version 2 of term 1'],
    ],
    [
      'somebody else should lead',
      names.map((name) => configInstalled(name, preferred)),
      ['L4: n3, of priority 5, leaves it to n1 with 1'],
    ],
    ['a member does not come back', [stateChanged('n2', 'SECONDARY', 'ROLLBACK', 1)], ['L6: n2 is ROLLBACK']],
    ['a member has other data', [applied('n2', at(1, 1), 8)], ['L6: n2 does not have what n1 has']],
    [
      'a member lags',
      [applied('n1', at(2, 1), 7)],
      ['L6: n2 does not have what n1 has', 'L6: n3 does not have what n1 has'],
    ],
    ['a member stays newly added', names.map((name) => configInstalled(name, added)), ['L7: n3 is still newly added']],
  ])('%s', ([, events, broken]) => expect(after(...events).broken()).toEqual(broken));
});

test('elections are counted from a time on', () => {
  const liveness = after(later(500, won('n2', 2)));
  expect([liveness.electionsSince(0), liveness.electionsSince(500), liveness.electionsSince(501)]).toEqual([2, 1, 0]);
});

describe('a primary that is cut off', () => {
  const parted = later(10e6, { atMicros: 0, type: 'partitioned', groups: [['n1'], ['n2', 'n3']] });
  const healed = (atMicros: number) => later(atMicros, { atMicros: 0, type: 'healed', members: 'all' });
  const stops = (atMicros: number) => later(atMicros, accepts('n1', false, 1));

  test.for<[string, TraceEvent[], string[]]>([
    ['stops in time', [parted, stops(22.9e6)], []],
    ['is reached again', [parted, healed(15e6), stops(60e6)], []],
    [
      'is on the side of the majority',
      [later(10e6, { atMicros: 0, type: 'partitioned', groups: [['n1', 'n2'], ['n3']] }), stops(60e6)],
      [],
    ],
    ['dies', [parted, later(11e6, stopped('n1')), stops(60e6)], []],
    ['goes on', [parted, stops(24e6)], ['L5: n1 accepted writes for 1s more than a primary may that is cut off']],
  ])('%s', ([, events, broken]) => expect(after(...events).isolatedTooLong).toEqual(broken));
});
