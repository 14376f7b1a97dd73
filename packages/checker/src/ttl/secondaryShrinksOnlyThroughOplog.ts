import { isReplicated } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { Writability } from '../writes/writability.ts';

/**
 * Clients and the TTL monitor remove documents only where writes are accepted; everybody else's copy shrinks by what
 * the oplog brings (or a rollback, or an initial sync). `local` is each member's own.
 * Source: replication_coordinator_impl.cpp, canAcceptWritesFor; ttl.cpp.
 */
export function secondaryShrinksOnlyThroughOplog(): Checker {
  const writability = new Writability();

  return {
    name: 'secondaryShrinksOnlyThroughOplog',
    events: ['documentsRemoved', ...Writability.events],
    observe(event) {
      if (event.type !== 'documentsRemoved') {
        writability.observe(event);
        return undefined;
      }
      const { member, ns, count, by, memberState, acceptsWrites } = event;
      if ((by !== 'client' && by !== 'ttl') || !isReplicated(ns)) return undefined;
      const writable = memberState === 'PRIMARY' || memberState === 'STANDALONE';
      if (writable && acceptsWrites && writability.of(member) !== false) return undefined;
      const who = by === 'ttl' ? 'its TTL monitor' : 'a client';
      const documents = count === 1 ? '1 document' : `${count} documents`;
      return `${member}, ${memberState} and not accepting writes, lost ${documents} of ${ns} to ${who}`;
    },
  };
}
