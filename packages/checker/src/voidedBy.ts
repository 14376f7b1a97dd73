import type { TraceEvent } from '@replsim/protocol';
import type { Checker } from './checker.ts';

/**
 * What an operator can do that takes a promise away:
 * `forcedReconfig` lets two majorities exist that share no member; `unjournaledMajority` is a process that dies while
 * `writeConcernMajorityJournalDefault` is false, so that what a majority had acknowledged may be in nobody's journal.
 */
export type Void = 'forcedReconfig' | 'unjournaledMajority';

/** The same checker, silent from the moment at which MongoDB no longer promises what it checks. */
export function voidedBy(checker: Checker, ...voids: readonly Void[]): Checker {
  let silent = false;
  let journaled = true;

  function takesAway(event: TraceEvent): boolean {
    if (event.type === 'configInstalled') {
      if (!event.config.writeConcernMajorityJournalDefault) journaled = false;
      return event.forced && voids.includes('forcedReconfig');
    }
    if (event.type !== 'processStopped' || event.how === 'shutdown') return false;
    return !journaled && voids.includes('unjournaledMajority');
  }

  return {
    name: checker.name,
    events: [...new Set([...checker.events, 'configInstalled' as const, 'processStopped' as const])],
    observe(event, epochSecs) {
      if (silent) return undefined;
      if (event.type === 'configInstalled' || event.type === 'processStopped') {
        silent = takesAway(event);
        if (silent || !checker.events.includes(event.type)) return undefined;
      }
      return checker.observe(event, epochSecs);
    },
  };
}
