import type { OpTime, TraceEvent } from '@replsim/protocol';
import { Primaries } from '@replsim/scenario';
import { Branches } from '@replsim/why';

/** What one counts of a run. */
export interface Figures {
  /** Elections that somebody won. */
  readonly elections: number;
  /** How long no member took writes, from time zero on, in all and at once. Unit: µs. */
  readonly withoutPrimaryMicros: number;
  readonly longestWithoutPrimaryMicros: number;
  /** Commands whose write concern a member has said to be met. */
  readonly acknowledged: number;
  /** Of these: what no surviving log has. */
  readonly lost: number;
  /** Documents that TTL monitors deleted. */
  readonly ttlDeletions: number;
  readonly events: number;
}

/** @param endMicros when the run was over */
export function figuresOf(events: readonly TraceEvent[], endMicros: number): Figures {
  const primaries = new Primaries();
  const branches = new Branches();
  const acknowledged: OpTime[] = [];
  let elections = 0;
  let ttlDeletions = 0;
  for (const event of events) {
    primaries.observe(event);
    branches.observe(event);
    if (event.type === 'electionWon') elections++;
    else if (event.type === 'writeAcknowledged') acknowledged.push(event.opTime);
    else if (event.type === 'documentsRemoved' && event.by === 'ttl') ttlDeletions += event.count;
  }
  const { totalMicros, longestMicros } = primaries.without(0, endMicros);
  return {
    elections,
    withoutPrimaryMicros: totalMicros,
    longestWithoutPrimaryMicros: longestMicros,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((opTime) => !branches.survives(opTime)).length,
    ttlDeletions,
    events: events.length,
  };
}
