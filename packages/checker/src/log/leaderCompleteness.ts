import { formatOpTime, type OpTime, type Term, type TraceEvent } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { keepNewest } from '../keepNewest.ts';
import { Branches } from './branches.ts';
import { type Announced, Committed } from './committed.ts';

/** How many winners are remembered, to check them against a commit point that an older primary announces late. */
const MAX_LEADERS = 100;

interface Leader {
  readonly member: string;
  readonly term: Term;
  /** Where its log ended when it won, or later when it began to accept writes. */
  readonly end: OpTime;
}

/**
 * Who wins a term holds every entry that was committed in an earlier one, and still does when it begins to accept
 * writes. Source: RaftMongo.tla; Raft §5.4, Leader Completeness.
 */
export function leaderCompleteness(branches = new Branches()): Checker {
  const committed = new Committed();
  const leaders = new Map<Term, Leader>();
  let newestTerm: Term = -1;

  function lead(leader: Leader, when: string, epochSecs: number): string | undefined {
    leaders.set(leader.term, leader);
    keepNewest(leaders, MAX_LEADERS);
    newestTerm = Math.max(newestTerm, leader.term);
    const announced = committed.before(leader.term);
    return announced === undefined ? undefined : lacking(leader, announced, when, epochSecs);
  }

  function lacking(leader: Leader, { member, opTime }: Announced, when: string, epochSecs: number): string | undefined {
    if (branches.holds(leader.end, opTime) !== false) return undefined;
    const [end, point] = [formatOpTime(leader.end, epochSecs), formatOpTime(opTime, epochSecs)];
    return `${leader.member} ${when} in term ${leader.term} with a log up to ${end}, which lacks ${point}, committed by ${member}`;
  }

  function observe(event: TraceEvent, epochSecs: number): string | undefined {
    switch (event.type) {
      case 'electionWon': {
        const { member, term } = event;
        // The log decides, applied or not: from 8.0 votes compare what is written.
        return lead({ member, term, end: branches.endOf(member) ?? event.lastApplied }, 'won', epochSecs);
      }
      case 'acceptsWrites': {
        const { member, term, value } = event;
        const end = branches.endOf(member);
        return value && end !== undefined
          ? lead({ member, term, end }, 'began to accept writes', epochSecs)
          : undefined;
      }
      case 'commitPoint':
        if (!committed.announce(event) || newestTerm <= event.opTime.t) return undefined;
        for (const leader of leaders.values()) {
          const broken = leader.term > event.opTime.t ? lacking(leader, event, 'had won', epochSecs) : undefined;
          if (broken !== undefined) return broken;
        }
        return undefined;
    }
    return undefined;
  }

  return {
    name: 'leaderCompleteness',
    events: ['electionWon', 'acceptsWrites', 'commitPoint'],
    records: [branches],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'unjournaledMajority', 'lyingDisk'],
    observe,
  };
}
