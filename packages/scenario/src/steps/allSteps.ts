import type { Action, Check, CheckPart, Step } from '../scenario.ts';

/** All steps, those too that stand in a repetition or a transaction. */
export function allSteps(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...('steps' in step.action ? allSteps(step.action.steps) : [])]);
}

/** What a step's check or question asks, behind a `not` too. */
export function partsOf(action: Action): CheckPart[] {
  if (action.kind === 'ask') return action.answer.look.kind === 'holds' ? partsIn(action.answer.look.check) : [];
  return 'check' in action ? partsIn(action.check) : [];
}

function partsIn({ parts }: Check): CheckPart[] {
  return parts.flatMap((part) => (part.kind === 'not' ? partsIn(part.check) : [part]));
}
