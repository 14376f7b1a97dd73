import { Double } from 'bson';
import type { ElectionReason } from './electionMachine.ts';

const COUNTER_OF: Readonly<Record<ElectionReason, string>> = {
  electionTimeout: 'electionTimeout',
  priorityTakeover: 'priorityTakeover',
  stepUpRequest: 'stepUpCmd',
  stepUpRequestSkipDryRun: 'stepUpCmd',
  catchupTakeover: 'catchUpTakeover',
  singleNodePromptElection: 'freezeTimeout',
};

/** Counters since the process started. Upstream: replication_metrics.idl, ElectionMetrics. */
export class ElectionMetrics {
  readonly byReason: Record<string, { called: number; successful: number }> = {};
  readonly catchUps: Record<string, number> = {
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
  /** This primaryship has entries to fetch before it may drain. */
  catchingUp = false;
  /** Operations applied in the catch-up under way. */
  opsOfThisCatchUp = 0;
  #opsOfAllCatchUps = 0;

  constructor() {
    for (const name of ['stepUpCmd', 'priorityTakeover', 'catchUpTakeover', 'electionTimeout', 'freezeTimeout']) {
      this.byReason[name] = { called: 0, successful: 0 };
    }
  }

  called(reason: ElectionReason): void {
    this.byReason[COUNTER_OF[reason]]!.called += 1;
  }

  successful(reason: ElectionReason): void {
    this.byReason[COUNTER_OF[reason]]!.successful += 1;
  }

  startCatchUp(): void {
    if (!this.catchingUp) this.numCatchUps += 1;
    this.catchingUp = true;
  }

  concludeCatchUp(why: string): void {
    this.catchingUp = false;
    this.opsOfThisCatchUp = 0;
    this.catchUps[why] = (this.catchUps[why] ?? 0) + 1;
  }

  /** A catch-up reached its target. @returns how many operations it took */
  countCatchUpOps(): number {
    this.#opsOfAllCatchUps += this.opsOfThisCatchUp;
    return this.opsOfThisCatchUp;
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
