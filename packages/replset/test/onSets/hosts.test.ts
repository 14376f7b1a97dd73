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

/** The same, with a config that spells them otherwise. */
const SPELLED = `
name: A member finds itself by any name of its machine
replicaSet:
  members: [{ name: n1, host: "127.0.0.1:27017" }, { name: n2, host: "127.0.0.1:27018" }, { name: n3, host: "127.0.0.1:27019" }]
  initiate: false
  machineNames: [box]
steps:
  - initiate: { on: n1, config: { _id: rs0, members: [{ _id: 0, host: "localhost:27017", priority: 2 }, { _id: 1, host: "[::1]:27018" }, { _id: 2, host: "127.0.1.1:27019" }] } }
  - eventually: { within: 30s, primary: n1 }
  - workload: { name: w1, every: 50ms, insert: { into: app.a, document: { _id: $i } }, writeConcern: { w: 1 } }
  - advance: 1s
  - partition: [[n1], [n2, n3]]
  - eventually: { within: 30s, not: { primary: n1 }, primary: any }
  - stop: w1
  - heal: all
  - eventually: { within: 60s, primary: n1, state: { n2: SECONDARY, n3: SECONDARY } }
  - find: { in: app.a, readPreference: secondary, limit: 1 }
  - expect: { on: n2, command: { hello: 1 }, matches: { me: "[::1]:27018", primary: "localhost:27017" } }
  - run: { on: n1, db: admin, command: { replSetReconfig: { _id: rs0, version: 20, members: [{ _id: 0, host: "box:27017", priority: 2 }, { _id: 1, host: "box:27018" }, { _id: 2, host: "box:27019" }] }, force: true } }
  - eventually: { within: 60s, primary: n1, state: { n2: SECONDARY, n3: SECONDARY } }
  - insert: { into: app.b, document: { _id: 1 }, writeConcern: { w: 3 } }
  - expect: { on: n3, command: { hello: 1 }, matches: { me: "box:27019", primary: "box:27017" } }
`;

test.for([
  ['members on one address', TEXT],
  ['members that their config spells otherwise', SPELLED],
])('%s: the steps reach them, the judges tell them apart, the transcript names them', async ([, text]) => {
  const checkers = new Checkers();
  const transcript = new Transcript();
  const lines: string[] = [];
  const result = await playScenario(parseScenario(text!, 'hosts.yaml'), (options) => ReplSet.create(options), {
    observers: [(event) => checkers.observe(event)],
    onTrace: (event) => lines.push(...transcript.observe(event)),
  });
  expect(result.failure).toBeUndefined();
  expect(checkers.violations).toEqual([]);
  expect(lines.filter((line) => /127\.0\.[01]\.1:|\[::1\]:|localhost:|box:/.test(line))).toEqual([]);
  expect(result.workloads[0]?.operations.some(({ server }) => server === 'n1')).toBe(true);
});
