import { compareOpTimes, type OpTime, sameOpTime } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { showOpTime } from '../core/logValues.ts';
import type { CatchUpConclusion } from './catchUpConclusion.ts';
import type { ElectionHost } from './electionHost.ts';

/**
 * A new primary fetches what somebody else holds and it lacks, so that as little as possible is rolled back. It goes on
 * fetching like a secondary; here is only what it waits for. Upstream: ReplicationCoordinatorImpl::CatchupState.
 */
export class CatchUp {
  readonly #core: Core;
  readonly #host: ElectionHost;
  #target: OpTime | undefined;
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, host: ElectionHost) {
    this.#core = core;
    this.#host = host;
  }

  enter(): void {
    const { members, settings } = this.#host.topology.configInForce;
    const { catchUpTimeoutMillis } = settings;
    this.#target = undefined;
    this.#core.log('I', 'REPL', 21359, 'Entering primary catch-up mode');
    if (members.length === 1) {
      this.#core.log('I', 'REPL', 6015304, 'Skipping primary catchup, as there is no other member');
      return this.conclude('Skipped');
    }
    if (catchUpTimeoutMillis === 0) {
      this.#core.log('I', 'REPL', 21360, 'Skipping primary catchup since the catchup timeout is 0');
      return this.conclude('Skipped');
    }
    if (catchUpTimeoutMillis > 0) {
      this.#core.setTimer('catchUp', this.#fire, catchUpTimeoutMillis * 1000);
      this.#core.deadline('catchUp', this.#core.now.monotonicMicros + catchUpTimeoutMillis * 1000);
    }
    this.onHeartbeats();
  }

  /**
   * A heartbeat was answered, or a member was given up. Nothing is decided before there was a word of everybody since
   * the election; then the target follows the members that are up, downwards too. Upstream: signalHeartbeatUpdate.
   */
  onHeartbeats(): void {
    const { topology, positions, elections } = this.#host;
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
    this.#logTarget(targetOpTime);
    elections.catchUpTargetMoved(targetOpTime);
  }

  /** The target, and what every member was last known to have applied. */
  #logTarget(targetOpTime: OpTime): void {
    const { topology, positions } = this.#host;
    this.#core.log('I', 'REPL', 21365, 'Heartbeats updated catchup target optime', { targetOpTime });
    this.#core.log('I', 'REPL', 21366, 'What each member is known to have applied');
    for (const { index, config, up, heardSinceRestart, heartbeat } of topology.views) {
      const isSelf = index === topology.selfIndex;
      const known = isSelf ? positions.applied : up && heardSinceRestart ? heartbeat.applied : undefined;
      this.#core.log('I', 'REPL', 21367, 'A member is known to have applied this', {
        memberId: config._id,
        latestKnownOpTime: known ? showOpTime('opTime' in known ? known.opTime : known) : 'unknown',
      });
    }
  }

  /** A batch was applied. */
  onApplied(): void {
    const { positions, elections } = this.#host;
    if (!elections.isCatchingUp || !this.#target) return;
    if (compareOpTimes(positions.applied.opTime, this.#target) < 0) return;
    this.#core.log('I', 'REPL', 21368, 'Caught up to the latest known optime successfully after becoming primary', {
      targetOpTime: this.#target,
      myLastApplied: positions.applied.opTime,
    });
    this.conclude('Succeeded');
  }

  #onTimer(): void {
    if (!this.#host.elections.isCatchingUp) return;
    this.#core.log('I', 'REPL', 21361, 'Catchup timed out after becoming primary');
    this.conclude('TimedOut');
  }

  /** Ends it, if it is under way: what was fetched is drained. */
  conclude(reason: CatchUpConclusion): void {
    if (!this.#host.elections.isCatchingUp) return;
    this.#leave(reason);
    this.#host.elections.catchUpConcluded(reason);
  }

  /** The member does not lead any more. */
  abandon(reason: CatchUpConclusion): void {
    if (!this.#host.elections.isCatchingUp) return;
    this.#leave(reason);
    this.#host.elections.metrics.concludeCatchUp(reason);
  }

  #leave(reason: CatchUpConclusion): void {
    this.#core.cancelTimer('catchUp');
    this.#core.deadline('catchUp', undefined);
    this.#core.log('I', 'REPL', 21363, 'Exited primary catch-up mode');
    this.#core.trace({ type: 'catchUpEnded', term: this.#host.topology.term, reason });
  }
}
