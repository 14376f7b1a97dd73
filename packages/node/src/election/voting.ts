import type { Positions } from '@replsim/oplog';
import {
  compareOpTimes,
  isNewerConfig,
  type OpTime,
  type ReplSetConfig,
  type RequestVotesCommand,
  required,
  type Term,
  type VoteClaim,
} from '@replsim/protocol';

/** The vote on disk: `local.replset.election`. Losing it breaks election safety. */
export interface LastVote {
  readonly term: Term;
  /** Index in the config's members array. */
  readonly candidateIndex: number;
}

/** What a candidate says of itself, or what a voter holds against it. */
export function claimOf({ version, term }: ReplSetConfig, { counted, applied }: Positions): VoteClaim {
  return { lastWritten: counted.opTime, lastApplied: applied.opTime, configVersion: version, configTerm: term };
}

/** What a voter looks at. */
export interface Voter {
  readonly config: ReplSetConfig;
  readonly term: Term;
  readonly lastWritten: OpTime;
  readonly lastVote: LastVote;
  readonly isArbiter: boolean;
  /** Priority of a healthy PRIMARY that it sees, other than the candidate. */
  readonly seenPrimaryPriority: number | undefined;
}

/**
 * Why a vote is refused; `undefined` grants it. The first reason that matches wins. Neither the voter's own state nor
 * the candidate's priority matters. Upstream: TopologyCoordinator::processReplSetRequestVotes.
 */
export function reasonToRefuse(request: RequestVotesCommand, voter: Voter): string | undefined {
  const theirs = { version: request.configVersion, term: request.configTerm };
  if (isNewerConfig(voter.config, theirs)) {
    return `candidate's config with ${show(theirs)} is older than mine with ${show(voter.config)}`;
  }
  if (request.term < voter.term) return `candidate's term (${request.term}) is lower than mine (${voter.term})`;
  if (request.setName !== voter.config._id) {
    return `candidate's set name (${request.setName}) differs from mine (${voter.config._id})`;
  }
  // What is committed lies on a majority, hence on one of any winner's voters. As none of them votes for a candidate that lacks what
  // it has itself, no winner lacks what is committed: this line is what makes { w: "majority" } outlive a failover.
  if (compareOpTimes(request.lastWrittenOpTime, voter.lastWritten) < 0) {
    return "candidate's data is staler than mine";
  }
  if (!request.dryRun && voter.lastVote.term === request.term) {
    return `already voted for another candidate (index ${voter.lastVote.candidateIndex}) this term (${request.term})`;
  }
  // Between two data centres that do not hear each other an arbiter that hears both would elect each in turn, for as long as the link
  // is down: a member that is not primary times out, asks, and wins. Upstream: _findHealthyPrimaryOfEqualOrGreaterPriority.
  if (voter.isArbiter && voter.seenPrimaryPriority !== undefined) {
    const candidate = required(voter.config.members[request.candidateIndex], 'candidate in the config');
    const sameConfig = theirs.version === voter.config.version && theirs.term === voter.config.term;
    if (sameConfig && voter.seenPrimaryPriority >= candidate.priority) {
      return 'can see a healthy primary of equal or greater priority';
    }
  }
  return undefined;
}

function show({ version, term }: { readonly version: number; readonly term: Term }): string {
  return `{version: ${version}, term: ${term}}`;
}
