import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keepingConcern, showConcern } from '../../src/workload/keepingConcern.ts';

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

test('whoever holds the write as the answer says, a voter who would have refused the winner is among them', () => {
  const anyElection = fc.integer({ min: 1, max: 7 }).chain((count) => {
    const members = names(count);
    const writeMajority = Math.floor(count / 2) + 1;
    return fc.record({
      dataBearing: fc.constant(members),
      writeMajority: fc.constant(writeMajority),
      voters: fc.subarray(members, { minLength: writeMajority }),
      restarted: fc.subarray(members),
      holders: fc.shuffledSubarray(members, { minLength: count }),
    });
  });
  fc.assert(
    fc.property(anyElection, ({ voters, restarted, holders, ...rest }) => {
      const { w, j } = keepingConcern({ ...rest, voters: new Set(voters), restarted: new Set(restarted) });
      const held = holders.slice(0, w === 'majority' ? rest.writeMajority : w);
      // With a majority the journal is waited for too, by default.
      const durable = j === true || w === 'majority';
      expect(held.some((member) => voters.includes(member) && (durable || !restarted.includes(member)))).toBe(true);
    }),
  );
});
