import type { Step } from './scenario.ts';

/** All steps, those too that stand in a repetition or a transaction. */
export function allSteps(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...('steps' in step.action ? allSteps(step.action.steps) : [])]);
}
