import { compareOpTimes, formatOpTime, type OpTime } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { Branches } from '../log/branches.ts';

/** A read that lasts longer than this many acknowledged writes is compared with the oldest that is kept. */
const MAX_ACKNOWLEDGED = 4096;

/**
 * A linearizable read sees every write that was acknowledged for a majority before the read came in, no matter which member acknowledged
 * it. Source: read_concern_mongod.cpp, waitForLinearizableReadConcern.
 */
export function linearizableReads(branches = new Branches()): Checker {
  /** The greatest opTime acknowledged so far, each time it grew. */
  let acknowledged: EventOf<'writeAcknowledged'>[] = [];

  function acknowledge(event: EventOf<'writeAcknowledged'>): void {
    const newest = acknowledged.at(-1);
    if (newest !== undefined && compareOpTimes(event.opTime, newest.opTime) <= 0) return;
    acknowledged.push(event);
    if (acknowledged.length >= 2 * MAX_ACKNOWLEDGED) acknowledged = acknowledged.slice(-MAX_ACKNOWLEDGED);
  }

  function judge({ member, readAt, startedMicros }: EventOf<'readAnswered'>, epochSecs: number): string | undefined {
    const before = acknowledged.findLast(({ atMicros }) => atMicros < startedMicros);
    if (before === undefined || sees(readAt, before.opTime)) return undefined;
    const [saw, missed] = [formatOpTime(readAt, epochSecs), formatOpTime(before.opTime, epochSecs)];
    return `${member} answered a linearizable read of its data at ${saw}, which lack ${missed}, acknowledged by ${before.member} before`;
  }

  function sees(readAt: OpTime, opTime: OpTime): boolean {
    return compareOpTimes(readAt, opTime) >= 0 && branches.holds(readAt, opTime) !== false;
  }

  return {
    name: 'linearizableReads',
    events: ['readAnswered', 'writeAcknowledged'],
    records: [branches],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'unjournaledMajority', 'lyingDisk'],
    observe(event, epochSecs) {
      if (event.type === 'readAnswered') return event.level === 'linearizable' ? judge(event, epochSecs) : undefined;
      if (event.type === 'writeAcknowledged' && event.majority) acknowledge(event);
      return undefined;
    },
  };
}
