import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Ballot,
  counted,
  type RoundResult,
  resultAtTimeout,
  resultOf,
  type VoteTally,
} from '../../src/election/voteTally.ts';

// Upstream: VoteRequester::Algorithm.

const yes: Ballot = { granted: true, fromLaterTerm: false, fromPrimary: false };
const no: Ballot = { ...yes, granted: false };
const later: Ballot = { ...no, fromLaterTerm: true };
const primaryYes: Ballot = { ...yes, fromPrimary: true };
const primaryNo: Ballot = { ...no, fromPrimary: true };
const five: VoteTally = { needed: 3, votes: 1, waitingFor: 4, staleTerm: false, primaryVote: 'notNeeded' };
const takeover: VoteTally = { ...five, primaryVote: 'pending' };

test.for<[name: string, tally: VoteTally, ballots: Ballot[], result: RoundResult | undefined, atTimeout: RoundResult]>([
  ['nobody has answered', five, [], undefined, 'insufficientVotes'],
  ['enough votes end it', five, [yes, yes], 'success', 'success'],
  ['one short, and more to come', five, [yes, no], undefined, 'insufficientVotes'],
  ['everybody answered, too few said yes', five, [yes, no, no, no], 'insufficientVotes', 'insufficientVotes'],
  ['a later term ends it', five, [yes, later], 'staleTerm', 'staleTerm'],
  ['a later term outweighs enough votes', { ...five, votes: 3 }, [later], 'staleTerm', 'staleTerm'],
  ['a member alone', { ...five, needed: 1, waitingFor: 0 }, [], 'success', 'success'],
  ['in other rounds the primary is a voter like any other', five, [primaryNo, yes, yes], 'success', 'success'],
  [
    'takeover: enough votes, but the primary has not spoken',
    takeover,
    [yes, yes, yes],
    undefined,
    'primaryRespondedNo',
  ],
  ['takeover: a later term, but the primary has not spoken', takeover, [later], undefined, 'primaryRespondedNo'],
  ['takeover: the primary agrees', takeover, [yes, primaryYes], 'success', 'success'],
  ['takeover: the primary refuses', takeover, [yes, yes, primaryNo], 'primaryRespondedNo', 'primaryRespondedNo'],
  ['takeover: the primary alone agrees', takeover, [primaryYes, no, no, no], 'insufficientVotes', 'insufficientVotes'],
])('%s', ([, tally, ballots, result, atTimeout]) => {
  const end = ballots.reduce(counted, tally);
  expect(resultOf(end)).toBe(result);
  expect(resultAtTimeout(end)).toBe(atTimeout);
});

test('no round is won without a majority, and every round ends', () => {
  const ballot = fc.record({ granted: fc.boolean(), fromLaterTerm: fc.boolean(), fromPrimary: fc.boolean() });
  fc.assert(
    fc.property(fc.array(ballot, { maxLength: 6 }), fc.boolean(), (ballots, primaryDecides) => {
      const needed = Math.floor((ballots.length + 1) / 2) + 1;
      const primaryVote = primaryDecides ? 'pending' : 'notNeeded';
      let tally: VoteTally = { needed, votes: 1, waitingFor: ballots.length, staleTerm: false, primaryVote };
      for (const next of ballots) tally = counted(tally, next);
      const result = resultAtTimeout(tally);
      const granted = ballots.filter((given) => given.granted && !given.fromLaterTerm).length;
      if (result === 'success') expect(1 + granted).toBeGreaterThanOrEqual(needed);
      if (ballots.some(({ fromLaterTerm }) => fromLaterTerm)) expect(result).not.toBe('success');
    }),
  );
});

test('who is in a later term gives no vote in this one', () => {
  expect(counted(five, { ...yes, fromLaterTerm: true })).toMatchObject({ votes: 1, staleTerm: true });
});
