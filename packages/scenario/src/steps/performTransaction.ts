import type { Step, TransactionAction } from '../scenario.ts';
import type { StepClient } from '../stage/stepClient.ts';
import { stepFailureOf } from '../stage/stepFailure.ts';

/** Begins the transaction, does its steps, and ends it. @returns what the end was answered @throws StepFailure that says which failed */
export async function performTransaction(
  step: Step,
  { start, steps, end }: TransactionAction,
  client: StepClient,
  perform: (step: Step) => Promise<void>,
): Promise<string | undefined> {
  client.startTransaction(step, start);
  for (const inner of steps) {
    try {
      await perform(inner);
    } catch (error) {
      const failure = stepFailureOf(error);
      if (failure && !failure.inner) {
        const { index, line, text, action } = inner;
        failure.inner = { index, line, text, isCheck: 'check' in action, where: 'in the transaction' };
      }
      throw error;
    }
  }
  return client.run(end);
}
