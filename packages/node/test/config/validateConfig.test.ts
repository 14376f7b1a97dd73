import { validateReplSetConfig } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { changed, type Document, NO_EXCEPTIONS, parse, set, three } from './support.ts';

const many = (count: number, voters: number): Document[] =>
  Array.from({ length: count }, (_, _id) => ({
    _id,
    host: `h${_id}`,
    ...(_id >= voters && { votes: 0, priority: 0 }),
  }));
const horizons = (...of: (Document | undefined)[]): Document[] =>
  three.map((member, i) => ({ ...member, ...(of[i] && { horizons: of[i] }) }));
const both = [1, 2, 3].map((i) => ({ out: `x${i}.example:${i}` }));

test.for<[what: string, members: readonly Document[]]>([
  ['one member', [{ _id: 0, host: 'n1' }]],
  ['fifty members, seven of which vote', many(50, 7)],
  ['all on localhost', [0, 1, 2].map((_id) => ({ _id, host: `localhost:${27_017 + _id}` }))],
  ['one arbiter', changed(2, { arbiterOnly: true })],
  ['the same horizon on all', horizons(...both)],
  ['a newly added voter', changed(2, { newlyAdded: true })],
])('%s is a config', ([, members]) => {
  expect(() => validateReplSetConfig(parse(members), NO_EXCEPTIONS)).not.toThrow();
});

test.for<[what: string, members: readonly Document[], text: RegExp, codeName?: string]>([
  ['no members', [], /contains 0 members/],
  ['51 members', many(51, 7), /contains 51 members/],
  ['8 voters', many(8, 8), /contains 8 voting members/],
  ['an eighth voter that is newly added', [...many(7, 7), { _id: 7, host: 'h7', newlyAdded: true }], /8 voting/],
  ['no voters', many(3, 0), /contains 0 voting members/],
  ['nobody electable', many(3, 3).map((member) => ({ ...member, priority: 0 })), /priority > 0/],
  [
    'only an arbiter besides',
    [
      { _id: 0, host: 'a', priority: 0 },
      { _id: 1, host: 'b', arbiterOnly: true },
    ],
    /priority > 0/,
  ],
  [
    'nobody electable but a newly added one',
    [
      { _id: 0, host: 'a', priority: 0 },
      { _id: 1, host: 'b', newlyAdded: true },
    ],
    /priority > 0/,
  ],
  ['two members of one _id', changed(1, { _id: 0 }), /same _id field, members.0._id == members.1._id == 0/],
  ['two members of one host', changed(1, { host: 'n1' }), /same host field.*n1:27017/],
  ['one on localhost', changed(1, { host: 'localhost' }), /found 1 out of 3/],
  ['one on 127.0.0.1', changed(1, { host: '127.0.0.1' }), /found 1 out of 3/],
  ['one on [::1]', changed(1, { host: '[::1]:27017' }), /found 1 out of 3/],
  [
    'two arbiters',
    changed(1, { arbiterOnly: true }).map((m, i) => (i === 2 ? { ...m, arbiterOnly: true } : m)),
    /Multiple arbiters/,
  ],
  ['a horizon on one member only', horizons(both[0]), /not universally present: out/],
  ['a horizon of another name', horizons(both[0], both[1], { in: 'x3.example:3' }), /present: out, in/],
  ['an address of two horizons', horizons(both[0], both[0], both[2]), /not unique.*x1.example:1/],
  ['a horizon that is a member’s host', horizons(both[0], both[1], { out: 'n1:27017' }), /not unique.*n1:27017/],
  [
    'a horizon by IP',
    horizons(both[0], both[1], { out: '10.0.0.1:1' }),
    /members.2.*"out": "10.0.0.1:1"/,
    'UnsupportedFormat',
  ],
  ['a horizon by IPv6', horizons({ out: '[fe80::1]:1' }, both[1], both[2]), /disallowed/, 'UnsupportedFormat'],
])('%s: refused', ([, members, text, codeName = 'BadValue']) => {
  let thrown: unknown;
  try {
    validateReplSetConfig(parse(members), NO_EXCEPTIONS);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(CommandError);
  expect((thrown as CommandError).codeName).toBe(codeName);
  expect((thrown as CommandError).message).toMatch(text);
});

test('several arbiters pass where allowMultipleArbiters is set', () => {
  expect(() => validateReplSetConfig(set('PSAA'), { ...NO_EXCEPTIONS, allowMultipleArbiters: true })).not.toThrow();
});

describe('a config server’s set', () => {
  const rules = { ...NO_EXCEPTIONS, skipShardingConfigurationChecks: true };
  const of = (members: readonly Document[], more: Document = {}) => parse(members, { configsvr: true, ...more });

  test('passes on processes of its kind', () => {
    expect(() => validateReplSetConfig(of(three), rules)).not.toThrow();
  });

  test.for<[what: string, config: ReturnType<typeof of>, text: RegExp]>([
    ['an arbiter', of(changed(2, { arbiterOnly: true })), /Arbiters are not allowed/],
    ['no indexes', of(changed(2, { buildIndexes: false, priority: 0 })), /must build indexes/],
    ['a delay', of(changed(2, { secondaryDelaySecs: 1, priority: 0 })), /non-zero secondaryDelaySecs/],
    ['no journal', of(three, { writeConcernMajorityJournalDefault: false }), /must be true/],
  ])('%s: refused', ([, config, text]) => {
    expect(() => validateReplSetConfig(config, rules)).toThrow(text);
  });

  test('needs processes that were started for it', () => {
    expect(() => validateReplSetConfig(of(three), NO_EXCEPTIONS)).toThrow(/--configsvr/);
  });
});
