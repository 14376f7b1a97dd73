import type { Checker } from '../checker.ts';

/**
 * Each attempt to roll back raises the rollback id by one, before data change, and nothing else moves it while the data stay;
 * over a restart it is kept once the rollback is on disk. Source: rollback_impl.cpp, _incrementRollbackId; local.system.rollback.id.
 */
export function rollbackIdCounts(): Checker {
  const ids = new Map<string, number>();
  /** Members whose newest rollback may not be on disk yet: who dies now may find itself before it. */
  const unsettled = new Set<string>();
  /** Members that have raised it for a rollback that has not happened yet. */
  const raised = new Set<string>();

  return {
    name: 'rollbackIdCounts',
    events: ['processStarted', 'rollbackIdRaised', 'rolledBack', 'stateChanged', 'initialSync'],
    voidedBy: ['lyingDisk'],
    observe(event) {
      switch (event.type) {
        case 'rollbackIdRaised': {
          const { member, rbid } = event;
          const before = ids.get(member);
          ids.set(member, rbid);
          unsettled.add(member);
          raised.add(member);
          return before !== undefined && rbid !== before + 1
            ? `${member} is to roll back, and its rollback id went from ${before} to ${rbid}`
            : undefined;
        }
        case 'rolledBack': {
          const { member, rbid } = event;
          const before = ids.get(member);
          ids.set(member, rbid);
          unsettled.add(member);
          return before !== undefined && rbid !== (raised.delete(member) ? before : before + 1)
            ? `${member} rolled back, and its rollback id went from ${before} to ${rbid}`
            : undefined;
        }
        case 'stateChanged':
          if (event.from === 'ROLLBACK') unsettled.delete(event.member);
          return undefined;
        case 'initialSync':
          if (event.phase === 'started') ids.delete(event.member);
          return undefined;
        case 'processStarted': {
          const { member, rbid, hasReplSetConfig } = event;
          if (rbid === undefined) return undefined;
          const before = ids.get(member);
          const slack = unsettled.delete(member) ? 1 : 0;
          raised.delete(member);
          ids.set(member, rbid);
          if (before === undefined || !hasReplSetConfig || (rbid <= before && rbid >= before - slack)) return undefined;
          return `${member} restarted with rollback id ${rbid}, though it was ${before}`;
        }
      }
      return undefined;
    },
  };
}
