import type { Term } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

interface Vote {
  readonly term: Term;
  readonly candidate: string;
}

/**
 * A voter says a real yes (no dry run) to at most one candidate a term, over restarts too, and only with that vote on
 * its disk. A candidate's vote for itself counts. Source: local.replset.election; topology_coordinator.cpp,
 * processReplSetRequestVotes; Raft §5.2.
 */
export function oneVotePerTerm(): Checker {
  /** A voter's newest vote is enough: its term may not fall, so an older one cannot be given any more. */
  const votes = new Map<string, Vote>();

  function vote(voter: string, term: Term, candidate: string, did: string): string | undefined {
    const before = votes.get(voter);
    if (before !== undefined && term < before.term)
      return `${voter} ${did} ${candidate} in term ${term}, after it had voted for ${before.candidate} in term ${before.term}`;
    if (before !== undefined && term === before.term && candidate !== before.candidate)
      return `${voter} ${did} ${candidate} in term ${term}, in which it had voted for ${before.candidate}`;
    if (before === undefined || term > before.term) votes.set(voter, { term, candidate });
    return undefined;
  }

  return {
    name: 'oneVotePerTerm',
    events: ['voteAnswered', 'votePersisted', 'processStarted'],
    voidedBy: ['lyingDisk'],
    observe(event) {
      switch (event.type) {
        case 'votePersisted':
          return vote(event.member, event.term, event.candidate, 'stored a vote for');
        case 'voteAnswered': {
          const { member, term, candidate, lastVoteTerm } = event;
          const yes = event.granted && !event.dryRun;
          const broken = yes ? vote(member, term, candidate, 'voted for') : undefined;
          if (broken !== undefined) return broken;
          const given = votes.get(member);
          return given !== undefined && lastVoteTerm < given.term
            ? `${member} voted for ${given.candidate} in term ${given.term}, but the vote on its disk is of term ${lastVoteTerm}`
            : undefined;
        }
        case 'processStarted':
          // The vote lies beside the config: a disk without one was emptied, and its voter starts over.
          if (event.mode === 'replSet' && !event.hasReplSetConfig) votes.delete(event.member);
          return undefined;
      }
      return undefined;
    },
  };
}
