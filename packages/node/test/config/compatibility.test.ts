import { checkCompatible } from '@replsim/pipeline';
import { CommandError, type ReplSetConfig } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, set, three } from './support.ts';

const old = set('PSS', 4, 2);
const next = { ...old, version: 5 };
const member = (index: number, fields: Partial<ReplSetConfig['members'][number]>): ReplSetConfig => ({
  ...next,
  members: next.members.map((each, i) => (i === index ? { ...each, ...fields } : each)),
});

function refusal(before: ReplSetConfig, after: ReplSetConfig, force = false): string | undefined {
  try {
    checkCompatible(before, after, force);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    expect(error.codeName).toBe('NewReplicaSetConfigurationIncompatible');
    return error.message;
  }
}

test.for<[what: string, after: ReplSetConfig]>([
  ['the next version', next],
  ['a version far on', { ...next, version: 99 }],
  ['the same version of a later term', { ...old, term: 3 }],
  ['another priority', member(1, { priority: 7 })],
  ['hidden, delayed and without priority', member(1, { priority: 0, hidden: true, secondaryDelaySecs: 9 })],
  ['tags', member(1, { tags: { dc: 'east' } })],
  ['a member on another host', member(1, { host: 'elsewhere:27017' })],
  ['one voter less', { ...set('PS'), version: 5, term: 2 }],
  ['one vote less', member(1, { votes: 0, priority: 0 })],
  ['members without votes, come and gone', set('PSSnnn', 5, 2)],
])('%s may follow', ([, after]) => {
  expect(refusal(old, after)).toBeUndefined();
});

test.for<[what: string, after: ReplSetConfig, text: RegExp]>([
  ['the same version', old, /{version: 4, term: 2} is not greater than {version: 4, term: 2}/],
  ['an older version', { ...old, version: 3 }, /not greater/],
  ['a later version of an older term', { ...next, term: 1 }, /not greater/],
  ['another set name', { ...next, _id: 'rs1' }, /set name/],
  ['another replicaSetId', { ...next, settings: { ...next.settings, replicaSetId: 'f'.repeat(24) } }, /set ID/],
  ['a host under another _id', member(1, { _id: 9 }), /both have members with host of n2:27017.*field is 9/],
  [
    'two members that change places',
    {
      ...next,
      members: [{ ...old.members[0]!, host: 'n2:27017' }, { ...old.members[1]!, host: 'n1:27017' }, old.members[2]!],
    },
    /but in the new configuration the _id/,
  ],
  ['buildIndexes changed', member(1, { buildIndexes: false, priority: 0 }), /buildIndexes.*remove then re-add/],
  ['arbiterOnly changed', member(1, { arbiterOnly: true, priority: 0 }), /arbiterOnly.*remove then re-add/],
])('%s may not follow, forced or not', ([, after, text]) => {
  expect(refusal(old, after)).toMatch(text);
  expect(refusal(old, after, true)).toMatch(text);
});

test('a config server’s set stays one', () => {
  const configsvr = parse(three, { configsvr: true, version: 4 });
  expect(refusal(configsvr, parse(three, { version: 5 }))).toMatch(/configsvr/);
});

describe('votes', () => {
  // What of the old voters goes, and what comes: at most one of either in all.
  test.for<[before: string, after: string, may: boolean]>([
    ['PSS', 'PSSn', true],
    ['PSSn', 'PSSS', true],
    ['PSSS', 'PSSn', true],
    ['PSSA', 'PSS', true],
    ['PSSnn', 'PSSSS', false],
    ['PSSSS', 'PSS', false],
    ['PSSSn', 'PSSnS', false],
    ['PSS', 'P', false],
    ['PSS.', 'PS.S', false],
    // Whoever is newly added has no vote yet: any number may come, and each then gets its vote alone.
    ['PSS', 'PSSww', true],
    ['PSSww', 'PSSSw', true],
    ['PSSww', 'PSSSS', false],
    ['PSSw', 'PSS', true],
  ])('%s to %s', ([before, after, may]) => {
    expect(refusal(set(before, 4), set(after, 5)) === undefined).toBe(may);
    expect(refusal(set(before, 4), set(after, 5), true), 'force may').toBeUndefined();
  });

  test('whatever may follow shares a voter with each majority of both', () => {
    const voters = fc.uniqueArray(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 7 });
    const of = (ids: readonly number[], version: number) => {
      const letters = Array.from({ length: 9 }, (_, id) => (ids.includes(id) ? 'S' : 'n')).join('');
      return set(letters, version);
    };
    fc.assert(
      fc.property(voters, voters, (before, after) => {
        const common = before.filter((id) => after.includes(id)).length;
        const union = before.length + after.length - common;
        const disjoint = Math.floor(before.length / 2) + 1 + (Math.floor(after.length / 2) + 1) <= union;
        if (refusal(of(before, 4), of(after, 5)) === undefined) expect(disjoint).toBe(false);
      }),
    );
  });
});

describe('the PSA rule', () => {
  // Where one data-bearing voter commits alone beside an arbiter, no second one may become electable at once.
  test.for<[before: string, after: string, may: boolean]>([
    ['P.A', 'PSA', false],
    ['PnA', 'PSA', false],
    ['P.A', 'PhA', true],
    ['PhA', 'PSA', true],
    ['PSS', 'PS.A', true],
    ['P..A', 'PSSA', true],
    ['P.AA', 'PSA', false],
    // The newly added count as what they will be.
    ['P.A', 'PwA', false],
    ['PwA', 'PSA', true],
  ])('%s to %s', ([before, after, may]) => {
    const reason = refusal(set(before, 4), set(after, 5), true);
    if (may) expect(reason).toBeUndefined();
    else expect(reason).toMatch(/PSA topology/);
  });
});
