import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// Places in a whole set: an index that is built over documents, a member that dies, and one that copies everything anew.

const NEAR = '{ loc: { $near: { $geometry: { type: Point, coordinates: [1, 4] } } } }';
const FOUND = '[{ _id: 2, loc: [1, 2.5] }, { _id: 1, loc: { type: Point, coordinates: [1, 2] } }]';
const TEXT = `
name: Places are found on every member, by whatever way they came there
steps:
  - eventually: { within: 30s, primary: n1 }
  - insert: { into: app.p, documents: [{ _id: 1, loc: { type: Point, coordinates: [1, 2] } }] }
  - createIndex: { in: app.p, keys: { loc: 2dsphere } }
  - insert: { into: app.p, documents: [{ _id: 2, loc: [1, 2.5] }], writeConcern: { w: 3 } }
  - insert: { into: app.p, documents: [{ _id: 3, loc: nowhere }], error: 16755 }
  - find: { in: app.p, filter: ${NEAR}, is: ${FOUND} }
  - find: { on: n2, in: app.p, filter: ${NEAR}, is: ${FOUND} }
  - restart: { member: n3, wipe: true }
  - eventually: { within: 60s, state: { n3: SECONDARY } }
  - find: { on: n3, in: app.p, filter: ${NEAR}, is: ${FOUND} }
  - kill: n1
  - eventually: { within: 60s, primary: any }
  - find: { in: app.p, filter: ${NEAR}, is: ${FOUND} }
  - find: { in: app.p, filter: { loc: { $near: [0, 0] } }, error: NoQueryExecutionPlans }
`;

test('a 2dsphere index is the same on all members, whatever happens to them', async () => {
  const result = await playScenario(parseScenario(TEXT, 'places.yaml'), (setup) => ReplSet.create(setup));
  expect(result).toMatchObject({ ok: true });
});
