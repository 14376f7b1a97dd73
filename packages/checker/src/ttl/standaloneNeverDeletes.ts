import type { Checker } from '../checker.ts';

/**
 * A process without `--replSet` that finds a config in `local.system.replset` never starts its TTL monitor, whatever
 * happens to that document later: its deletes would reach no other member. Source: mongod_main.cpp; startup warning 20547.
 */
export function standaloneNeverDeletes(): Checker {
  /** Members whose present process is such a one. */
  const apart = new Set<string>();

  return {
    name: 'standaloneNeverDeletes',
    events: ['processStarted', 'ttlDeleted', 'documentsRemoved'],
    observe(event) {
      switch (event.type) {
        case 'processStarted': {
          const isApart = event.mode === 'standalone' && event.hasReplSetConfig;
          if (isApart) apart.add(event.member);
          else apart.delete(event.member);
          return isApart && event.ttlMonitorStarted
            ? `${event.member}, a standalone on a replica set's data, started its TTL monitor`
            : undefined;
        }
        case 'ttlDeleted':
          return event.standaloneOnReplSetData || apart.has(event.member)
            ? `${event.member}, a standalone on a replica set's data, deleted ${event.dates.length} from ${event.ns} by index ${event.index}`
            : undefined;
        case 'documentsRemoved':
          return event.by === 'ttl' && apart.has(event.member)
            ? `${event.member}, a standalone on a replica set's data, lost ${event.count} of ${event.ns} to its TTL monitor`
            : undefined;
      }
      return undefined;
    },
  };
}
