import { required } from '@replsim/protocol';
import type { Action, Step } from '../scenario.ts';
import { stepFailureOf } from '../stage/stepFailure.ts';
import { beginStep } from './begin.ts';
import { sent } from './clientCommand.ts';
import { outsideStep } from './outsideStep.ts';
import type { Performing } from './row.ts';
import type { Stage } from './stage.ts';
import { rowOf } from './table.ts';

/** What is done, and no kind of step. */
const OTHERS: Readonly<Record<string, Performing<Action>>> = {
  at: outsideStep,
  begin: beginStep,
  users: { perform: sent } as Performing<Action>,
};

/** Does one step. @throws StepFailure if it does not do what the scenario says */
export async function performStep(step: Step, stage: Stage): Promise<void> {
  const { index, key, text, action } = step;
  const row = required(rowOf(key) ?? OTHERS[key], 'row of a step that was read');
  if (row.tellsItself) {
    await row.perform(action, stage, step);
    return;
  }
  const { set } = stage;
  const sinceMicros = set.nowMicros;
  set.record({ type: 'step', index, text, ...(row.folded && { folded: true }) });
  const ended = (outcome: 'done' | 'failed', returned: string | undefined) =>
    set.record({ type: 'stepEnded', index, outcome, sinceMicros, ...(returned !== undefined && { returned }) });
  try {
    ended('done', await row.perform(action, stage, step));
  } catch (error) {
    const failure = stepFailureOf(error);
    if (failure) ended('failed', failure.inner ? failure.inner.where : failure.got);
    throw error;
  }
}
