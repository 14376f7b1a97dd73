import { isReplicated } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { Writability } from '../writes/writability.ts';

/**
 * The TTL monitor deletes only on a member that accepts writes: a primary past its drain, or a standalone. `local` is
 * each member's own, and its TTL indexes are served everywhere. Source: ttl.cpp, TTLMonitor::_doTTLIndexDelete.
 */
export function onlyPrimaryDeletes(): Checker {
  const writability = new Writability();

  return {
    name: 'onlyPrimaryDeletes',
    events: ['ttlDeleted', ...Writability.events],
    observe(event) {
      if (event.type !== 'ttlDeleted') {
        writability.observe(event);
        return undefined;
      }
      const { member, ns, index, dates, acceptsWrites } = event;
      if (!isReplicated(ns) || (acceptsWrites && writability.of(member) !== false)) return undefined;
      return `${member}'s TTL monitor deleted ${dates.length} from ${ns} by index ${index}, though ${member} did not accept writes`;
    },
  };
}
