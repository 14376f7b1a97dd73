import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// The fault truncateOplog on members that are not simply at work.

async function failureOf(members: string, steps: readonly string[]) {
  const lines = steps.map((step) => `  - ${step}\n`).join('');
  const text = `name: A claim\nseed: 1\nreplicaSet: { members: ${members} }\nsteps:\n${lines}`;
  return (await playScenario(parseScenario(text, 'cut.yaml'), (options) => ReplSet.create(options))).failure;
}

const PREFERRED = '[{ name: n1, priority: 2 }, n2, { name: n3, priority: 0 }]';
const START = ['eventually: { within: 60s, primary: n1 }', 'eventually: { within: 30s, same: all }'];
const WRITE = 'insert: { into: app.c, count: 20, document: { _id: $i }, writeConcern: { w: 1 } }';
const CUT = 'truncateOplog: { on: n3, olderThan: 0s }';

test.for<[name: string, members: string, steps: string[], got: RegExp]>([
  ['a standalone', '[{ name: n3, standalone: true }]', [CUT], /n3 runs as a standalone, which leaves its oplog alone/],
  [
    'a member of old that is a standalone now',
    PREFERRED,
    [...START, 'restart: { member: n3, as: standalone }', CUT],
    /runs as a standalone/,
  ],
  [
    'a standalone, at an instant',
    '[{ name: n3, standalone: true }]',
    ['{ at: 1s, truncateOplog: { on: n3, olderThan: 0s } }'],
    /runs as a standalone/,
  ],
  [
    'an arbiter',
    '[n1, n2, { name: n3, arbiterOnly: true }]',
    ['eventually: { within: 60s, primary: any }', 'eventually: { within: 30s, state: { n3: ARBITER } }', CUT],
    /n3 has no oplog/,
  ],
  [
    'an initial sync',
    PREFERRED,
    [
      ...START,
      WRITE,
      'failPoint: { on: n3, name: initialSyncHangBeforeCopyingDatabases, mode: alwaysOn }',
      'restart: { member: n3, wipe: true }',
      'eventually: { within: 60s, state: { n3: STARTUP2 } }',
      CUT,
    ],
    /n3 (is in an initial sync|has no oplog)/,
  ],
  [
    'a member whose data are wiped',
    PREFERRED,
    [...START, 'restart: { member: n3, wipe: true }', CUT],
    /n3 has no oplog/,
  ],
])('refused: %s', async ([, members, steps, got]) => {
  expect((await failureOf(members, steps))?.got).toMatch(got);
});

test('all passes over arbiters', async () => {
  const steps = [
    'eventually: { within: 60s, primary: any }',
    'advance: 10s',
    'truncateOplog: { on: all, olderThan: 0s }',
  ];
  expect(await failureOf('[n1, n2, { name: n3, arbiterOnly: true }]', steps)).toBeUndefined();
});

const at = (ms: number) => [
  ...START,
  'partition: [[n1], [n2, n3]]',
  WRITE,
  'eventually: { within: 60s, primary: n2 }',
  'insert: { into: app.d, count: 20, document: { _id: $i }, writeConcern: { w: majority } }',
  'advance: 10s',
  'heal: all',
  ...(ms > 0 ? [`advance: ${ms}ms`] : []),
];
const RETURNS = [
  'eventually: { within: 120s, primary: n1 }',
  'eventually: { within: 60s, same: all }',
  'expect: { on: all, count: app.d, is: 20 }',
  'expect: { on: all, count: app.c, is: 0 }',
];

test.for([1, 100, 1000, 1500, 2000, 2200, 2500, 3000])('%d ms after a member has met its rollback', async (ms) => {
  expect(
    await failureOf(PREFERRED, [...at(ms), 'truncateOplog: { on: n1, olderThan: 0s }', ...RETURNS]),
  ).toBeUndefined();
});

test('in the middle of a rollback', async () => {
  const steps = ['eventually: { within: 60s, state: { n1: ROLLBACK } }', 'truncateOplog: { on: all, olderThan: 0s }'];
  expect(await failureOf(PREFERRED, [...at(0), ...steps, ...RETURNS])).toBeUndefined();
});
