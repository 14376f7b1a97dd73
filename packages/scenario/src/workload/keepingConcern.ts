/** What counts, of the election that lost a write, for the question which write concern would have kept it. */
export interface LosingElection {
  /** Members with data, as the config has them; each of them counts for `w: N`. */
  readonly dataBearing: readonly string[];
  /** How many of them make a majority, `writeMajorityCount`. */
  readonly writeMajority: number;
  /** Who voted for the winner, itself included. */
  readonly voters: ReadonlySet<string>;
  /** Who was started anew between the write and the vote, and may have lost what its journal did not hold. */
  readonly restarted: ReadonlySet<string>;
}

/** A write concern as far as it matters here. */
export interface KeepingConcern {
  readonly w: number | 'majority';
  readonly j?: true;
}

/**
 * The weakest write concern under which the write could not have been acknowledged and then lost by this election.
 *
 * A voter that holds a write refuses a candidate which does not, so `w: N` keeps it when any N members include a voter
 * that still holds it: when N exceeds the number of members that could hold it without the election noticing. These are
 * the members that did not vote for the winner and, without `j`, the voters that were started anew since then.
 * From the majority on there is no need to count: every election needs one of them.
 */
export function keepingConcern({ dataBearing, writeMajority, voters, restarted }: LosingElection): KeepingConcern {
  const unnoticed = dataBearing.filter((member) => !voters.has(member)).length;
  const forgetful = dataBearing.filter((member) => voters.has(member) && restarted.has(member)).length;
  const journalled = unnoticed + 1;
  const written = unnoticed + forgetful + 1;
  // A voter that wrote after it had voted, before it knew of the outcome, is no help either.
  const writerVoted = written === 1;
  if (writeMajority > 1 && (journalled >= writeMajority || writerVoted)) return { w: 'majority' };
  // `j` is less to ask for than another member.
  return written > journalled ? { w: journalled, j: true } : { w: journalled };
}

/** As a user would write it: `{ w: 2, j: true }`. */
export function showConcern({ w, j }: KeepingConcern): string {
  return `{ w: ${w === 'majority' ? '"majority"' : w}${j ? ', j: true' : ''} }`;
}
