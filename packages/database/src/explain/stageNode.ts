import type { Reply } from '@replsim/pipeline';
import { invariant, RawBson } from '@replsim/protocol';

/** One stage of a plan, with what it counted if it was carried out. */
export interface StageNode {
  readonly stage: string;
  /** What the stage asks of each document. */
  readonly filter?: Uint8Array | undefined;
  /** What describes the stage, whether it ran or not. */
  readonly details: Reply;
  readonly input?: StageNode | undefined;
  readonly ran: StageCounts;
  /** Its own figures, such as `keysExamined`. */
  readonly figures: Reply;
}

/** What every stage counts. Upstream: plan_stats.h, CommonStats. */
export interface StageCounts {
  /** How often it was asked, the last time for nothing included. */
  readonly works: number;
  /** How often it had something to give. */
  readonly advanced: number;
  readonly yields: number;
  readonly isEOF: boolean;
}

/** For plans that are only shown. */
export const NOT_RUN: StageCounts = Object.freeze({ works: 0, advanced: 0, yields: 0, isEOF: false });

/** What a limit limits, for a command that stops by itself: a count, or one write. */
export function withoutLimit(node: StageNode): StageNode {
  const { stage, input } = node;
  if (stage !== 'LIMIT') return node;
  invariant(input, 'a LIMIT has a stage below it');
  return input;
}

/** A stage as `winningPlan` shows it. Upstream: plan_explainer_impl.cpp, statsToBSON. */
export function shownPlan({ stage, filter, details, input }: StageNode): Reply {
  return {
    stage,
    ...(filter && { filter: new RawBson(filter) }),
    ...details,
    ...(input && { inputStage: shownPlan(input) }),
  };
}

/**
 * A stage as `executionStages` shows it.
 * @param millis what the whole plan took; unit: ms of virtual time. Simplification: every stage is shown with it
 */
export function shownExecution({ stage, filter, details, input, ran, figures }: StageNode, millis: number): Reply {
  return {
    stage,
    ...(filter && { filter: new RawBson(filter) }),
    nReturned: ran.advanced,
    executionTimeMillisEstimate: millis,
    works: ran.works,
    advanced: ran.advanced,
    needTime: Math.max(ran.works - ran.advanced - Number(ran.isEOF), 0),
    needYield: 0,
    saveState: ran.yields,
    restoreState: ran.yields,
    isEOF: Number(ran.isEOF),
    ...details,
    ...figures,
    ...(input && { inputStage: shownExecution(input, millis) }),
  };
}
