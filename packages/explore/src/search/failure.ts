import type { PlayFailure, PlayResult, Scenario, Step } from '@replsim/scenario';

/** What a run has shown to be false. */
export interface Failure {
  /** An invariant, or what a scenario claims: a check. */
  readonly of: 'invariant' | 'check';
  /** Two failures with the same text here are the same: the invariant, or the check and how it failed, without numbers and instants. */
  readonly sameAs: string;
  /** As a run reports it. */
  readonly title: string;
  readonly detail: string;
  /** The step that failed, as a position among the steps, and for one inside another a position among those; of a check. */
  readonly at?: readonly number[];
}

/** Why a run could not be played as it was meant, which shows nothing false. */
export interface Obstacle {
  /** A fault that could not happen because its member is already down, or a failed step that is not a check, such as a refused write. */
  readonly of: 'fault' | 'step';
  readonly title: string;
}

/** What came of a run that did not hold. */
export function judged({ steps }: Scenario, result: PlayResult): Failure | Obstacle | undefined {
  const { failure, brokenInvariants } = result;
  const [broken] = brokenInvariants;
  if (broken) {
    const title = `invariant ${broken.name} is broken`;
    return { of: 'invariant', sameAs: broken.name, title, detail: broken.detail };
  }
  if (!failure) return undefined;
  const { index, line, title, detail } = failure;
  if (index < 0) return { of: 'fault', title };
  const at = pathTo(steps, line) ?? [];
  const step = stepAt(steps, at);
  if (step?.action.check === undefined) return { of: step?.action.kind === 'fault' ? 'fault' : 'step', title };
  return { of: 'check', sameAs: sameAs(failure), title, detail, at };
}

export function isFailure(judgement: Failure | Obstacle): judgement is Failure {
  return 'sameAs' in judgement;
}

/** The check, and how it failed: who, how many and when may differ. */
function sameAs({ text, got }: PlayFailure): string {
  return `${text.replaceAll(/\d[\d.]*/g, '#')} got ${got.replaceAll(/\b[a-z]+\d+\b/gi, 'a member').replaceAll(/\d[\d.,]*/g, '#')}`;
}

/** Where the step of a line is, the innermost of those that stand on it. */
function pathTo(steps: readonly Step[], line: number): readonly number[] | undefined {
  for (const [i, step] of steps.entries()) {
    const inside = pathTo(step.action.steps ?? [], line);
    if (inside) return [i, ...inside];
    if (step.line === line) return [i];
  }
  return undefined;
}

/** The step at a position. */
export function stepAt(steps: readonly Step[], [first = -1, ...rest]: readonly number[]): Step | undefined {
  const step = steps[first];
  return rest.length === 0 ? step : step && stepAt(step.action.steps ?? [], rest);
}
