import type { Checker, EventOf } from '../checker.ts';

/**
 * The TTL monitor deletes a document only when its date and `expireAfterSeconds` have passed on that member's own
 * clock, the exact millisecond included. Source: ttl.cpp, TTLMonitor::_deleteExpiredWithIndex.
 *
 * In a clustered collection only dates from 1970 on come due; all else that can be an `_id` stays forever.
 *
 * A visit judges by the clock of its start: a clock that jumps back within a pass leaves it with a limit that was right.
 */
export function neverEarly(): Checker {
  /** By how much each member's clock has jumped back in the present pass, in ms. */
  const jumpedBack = new Map<string, number>();

  function judge(event: EventOf<'ttlDeleted'>): string | undefined {
    const { member, ns, index, expireAfterSeconds, wallMs, limitMs, fromMs = -Infinity, dates } = event;
    // Upstream truncates; a NaN, where one is taken at all, counts as 0.
    const afterMs = (Math.trunc(expireAfterSeconds) || 0) * 1000;
    const latestMs = wallMs + (jumpedBack.get(member) ?? 0) - afterMs;
    const where = `${member}'s clock stood at ${inWords(wallMs)}, and index ${index} of ${ns} keeps for ${expireAfterSeconds} s`;
    // Written so that a NaN is early, too.
    if (!(limitMs <= latestMs)) return `a limit of ${inWords(limitMs)} is ${excess(limitMs, latestMs)} late: ${where}`;
    for (const date of dates) {
      if (Number.isNaN(date)) return `a document was deleted that no date makes due: ${where}`;
      if (date > latestMs) return `${inWords(date)} was deleted ${excess(date, latestMs)} early: ${where}`;
      if (date < fromMs) return `${inWords(date)} was deleted, and is before all that can be due: ${where}`;
    }
    return undefined;
  }

  return {
    name: 'neverEarly',
    events: ['ttlDeleted', 'ttlPassEnded', 'clockChanged', 'processStarted'],
    observe(event) {
      switch (event.type) {
        case 'ttlDeleted':
          return judge(event);
        case 'clockChanged': {
          const jumpMs = event.jumpMs ?? 0;
          if (jumpMs < 0) jumpedBack.set(event.member, (jumpedBack.get(event.member) ?? 0) - jumpMs);
          return undefined;
        }
        case 'ttlPassEnded':
        case 'processStarted':
          jumpedBack.delete(event.member);
          return undefined;
      }
      return undefined;
    },
  };
}

function excess(ms: number, latestMs: number): string {
  return `${ms - latestMs} ms`;
}

/** A date as ISO writes it, or the bare number beyond what a Date can hold. */
function inWords(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString();
}
