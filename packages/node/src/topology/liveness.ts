import type { Core } from '../core/core.ts';
import type { Replication } from '../replication/replication.ts';
import type { MemberView } from './memberView.ts';

/**
 * How a primary notices that it is cut off: a member of which there was no sign of life for an election timeout is down,
 * and a primary that cannot see a majority gives up. Heartbeats that fail mark members down too, but it is the lack of
 * any sign that leads to the question, so positions that come through others keep a primary in office.
 * Upstream: topology_coordinator.cpp, checkMemberTimeouts; replication_coordinator_impl_heartbeat.cpp,
 * _handleLivenessTimeout.
 */
export class Liveness {
  readonly #core: Core;
  readonly #repl: Replication;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  /** From an election on. Whoever was silent before it is known to be, and does not count against the new primary. */
  start(): void {
    for (const view of this.#repl.topology.others) if (this.isSilent(view)) view.lastUpdateStale = true;
    this.arm();
  }

  stop(): void {
    this.#core.cancelTimer('liveness');
  }

  /** Wakes when the next member may be due. */
  arm(): void {
    const { topology } = this.#repl;
    let earliest = Number.POSITIVE_INFINITY;
    for (const { lastUpdateStale, lastUpdateMicros } of topology.others) {
      if (!lastUpdateStale) earliest = Math.min(earliest, lastUpdateMicros);
    }
    if (earliest === Number.POSITIVE_INFINITY) return;
    const wait = earliest + topology.electionTimeoutMicros - this.#core.now.monotonicMicros;
    this.#core.setTimer('liveness', Math.max(wait, 0));
  }

  onTimer(): void {
    const { topology, elections, heartbeats } = this.#repl;
    if (!elections.isLeader) return;
    let gaveUp = false;
    for (const view of topology.others) {
      // Whoever was silent at the election is up until a heartbeat fails, which one's own may never do if they stand still.
      if (!this.isSilent(view) || (view.lastUpdateStale && !view.up)) continue;
      view.lastUpdateStale = true;
      gaveUp = true;
      heartbeats.responses.wentDown(view, 'no response within election timeout period');
    }
    if (gaveUp && !topology.canSeeMajority()) {
      this.#core.log('I', 'REPL', 21809, "Can't see a majority of the set, relinquishing primary");
      elections.stepDownNow('it cannot see a majority of the voters');
    } else {
      this.arm();
    }
  }

  /** Primary or not: no sign of life for an election timeout. Such a member's position is not passed on either. */
  isSilent({ lastUpdateMicros }: MemberView): boolean {
    return this.#core.now.monotonicMicros - lastUpdateMicros >= this.#repl.topology.electionTimeoutMicros;
  }
}
