import { describe, expect, test } from 'vitest';
import {
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  implicitDefaultWriteConcern,
  isNewerConfig,
  type MemberConfig,
  majorityVoteCount,
  type ReplSetConfig,
  writeMajority,
} from '../src/index.ts';

/** Each letter a member: P and S hold data and vote, A is an arbiter, n has no vote. */
function set(letters: string): ReplSetConfig {
  const members = Array.from(letters, (letter, index): MemberConfig => {
    const member = { ...DEFAULT_MEMBER_CONFIG, _id: index, host: `n${index + 1}:27017` };
    if (letter === 'A') return { ...member, arbiterOnly: true, priority: 0 };
    return letter === 'n' ? { ...member, votes: 0, priority: 0 } : member;
  });
  const settings = { ...DEFAULT_SETTINGS, replicaSetId: '0'.repeat(24) };
  return { _id: 'rs0', version: 1, term: 1, members, writeConcernMajorityJournalDefault: true, settings };
}

test.for([
  ['P', 1, 1, 'majority'],
  ['PS', 2, 2, 'majority'],
  ['PSS', 2, 2, 'majority'],
  ['PSA', 2, 2, 1],
  ['PSSA', 3, 3, 1],
  ['PSSSA', 3, 3, 'majority'],
  ['PAA', 2, 1, 1],
  // Members without a vote change nothing, wherever they stand.
  ['nPSSnn', 2, 2, 'majority'],
  ['PSAn', 2, 2, 1],
  ['PAAn', 2, 1, 1],
  ['PSSSSSSnnn', 4, 4, 'majority'],
] as const)(
  '%s: votes for a majority %i, writes %i, implicit write concern %s',
  ([letters, votes, writes, implicit]) => {
    const config = set(letters);
    expect(majorityVoteCount(config)).toBe(votes);
    expect(writeMajority(config)).toBe(writes);
    expect(implicitDefaultWriteConcern(config)).toBe(implicit);
  },
);

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
