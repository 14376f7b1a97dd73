import { compareTimestamps, formatOpTime } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { Branches } from './branches.ts';

/**
 * Along every member's oplog timestamps grow and terms never fall. Hence only a rollback, a restart or an initial sync
 * shortens a log. Source: RaftMongoReplTimestamp.tla; optime.h.
 */
export function logOrder(branches = new Branches()): Checker {
  return {
    name: 'logOrder',
    events: ['oplogWritten'],
    records: [branches],
    observe(event, epochSecs) {
      if (event.type !== 'oplogWritten') return undefined;
      let end = branches.endOf(event.member);
      let broken: string | undefined;
      for (const { opTime } of event.entries) {
        if (end !== undefined && broken === undefined) {
          const later = compareTimestamps(end.ts, opTime.ts) < 0;
          if (!later || opTime.t < end.t) {
            const what = later ? 'whose term is lower' : 'whose timestamp is not later';
            const [entry, before] = [formatOpTime(opTime, epochSecs), formatOpTime(end, epochSecs)];
            broken = `${event.member} wrote ${entry} after ${before}, ${what}`;
          }
        }
        end = opTime;
      }
      return broken;
    },
  };
}
