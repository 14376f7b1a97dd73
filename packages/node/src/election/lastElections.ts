import type { OpTime, Term } from '@replsim/protocol';
import type { ElectionReason } from './electionReason.ts';

/** The election in which this member stood, as it looked when the real votes were asked for. */
export interface LastCandidacy {
  readonly reason: ElectionReason;
  readonly dateMs: number;
  readonly term: Term;
  readonly lastCommitted: OpTime;
  /** The newest written and applied opTimes known of any member that is up. */
  readonly lastSeenWritten: OpTime;
  readonly lastSeenApplied: OpTime;
  readonly numVotesNeeded: number;
  readonly priority: number;
  readonly electionTimeoutMillis: number;
  /** `_id` of the member that was believed to be primary. */
  readonly priorPrimaryMemberId: number | undefined;
}

/** What followed from a candidacy that was won; each is set when it happens. */
export interface Primaryship {
  targetCatchupOpTime?: OpTime;
  numCatchUpOps?: number;
  /** When the first entry of the term was written. */
  newTermStartMs?: number;
  /** When that entry was majority committed. */
  majorityAvailableMs?: number;
}

/** The last real vote that this member was asked for, given or refused. */
export interface Participation {
  readonly votedForCandidate: boolean;
  readonly term: Term;
  readonly dateMs: number;
  readonly candidateMemberId: number;
  readonly reason: string;
  readonly lastWritten: OpTime;
  readonly maxWrittenInSet: OpTime;
  readonly lastApplied: OpTime;
  readonly maxAppliedInSet: OpTime;
  readonly priority: number;
}

/**
 * What `replSetGetStatus` tells of the last elections: as `electionCandidateMetrics` while this member stands or leads,
 * as `electionParticipantMetrics` once it has voted. Upstream: replication_metrics.cpp.
 */
export class LastElections {
  /** Gone when the election is lost and when the member steps down. */
  candidacy: LastCandidacy | undefined;
  primaryship: Primaryship = {};
  participation: Participation | undefined;
  /** The first entry of a term that another member won: when it was written, and when it was applied here. */
  newTerm: { readonly startMs: number; readonly appliedMs: number } | undefined;

  /** The real election begins. */
  stood(candidacy: LastCandidacy): void {
    this.candidacy = candidacy;
    this.primaryship = {};
  }

  /** Lost, or no longer primary. */
  cleared(): void {
    this.candidacy = undefined;
    this.primaryship = {};
  }

  /** A candidate's real request was answered. */
  voted(participation: Participation): void {
    this.participation = participation;
    this.newTerm = undefined;
  }

  /** Won: what was seen of another's term is over. */
  won(): void {
    this.newTerm = undefined;
  }
}
