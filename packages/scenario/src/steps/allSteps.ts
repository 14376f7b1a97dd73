import type { Action, Check, CheckPart, Step } from '../scenario.ts';

/** All steps, those too that stand in a repetition or a transaction. */
export function allSteps(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...allSteps(step.action.steps ?? [])]);
}

/** What a step's check or question asks, behind a `not` too. */
export function partsOf({ check, asked }: Action): CheckPart[] {
  const looked = check ?? asked;
  return looked ? partsIn(looked) : [];
}

function partsIn({ parts }: Check): CheckPart[] {
  return parts.flatMap((part) => (part.check ? partsIn(part.check) : [part]));
}
