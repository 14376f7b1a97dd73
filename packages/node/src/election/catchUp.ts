import { compareOpTimes, type OpTime, sameOpTime } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { Replication } from '../replication/replication.ts';

/** How a new primary's catch-up ended; each has its counter. Upstream: PrimaryCatchUpConclusionReason. */
export type CatchUpConclusion =
  | 'Succeeded'
  | 'AlreadyCaughtUp'
  | 'Skipped'
  | 'TimedOut'
  | 'FailedWithError'
  | 'FailedWithNewTerm'
  | 'FailedWithReplSetAbortPrimaryCatchUpCmd';

/**
 * A new primary fetches what somebody else holds and it lacks, so that as little as possible is rolled back. It goes on
 * fetching like a secondary; here is only what it waits for. Upstream: ReplicationCoordinatorImpl::CatchupState.
 */
export class CatchUp {
  readonly #core: Core;
  readonly #repl: Replication;
  #target: OpTime | undefined;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  enter(): void {
    const { config } = this.#repl.topology;
    const { catchUpTimeoutMillis } = config!.settings;
    this.#target = undefined;
    if (config!.members.length === 1 || catchUpTimeoutMillis === 0) {
      this.#core.log('I', 'REPL', 21360, 'Skipping primary catchup since the catchup timeout is 0');
      return this.conclude('Skipped');
    }
    this.#core.log('I', 'REPL', 21359, 'Entering primary catch-up mode');
    if (catchUpTimeoutMillis > 0) this.#core.setTimer('catchUp', catchUpTimeoutMillis * 1000);
    this.onHeartbeats();
  }

  /**
   * A heartbeat was answered, or a member was given up. Nothing is decided before there was a word of everybody since
   * the election; then the target follows whoever is up, downwards too. Upstream: signalHeartbeatUpdate.
   */
  onHeartbeats(): void {
    const { topology, positions, elections } = this.#repl;
    if (!elections.isCatchingUp || topology.others.some(({ heardSinceRestart }) => !heardSinceRestart)) return;
    const targetOpTime = topology.newestKnownApplied();
    const myLastApplied = positions.applied.opTime;
    if (compareOpTimes(targetOpTime, myLastApplied) <= 0) {
      this.#core.log('I', 'REPL', 21364, 'Caught up to the latest optime known via heartbeats after becoming primary', {
        targetOpTime,
        myLastApplied,
      });
      return this.conclude('AlreadyCaughtUp');
    }
    if (this.#target && sameOpTime(this.#target, targetOpTime)) return;
    this.#target = targetOpTime;
    this.#core.log('I', 'REPL', 21365, 'Heartbeats updated catchup target optime', { targetOpTime, myLastApplied });
    elections.catchUpTargetMoved(targetOpTime);
  }

  /** A batch was applied. */
  onApplied(): void {
    const { positions, elections } = this.#repl;
    if (!elections.isCatchingUp || !this.#target) return;
    if (compareOpTimes(positions.applied.opTime, this.#target) < 0) return;
    this.#core.log('I', 'REPL', 21368, 'Caught up to the latest known optime successfully after becoming primary', {
      targetOpTime: this.#target,
      myLastApplied: positions.applied.opTime,
    });
    this.conclude('Succeeded');
  }

  onTimer(): void {
    if (!this.#repl.elections.isCatchingUp) return;
    this.#core.log('I', 'REPL', 21361, 'Catchup timed out after becoming primary');
    this.conclude('TimedOut');
  }

  /** Ends it, if it is under way: what was fetched is drained. */
  conclude(reason: CatchUpConclusion): void {
    if (!this.#repl.elections.isCatchingUp) return;
    this.#leave(reason);
    this.#repl.elections.catchUpConcluded(reason);
  }

  /** The member does not lead any more. */
  abandon(): void {
    if (!this.#repl.elections.isCatchingUp) return;
    this.#leave('FailedWithNewTerm');
    this.#repl.elections.metrics.concludeCatchUp('FailedWithNewTerm');
  }

  #leave(reason: CatchUpConclusion): void {
    this.#core.cancelTimer('catchUp');
    this.#core.log('I', 'REPL', 21363, 'Exited primary catch-up mode', { reason });
    this.#core.trace({ type: 'catchUpEnded', term: this.#repl.topology.term, reason });
  }
}
