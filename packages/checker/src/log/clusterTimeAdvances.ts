import { compareTimestamps, formatOpTime, type Timestamp } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';

/**
 * The timestamp of a new entry is later than any its author ever saw: in its oplog, entries since rolled back included, and
 * as cluster time anywhere. Hence no two entries of a term share one. Source: vector_clock.cpp, tickClusterTime.
 */
export function clusterTimeAdvances(): Checker {
  /** Of each process the greatest timestamp that was in its oplog. */
  const seen = new Map<string, Timestamp>();

  function judge({ member, entries, clusterTime }: EventOf<'oplogWritten'>, epochSecs: number): string | undefined {
    const [first] = entries;
    const latest = later(seen.get(member), clusterTime);
    if (first === undefined || latest === undefined || compareTimestamps(first.opTime.ts, latest) > 0) return undefined;
    const { t, i } = latest;
    return `${member} wrote ${formatOpTime(first.opTime, epochSecs)}, though it had seen the timestamp (${t - epochSecs},${i})`;
  }

  return {
    name: 'clusterTimeAdvances',
    events: ['oplogWritten', 'processStarted'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'oplogWritten': {
          const broken = event.origin === 'self' ? judge(event, epochSecs) : undefined;
          const latest = later(seen.get(event.member), event.entries.at(-1)?.opTime.ts);
          if (latest !== undefined) seen.set(event.member, latest);
          return broken;
        }
        case 'processStarted':
          // Memory of what was seen elsewhere dies with the process; its oplog does not.
          seen.set(event.member, event.lastApplied.ts);
          return undefined;
      }
      return undefined;
    },
  };
}

function later(a: Timestamp | undefined, b: Timestamp | undefined): Timestamp | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareTimestamps(a, b) >= 0 ? a : b;
}
