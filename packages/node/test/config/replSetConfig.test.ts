import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { encodeReplSetConfig, parseReplSetConfig } from '../../src/config/replSetConfig.ts';

// Rules of repl_set_config.cpp and member_config.cpp that one config can break by itself.

const ID = '0123456789abcdef01234567';
type Member = Record<string, unknown>;
const three: Member[] = [0, 1, 2].map((_id) => ({ _id, host: `n${_id + 1}:27017` }));
const parse = (members: Member[], more: object = {}) =>
  parseReplSetConfig(encodeDocument({ _id: 'rs0', version: 1, members, ...more }), ID);
const changed = (index: number, fields: Member) =>
  three.map((member, i) => (i === index ? { ...member, ...fields } : member));

test('defaults are filled in', () => {
  const config = parse([{ _id: 0, host: 'n1' }]);
  expect(config.members[0]).toEqual({
    _id: 0,
    host: 'n1:27017',
    arbiterOnly: false,
    buildIndexes: true,
    hidden: false,
    priority: 1,
    tags: {},
    secondaryDelaySecs: 0,
    votes: 1,
  });
  expect(config.settings).toMatchObject({
    electionTimeoutMillis: 10_000,
    heartbeatIntervalMillis: 2000,
    replicaSetId: ID,
  });
});

test('an arbiter that is given priority 1 gets 0', () => {
  expect(parse(changed(2, { arbiterOnly: true, priority: 1 })).members[2]!.priority).toBe(0);
});

test('what is encoded reads back the same', () => {
  const config = parse(changed(1, { priority: 0, hidden: true, tags: { dc: 'east' }, secondaryDelaySecs: 3600 }));
  expect(parseReplSetConfig(encodeReplSetConfig(config), 'f'.repeat(24))).toEqual(config);
  expect(decodePromoted(encodeReplSetConfig({ ...config, term: 7 })).term).toBeDefined();
  expect(decodePromoted(encodeReplSetConfig({ ...config, term: -1 }))).not.toHaveProperty('term');
});

const wrong: [string, () => unknown, RegExp][] = [
  ['two members of one _id', () => parse(changed(1, { _id: 0 })), /same _id/],
  ['two members of one host', () => parse(changed(1, { host: 'n1' })), /same host/],
  ['a negative _id', () => parse(changed(0, { _id: -1 })), /out of range/],
  ['no _id', () => parse([{ host: 'n1' }]), /_id/],
  ['no host', () => parse([{ _id: 0 }]), /host/],
  ['an unknown member field', () => parse(changed(0, { prio: 1 })), /unknown field/],
  ['an unknown field', () => parse(three, { colour: 'red' }), /unknown field/],
  ['no members', () => parse([]), /contains 0 members/],
  [
    '51 members',
    () =>
      parse(
        Array.from({ length: 51 }, (_, _id) => ({
          _id,
          host: `h${_id}`,
          votes: _id < 7 ? 1 : 0,
          priority: _id < 7 ? 1 : 0,
        })),
      ),
    /51 members/,
  ],
  ['8 voters', () => parse(Array.from({ length: 8 }, (_, _id) => ({ _id, host: `h${_id}` }))), /8 voting/],
  ['nobody electable', () => parse(three.map((member) => ({ ...member, priority: 0 }))), /priority > 0/],
  ['priority above 1000', () => parse(changed(0, { priority: 1001 })), /out of range/],
  ['two votes', () => parse(changed(0, { votes: 2 })), /out of range/],
  ['priority without a vote', () => parse(changed(0, { votes: 0 })), /non-voting/],
  ['priority and hidden', () => parse(changed(0, { hidden: true })), /hidden/],
  ['priority and delay', () => parse(changed(0, { secondaryDelaySecs: 1 })), /secondaryDelaySecs/],
  ['priority without indexes', () => parse(changed(0, { buildIndexes: false })), /buildIndexes/],
  [
    'a delay of more than 366 days',
    () => parse(changed(0, { secondaryDelaySecs: 31_622_401, priority: 0 })),
    /out of range/,
  ],
  ['an arbiter with priority 2', () => parse(changed(2, { arbiterOnly: true, priority: 2 })), /Arbiters/],
  ['an arbiter without a vote', () => parse(changed(2, { arbiterOnly: true, votes: 0 })), /Arbiter must vote/],
  ['an arbiter with tags', () => parse(changed(2, { arbiterOnly: true, tags: { a: 'b' } })), /tags on arbiters/],
  [
    'two arbiters',
    () => parse(three.map((member, i) => (i > 0 ? { ...member, arbiterOnly: true } : member))),
    /Multiple arbiters/,
  ],
  ['protocol version 0', () => parse(three, { protocolVersion: 0 }), /protocol version/],
  ['version 0', () => parse(three, { version: 0 }), /out of range/],
  ['an election timeout of 0', () => parse(three, { settings: { electionTimeoutMillis: 0 } }), /out of range/],
];

test.for(wrong)('refused with 93: %s', ([, act, gist]) => {
  expect(act).toThrowError(expect.objectContaining({ code: 93, message: expect.stringMatching(gist) }));
});
