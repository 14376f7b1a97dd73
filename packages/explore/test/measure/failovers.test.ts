import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { Failovers } from '../../src/measure/failovers.ts';

/** A set of three whose n1 leads from 1 s on; events are given by their seconds. */
function follow(...events: readonly [secs: number, event: Record<string, unknown>][]): Failovers {
  const members = ['n1', 'n2', 'n3'];
  const config = { version: 1, members: members.map((name) => ({ host: `${name}:27017`, votes: 1 })) };
  const failovers = new Failovers();
  const all: readonly [number, Record<string, unknown>][] = [
    [0, { type: 'runStarted', members }],
    [0, { type: 'configInstalled', member: 'n1', config }],
    [1, accepts('n1')],
    ...events,
  ];
  for (const [secs, event] of all) failovers.observe({ atMicros: secs * 1e6, ...event } as unknown as TraceEvent);
  return failovers;
}

const accepts = (member: string, value = true) => ({ type: 'acceptsWrites', member, value });
const stopped = (member: string) => ({ type: 'processStopped', member, how: 'killed' });
const partitioned = (...groups: string[][]) => ({ type: 'partitioned', groups });
const healed = { type: 'healed', members: 'all' };
const secs = ({ all }: Failovers) =>
  all.map(({ lostMicros, electedMicros }) => [lostMicros / 1e6, electedMicros && electedMicros / 1e6]);

test.for<[what: string, events: readonly [number, Record<string, unknown>][], failovers: unknown[]]>([
  ['nothing happens', [], []],
  [
    'it is killed',
    [
      [5, stopped('n1')],
      [16, accepts('n2')],
    ],
    [[5, 16]],
  ],
  [
    'it stands still',
    [
      [5, { type: 'processPaused', member: 'n1' }],
      [16, accepts('n2')],
    ],
    [[5, 16]],
  ],
  [
    'it steps down',
    [
      [5, accepts('n1', false)],
      [6, accepts('n2')],
    ],
    [[5, 6]],
  ],
  ['nobody follows', [[5, stopped('n1')]], [[5, undefined]]],
  [
    'it is cut off, steps down later, and is killed',
    [
      [5, partitioned(['n1'], ['n2', 'n3'])],
      [15, accepts('n1', false)],
      [16, stopped('n1')],
      [17, accepts('n2')],
    ],
    [[5, 17]],
  ],
  [
    'its side is the greater one',
    [
      [5, partitioned(['n1', 'n2'], ['n3'])],
      [50, stopped('n1')],
      [60, accepts('n2')],
    ],
    [[50, 60]],
  ],
  [
    'who is in no group is in one more',
    [
      [5, partitioned(['n1'], ['n2'])],
      [16, accepts('n3')],
    ],
    [[5, 16]],
  ],
  [
    'it is cut off and healed in time',
    [
      [5, partitioned(['n1'], ['n2', 'n3'])],
      [8, healed],
      [50, stopped('n1')],
      [60, accepts('n2')],
    ],
    [[50, 60]],
  ],
  [
    'one way is cut',
    [
      [5, { type: 'cut', from: 'n2', to: 'n1' }],
      [6, { type: 'cut', from: 'n3', to: 'n1' }],
      [16, accepts('n2')],
    ],
    [[6, 16]],
  ],
  [
    'the others are killed',
    [
      [5, stopped('n2')],
      [6, stopped('n3')],
      [16, accepts('n1', false)],
      [20, { type: 'processStarted', member: 'n2' }],
      [31, accepts('n1')],
    ],
    [[6, 31]],
  ],
  [
    'links lose everything',
    [
      [5, { type: 'linkChanged', from: 'n1', to: 'n2', settings: { loss: 1 } }],
      [6, { type: 'linkChanged', from: 'n1', to: 'n3', settings: { loss: 1 } }],
      [16, accepts('n2')],
    ],
    [[6, 16]],
  ],
  [
    'twice',
    [
      [5, stopped('n1')],
      [16, accepts('n2')],
      [17, { type: 'processStarted', member: 'n1' }],
      [20, stopped('n2')],
      [32, accepts('n1')],
    ],
    [
      [5, 16],
      [20, 32],
    ],
  ],
])('the primary is lost: %s', ([, events, expected]) => {
  expect(secs(follow(...events))).toEqual(expected);
});

test('an election is needless if the primary was well when the candidate stood', () => {
  const stands = (member: string) => ({ type: 'electionStarted', member, dryRun: false });
  const won = (member: string) => ({ type: 'electionWon', member });
  // The old primary steps down because of the candidate's term.
  expect(follow([5, stands('n2')], [5, accepts('n1', false)], [6, won('n2')], [6, accepts('n2')]).needless).toBe(1);
  expect(follow([5, stopped('n1')], [15, stands('n2')], [16, won('n2')], [16, accepts('n2')]).needless).toBe(0);
});
