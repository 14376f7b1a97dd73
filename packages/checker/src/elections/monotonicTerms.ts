import type { Term } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

/**
 * A member's term never falls. A restart may lose a term that was only heard of, but not one it had voted in.
 * Source: RaftMongo.tla, the terms of every action; local.replset.election.
 */
export function monotonicTerms(): Checker {
  const terms = new Map<string, Term>();
  const votes = new Map<string, Term>();

  return {
    name: 'monotonicTerms',
    events: ['termChanged', 'votePersisted', 'processStarted'],
    voidedBy: ['lyingDisk'],
    observe(event) {
      switch (event.type) {
        case 'termChanged': {
          const { member, from, to } = event;
          const known = Math.max(terms.get(member) ?? from, from);
          terms.set(member, to);
          // Where it went on from something lower, it had fallen unseen.
          const lowest = Math.min(from, to);
          return lowest < known ? `${member}'s term fell from ${known} to ${lowest}` : undefined;
        }
        case 'votePersisted':
          votes.set(event.member, Math.max(votes.get(event.member) ?? event.term, event.term));
          return undefined;
        case 'processStarted': {
          const { member, term } = event;
          if (event.mode === 'standalone') return undefined;
          // The vote lies beside the config: a disk without one was emptied, and has nothing to remember.
          if (!event.hasReplSetConfig) votes.delete(member);
          terms.set(member, term);
          const vote = votes.get(member);
          return vote !== undefined && term < vote
            ? `${member} restarted in term ${term}, though its vote in term ${vote} was on disk`
            : undefined;
        }
      }
      return undefined;
    },
  };
}
