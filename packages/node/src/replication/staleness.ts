import type { OpTime } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { Replication } from './replication.ts';

/**
 * A member that every source has left behind: it goes into maintenance until one turns up that reaches back far enough.
 * Upstream: bgsync.cpp, _tooStale.
 */
export class Staleness {
  readonly #core: Core;
  readonly #repl: Replication;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  /** All sources were asked, and one at least has cut its oplog behind my newest entry. */
  becameTooStale(lastOpTimeFetched: OpTime, earliestOpTimeSeen: OpTime | undefined): void {
    const { topology, elections } = this.#repl;
    // A new primary gives up catching up, and continues with what it has.
    if (elections.isLeader) return elections.catchUp.conclude('FailedWithError');
    if (topology.tooStale) return;
    topology.tooStale = true;
    this.#core.log('E', 'REPL', 21126, 'Too stale to catch up', { lastOpTimeFetched, earliestOpTimeSeen });
    this.#core.trace({ type: 'tooStale', lastFetched: lastOpTimeFetched });
    topology.memberMode.send('maintenanceStarted');
  }

  foundUsableSource(source: string): void {
    const { topology } = this.#repl;
    if (!topology.tooStale) return;
    topology.tooStale = false;
    this.#core.log('I', 'REPL', 21091, 'No longer too stale to catch up', { syncSource: source });
    topology.memberMode.send('maintenanceEnded');
    this.#repl.tryBecomeSecondary();
  }
}
