import { compareOpTimes, maxOpTime, type OpTime, required } from '@replsim/protocol';

/** What a primary knows of the voters when it looks for a new commit point. */
export interface PrimaryKnowledge {
  /** One position a voter, itself and arbiters (null) included: durable, or written where journalling is not asked. */
  readonly voterPositions: readonly OpTime[];
  readonly writeMajority: number;
  /** The first entry of the primary's own term; undefined before it is written. */
  readonly firstOpTimeOfMyTerm: OpTime | undefined;
  readonly commitPoint: OpTime;
}

/**
 * The commit point after a change of progress on a primary.
 * Upstream: topology_coordinator.cpp, updateLastCommittedOpTimeAndWallTime.
 * @returns the new commit point, or the old one
 */
export function advanceCommitPoint(known: PrimaryKnowledge): OpTime {
  const { voterPositions, writeMajority, firstOpTimeOfMyTerm, commitPoint } = known;
  if (!firstOpTimeOfMyTerm || voterPositions.length < writeMajority) return commitPoint;
  const candidate = reachedBy(voterPositions, writeMajority);
  // That a majority holds an entry of an older term proves nothing: a member that wrote in a term between can still be elected without
  // it, and overwrite it. Once a majority holds an entry of mine, too, it refuses such a candidate. Raft §5.4.2.
  if (compareOpTimes(candidate, firstOpTimeOfMyTerm) < 0) return commitPoint;
  return maxOpTime(candidate, commitPoint);
}

/** The newest position that this many members have reached. Called at every write, with seven at most. */
function reachedBy(positions: readonly OpTime[], count: number): OpTime {
  let newest: OpTime | undefined;
  for (const candidate of positions) {
    if (newest && compareOpTimes(candidate, newest) <= 0) continue;
    let reached = 0;
    for (const each of positions) if (compareOpTimes(each, candidate) >= 0) reached += 1;
    if (reached >= count) newest = candidate;
  }
  return required(newest, 'position that enough members have reached');
}

/** An opTime with the wall clock of its writer. */
interface Place {
  readonly opTime: OpTime;
  /** ms since 1970 */
  readonly wallMs: number;
}

/** A commit point that came as metadata from another member. */
export interface LearnedCommitPoint {
  readonly commitPoint: Place;
  readonly learned: Place;
  readonly lastWritten: Place;
  readonly fromSyncSource: boolean;
  readonly isArbiter: boolean;
}

/**
 * The commit point of a member that is not primary, after hearing of another's.
 * Upstream: topology_coordinator.cpp, advanceLastCommittedOpTimeAndWallTime.
 * @returns one of the three places it was given, with that one's wall clock
 */
export function learnCommitPoint(heard: LearnedCommitPoint): Place {
  const { commitPoint, learned, lastWritten, fromSyncSource, isArbiter } = heard;
  // Entries of one term form one line, so a commit point of my last entry's term cannot be on another branch.
  if (isArbiter || learned.opTime.t === lastWritten.opTime.t) return later(commitPoint, learned);
  // My log is a prefix of my source's; how far it agrees with anybody else's is unknown.
  if (!fromSyncSource) return commitPoint;
  return later(commitPoint, compareOpTimes(learned.opTime, lastWritten.opTime) <= 0 ? learned : lastWritten);
}

function later(a: Place, b: Place): Place {
  return compareOpTimes(b.opTime, a.opTime) > 0 ? b : a;
}
