import type { Checker } from '../checker.ts';

/**
 * Between `fsync` with `lock: true` and the last `fsyncUnlock` a member's data and oplog stand still: no client, no TTL
 * monitor, no oplog application changes them, so that its files can be copied. `local` documents about the member itself
 * are not in the trace. Source: fsync.cpp, FSyncLockThread holds the global lock in mode S.
 */
export function nothingWrittenWhileLocked(): Checker {
  const locked = new Set<string>();

  return {
    name: 'nothingWrittenWhileLocked',
    events: ['processStarted', 'fsyncLockChanged', 'oplogWritten', 'applied', 'documentsRemoved', 'ttlDeleted'],
    observe(event) {
      switch (event.type) {
        case 'processStarted':
          locked.delete(event.member);
          return undefined;
        case 'fsyncLockChanged':
          if (event.locked) locked.add(event.member);
          else locked.delete(event.member);
          return undefined;
        case 'oplogWritten':
          return locked.has(event.member)
            ? `${event.member}, locked by fsync, wrote ${event.entries.length} to its oplog`
            : undefined;
        case 'applied':
          return locked.has(event.member)
            ? `${event.member}, locked by fsync, applied ${event.entries} of its oplog`
            : undefined;
        case 'documentsRemoved':
        case 'ttlDeleted':
          return locked.has(event.member)
            ? `${event.member}, locked by fsync, lost documents of ${event.ns}`
            : undefined;
      }
      return undefined;
    },
  };
}
