import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keepingConcern, showConcern } from '../../src/losses/keepingConcern.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);

/** Members; who voted for the winner; who was started anew; what would have kept the write. */
test.for([
  // n1 was cut off with the write: any second member would have been among the voters.
  [3, 2, 'n2 n3', '', '{ w: "majority" }'],
  // Four of five voted, so that a second holder must have been one of them, whoever it was.
  [5, 3, 'n2 n3 n4 n5', '', '{ w: 2 }'],
  // Two could hold it unnoticed; a third is a majority anyway.
  [5, 3, 'n3 n4 n5', '', '{ w: "majority" }'],
  [7, 4, 'n3 n4 n5 n6 n7', '', '{ w: 3 }'],
  [7, 4, 'n4 n5 n6 n7', '', '{ w: "majority" }'],
  // The writer itself came back without what its journal did not hold, and was elected with every vote.
  [1, 1, 'n1', 'n1', '{ w: 1, j: true }'],
  [3, 2, 'n1 n2 n3', 'n1', '{ w: 1, j: true }'],
  // All were killed before they flushed.
  [3, 2, 'n1 n2 n3', 'n1 n2 n3', '{ w: 1, j: true }'],
  // One cut off, another started anew: two must hold it, in their journals.
  [5, 3, 'n2 n3 n4 n5', 'n3', '{ w: 2, j: true }'],
  // Cut off and started anew: with its vote goes its word.
  [3, 2, 'n2 n3', 'n1', '{ w: "majority" }'],
  // It voted, and wrote before it learned of the outcome.
  [3, 2, 'n1 n2', '', '{ w: "majority" }'],
] as const)(
  '%i members, majority %i, voters %s, started anew %s: %s',
  ([count, writeMajority, voters, restarted, expected]) => {
    const set = (text: string) => new Set(text.split(' ').filter(Boolean));
    const election = { dataBearing: names(count), writeMajority, voters: set(voters), restarted: set(restarted) };
    expect(showConcern(keepingConcern(election))).toBe(expected);
  },
);

/** Members; who voted; who was started anew, who emptied; whether a config was forced; what would have kept the write. */
test.for([
  // Three of five had no say any more: a fourth would have been a voter.
  [5, 3, 'n4 n5', '', '', true, '{ w: 4 }'],
  [3, 2, 'n3', '', '', true, '{ w: 3 }'],
  // By force, but the voters are a majority of before, too.
  [5, 3, 'n3 n4 n5', '', '', true, '{ w: "majority" }'],
  // Nobody of those who could have held it was asked.
  [3, 2, 'n4', '', '', true, 'no write concern'],
  [1, 1, 'n2', '', '', true, 'no write concern'],
  // One of the two voters may have lost what it had not flushed.
  [5, 3, 'n4 n5', 'n5', '', true, '{ w: 4, j: true }'],
  // Without force: a voter copied all its data anew, from somebody who did not have the write.
  [3, 2, 'n2 n3', '', 'n2', false, '{ w: 3 }'],
  [3, 2, 'n2 n3', '', 'n2 n3', false, 'no write concern'],
  // It was not asked anyway.
  [3, 2, 'n2 n3', '', 'n1', false, '{ w: "majority" }'],
] as const)(
  '%i members, majority %i, voters %s, started anew %s, emptied %s, forced %s: %s',
  ([count, writeMajority, voters, restarted, emptied, forced, expected]) => {
    const set = (text: string) => new Set(text.split(' ').filter(Boolean));
    const who = { voters: set(voters), restarted: set(restarted), emptied: set(emptied) };
    expect(showConcern(keepingConcern({ dataBearing: names(count), writeMajority, ...who, forced }))).toBe(expected);
  },
);

test('where a majority does not wait for journals, it has to be asked to', () => {
  const election = {
    dataBearing: names(3),
    writeMajority: 2,
    voters: new Set(['n2', 'n3']),
    restarted: new Set(['n3']),
  };
  expect(showConcern(keepingConcern({ ...election, majorityJournals: false }))).toBe('{ w: "majority", j: true }');
});

test('whoever holds the write as the answer says, a voter who would have refused the winner is among them', () => {
  const anyElection = fc.integer({ min: 1, max: 7 }).chain((count) => {
    const members = names(count);
    return fc.boolean().chain((forced) =>
      fc.record({
        dataBearing: fc.constant(members),
        writeMajority: fc.constant(Math.floor(count / 2) + 1),
        forced: fc.constant(forced),
        // By force any of them are enough.
        voters: fc.subarray(members, { minLength: forced ? 0 : Math.floor(count / 2) + 1 }),
        restarted: fc.subarray(members),
        emptied: fc.subarray(members),
        holders: fc.shuffledSubarray(members, { minLength: count }),
      }),
    );
  });
  fc.assert(
    fc.property(anyElection, ({ voters, restarted, emptied, holders, ...rest }) => {
      const who = { voters: new Set(voters), restarted: new Set(restarted), emptied: new Set(emptied) };
      const concern = keepingConcern({ ...rest, ...who });
      const remembering = voters.filter((member) => !emptied.includes(member));
      if (concern === undefined) {
        expect(remembering).toEqual([]);
        return;
      }
      const { w, j } = concern;
      const held = holders.slice(0, w === 'majority' ? rest.writeMajority : w);
      // With a majority the journal is waited for too, by default.
      const durable = j === true || w === 'majority';
      expect(held.some((member) => remembering.includes(member) && (durable || !restarted.includes(member)))).toBe(
        true,
      );
    }),
  );
});
