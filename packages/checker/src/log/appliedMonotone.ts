import { compareOpTimes, formatOpTime, isNullOpTime, type OpTime } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

/**
 * What a member has applied only grows, except in a rollback, a restart or an initial sync.
 * Source: replication_coordinator_impl.cpp, setMyLastAppliedOpTimeAndWallTimeForward.
 */
export function appliedMonotone(): Checker {
  const applied = new Map<string, OpTime>();
  /** Members in rollback, which replay their oplog from the stable timestamp on. */
  const rollingBack = new Set<string>();

  return {
    name: 'appliedMonotone',
    events: [
      'applied',
      'rollbackStarted',
      'rolledBack',
      'stateChanged',
      'processStopped',
      'processStarted',
      'initialSync',
    ],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'applied': {
          const { member, opTime } = event;
          if (rollingBack.has(member)) return undefined;
          const before = applied.get(member);
          applied.set(member, opTime);
          if (before === undefined || compareOpTimes(opTime, before) >= 0) return undefined;
          return `${member} had applied ${formatOpTime(before, epochSecs)}, and then only ${formatOpTime(opTime, epochSecs)}`;
        }
        case 'rollbackStarted':
          rollingBack.add(event.member);
          return undefined;
        case 'rolledBack':
          rollingBack.delete(event.member);
          applied.set(event.member, event.commonPoint);
          return undefined;
        case 'stateChanged':
          // A rollback that was given up early leaves the data as they were.
          if (event.from === 'ROLLBACK') rollingBack.delete(event.member);
          return undefined;
        case 'processStopped':
          rollingBack.delete(event.member);
          applied.delete(event.member);
          return undefined;
        case 'processStarted':
          if (event.mode === 'standalone' || isNullOpTime(event.lastApplied)) applied.delete(event.member);
          else applied.set(event.member, event.lastApplied);
          return undefined;
        case 'initialSync':
          if (event.phase === 'started') applied.delete(event.member);
          return undefined;
      }
      return undefined;
    },
  };
}
