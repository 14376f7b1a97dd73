/** What counts, of the election that lost a write, for the question which write concern would have kept it. */
export interface LosingElection {
  /** Members with data, as the config under which it was written has them; each of them counts for `w: N`. */
  readonly dataBearing: readonly string[];
  /** How many of them make a majority, `writeMajorityCount`. */
  readonly writeMajority: number;
  /** Who voted for the winner, itself included. */
  readonly voters: ReadonlySet<string>;
  /** Who was started anew between the write and the vote, and may have lost what its journal did not hold. */
  readonly restarted: ReadonlySet<string>;
  /** Who copied all data anew in between, or whose disk had lied, and may have lost even what its journal held. */
  readonly emptied?: ReadonlySet<string>;
  /** A config was forced in between, so that the voters need not overlap with a majority of that time. */
  readonly forced?: boolean;
  /** Whether `w: "majority"` waits for journals, `writeConcernMajorityJournalDefault`. Default true. */
  readonly majorityJournals?: boolean;
}

/** A write concern as far as it matters here. */
export interface KeepingConcern {
  readonly w: number | 'majority';
  readonly j?: true;
}

const NOBODY: ReadonlySet<string> = new Set();

/**
 * The weakest write concern under which the write could not have been acknowledged and then lost by this election;
 * undefined if there is none.
 *
 * A voter that holds a write refuses a candidate which does not, so `w: N` keeps it when any N members include a voter
 * that still holds it: when N exceeds the number of members that could hold it without the election noticing. These are
 * the members that did not vote for the winner or were emptied since and, without `j`, the voters that were started anew.
 * From the majority on there is no need to count, as every election needs one of them: unless a config was forced, or
 * one of them has forgotten.
 */
export function keepingConcern(election: LosingElection): KeepingConcern | undefined {
  const { dataBearing, writeMajority, voters, restarted, emptied = NOBODY, forced = false } = election;
  const { majorityJournals = true } = election;
  const remembers = (member: string) => voters.has(member) && !emptied.has(member);
  const unnoticed = dataBearing.filter((member) => !remembers(member)).length;
  const forgetful = dataBearing.filter((member) => remembers(member) && restarted.has(member)).length;
  const journalled = unnoticed + 1;
  const written = unnoticed + forgetful + 1;
  const isEmptied = dataBearing.some((member) => voters.has(member) && emptied.has(member));
  const majorityKeeps = (!forced && !isEmptied) || unnoticed < writeMajority;
  // A voter that wrote after it had voted, before it knew of the outcome, is no help either.
  const writerVoted = written === 1;
  if (majorityKeeps && writeMajority > 1 && (journalled >= writeMajority || writerVoted))
    return forgetful > 0 && !majorityJournals ? { w: 'majority', j: true } : { w: 'majority' };
  if (journalled > dataBearing.length) return undefined;
  // `j` is less to ask for than another member.
  return written > journalled ? { w: journalled, j: true } : { w: journalled };
}

/** As a user would write it, `{ w: 2, j: true }`; `no write concern` where none would do. */
export function showConcern(concern: KeepingConcern | undefined): string {
  if (concern === undefined) return 'no write concern';
  const { w, j } = concern;
  return `{ w: ${w === 'majority' ? '"majority"' : w}${j ? ', j: true' : ''} }`;
}
