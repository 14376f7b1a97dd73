import { type OplogEntry, required, type Term, type TraceEvent } from '@replsim/protocol';

type Vote = Extract<TraceEvent, { type: 'votePersisted' }>;

/** An election that was won. */
export interface Election {
  readonly winner: string;
  readonly voters: readonly string[];
  /** It takes over entries after its own vote and before it writes: RaftMongo, which has no catch-up, elects it afterwards. */
  catchesUp: boolean;
  /** The first entry of the term. */
  first?: OplogEntry;
}

/** The elections that were won, but for those of a primary that caught up and never came to write. */
export function electionsOf(events: readonly TraceEvent[]): Map<Term, Election> {
  const votes = new Map<Term, Vote[]>();
  const elections = new Map<Term, Election>();
  const leading = new Map<string, Election>();
  /** Candidates, and whether they have appended entries since their own vote. */
  const standing = new Map<string, boolean>();
  for (const event of events) {
    switch (event.type) {
      case 'votePersisted':
        votes.set(event.term, [...(votes.get(event.term) ?? []), event]);
        if (nameOf(event.candidate) === event.member) standing.set(event.member, false);
        break;
      case 'electionWon': {
        const aye = (votes.get(event.term) ?? []).filter(({ candidate }) => nameOf(candidate) === event.member);
        const catchesUp = standing.get(event.member) ?? false;
        const election = { winner: event.member, voters: aye.map(({ member }) => member), catchesUp };
        elections.set(event.term, election);
        leading.set(event.member, election);
        break;
      }
      case 'steppedDown':
      case 'processStopped':
        leading.delete(event.member);
        break;
      case 'oplogWritten': {
        if (event.origin !== 'self' && standing.has(event.member)) standing.set(event.member, true);
        const election = leading.get(event.member);
        if (election === undefined || election.first !== undefined) break;
        if (event.origin === 'self') election.first = required(event.entries[0], 'entry in what was written');
        else election.catchesUp = true;
      }
    }
  }
  for (const [term, { catchesUp, first }] of elections) if (catchesUp && first === undefined) elections.delete(term);
  return elections;
}

/** The name by which the trace speaks of the member with this host. */
export function nameOf(host: string): string {
  return host.slice(0, host.lastIndexOf(':'));
}
