import { compareOpTimes, formatOpTime, type OpTime } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

/**
 * What a member reported as durable is in its oplog when it is started again, however it died; only a rollback, an initial
 * sync and an emptied disk take it away. Source: wiredtiger_kv_engine.cpp, waitUntilDurable; replication_recovery.cpp.
 */
export function durableSurvives(): Checker {
  const durable = new Map<string, OpTime>();

  return {
    name: 'durableSurvives',
    events: ['journalFlushed', 'rolledBack', 'initialSync', 'processStarted'],
    voidedBy: ['lyingDisk'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'journalFlushed':
          durable.set(event.member, event.opTime);
          return undefined;
        case 'rolledBack': {
          const before = durable.get(event.member);
          if (before !== undefined && compareOpTimes(before, event.commonPoint) > 0)
            durable.set(event.member, event.commonPoint);
          return undefined;
        }
        case 'initialSync':
          if (event.phase === 'started') durable.delete(event.member);
          return undefined;
        case 'processStarted': {
          if (event.mode === 'standalone') return undefined;
          const { member, lastApplied } = event;
          const before = durable.get(member);
          durable.delete(member);
          if (!event.hasReplSetConfig || before === undefined || compareOpTimes(before, lastApplied) <= 0)
            return undefined;
          const [had, has] = [formatOpTime(before, epochSecs), formatOpTime(lastApplied, epochSecs)];
          return `${member} had ${had} on its disk, and restarted with an oplog up to ${has}`;
        }
      }
      return undefined;
    },
  };
}
