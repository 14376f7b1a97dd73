import { Checkers } from '@replsim/checker';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, Transcript } from '@replsim/scenario';
import { expect, test } from 'vitest';

/** All members on one address, as on a machine that serves them. */
const TEXT = `
name: Everything that asks for a host asks for the right one
replicaSet:
  members: [{ name: n1, host: "127.0.0.1:27017", priority: 2 }, { name: n2, host: "127.0.0.1:27018" }, { name: n3, host: "127.0.0.1:27019" }]
  spares: [{ name: n4, host: "127.0.0.1:27020" }]
steps:
  - eventually: { within: 30s, primary: n1 }
  - workload: { name: w1, every: 50ms, insert: { into: app.a, document: { _id: $i } }, writeConcern: { w: 1 } }
  - advance: 1s
  - partition: [[n1], [n2, n3, n4]]
  - advance: 3s
  - eventually: { within: 30s, not: { primary: n1 }, primary: any }
  - advance: 3s
  - stop: w1
  - heal: all
  - eventually: { within: 60s, primary: n1, state: { n2: SECONDARY, n3: SECONDARY } }
  - find: { in: app.a, readPreference: secondary, limit: 1 }
  - addMember: { name: n4 }
  - eventually: { within: 60s, state: { n4: SECONDARY } }
  - removeMember: n4
  - expect: { on: primary, command: { replSetGetConfig: 1 }, matches: { config.members.2.host: "127.0.0.1:27019", config.members.3: { $exists: false } } }
  - expect: { workload: w1, lost: { $gt: 0 } }
`;

test('members on one address: the steps reach them, the judges tell them apart, the transcript names them', async () => {
  const checkers = new Checkers();
  const transcript = new Transcript();
  const lines: string[] = [];
  const result = await playScenario(parseScenario(TEXT, 'hosts.yaml'), (options) => ReplSet.create(options), {
    observers: [(event) => checkers.observe(event)],
    onTrace: (event) => lines.push(...transcript.observe(event)),
  });
  expect(result.failure).toBeUndefined();
  expect(checkers.violations).toEqual([]);
  expect(lines.filter((line) => line.includes('127.0.0.1'))).toEqual([]);
  expect(result.workloads[0]?.operations.some(({ server }) => server === 'n1')).toBe(true);
});
