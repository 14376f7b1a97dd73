import { expect, test } from 'vitest';
import { Placing } from './placing.ts';
import { allows, apply, initialState, type Server, type State, type Step } from './raftMongo.ts';
import type { Terms } from './terms.ts';

// RaftMongo's actions, one guard at a time, and the places of steps that a message under way has delayed.

const step = (action: Step['action'], server: string, change: Partial<Server>, voters?: string[]): Step => ({
  atMicros: 0,
  action,
  server,
  change,
  ...(voters && { voters }),
});
const log = (...terms: Terms): Partial<Server> => ({ log: terms });
const committed = (term: number, index: number): Partial<Server> => ({ commitPoint: { term, index } });
const elected = (server: string, term: number, ...voters: string[]) =>
  step('BecomePrimaryByMagic', server, { currentTerm: term, state: 'Leader' }, [server, ...voters]);
const raised = (server: string, currentTerm: number) =>
  step('UpdateTermThroughHeartbeat', server, { currentTerm, state: 'Follower' });

/** n1 leads term 1 and has committed two of its three entries; n2 has these two, n3 none. */
const BEGINNING: readonly Step[] = [
  elected('n1', 1, 'n2'),
  step('ClientWrite', 'n1', log([1, 2])),
  step('AppendOplog', 'n2', log([1, 2])),
  step('AdvanceCommitPoint', 'n1', committed(1, 2)),
  step('ClientWrite', 'n1', log([1, 3])),
];
/** Then n2 leads term 2, by n3's vote, and writes. */
const FAILOVER: readonly Step[] = [
  ...BEGINNING,
  elected('n2', 2, 'n3'),
  step('ClientWrite', 'n2', log([1, 2], [2, 1])),
];

function after(steps: readonly Step[]): State {
  return steps.reduce(
    (state, each) => {
      expect(allows(state, each), each.action).toBe(true);
      return apply(state, each);
    },
    initialState(['n1', 'n2', 'n3']),
  );
}

test.for<[what: string, before: readonly Step[], step: Step, allowed: boolean]>([
  ['entries that a source has', BEGINNING, step('AppendOplog', 'n3', log([1, 3])), true],
  ['more than any source has', BEGINNING, step('AppendOplog', 'n3', log([1, 4])), false],
  ['to a log on another branch', [...FAILOVER, step('Stepdown', 'n1', { state: 'Follower' })], step('AppendOplog', 'n1', log([1, 3], [2, 1])), false],
  ['by a leader', FAILOVER, step('AppendOplog', 'n1', log([1, 2], [2, 1])), false],
  ['what a later term lacks', FAILOVER, step('RollbackOplog', 'n1', log([1, 2])), true],
  ['what all have', BEGINNING, step('RollbackOplog', 'n2', log([1, 1])), false],
  ['an election by a majority', BEGINNING, elected('n2', 2, 'n3'), true],
  ['by itself alone', BEGINNING, step('BecomePrimaryByMagic', 'n1', { currentTerm: 2, state: 'Leader' }, ['n1']), false],
  ['by whoever has more', BEGINNING, elected('n3', 1, 'n1'), false],
  ['by whoever is in a later term', [...FAILOVER], elected('n1', 2, 'n3'), false],
  ['two terms at once', BEGINNING, elected('n2', 3, 'n3'), false],
  ['a step-down of nobody', BEGINNING, step('Stepdown', 'n2', { state: 'Follower' }), false],
  ['a write by a follower', BEGINNING, step('ClientWrite', 'n2', log([1, 3])), false],
  ['a write in another term', BEGINNING, step('ClientWrite', 'n1', log([1, 3], [2, 1])), false],
  ['a term that another is in', FAILOVER, raised('n1', 2), true],
  ['a term that nobody is in', FAILOVER, raised('n1', 3), false],
  ['a commit of what one has', BEGINNING, step('AdvanceCommitPoint', 'n1', committed(1, 3)), false],
  ['a commit of an older term', FAILOVER, step('AdvanceCommitPoint', 'n2', committed(1, 2)), false],
  ['a commit by a follower', BEGINNING, step('AdvanceCommitPoint', 'n2', committed(1, 2)), false],
  ['a commit point of the own term', BEGINNING, step('LearnCommitPoint', 'n2', committed(1, 2)), true],
  ['a commit point that nobody has', BEGINNING, step('LearnCommitPoint', 'n2', committed(1, 1)), false],
  ['a commit point without a log of its term', BEGINNING, step('LearnCommitPoint', 'n3', committed(1, 2)), false],
])('%s', ([, before, next, allowed]) => {
  expect(allows(after(before), next)).toBe(allowed);
}); // biome-ignore format: a row a line

test('a commit point that came late is placed before the next', () => {
  const placing = new Placing(['n1', 'n2', 'n3']);
  for (const each of BEGINNING) expect(placing.place(each)).toBe(true);
  expect(placing.place(step('AppendOplog', 'n2', log([1, 3])))).toBe(true);
  expect(placing.place(step('AdvanceCommitPoint', 'n1', committed(1, 3)))).toBe(true);
  expect(placing.place(step('LearnCommitPoint', 'n2', committed(1, 2)))).toBe(true);
  expect(placing.steps.map(({ action }) => action).slice(-2)).toEqual(['LearnCommitPoint', 'AdvanceCommitPoint']);
  after(placing.steps);
});

test('what was never possible has no place', () => {
  const placing = new Placing(['n1', 'n2', 'n3']);
  for (const each of FAILOVER) expect(placing.place(each)).toBe(true);
  expect(placing.place(step('LearnCommitPoint', 'n3', committed(1, 3)))).toBe(false);
  // The voters of term 2 cannot have acknowledged to the primary of term 1 afterwards.
  expect(placing.place(step('AppendOplog', 'n3', log([1, 3], [2, 1])))).toBe(false);
  expect(placing.steps).toEqual(FAILOVER);
});
