import type { OpTimeAndWall, Positions } from '@replsim/oplog';
import {
  compareOpTimes,
  formatOpTime,
  InvariantError,
  type MemberConfig,
  type OpTime,
  type Term,
} from '@replsim/protocol';

/** What the guard looks at beside positions. */
interface GuardedTopology {
  readonly term: Term;
  readonly self?: Pick<MemberConfig, 'arbiterOnly'> | undefined;
}

/**
 * What must hold of a member whenever it has handled an event: its positions are in order and its term has not gone back.
 * A breach is a bug of this package and stops the run, where the checkers judge what members tell each other. It looks
 * only at what has moved since the last step.
 */
export class StepGuard {
  readonly #positions: Positions;
  readonly #topology: GuardedTopology;
  readonly #durableIsApplied: boolean;
  #written: OpTimeAndWall | undefined;
  #applied: OpTimeAndWall | undefined;
  #durable: OpTimeAndWall | undefined;
  #term: Term;

  /** @param durableIsApplied before 8.0 nothing is durable that is not applied */
  constructor(positions: Positions, topology: GuardedTopology, durableIsApplied: boolean) {
    this.#positions = positions;
    this.#topology = topology;
    this.#durableIsApplied = durableIsApplied;
    this.#term = topology.term;
  }

  check(): void {
    const { term } = this.#topology;
    if (term < this.#term) throw new InvariantError(`the term went back from ${this.#term} to ${term}`);
    this.#term = term;
    const { written, applied, durable } = this.#positions;
    if (written === this.#written && applied === this.#applied && durable === this.#durable) return;
    this.#written = written;
    this.#applied = applied;
    this.#durable = durable;
    // An arbiter holds nothing: what it calls its position is the set's commit point, wherever it was before.
    if (this.#topology.self?.arbiterOnly) return;
    notAhead('applied', applied.opTime, 'written', written.opTime);
    notAhead('durable', durable.opTime, 'written', written.opTime);
    if (this.#durableIsApplied) notAhead('durable', durable.opTime, 'applied', applied.opTime);
  }
}

function notAhead(name: string, opTime: OpTime, boundName: string, bound: OpTime): void {
  if (compareOpTimes(opTime, bound) <= 0) return;
  throw new InvariantError(`${name} ${formatOpTime(opTime, 0)} is ahead of ${boundName} ${formatOpTime(bound, 0)}`);
}
