import type { ReplSetConfig, TraceEvent } from '@replsim/protocol';
import type { Checker } from './checker.ts';
import { voteMajorityOf, writeMajorityOf } from './voters.ts';

/**
 * What an operator can do that takes a promise away:
 * `forcedReconfig` lets two majorities exist that share no member; `fewDataBearers` is a reconfig to fewer voters with data than
 * elect, who then commit on their own, while those who do not know of it yet elect another without them; `unjournaledMajority` is a process that dies while
 * `writeConcernMajorityJournalDefault` is false, so that what a majority had acknowledged may be in nobody's journal.
 */
export type Void = 'forcedReconfig' | 'fewDataBearers' | 'unjournaledMajority';

/** The same checker, silent from the moment at which MongoDB no longer promises what it checks. */
export function voidedBy(checker: Checker, ...voids: readonly Void[]): Checker {
  let silent = false;
  let journaled = true;

  function takesAway(event: TraceEvent): boolean {
    if (event.type === 'configInstalled') {
      if (!event.config.writeConcernMajorityJournalDefault) journaled = false;
      if (event.forced && voids.includes('forcedReconfig')) return true;
      return isForFewDataBearers(event.config) && voids.includes('fewDataBearers');
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

/** Of a set's first config nothing is lost: there was none before by which others could elect. */
function isForFewDataBearers(config: ReplSetConfig): boolean {
  return config.version > 1 && writeMajorityOf(config) < voteMajorityOf(config);
}
