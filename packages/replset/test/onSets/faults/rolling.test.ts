import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// The fault rolling, where a scenario does not show it: sets that it cannot keep at work, and those that it hardly can.

const START = 'eventually: { within: 30s, primary: any }';
const UPGRADE = 'rolling: { restart: { version: "8.2" } }';
const ALL_ARE = (version: string) =>
  `expect: { on: all, db: admin, command: { buildInfo: 1 }, matches: { version: ${version} } }`;
const FCV_IS = (version: string) =>
  `expect: { on: all, db: admin, command: { getParameter: 1, featureCompatibilityVersion: 1 }, matches: { featureCompatibilityVersion.version: "${version}" } }`;
const SAME = 'eventually: { within: 30s, same: all }';

/** @returns what was asked and what came of it instead, and when; undefined if all went as it should */
async function failureOf(members: string, steps: readonly string[], version = '8.0') {
  const lines = steps.map((step) => `  - ${step}\n`).join('');
  const text = `name: A claim\nversion: "${version}"\nseed: 1\nreplicaSet: { members: ${members} }\nsteps:\n${lines}`;
  let nowMicros = 0;
  const result = await playScenario(parseScenario(text, 'rolling.yaml'), async (options) => ReplSet.create(options), {
    onTrace: ({ atMicros }) => (nowMicros = Math.max(nowMicros, atMicros)),
  });
  return result.failure && { asked: result.failure.asked, got: result.failure.got, nowMicros };
}

test.for<[name: string, members: string, steps: string[], version?: string]>([
  ['of one member', '[n1]', [START, UPGRADE, ALL_ARE('8.2.1'), FCV_IS('8.0')]],
  ['of two members', '[n1, n2]', [START, UPGRADE, SAME, ALL_ARE('8.2.1')]],
  ['of two and an arbiter', '[n1, n2, { name: n3, arbiterOnly: true }]', [START, UPGRADE, ALL_ARE('8.2.1')]],
  [
    'one of three is down',
    '[n1, n2, n3]',
    [START, 'stepUp: n1', 'eventually: { within: 30s, primary: n1 }', 'kill: n3', UPGRADE],
  ],
  ['nobody leads yet', '[n1, n2, n3]', [UPGRADE, ALL_ARE('8.2.1')]],
  ['secondaries only', '[n1, n2, n3]', [START, 'rolling: { on: secondaries, restart: { version: "8.2" } }']],
  ['a standalone beside a set', '[{ name: n1, standalone: true }]', [UPGRADE, ALL_ARE('8.2.1')]],
  [
    'from release to release',
    '[n1, n2, n3]',
    [
      START,
      ...['7.0', '8.0', '8.2'].flatMap((to) => [
        `rolling: { restart: { version: "${to}" }, featureCompatibilityVersion: "${to}" }`,
        SAME,
        FCV_IS(to),
      ]),
    ],
    '6.0',
  ],
  [
    'the version at the end',
    '[n1, n2, n3]',
    [START, 'rolling: { restart: { version: "8.2" }, featureCompatibilityVersion: "8.2" }', SAME, FCV_IS('8.2')],
  ],
  [
    'the version without a release',
    '[n1]',
    [START, 'rolling: { restart: {}, featureCompatibilityVersion: "7.0" }', FCV_IS('7.0')],
  ],
])('it goes through: %s', async ([, members, steps, version]) => {
  expect(await failureOf(members, steps, version)).toBeUndefined();
});

const THREE = '[n1, n2, n3]';
test.for<[name: string, members: string, steps: string[], asked: RegExp, got: RegExp]>([
  [
    'without a majority',
    THREE,
    [START, 'kill: secondaries', 'advance: 30s', UPGRADE],
    /rolling begins when the set has a primary/,
    /the set has no primary, after 2m/,
  ],
  [
    'without anybody who leads',
    '[n1, n2]',
    [START, 'partition: [[n1], [n2]]', 'advance: 30s', UPGRADE],
    /rolling begins when the set has a primary/,
    /the set has no primary, after 2m/,
  ],
  [
    'a member that is paused',
    THREE,
    [START, 'pause: n2', UPGRADE],
    /continues when n2 is at work/,
    /n2 is paused, after 2m/,
  ],
  [
    'a member that has stopped fetching',
    THREE,
    [
      START,
      'stepUp: n1',
      'eventually: { within: 30s, primary: n1 }',
      'hold: { on: n3, part: fetch }',
      'insert: { into: a.b, documents: [{ _id: 1 }], writeConcern: { w: majority } }',
      UPGRADE,
    ],
    /continues when n3 is at work/,
    /n3 has not caught up with n\d, after 2m/,
  ],
  [
    'the majority is lost in the middle',
    THREE,
    [
      START,
      'stepUp: n1',
      'eventually: { within: 30s, primary: n1 }',
      'kill: n3',
      'link: { between: [n1, n2], loss: 1 }',
      'rolling: { on: n2, restart: {} }',
    ],
    /continues when n2 is at work/,
    /the set has no primary, after 2m/,
  ],
  [
    'a member that refuses to start',
    THREE,
    [START, 'rolling: { restart: { version: "7.0" } }'],
    /n\d starts/,
    /UPGRADE PROBLEM/,
  ],
  [
    'a version for which it is too old',
    THREE,
    [START, 'rolling: { restart: {}, featureCompatibilityVersion: "8.2" }'],
    /setFeatureCompatibilityVersion: "8.2" on the primary/,
    /4926900/,
  ],
  [
    'a version, with the primary left as it was',
    THREE,
    [START, 'rolling: { on: secondaries, restart: { version: "8.2" }, featureCompatibilityVersion: "8.2" }'],
    /setFeatureCompatibilityVersion: "8.2" on the primary/,
    /4926900/,
  ],
])('it fails and says why: %s', async ([, members, steps, asked, got]) => {
  const failure = await failureOf(members, steps);
  expect(failure?.asked).toMatch(asked);
  expect(failure?.got).toMatch(got);
  expect(failure!.nowMicros).toBeLessThan(400_000_000);
});
