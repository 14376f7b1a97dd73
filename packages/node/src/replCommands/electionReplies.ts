import type { Reply } from '@replsim/pipeline';
import type { VersionTraits } from '@replsim/protocol';
import type { LastElections } from '../election/lastElections.ts';
import { double, opTimeReply } from './replyValues.ts';

/** `electionCandidateMetrics`, while this member stands or leads. Upstream: replication_metrics.idl. */
export function candidateMetricsReply(
  { candidacy, primaryship }: LastElections,
  traits: VersionTraits,
): Reply | undefined {
  if (!candidacy) return undefined;
  const { targetCatchupOpTime, numCatchUpOps, newTermStartMs, majorityAvailableMs } = primaryship;
  const { priorPrimaryMemberId } = candidacy;
  return {
    lastElectionReason: candidacy.reason,
    lastElectionDate: new Date(candidacy.dateMs),
    electionTerm: BigInt(candidacy.term),
    lastCommittedOpTimeAtElection: opTimeReply(candidacy.lastCommitted),
    ...(traits.showsWrittenOpTime && { lastSeenWrittenOpTimeAtElection: opTimeReply(candidacy.lastSeenWritten) }),
    lastSeenOpTimeAtElection: opTimeReply(candidacy.lastSeenApplied),
    numVotesNeeded: candidacy.numVotesNeeded,
    priorityAtElection: double(candidacy.priority),
    electionTimeoutMillis: BigInt(candidacy.electionTimeoutMillis),
    ...(priorPrimaryMemberId !== undefined && { priorPrimaryMemberId }),
    ...(targetCatchupOpTime && { targetCatchupOpTime: opTimeReply(targetCatchupOpTime) }),
    ...(numCatchUpOps !== undefined && { numCatchUpOps: BigInt(numCatchUpOps) }),
    ...(newTermStartMs !== undefined && { newTermStartDate: new Date(newTermStartMs) }),
    ...(majorityAvailableMs !== undefined && { wMajorityWriteAvailabilityDate: new Date(majorityAvailableMs) }),
  };
}

/** `electionParticipantMetrics`, on a member that was asked for a real vote. Upstream: replication_metrics.idl. */
export function participantMetricsReply(
  { participation, newTerm }: LastElections,
  traits: VersionTraits,
): Reply | undefined {
  if (!participation) return undefined;
  return {
    votedForCandidate: participation.votedForCandidate,
    electionTerm: BigInt(participation.term),
    lastVoteDate: new Date(participation.dateMs),
    electionCandidateMemberId: participation.candidateMemberId,
    voteReason: participation.reason,
    ...(traits.showsWrittenOpTime && {
      lastWrittenOpTimeAtElection: opTimeReply(participation.lastWritten),
      maxWrittenOpTimeInSet: opTimeReply(participation.maxWrittenInSet),
    }),
    lastAppliedOpTimeAtElection: opTimeReply(participation.lastApplied),
    maxAppliedOpTimeInSet: opTimeReply(participation.maxAppliedInSet),
    priorityAtElection: double(participation.priority),
    ...(newTerm && { newTermStartDate: new Date(newTerm.startMs), newTermAppliedDate: new Date(newTerm.appliedMs) }),
  };
}
