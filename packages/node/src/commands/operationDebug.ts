import type { VersionTraits } from '@replsim/protocol';
import type { Plan } from './planner/plan.ts';
import { planSummary } from './planner/planSummary.ts';
import type { ScanWork } from './reading/scanWork.ts';

/** What a write or a read did, under the names that the log and the profiler have for it. */
export interface OperationCounts {
  nreturned?: number;
  nMatched?: number;
  nModified?: number;
  ninserted?: number;
  ndeleted?: number;
  upsert?: boolean;
  nUpserted?: number;
  keysInserted?: number;
  keysDeleted?: number;
  cursorid?: bigint;
  cursorExhausted?: boolean;
  hasSortStage?: boolean;
}

/**
 * What one operation has done so far, for the slow query log, the profiler and `currentOp`.
 * Upstream: op_debug.h, OpDebug.
 */
export class OperationDebug {
  keysExamined = 0;
  docsExamined = 0;
  numYields = 0;
  /** Whether documents were looked for at all. */
  hasLooked = false;
  readonly counts: OperationCounts = {};
  #plan: Plan | undefined;
  #otherSummary: string | undefined;

  examined({ keysExamined, docsExamined, yields, plan }: ScanWork): void {
    this.hasLooked = true;
    this.keysExamined += keysExamined;
    this.docsExamined += docsExamined;
    this.numYields += yields;
    if (plan) this.#plan = plan;
  }

  /** Says how the documents were reached where that is no plan. */
  summarize(summary: string): void {
    this.hasLooked = true;
    this.#otherSummary = summary;
  }

  /** As `IXSCAN { a: 1 }`; undefined for what has no plan. @param traits of the release, which has a name for lookups by `_id` */
  planSummary({ expressPlans }: VersionTraits): string | undefined {
    return this.#otherSummary ?? (this.#plan && planSummary(this.#plan, expressPlans));
  }

  /** Adds up what the statements of one command did. */
  add(name: 'nMatched' | 'nModified' | 'ninserted' | 'ndeleted' | 'nUpserted', count: number): void {
    this.counts[name] = (this.counts[name] ?? 0) + count;
  }
}
