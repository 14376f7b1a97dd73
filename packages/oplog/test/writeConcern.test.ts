import {
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  type MemberConfig,
  NULL_OP_TIME,
  type OpTime,
  type ReplSetConfig,
  type WriteConcernW,
} from '@replsim/protocol';
import { expect, test } from 'vitest';
import { coversTags, type KnownPosition, numNodesReached, type Quorum, quorumOf, quorumReached } from '../src/index.ts';
import { at } from './entries.ts';

const position = (written: OpTime, changes: Partial<KnownPosition> = {}): KnownPosition => ({
  written,
  applied: written,
  durable: written,
  isArbiter: false,
  isVoter: true,
  tags: {},
  ...changes,
});
const WRITE = at(20, 2);

test.for<[what: string, other: KnownPosition, journalled: boolean, written: boolean]>([
  ['at the write', position(at(20, 2)), true, true],
  ['after it', position(at(30, 2)), true, true],
  ['before it', position(at(19, 2)), false, false],
  ['an increment before it', position({ ts: { t: 20, i: 0 }, t: 2 }), false, false],
  ['later, but in a newer term: maybe on another branch', position(at(30, 3)), false, false],
  ['later, but in an older term', position(at(30, 1)), false, false],
  ['the same timestamp in another term', position(at(20, 1)), false, false],
  ['not heard of', position(NULL_OP_TIME), false, false],
  ['not journalled', position(at(20, 2), { durable: at(19, 2) }), false, true],
  ['journalled, not applied', position(at(20, 2), { applied: at(19, 2) }), false, true],
  ['an arbiter', position(at(20, 2), { isArbiter: true }), false, false],
])('%s: with j %s, without %s', ([, other, journalled, written]) => {
  const positions = [position(WRITE), other];
  expect(numNodesReached(positions, WRITE, 2, true)).toBe(journalled);
  expect(numNodesReached(positions, WRITE, 2, false)).toBe(written);
});

test('counts to N, wherever the members stand', () => {
  const positions = [position(at(10, 2)), position(at(20, 2)), position(at(21, 2))];
  expect([1, 2, 3].map((n) => numNodesReached(positions, WRITE, n, false))).toEqual([true, true, false]);
});

// --- what `w` asks for ------------------------------------------------------------------------------------------------

const member = (_id: number, tags: Record<string, string> = {}, changes: Partial<MemberConfig> = {}): MemberConfig => ({
  ...DEFAULT_MEMBER_CONFIG,
  _id,
  host: `n${_id}:27017`,
  tags,
  ...changes,
});
const configOf = (members: readonly MemberConfig[]): ReplSetConfig => ({
  _id: 'rs0',
  version: 1,
  term: 1,
  members,
  writeConcernMajorityJournalDefault: true,
  settings: {
    ...DEFAULT_SETTINGS,
    replicaSetId: '0'.repeat(24),
    getLastErrorModes: { twoCentres: { dc: 2 }, threeCentres: { dc: 3 }, both: { dc: 2, disk: 1 } },
  },
});
const arbiter = { arbiterOnly: true, priority: 0 };
const TWO_CENTRES = configOf([
  member(0, { dc: 'east', disk: 'ssd' }),
  member(1, { dc: 'east' }),
  member(2, { dc: 'west' }, { votes: 0, priority: 0 }),
  member(3, {}, arbiter),
]);

test.for<[w: WriteConcernW, answer: Quorum | [code: string, errmsg: string]]>([
  [1, { of: 'members', count: 1 }],
  [3, { of: 'members', count: 3 }],
  [4, ['UnsatisfiableWriteConcern', 'Not enough data-bearing nodes']],
  ['majority', { of: 'voters', count: 2 }],
  ['$majority', { of: 'voters', count: 2 }],
  ['twoCentres', { of: 'tags', counts: { dc: 2 } }],
  ['both', { of: 'tags', counts: { dc: 2, disk: 1 } }],
  ['threeCentres', ['UnsatisfiableWriteConcern', 'Not enough nodes match write concern mode "threeCentres"']],
  ['nope', ['UnknownReplWriteConcern', "No write concern mode named 'nope' found in replica set configuration"]],
  [
    'toString',
    ['UnknownReplWriteConcern', "No write concern mode named 'toString' found in replica set configuration"],
  ],
  [{ dc: 2 }, { of: 'tags', counts: { dc: 2 } }],
  [{ dc: 3 }, ['UnsatisfiableWriteConcern', 'Not enough nodes match write concern mode {"dc":3}']],
  [{ rack: 1 }, ['NoSuchKey', 'No replica set tag key rack in config']],
])('w: %o', ([w, answer]) => {
  const [code, errmsg] = Array.isArray(answer) ? answer : [];
  expect(quorumOf(TWO_CENTRES, w)).toEqual(code === undefined ? answer : { code, errmsg });
});

// Members 0 and 1 stand in the east, 2 in the west and does not vote, 3 is an arbiter.
test.for<[w: WriteConcernW, who: number[], reached: boolean]>([
  [2, [0, 2], true],
  [2, [0, 3], false],
  ['majority', [0, 1], true],
  ['majority', [0, 2], false],
  ['majority', [0, 3], false],
  ['twoCentres', [0, 1], false],
  ['twoCentres', [1, 2], true],
  ['both', [1, 2], false],
  ['both', [0, 2], true],
  [{ dc: 1 }, [], false],
  [{ dc: 1 }, [2], true],
])('w: %o holds once %o have it: %s', ([w, who, reached]) => {
  const positions = TWO_CENTRES.members.map(({ _id, tags, votes, arbiterOnly }) =>
    position(who.includes(_id) ? WRITE : at(19, 2), { tags, isVoter: votes === 1, isArbiter: arbiterOnly }),
  );
  expect(quorumReached(quorumOf(TWO_CENTRES, w) as Quorum, positions, WRITE, false)).toBe(reached);
});

test('a tag counts its values, not its members', () => {
  const east = { tags: { dc: 'east' } };
  expect(coversTags([east, east], { dc: 2 })).toBe(false);
  expect(coversTags([east, { tags: { dc: 'west' } }], { dc: 2 })).toBe(true);
  expect(coversTags([{ tags: {} }], { dc: 0 })).toBe(true);
});
