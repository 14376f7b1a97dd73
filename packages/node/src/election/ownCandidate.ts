import type { MemberConfig, MemberState, OpTime, Term } from '@replsim/protocol';
import type { Replication } from '../replication/replication.ts';
import type { Candidate } from './electability.ts';

/**
 * This member as a candidate. Every answer to a heartbeat says whether it may stand, so nothing is gathered beforehand:
 * each fact is read from its owner when it is asked for, and everybody's position only for takeovers.
 */
export class OwnCandidate implements Candidate {
  readonly #repl: Replication;

  constructor(repl: Replication) {
    this.#repl = repl;
  }

  get self(): MemberConfig | undefined {
    return this.#repl.topology.self;
  }

  get state(): MemberState {
    return this.#repl.topology.state;
  }

  get isLeader(): boolean {
    return this.#repl.elections.isLeader;
  }

  get term(): Term {
    return this.#repl.topology.term;
  }

  get lastWritten(): OpTime {
    return this.#repl.positions.written.opTime;
  }

  get lastApplied(): OpTime {
    return this.#repl.positions.applied.opTime;
  }

  get newestApplied(): OpTime {
    return this.#repl.topology.newestKnown('applied');
  }

  get primaryApplied(): OpTime | undefined {
    const { topology } = this.#repl;
    return topology.views[topology.primaryIndex]?.applied.opTime;
  }

  get seesMajority(): boolean {
    return this.#repl.topology.canSeeMajority();
  }

  get isWaiting(): boolean {
    const { core, elections } = this.#repl;
    return core.now.monotonicMicros < elections.stepDownUntilMicros;
  }

  get priorityTakeoverFreshnessWindowSeconds(): number {
    return this.#repl.parts.parameters.number('priorityTakeoverFreshnessWindowSeconds');
  }
}
