import { readFileSync } from 'node:fs';
import { ReplSet } from '@replsim/replset';
import { type PlayFailure, parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// What a failing check says stood in its way. Half of these are silences: something that did not happen.

interface Row {
  readonly what: string;
  readonly members: string;
  readonly steps: readonly string[];
  readonly because: readonly (string | RegExp)[];
}

const THREE = '[n1, n2, n3]';
const ONE_LEADER = '[n1, { name: n2, priority: 0 }, { name: n3, priority: 0 }]';
const PRIMARY = 'eventually: { within: 30s, primary: any }';
const N1 = 'eventually: { within: 30s, primary: n1 }';
const TTL = 'createIndex: { in: app.s, keys: { at: 1 }, options: { expireAfterSeconds: 30 } }';
const gone = (within: string) => `eventually: { within: ${within}, on: n1, count: app.s, is: 0 }`;

const rows: Row[] = [
  {
    what: 'a majority is cut off or down',
    members: '[a1, a2, b1, b2, { name: arb, arbiterOnly: true }]',
    steps: [
      PRIMARY,
      'partition: [[a1, a2, arb], [b1, b2]]',
      'advance: 10s',
      'kill: a1',
      'eventually: { within: 40s, primary: b1 }',
    ],
    because: [
      /^b1 would have stood at .*: it cannot see a majority of the voters; a1: down since 2\d\.\d+s; a2, arb: cut off since 1\d\.\d+s$/,
    ],
  },
  {
    what: 'most are dead',
    members: THREE,
    steps: [PRIMARY, 'kill: [n1, n2]', 'eventually: { within: 60s, primary: any }'],
    because: [
      /^n1 is down: killed at \d+\.\d+s$/,
      /^n2 is down: killed/,
      /^n3 would have stood at .*; n1, n2: down since/,
    ],
  },
  {
    what: 'a voter says no',
    members: '[n1, { name: n2, priority: 0 }, n3]',
    steps: [
      N1,
      'hold: { on: n3, part: fetch }',
      'insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 2 } }',
      'kill: n1',
      'eventually: { within: 30s, primary: n3 }',
    ],
    because: [/^n3 stood at .* in a dry run: 1 of 3 votes, 2 needed; n1: down since .*; n2: said no: .*$/],
  },
  {
    what: 'somebody else is primary',
    members: ONE_LEADER,
    steps: [N1, 'eventually: { within: 30s, primary: n2 }'],
    because: ['n2 cannot be elected: its priority is 0', 'n1 is primary, in term 1'],
  },
  {
    what: 'it hears another, and has no reason to stand',
    members: THREE,
    steps: [PRIMARY, 'stepDown: primary', 'advance: 5s', 'expect: { state: { n3: PRIMARY } }'],
    because: [/^n3 (hears from n\d, which it takes for the primary|stood at .*)$/, /^n\d is primary, in term 2$/],
  },
  {
    what: 'an arbiter',
    members: '[n1, n2, { name: n3, arbiterOnly: true }]',
    steps: [PRIMARY, 'expect: { state: { n3: PRIMARY } }'],
    because: ['n3 cannot be elected: it is an arbiter', /^n\d is primary/],
  },
  {
    what: 'paused',
    members: THREE,
    steps: [PRIMARY, 'pause: n3', 'expect: { state: { n3: SECONDARY } }'],
    because: [/^n3 has been paused since \d+\.\d+s$/],
  },
  {
    what: 'not yet: the election timer',
    members: THREE,
    steps: ['advance: 5s', 'expect: { primary: n1 }'],
    because: [/^n1 has not stood yet: it has been SECONDARY since 0\.\d+s, and its election timer has not gone off$/],
  },
  {
    what: 'in its initial sync',
    members: THREE,
    steps: ['advance: 500ms', 'expect: { state: { n2: SECONDARY } }'],
    because: [/^n2 is in its initial sync/],
  },
  {
    what: 'its applier is held',
    members: ONE_LEADER,
    steps: [
      N1,
      'advance: 2s',
      'hold: { on: n3, part: apply }',
      'insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }',
      'eventually: { within: 3s, on: n3, count: app.c, is: 1 }',
    ],
    because: [/^n3 lags by 2 entries: its part apply has been held since \d+\.\d+s$/],
  },
  {
    what: 'its source is cut off',
    members: ONE_LEADER,
    steps: [
      N1,
      'advance: 2s',
      'partition: [[n1, n2], [n3]]',
      'insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }',
      'eventually: { within: 1s, on: n3, count: app.c, is: 1 }',
    ],
    because: [/^n3 lags by 2 entries: its sync source n\d has been cut off from it since \d+\.\d+s$/],
  },
  {
    what: 'not the same data',
    members: ONE_LEADER,
    steps: [
      N1,
      'advance: 2s',
      'hold: { on: n2, part: fetch }',
      'insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 2 } }',
      'eventually: { within: 2s, same: all }',
    ],
    because: [/^n2 lags by 2 entries: its part fetch has been held since/],
  },
  {
    what: 'a write concern that is not met',
    members: '[n1, { name: n2, priority: 0 }, { name: n3, priority: 0 }, { name: arb, arbiterOnly: true }]',
    steps: [
      N1,
      'advance: 2s',
      'hold: { on: n2, part: journal }',
      'kill: n3',
      'insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: majority, wtimeout: 3000 } }',
    ],
    because: [
      /^n2 has reported \(.* t1\) as written, but not as on its disk: its part journal has been held since \d+\.\d+s$/,
      /^n3 has reported up to \(.* t1\), and the newest entry is \(.* t1\): n3 is down: killed at \d+\.\d+s$/,
      'arb is an arbiter, and has no data to report',
    ],
  },
  {
    what: 'a primary that is paused leads nobody',
    members: ONE_LEADER,
    steps: [N1, 'pause: n1', 'expect: { primary: n1 }'],
    because: [/^n1 has been paused since \d+\.\d+s$/],
  },
  {
    what: 'of two primaries the later one is waited for',
    members: '[{ name: n1, priority: 5 }, n2, { name: n3, priority: 0 }]',
    steps: [
      N1,
      'advance: 2s',
      'partition: [[n1], [n2, n3]]',
      'insert: { on: n1, into: app.c, documents: [{ _id: old }], writeConcern: { w: 1 } }',
      'eventually: { within: 30s, on: n2, command: { hello: 1 }, matches: { isWritablePrimary: true } }',
      'hold: { on: n3, part: fetch }',
      'insert: { on: n2, into: app.c, documents: [{ _id: new }], writeConcern: { w: majority, wtimeout: 2000 } }',
    ],
    because: [
      /^n1 has reported .*, and the newest entry is \(2\d,\d+ t2\): .*/,
      /^n3 has reported .*, and the newest entry is \(2\d,\d+ t2\): its part fetch has been held since/,
    ],
  },
  {
    what: 'more entries than are remembered',
    members: ONE_LEADER,
    steps: [
      N1,
      'advance: 2s',
      'hold: { on: n3, part: fetch }',
      'insert: { into: app.c, count: 41000, document: { _id: $i }, writeConcern: { w: 1 } }',
      'eventually: { within: 1s, on: n3, count: app.c, is: 41000 }',
    ],
    because: [/^n3 lags by more than 2\d{4} entries: its part fetch has been held since/],
  },
  {
    what: 'no server to send to',
    members: THREE,
    steps: [PRIMARY, 'kill: [n1, n2]', 'insert: { into: app.c, documents: [{ _id: 1 }] }'],
    because: [/^n1 is down/, /^n2 is down/, /^n3 would have stood at .*: it cannot see a majority of the voters/],
  },
  {
    what: 'a document without a date',
    members: ONE_LEADER,
    steps: [N1, TTL, 'insert: { into: app.s, documents: [{ _id: 1 }] }', gone('100s')],
    because: [
      '1 document has no date in `at`, so it never expires; 1 pass has looked',
      'the TTL monitor of n1 sleeps until 120.002s; its last pass, at 60.001s, deleted 0',
    ],
  },
  {
    what: 'documents that are not due',
    members: ONE_LEADER,
    steps: [
      N1,
      TTL,
      'insert: { into: app.s, documents: [{ _id: 1, at: { $now: 100s } }, { _id: 2, at: { $now: 90s } }] }',
      gone('100s'),
    ],
    because: [/^2 documents are not due until 131\.\d+s, by a correct clock$/, /^the TTL monitor of n1 sleeps/],
  },
  {
    what: 'no pass yet',
    members: ONE_LEADER,
    steps: [N1, TTL, 'insert: { into: app.s, documents: [{ _id: 1, at: { $now: -1h } }] }', gone('20s')],
    because: ['the TTL monitor of n1 sleeps until 60.001s, and has made no pass yet'],
  },
  {
    what: 'a monitor that is held',
    members: ONE_LEADER,
    steps: [
      N1,
      TTL,
      'hold: { on: n1, part: ttl }',
      'insert: { into: app.s, documents: [{ _id: 1, at: { $now: -1h } }] }',
      gone('100s'),
    ],
    because: [/^the TTL monitor of n1 has been held since \d+\.\d+s$/],
  },
  {
    what: 'nobody may delete',
    members: THREE,
    steps: [
      PRIMARY,
      TTL,
      'insert: { into: app.s, documents: [{ _id: 1, at: { $now: -1h } }], writeConcern: { w: 3 } }',
      'advance: 1s',
      'kill: [n2, n3]',
      'advance: 15s',
      'eventually: { within: 100s, on: n1, count: app.s, is: 0 }',
    ],
    because: ['there is no primary, so no TTL monitor deletes anything'],
  },
  {
    what: 'a ledger with losses',
    members: '[{ name: n1, priority: 2 }, n2, { name: n3, priority: 0 }]',
    steps: [
      N1,
      'advance: 2s',
      'workload: { name: w1, every: 1s, near: n1, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1 } }',
      'advance: 5s',
      'partition: [[n1], [n2, n3]]',
      'advance: 60s',
      'stop: w1',
      'expect: { workload: w1, lost: 0 }',
    ],
    because: [
      /^w1\/6 and 9 more were acknowledged, and are lost: n2, elected in term 2 at \d+\.\d+s, does not have them$/,
      'w1/16 was answered with an error: MongoServerError, not primary',
      /^w1\/17 was answered with an error: MongoServerSelectionError, /,
    ],
  },
];

async function failureOf({ members, steps }: Row): Promise<PlayFailure | undefined> {
  const text = [
    'name: it fails',
    `replicaSet: { members: ${members} }`,
    'steps:',
    ...steps.map((each) => `  - ${each}`),
  ];
  const scenario = parseScenario(text.join('\n'), 'fails.yaml');
  return (await playScenario(scenario, (options) => ReplSet.create(options))).failure;
}

test.for(rows)('$what', async (row) => {
  const failure = await failureOf(row);
  expect(failure?.reasons).toEqual(
    row.because.map((each) => (typeof each === 'string' ? each : expect.stringMatching(each))),
  );
  expect(failure!.detail).toContain(`\nwhy:\n  ${failure!.reasons[0]}\n`);
});

test('the docs show one of them', async () => {
  const { detail } = (await failureOf(rows.find(({ what }) => what === 'a document without a date')!))!;
  const [shown] = detail.split('\nbefore that:');
  const docs = readFileSync(new URL('../../../docs/scenarios.md', import.meta.url), 'utf8');
  expect(docs).toContain(`\n${shown!.replace(/^/gm, '  ')}\n`);
});
