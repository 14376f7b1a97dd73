import type { Term } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { keepNewest } from '../keepNewest.ts';

/** An election ends within its term; a winner so far behind the newest term cannot appear any more. */
const MAX_TERMS = 10_000;

/**
 * Election safety: a term has at most one winner. Two primaries of different terms are legal.
 * Source: MongoReplReconfig.tla, ElectionSafety; RaftMongo.tla, NoTwoPrimariesInSameTerm.
 */
export function onePrimaryPerTerm(): Checker {
  const winners = new Map<Term, string>();
  return {
    name: 'onePrimaryPerTerm',
    events: ['electionWon'],
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe(event) {
      if (event.type !== 'electionWon') return undefined;
      const { term, member } = event;
      const winner = winners.get(term);
      if (winner === member) return `${member} won term ${term} twice`;
      if (winner !== undefined) return `${member} won term ${term}, which ${winner} had won`;
      winners.set(term, member);
      keepNewest(winners, MAX_TERMS);
      return undefined;
    },
  };
}
