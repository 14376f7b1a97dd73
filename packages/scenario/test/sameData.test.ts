import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { parseScenario, playScenario } from '../src/index.ts';

test('same compares members of the set: none that was removed or never added, but one that has just been emptied', async () => {
  const text = `
name: same
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3], spares: [s1] }
begin: with a primary
steps:
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3 } }
  - expect: { same: all }
  - removeMember: n3
  - eventually: { within: 10s, state: { n3: REMOVED } }
  - insert: { into: app.c, documents: [{ _id: 2 }], writeConcern: { w: 2 } }
  - expect: { same: all }
  - addMember: { name: s1 }
  - eventually: { within: 20s, same: all, on: s1, count: app.c, is: 2 }
  - kill: n2
  - start: { member: n2, wipe: true }
  - expect: { not: { same: all } }
  - eventually: { within: 20s, same: all, on: n2, count: app.c, is: 2 }
`;
  const { failure } = await playScenario(parseScenario(text, 'same.yaml'), (options) => ReplSet.create(options));
  expect(failure && `${failure.title}\n${failure.detail}`).toBe(undefined);
});
