import { readFileSync } from 'node:fs';
import { allCheckers, type Checker, Checkers } from '@replsim/checker';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// Runs in which an operator takes a promise away: what is broken afterwards is nobody's fault, and no checker says a word.
// That some would, were it not for that, shows that the run breaks something. The rest are held so by the traces in which
// they fire, packages/checker/test.

const RUNS = [
  {
    what: 'a forced config makes two sets, which elect in the same term and write at the same opTimes',
    voided: [
      'activeConfigsOverlap',
      'dataEqualAtSameOpTime',
      'logMatching',
      'onePrimaryPerTerm',
      'sameIndexesAtSameOpTime',
    ],
    scenario: `
name: Two sets of one
replicaSet: { members: [n1, { name: n2, priority: 0.5 }, { name: n3, priority: 0 }] }
steps:
  - eventually: { within: 30s, primary: n1 }
  - insert: { into: app.c, documents: [{ _id: 0 }], writeConcern: { w: 3 } }
  - partition: [[n1], [n2, n3]]
  - eventually: { within: 30s, state: { n1: SECONDARY, n2: PRIMARY } }
  - reconfig: { on: n1, update: { $pull: { members: { _id: { $gt: 0 } } } }, force: true }
  - eventually: { within: 30s, state: { n1: PRIMARY } }
  - advance: { to: 60s }
  - run: { on: n1, db: app, command: { insert: c, documents: [{ _id: 1, at: n1 }], writeConcern: { w: majority } } }
  - run: { on: n2, db: app, command: { insert: c, documents: [{ _id: 1, at: n2 }], writeConcern: { w: majority } } }
  - advance: { to: 70s }
  - createIndex: { on: n1, in: app.c, keys: { a: 1 } }
  - run: { on: n2, db: app, command: { createIndexes: c, indexes: [{ key: { b: 1 }, name: b }], commitQuorum: majority } }
  - heal: all
  - advance: 60s
`,
  },
  {
    what: 'a forced config makes two majorities, which both commit',
    voided: ['activeConfigsOverlap', 'committedNeverDiverges', 'leaderCompleteness'],
    scenario: readFileSync(
      new URL('../../scenarios/config/forced-minority-makes-two-sets.yaml', import.meta.url),
      'utf8',
    ),
  },
] as const;

/** What the same checkers say without knowing what takes a promise away. */
const unaware = (): Checker[] => allCheckers().map(({ voidedBy: _, ...checker }) => checker);

test.for(RUNS)('$what', async ({ scenario, voided }) => {
  const aware = new Checkers();
  const others = new Checkers(unaware());
  const parsed = parseScenario(scenario, 'voided.yaml');
  const { failure } = await playScenario(parsed, (options) => ReplSet.create(options), {
    onTrace: (event) => {
      aware.observe(event);
      others.observe(event);
    },
  });
  expect(failure?.detail).toBeUndefined();
  expect(aware.violations).toEqual([]);
  expect([...new Set(others.violations.map(({ name }) => name))].sort()).toEqual(voided);
});
