import { describe, expect, test } from 'vitest';
import {
  configCommitmentCount,
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  implicitDefaultWriteConcern,
  isElectable,
  isNewerConfig,
  type MemberConfig,
  majorityVoteCount,
  type ReplSetConfig,
  sameConfigVersion,
  showConfigVersion,
  votingMembers,
  writableVotingMembers,
  writeMajority,
} from '../src/index.ts';

/** Each letter a member: P and S hold data and vote, A is an arbiter, n has no vote, w waits for it as newly added. */
function set(letters: string): ReplSetConfig {
  const members = Array.from(letters, (letter, index): MemberConfig => {
    const member = { ...DEFAULT_MEMBER_CONFIG, _id: index, host: `n${index + 1}:27017` };
    if (letter === 'A') return { ...member, arbiterOnly: true, priority: 0 };
    if (letter === 'w') return { ...member, newlyAdded: { priority: 1, votes: 1 }, votes: 0, priority: 0 };
    return letter === 'n' ? { ...member, votes: 0, priority: 0 } : member;
  });
  const settings = { ...DEFAULT_SETTINGS, replicaSetId: '0'.repeat(24) };
  return { _id: 'rs0', version: 1, term: 1, members, writeConcernMajorityJournalDefault: true, settings };
}

test.for([
  ['P', 1, 1, 1, 1, 'majority'],
  ['PS', 2, 2, 2, 2, 'majority'],
  ['PSS', 3, 2, 3, 2, 'majority'],
  ['PSA', 3, 2, 2, 2, 1],
  ['PSSA', 4, 3, 3, 3, 1],
  ['PSSSA', 5, 3, 4, 3, 'majority'],
  ['PAA', 3, 2, 1, 1, 1],
  // Members without a vote change nothing, wherever they stand; nor do those that wait for theirs.
  ['nPSSnn', 3, 2, 3, 2, 'majority'],
  ['PSAn', 3, 2, 2, 2, 1],
  ['PAAn', 3, 2, 1, 1, 1],
  ['PSSww', 3, 2, 3, 2, 'majority'],
  ['PSSSSSSnnn', 7, 4, 7, 4, 'majority'],
] as const)(
  '%s: voters %i, majority %i, writable %i, write majority %i, implicit write concern %s',
  ([letters, voters, votes, writable, writes, implicit]) => {
    const config = set(letters);
    expect(votingMembers(config)).toHaveLength(voters);
    expect(majorityVoteCount(config)).toBe(votes);
    expect(writableVotingMembers(config)).toBe(writable);
    expect(writeMajority(config)).toBe(writes);
    expect(implicitDefaultWriteConcern(config)).toBe(implicit);
  },
);

test.for([
  ['P', 1, 1],
  ['PS', 2, 2],
  ['PSS', 2, 2],
  ['PSA', 2, 2],
  ['PSSS', 3, 2],
  ['PSSSS', 3, 2],
  ['PSSSSS', 4, 3],
  ['PSSSSSS', 4, 3],
] as const)('%s: %i voters commit a config, %i by upstream’s count', ([letters, majority, quirk]) => {
  expect(configCommitmentCount(set(letters))).toBe(majority);
  expect(configCommitmentCount(set(letters), true)).toBe(quirk);
});

test('who could become primary', () => {
  expect(set('PAnw').members.map(isElectable)).toEqual([true, false, false, false]);
});

test('version and term, together', () => {
  expect(sameConfigVersion({ version: 2, term: 1 }, set('P'))).toBe(false);
  expect(sameConfigVersion({ version: 1, term: 1 }, set('P'))).toBe(true);
  expect(showConfigVersion(set('P'))).toBe('{version: 1, term: 1}');
});

describe('isNewerConfig', () => {
  const of = (version: number, term: number) => ({ version, term });

  test.for<[what: string, a: ReturnType<typeof of>, b: ReturnType<typeof of>, newer: boolean, older: boolean]>([
    ['a later version of the term', of(3, 1), of(2, 1), true, false],
    ['the same', of(3, 1), of(3, 1), false, false],
    ['the same version of a later term: after every failover', of(3, 2), of(3, 1), true, false],
    ['term before version', of(2, 2), of(9, 1), true, false],
    ['forced: by version alone', of(10_004, -1), of(4, 7), true, false],
    ['forced, but an older version', of(3, -1), of(4, 1), false, true],
    ['forced, the same version', of(4, -1), of(4, 7), false, false],
    ['both forced', of(5, -1), of(4, -1), true, false],
    ['the very first, against none', of(1, 0), of(-2, -1), true, false],
  ])('%s', ([, a, b, newer, older]) => {
    expect(isNewerConfig(a, b)).toBe(newer);
    expect(isNewerConfig(b, a)).toBe(older);
  });
});

test('defaults are those of mongod', () => {
  expect(DEFAULT_SETTINGS).toEqual({
    chainingAllowed: true,
    heartbeatIntervalMillis: 2000,
    heartbeatTimeoutSecs: 10,
    electionTimeoutMillis: 10_000,
    catchUpTimeoutMillis: -1,
    catchUpTakeoverDelayMillis: 30_000,
    getLastErrorModes: {},
  });
  expect(DEFAULT_MEMBER_CONFIG).toEqual({
    arbiterOnly: false,
    buildIndexes: true,
    hidden: false,
    priority: 1,
    tags: {},
    secondaryDelaySecs: 0,
    votes: 1,
  });
});
