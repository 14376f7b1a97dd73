import { compareOpTimes, maxOpTime, minOpTime, type OpTime } from '@replsim/protocol';

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
  const ascending = [...voterPositions].sort(compareOpTimes);
  const candidate = ascending[ascending.length - writeMajority]!;
  // An entry of an older term is committed only together with one of mine: it might still be overwritten.
  if (compareOpTimes(candidate, firstOpTimeOfMyTerm) < 0) return commitPoint;
  return maxOpTime(candidate, commitPoint);
}

/** A commit point that came as metadata from another member. */
export interface LearnedCommitPoint {
  readonly commitPoint: OpTime;
  readonly learned: OpTime;
  readonly lastWritten: OpTime;
  readonly fromSyncSource: boolean;
  readonly isArbiter: boolean;
}

/**
 * The commit point of a member that is not primary, after hearing of another's.
 * Upstream: topology_coordinator.cpp, advanceLastCommittedOpTimeAndWallTime.
 */
export function learnCommitPoint(heard: LearnedCommitPoint): OpTime {
  const { commitPoint, learned, lastWritten, fromSyncSource, isArbiter } = heard;
  // Entries of one term form one line, so a commit point of my last entry's term cannot be on another branch.
  if (isArbiter || learned.t === lastWritten.t) return maxOpTime(commitPoint, learned);
  // My log is a prefix of my source's; how far it agrees with anybody else's is unknown.
  return fromSyncSource ? maxOpTime(commitPoint, minOpTime(learned, lastWritten)) : commitPoint;
}
