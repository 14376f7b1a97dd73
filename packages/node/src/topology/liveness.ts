import type { Core } from '../core/core.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { MemberView } from './memberView.ts';
import type { Topology } from './topology.ts';
import type { TopologyHost } from './topologyHost.ts';

/**
 * How a primary notices that it is cut off: a member that gave no sign of life for an election timeout is down,
 * and a primary that cannot see a majority gives up. Heartbeats that fail mark members down too, but it is the lack of
 * any sign that leads to the question, so positions that come through others keep a primary in office.
 * Upstream: topology_coordinator.cpp, checkMemberTimeouts; replication_coordinator_impl_heartbeat.cpp,
 * _handleLivenessTimeout.
 */
export class Liveness {
  readonly #core: Core;
  readonly #topology: Topology;
  readonly #heartbeats: Heartbeats;
  readonly #host: TopologyHost;
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, topology: Topology, heartbeats: Heartbeats, host: TopologyHost) {
    this.#core = core;
    this.#topology = topology;
    this.#heartbeats = heartbeats;
    this.#host = host;
  }

  /** Since an election. A member that was silent before it does not count against the new primary. */
  start(): void {
    for (const view of this.#topology.others) if (this.isSilent(view)) view.lastUpdateStale = true;
    this.arm();
  }

  stop(): void {
    this.#core.cancelTimer('liveness');
  }

  /** Wakes when the next member may be due. */
  arm(): void {
    const topology = this.#topology;
    let earliest = Number.POSITIVE_INFINITY;
    for (const { lastUpdateStale, lastUpdateMicros } of topology.others) {
      if (!lastUpdateStale) earliest = Math.min(earliest, lastUpdateMicros);
    }
    if (earliest === Number.POSITIVE_INFINITY) return;
    const wait = earliest + topology.electionTimeoutMicros - this.#core.now.monotonicMicros;
    this.#core.setTimer('liveness', this.#fire, Math.max(wait, 0));
  }

  #onTimer(): void {
    const topology = this.#topology;
    const heartbeats = this.#heartbeats;
    const { elections } = this.#host;
    if (!elections.isLeader) return;
    let gaveUp = false;
    for (const view of topology.others) {
      // A member that was silent at the election is up until a heartbeat fails, which never happens while ours are held.
      if (!this.isSilent(view) || (view.lastUpdateStale && !view.up)) continue;
      view.lastUpdateStale = true;
      gaveUp = true;
      heartbeats.responses.wentDown(view, 'no response within election timeout period');
    }
    if (gaveUp && !topology.canSeeMajority()) {
      this.#core.log('I', 'REPL', 21809, "Can't see a majority of the set, relinquishing primary");
      elections.stepDownLonely('it cannot see a majority of the voters');
    } else {
      this.arm();
    }
  }

  /** Primary or not: no sign of life for an election timeout. Such a member's position is not passed on either. */
  isSilent({ lastUpdateMicros }: MemberView): boolean {
    return this.#core.now.monotonicMicros - lastUpdateMicros >= this.#topology.electionTimeoutMicros;
  }
}
