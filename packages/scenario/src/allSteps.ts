import type { Step } from './scenario.ts';

/** All steps, those too that stand in a repetition. */
export function allSteps(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...(step.action.kind === 'repeat' ? allSteps(step.action.steps) : [])]);
}
