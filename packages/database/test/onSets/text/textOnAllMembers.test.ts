import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// Words in a whole set: an index that is built over documents, a member that dies, one that copies everything anew, and expiry.

const TEA = '{ $text: { $search: tea } }';
const FOUND = '[{ _id: 2, a: teas, b: Green }, { _id: 1, a: A cup of tea }]';
const TEXT = `
name: Words are found on every member, by whatever way they came there
parameters: { ttlMonitorSleepSecs: 5 }
steps:
  - eventually: { within: 30s, primary: n1 }
  - insert: { into: app.p, documents: [{ _id: 1, a: A cup of tea }] }
  - createIndex: { in: app.p, keys: { a: text, b: text }, options: { weights: { b: 5 } } }
  - insert: { into: app.p, documents: [{ _id: 2, a: teas, b: Green }], writeConcern: { w: 3 } }
  - insert: { into: app.p, documents: [{ _id: 3, a: tea, language: klingon }], error: 17262 }
  - find: { in: app.p, filter: ${TEA}, is: ${FOUND} }
  - find: { on: n2, in: app.p, filter: ${TEA}, is: ${FOUND} }
  - restart: { member: n3, wipe: true }
  - eventually: { within: 60s, state: { n3: SECONDARY } }
  - find: { on: n3, in: app.p, filter: ${TEA}, is: ${FOUND} }
  - kill: n1
  - eventually: { within: 60s, primary: any }
  - find: { in: app.p, filter: ${TEA}, is: ${FOUND} }
  - expect: { on: primary, count: app.p, filter: ${TEA}, is: 2 }
  - find: { in: app.q, filter: ${TEA}, error: IndexNotFound }
  - start: n1
  - createIndex: { in: app.p, keys: { due: 1 }, options: { expireAfterSeconds: 0 } }
  - insert: { into: app.p, documents: [{ _id: 4, a: tea, due: { $now: -60s } }], writeConcern: { w: 3 } }
  - eventually: { within: 30s, on: all, count: app.p, filter: ${TEA}, is: 2 }
  - expect: { same: all }
`;

test('a text index is the same on all members, whatever happens to them', async () => {
  const result = await playScenario(parseScenario(TEXT, 'words.yaml'), (setup) => ReplSet.create(setup));
  expect(result).toMatchObject({ ok: true });
});
