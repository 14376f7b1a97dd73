import { LyingDisks, type ReplSetConfig, type TraceEvent, type TraceEventType } from '@replsim/protocol';
import { voteMajorityOf, writeMajorityOf } from './voters.ts';

/**
 * What an operator can do that takes a promise away:
 * `forcedReconfig` lets two majorities exist that share no member; `fewDataBearers` is a reconfig to fewer voters with data than
 * elect, who then commit on their own, while those who do not know of it yet elect another without them; `unjournaledMajority` is a process that dies while
 * `writeConcernMajorityJournalDefault` is false, so that what a majority had acknowledged may be in nobody's journal; `lyingDisk` is one whose
 * disk had reported writes as done that were not, so that votes, terms, configs and entries are forgotten.
 */
export type Void = 'forcedReconfig' | 'fewDataBearers' | 'unjournaledMajority' | 'lyingDisk';

/** Notices the moment from which on MongoDB no longer promises something. */
export class Voids {
  /** The events it must be shown. */
  static readonly events: readonly TraceEventType[] = ['configInstalled', ...LyingDisks.events];
  readonly #disks = new LyingDisks();
  #journaled = true;

  /** @returns what this event takes away, again too */
  observe(event: TraceEvent): Void[] {
    const voids: Void[] = this.#disks.observe(event) ? ['lyingDisk'] : [];
    if (event.type === 'processStopped' && event.how !== 'shutdown' && !this.#journaled)
      voids.push('unjournaledMajority');
    if (event.type !== 'configInstalled') return voids;
    const { config, forced } = event;
    if (!config.writeConcernMajorityJournalDefault) this.#journaled = false;
    if (forced) voids.push('forcedReconfig');
    if (isForFewDataBearers(config)) voids.push('fewDataBearers');
    return voids;
  }
}

/** Of a set's first config nothing is lost: there was none before by which others could elect. */
function isForFewDataBearers(config: ReplSetConfig): boolean {
  return config.version > 1 && writeMajorityOf(config) < voteMajorityOf(config);
}
