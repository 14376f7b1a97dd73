import { formatOpTime, isNullOpTime, NULL_OP_TIME, type OpTime, type Term } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

/**
 * A member's term is never lower than that of its vote or of its last entry; over a restart too, which takes the greater of
 * both. That a primary's own entries bear its term is for `writesOnlyWhenAccepting` to say.
 * Source: RaftMongo.tla; last_vote.h; replication_coordinator_impl.cpp, _startLoadLocalConfig.
 */
export function termBound(): Checker {
  const terms = new Map<string, Term>();

  function bound(member: string, opTime: OpTime, did: string, epochSecs: number): string | undefined {
    const term = terms.get(member);
    return term !== undefined && opTime.t > term
      ? `${member} ${did} ${formatOpTime(opTime, epochSecs)}, though its own term was ${term}`
      : undefined;
  }

  return {
    name: 'termBound',
    events: ['termChanged', 'processStarted', 'votePersisted', 'oplogWritten'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'termChanged':
          terms.set(event.member, event.to);
          return undefined;
        case 'processStarted':
          if (event.mode === 'standalone') return undefined;
          terms.set(event.member, event.term);
          return isNullOpTime(event.lastApplied)
            ? undefined
            : bound(event.member, event.lastApplied, 'restarted with an oplog up to', epochSecs);
        case 'votePersisted': {
          const term = terms.get(event.member);
          return term !== undefined && event.term > term
            ? `${event.member} stored a vote in term ${event.term}, though its own term was ${term}`
            : undefined;
        }
        case 'oplogWritten':
          // Terms do not fall along a log, so the last entry speaks for all.
          return bound(event.member, event.entries.at(-1)?.opTime ?? NULL_OP_TIME, 'wrote', epochSecs);
      }
      return undefined;
    },
  };
}
