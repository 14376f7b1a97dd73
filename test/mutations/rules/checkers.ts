import type { KilledRule, MutatedRule } from './mutatedRule.ts';

/** A checker of that folder and name, with its own test. */
const checker = (folder: string, name: string): Pick<KilledRule, 'file' | 'test'> => ({
  file: `packages/checker/src/${folder}/${name}.ts`,
  test: `packages/checker/test/${folder}/${name}.test.ts`,
});

export const checkerRules: readonly MutatedRule[] = [
  {
    ...checker('ttl', 'neverEarly'),
    from: 'if (date > latestMs) return',
    to: 'if (date > latestMs + 1) return',
    why: 'a document deleted a millisecond early is early',
  },
  {
    ...checker('ttl', 'neverEarly'),
    from: 'const latestMs = wallMs + (jumpedBack.get(member) ?? 0) - afterMs;',
    to: 'const latestMs = wallMs - afterMs;',
    why: 'a clock that jumped back within a pass excuses its limit',
  },
  {
    ...checker('ttl', 'neverEarly'),
    from: 'if (date < fromMs) return',
    to: 'if (date < -Infinity) return',
    why: 'dates before 1970 never expire in a clustered collection',
  },
  {
    ...checker('ttl', 'onlyPrimaryDeletes'),
    from: '(acceptsWrites && writability.of(member) !== false)',
    to: 'acceptsWrites',
    why: 'a verdict does not rest on what the event says of the rule alone',
  },
  {
    ...checker('log', 'commitNeedsMajority'),
    from: 'if (opTime.t !== term) return',
    to: 'if (false) return',
    why: 'a primary commits entries of its own term',
  },
  {
    ...checker('log', 'commitNeedsMajority'),
    from: 'if (config === undefined || holdings.majorityHeld(config, opTime)) return undefined;',
    to: 'if (config !== undefined || holdings.majorityHeld(config, opTime)) return undefined;',
    why: 'what a majority never had is not committed',
  },
  {
    ...checker('log', 'committedNeverRolledBack'),
    from: 'if (announced === undefined) continue;',
    to: 'continue;',
    why: 'what any member has announced as committed is not rolled back',
  },
  {
    ...checker('log', 'committedNeverRolledBack'),
    from: 'if (compareOpTimes(commonPoint, own) < 0)',
    to: 'if (compareOpTimes(commonPoint, event.commitPoint) < 0 && own === event.commitPoint)',
    why: 'a member that forgets its commit point is judged by what it announced',
  },
  {
    ...checker('log', 'leaderCompleteness'),
    from: 'if (branches.holds(leader.end, opTime) !== false) return undefined;',
    to: 'if (branches.holds(leader.end, opTime) === undefined) return undefined;',
    why: 'a leader that has all that is committed is no finding',
  },
  {
    ...checker('elections', 'onePrimaryPerTerm'),
    from: 'winners.set(term, member);',
    to: '',
    why: 'two winners of a term are a finding',
  },
  {
    ...checker('elections', 'oneVotePerTerm'),
    from: 'term === before.term && candidate !== before.candidate)',
    to: 'term === before.term && candidate === before.candidate)',
    why: 'a second vote of a term goes to the same candidate',
  },
  {
    ...checker('elections', 'oneVotePerTerm'),
    from: 'if (before !== undefined && term < before.term)',
    to: 'if (before !== undefined && term < before.term - 1000)',
    why: 'no vote is given in a term before that of the last vote',
  },
  {
    ...checker('elections', 'oneVotePerTerm'),
    from: 'return given !== undefined && lastVoteTerm < given.term',
    to: 'return given !== undefined && lastVoteTerm < given.term - 1000',
    why: 'a vote that is not on the disk is a finding',
  },
  {
    ...checker('config', 'oneVotingChange'),
    from: 'if (changed > 1) return',
    to: 'if (changed > 2) return',
    why: 'a reconfig changes one voter at most',
  },
  {
    ...checker('config', 'oneVotingChange'),
    from: 'return compareOpTimes(commitPoint, first) > 0 ? commitPoint : first;',
    to: 'return commitPoint;',
    why: 'the first entry of the term has to be committed under the former config',
  },
  {
    ...checker('log', 'commitPointSound'),
    from: 'if (!known) return',
    to: 'if (false) return',
    why: 'a commit point that no primary announced is a finding',
  },
  {
    ...checker('writes', 'writesOnlyWhenAccepting'),
    from: 'if (!accepts && !opens)',
    to: 'if (!accepts && false)',
    why: 'a write of a member that does not accept writes is a finding',
  },
  {
    ...checker('elections', 'monotonicTerms'),
    from: 'return vote !== undefined && term < vote',
    to: 'return vote !== undefined && term < 0',
    why: 'a restart does not forget the term of a vote',
  },
  {
    ...checker('log', 'appliedMonotone'),
    from: 'if (before === undefined || compareOpTimes(opTime, before) >= 0) return undefined;',
    to: 'return undefined;',
    why: 'what is applied goes back only by a rollback',
  },
  {
    ...checker('log', 'appliedMonotone'),
    from: 'applied.set(event.member, event.commonPoint);',
    to: '',
    why: 'after a rollback the common point is what is applied',
  },
];
