import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Checkers } from '../src/index.ts';
import { type Action, type Bug, ModelSet } from './modelSet.ts';
import { runStarted } from './support.ts';

const anyNumber = fc.nat({ max: 63 });
const often = (weight: number, ...kinds: Action['kind'][]) => ({ arbitrary: fc.constantFrom(...kinds), weight });
const anyAction: fc.Arbitrary<Action> = fc.record({
  kind: fc.oneof(
    often(6, 'write', 'commit'),
    often(6, 'spread', 'fetch'),
    often(3, 'elect', 'learn'),
    often(3, 'flush', 'expire', 'acknowledge'),
    often(1, 'crash', 'resync'),
  ),
  a: anyNumber,
  b: anyNumber,
  n: anyNumber,
});
const anySize = fc.constantFrom(3, 5);
const anyHistory = fc.array(anyAction, { minLength: 5, maxLength: 120, size: 'max' });

/** The names of what a history breaks, the first first. */
function broken(size: number, actions: readonly Action[], bug?: Bug): string[] {
  const set = new ModelSet(size, bug);
  for (const action of actions) set.act(action);
  const checkers = new Checkers();
  for (const event of [runStarted, ...set.events]) checkers.observe(event);
  return checkers.violations.map(({ name, detail }) => `${name}: ${detail}`);
}

test('no legal history breaks anything', () => {
  fc.assert(
    fc.property(anySize, anyHistory, (size, actions) => {
      expect(broken(size, actions)).toEqual([]);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('histories go far: whatever replication does happens in some', () => {
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(anySize, anyHistory, (size, actions) => {
      const set = new ModelSet(size);
      for (const action of actions) set.act(action);
      for (const { type } of set.events) counts.set(type, (counts.get(type) ?? 0) + 1);
    }),
    { seed: 1, numRuns: 250 },
  );
  for (const type of ['electionWon', 'commitPoint', 'writeAcknowledged', 'rolledBack', 'initialSync', 'ttlDeleted'])
    expect(counts.get(type), type).toBeGreaterThan(100);
});

test.for<[Bug, string[]]>([
  ['votesTwice', ['oneVotePerTerm', 'onePrimaryPerTerm']],
  ['forgetsVote', ['monotonicTerms']],
  ['votesForShorterLogs', ['leaderCompleteness', 'committedNeverRolledBack']],
  ['commitsOlderTerms', ['leaderCompleteness', 'committedNeverRolledBack']],
  ['learnsAnyCommitPoint', ['committedNeverRolledBack']],
  ['forgetsCommitPoint', ['monotonicCommitPoint']],
  ['leavesOutEntries', ['logMatching']],
  ['appliesWrongly', ['dataEqualAtSameOpTime']],
  ['replaysTooMuch', ['logMatching']],
  ['writesAfterStepDown', ['writesOnlyWhenAccepting']],
  ['beginsWithoutNoop', ['firstEntryOfTerm']],
  ['acknowledgesEarly', ['acknowledgedMajorityIsCommitted']],
  ['expiresOnSecondaries', ['onlyPrimaryDeletes', 'secondaryShrinksOnlyThroughOplog']],
  ['expiresEarly', ['neverEarly']],
])('a set that %s is found out by %s', ([bug, expected]) => {
  const found = new Set<string>();
  fc.assert(
    fc.property(anySize, anyHistory, (size, actions) => {
      if (expected.every((name) => found.has(name))) return;
      for (const violation of broken(size, actions, bug)) found.add(violation.slice(0, violation.indexOf(':')));
    }),
    { seed: 1, numRuns: 600 },
  );
  for (const name of expected) expect(found).toContain(name);
});
