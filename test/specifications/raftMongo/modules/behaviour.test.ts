import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { type Behaviour, BehaviourReader } from './behaviour.ts';
import { type Action, allows, apply, initialState } from './raftMongo.ts';

async function behaviourOf(text: string): Promise<Behaviour> {
  const reader = new BehaviourReader();
  await playScenario(parseScenario(text, 'tla.yaml'), (options) => ReplSet.create(options), {
    onTrace: (event) => reader.observe(event),
  });
  return reader.end();
}

/** The actions, after every one of them was allowed. */
function actionsOf({ servers, steps }: Behaviour): Action[] {
  let state = initialState(servers);
  for (const step of steps) {
    expect(allows(state, step), `${step.atMicros} ${step.action} by ${step.server}`).toBe(true);
    state = apply(state, step);
  }
  return steps.map(({ action }) => action);
}

const set = (members: string, steps: string) => `
name: A behaviour
replicaSet: { members: ${members} }
steps:
  - eventually: { within: 30s, primary: n1 }
${steps}`;

test('a failover with a rollback has every action, each where RaftMongo allows it', async () => {
  const text = set(
    '[n1, { name: n2, priority: 0.9 }, { name: n3, priority: 0 }]',
    `
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3 } }
  - advance: 3s
  - partition: [[n1], [n2, n3]]
  - insert: { into: app.c, documents: [{ _id: lost }], writeConcern: { w: 1 } }
  - eventually: { within: 30s, primary: n2 }
  - insert: { into: app.c, documents: [{ _id: 2 }], writeConcern: { w: majority } }
  - heal: all
  - eventually: { within: 30s, same: all }
  - advance: 5s
`,
  );
  const behaviour = await behaviourOf(text);
  expect(behaviour).toMatchObject({ servers: ['n1', 'n2', 'n3'], overtaken: 0 });
  expect(behaviour.until).toBeUndefined();
  expect([...new Set(actionsOf(behaviour))].sort()).toEqual([
    'AdvanceCommitPoint',
    'AppendOplog',
    'BecomePrimaryByMagic',
    'ClientWrite',
    'LearnCommitPoint',
    'RollbackOplog',
    'Stepdown',
    'UpdateTermThroughHeartbeat',
  ]);
});

test('a term that nobody won is not there, and a member without a vote is no server', async () => {
  const text = set(
    '[n1, { name: n2, priority: 0 }, n3, { name: n4, priority: 0, votes: 0 }]',
    `
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: majority } }
  - advance: 3s
  - hold: { on: n3, part: fetch }
  - insert: { into: app.c, documents: [{ _id: 2 }], writeConcern: { w: majority } }
  - kill: n1
  - eventually: { within: 120s, primary: any }
`,
  );
  const behaviour = await behaviourOf(text);
  const terms = behaviour.steps.flatMap(({ action, change }) =>
    action === 'BecomePrimaryByMagic' ? change.currentTerm : [],
  );
  expect(terms).toEqual(terms.map((_, i) => i + 1));
  expect(behaviour.servers).toEqual(['n1', 'n2', 'n3']);
  expect(actionsOf(behaviour)).toContain('AdvanceCommitPoint');
});

test.for<[what: string, steps: string, why: RegExp]>([
  ['a crash that takes entries', '- insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }\n  - kill: n1\n  - start: n1', /^n1 comes back without entries that it had/],
  ['another voter', '- reconfig: { update: { $set: { "members.2.votes": 0, "members.2.priority": 0 } } }', /^n\d takes over a config with other voters/],
  ['a forced config', '- partition: [[n1], [n2], [n3]]\n  - reconfig: { update: { $pop: { members: 1 } }, force: true }', /^a config is forced/],
])('it ends with %s', async ([, steps, why]) => {
  const behaviour = await behaviourOf(set('3', `  ${steps}\n  - advance: 1s\n`));
  expect(behaviour.until?.why).toMatch(why);
  expect(actionsOf(behaviour).length).toBeGreaterThan(0);
}); // biome-ignore format: a row a line

test('a set that is never one has no step', async () => {
  const behaviour = await behaviourOf(
    'name: Nobody\nreplicaSet: { members: 3, initiate: false }\nsteps:\n  - advance: 30s\n',
  );
  expect(behaviour).toEqual({ servers: [], steps: [], overtaken: 0 });
});
