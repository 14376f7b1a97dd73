import type { MemberConfig, MemberState, OpTime, Term } from '@replsim/protocol';
import type { Candidate } from './electability.ts';
import type { ElectionHost } from './electionHost.ts';

/**
 * This member as a candidate. Every answer to a heartbeat says whether it may stand, so nothing is gathered beforehand:
 * each fact is read from its owner when it is asked for, and everybody's position only for takeovers.
 */
export class OwnCandidate implements Candidate {
  readonly #host: ElectionHost;

  constructor(host: ElectionHost) {
    this.#host = host;
  }

  get self(): MemberConfig | undefined {
    return this.#host.topology.self;
  }

  get state(): MemberState {
    return this.#host.topology.state;
  }

  get isLeader(): boolean {
    return this.#host.elections.isLeader;
  }

  get term(): Term {
    return this.#host.topology.term;
  }

  get lastWritten(): OpTime {
    return this.#host.positions.counted.opTime;
  }

  get lastApplied(): OpTime {
    return this.#host.positions.applied.opTime;
  }

  get newestApplied(): OpTime {
    return this.#host.topology.newestKnown('applied');
  }

  get primaryApplied(): OpTime | undefined {
    const { topology } = this.#host;
    return topology.views[topology.primaryIndex]?.applied.opTime;
  }

  get seesMajority(): boolean {
    return this.#host.topology.canSeeMajority();
  }

  get isWaiting(): boolean {
    const { core, elections } = this.#host;
    return core.now.monotonicMicros < elections.stepDownUntilMicros;
  }

  get priorityTakeoverFreshnessWindowSeconds(): number {
    return this.#host.parameters.number('priorityTakeoverFreshnessWindowSeconds');
  }
}
