import { Double } from 'bson';
import type { CatchUpConclusion } from './catchUpConclusion.ts';
import { ELECTION_REASONS, type ElectionCounter, type ElectionReason } from './electionReason.ts';

/** Counters since the process started. Upstream: replication_metrics.idl, ElectionMetrics. */
export class ElectionMetrics {
  /** In the order in which they are shown. */
  readonly byReason: Readonly<Record<ElectionCounter, { called: number; successful: number }>> = {
    stepUpCmd: { called: 0, successful: 0 },
    priorityTakeover: { called: 0, successful: 0 },
    catchUpTakeover: { called: 0, successful: 0 },
    electionTimeout: { called: 0, successful: 0 },
    freezeTimeout: { called: 0, successful: 0 },
  };
  readonly catchUps: Record<CatchUpConclusion, number> = {
    Succeeded: 0,
    AlreadyCaughtUp: 0,
    Skipped: 0,
    TimedOut: 0,
    FailedWithError: 0,
    FailedWithNewTerm: 0,
    FailedWithReplSetAbortPrimaryCatchUpCmd: 0,
  };
  numStepDownsCausedByHigherTerm = 0;
  numCatchUps = 0;
  /** Operations applied in the catch-up under way. */
  opsOfThisCatchUp = 0;
  #opsOfAllCatchUps = 0;

  called(reason: ElectionReason): void {
    this.byReason[ELECTION_REASONS[reason].counter].called += 1;
  }

  successful(reason: ElectionReason): void {
    this.byReason[ELECTION_REASONS[reason].counter].successful += 1;
  }

  /**
   * @returns how many operations this catch-up took, 0 if there was nothing to fetch; undefined if it ended in another way
   * Upstream: CatchupState::signalHeartbeatUpdate, setNumCatchUpOps.
   */
  concludeCatchUp(conclusion: CatchUpConclusion): number | undefined {
    const ops = this.opsOfThisCatchUp;
    this.opsOfThisCatchUp = 0;
    this.catchUps[conclusion] += 1;
    if (conclusion !== 'Succeeded' && conclusion !== 'AlreadyCaughtUp') return undefined;
    this.#opsOfAllCatchUps += ops;
    return ops;
  }

  /** As `serverStatus.electionMetrics` shows them; int64s as bigint, the average as a double. */
  toReply(): Record<string, unknown> {
    const reply: Record<string, unknown> = {};
    for (const [name, { called, successful }] of Object.entries(this.byReason)) {
      reply[name] = { called: BigInt(called), successful: BigInt(successful) };
    }
    reply.numStepDownsCausedByHigherTerm = BigInt(this.numStepDownsCausedByHigherTerm);
    reply.numCatchUps = BigInt(this.numCatchUps);
    for (const [why, count] of Object.entries(this.catchUps)) reply[`numCatchUps${why}`] = BigInt(count);
    reply.averageCatchUpOps = new Double(this.numCatchUps === 0 ? 0 : this.#opsOfAllCatchUps / this.numCatchUps);
    return reply;
  }
}
