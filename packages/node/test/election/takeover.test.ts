import { DEFAULT_MEMBER_CONFIG, DEFAULT_SETTINGS, type ReplSetConfig } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { priorityRank, type Takeover, type TakeoverQuestion, takeoverWanted } from '../../src/election/takeover.ts';

// Upstream: TopologyCoordinator::_shouldTakeOverPrimary.

const at = (t: number, secs: number) => ({ t, ts: { t: secs, i: 1 } });

function configOf(priorities: readonly number[], settings: Partial<ReplSetConfig['settings']> = {}): ReplSetConfig {
  return {
    _id: 'rs0',
    version: 1,
    term: 1,
    members: priorities.map((priority, _id) => ({
      ...DEFAULT_MEMBER_CONFIG,
      tags: {},
      _id,
      host: `m${_id}`,
      priority,
      votes: 1 as const,
    })),
    writeConcernMajorityJournalDefault: true,
    settings: { ...DEFAULT_SETTINGS, replicaSetId: '', ...settings },
  };
}

/** Level with the primary, in term 5, in which nothing was written yet; I am ahead with entries of term 4. */
const ahead: TakeoverQuestion = {
  config: configOf([1, 1, 1]),
  term: 5,
  ownPriority: 1,
  primaryPriority: 1,
  lastApplied: at(4, 100),
  primaryApplied: at(4, 90),
};
const level: TakeoverQuestion = { ...ahead, primaryApplied: at(4, 100) };

test.for<[name: string, question: TakeoverQuestion, wanted: Takeover | undefined]>([
  ['level, of one priority', level, undefined],
  ['a higher priority', { ...level, ownPriority: 2, config: configOf([1, 2, 1]) }, 'priorityTakeover'],
  ['a lower priority', { ...level, primaryPriority: 2, config: configOf([2, 1, 1]) }, undefined],
  ['priority 0 takes nothing over', { ...ahead, ownPriority: 0, primaryPriority: -1 }, undefined],
  ['ahead of a primary that has written nothing', ahead, 'catchupTakeover'],
  ['it has written in its term', { ...ahead, lastApplied: at(5, 101) }, undefined],
  ['no catch-up at all', { ...ahead, config: configOf([1, 1, 1], { catchUpTimeoutMillis: 0 }) }, undefined],
  ['no catch-up takeovers', { ...ahead, config: configOf([1, 1, 1], { catchUpTakeoverDelayMillis: -1 }) }, undefined],
  [
    'both, and of the highest priority: at the earlier time',
    { ...ahead, ownPriority: 3, config: configOf([1, 3, 2]) },
    'priorityTakeover',
  ],
  [
    'both, but somebody else would be better still: data first',
    { ...ahead, ownPriority: 2, config: configOf([1, 2, 3]) },
    'catchupTakeover',
  ],
  [
    'a higher priority where catch-up takeovers are off',
    { ...ahead, ownPriority: 2, config: configOf([1, 2, 3], { catchUpTakeoverDelayMillis: -1 }) },
    'priorityTakeover',
  ],
])('%s', ([, question, wanted]) => {
  expect(takeoverWanted(question)).toBe(wanted);
});

test.for([
  [5, 0],
  [3, 2],
  [2, 3],
  [1, 4],
  [0.5, 6],
] as const)('priority %d among 1, 1, 2, 3, 5, 5 has rank %d', ([priority, rank]) => {
  expect(priorityRank(configOf([1, 1, 2, 3, 5, 5]), priority)).toBe(rank);
});
