import type { TransactionAction } from './scenario.ts';
import type { StepClient } from './stepClient.ts';
import { stepFailureOf } from './stepFailure.ts';

/** Begins the transaction, does its steps, and ends it. @returns what the end was answered @throws StepFailure that says which failed */
export async function performTransaction(
  { start, steps, end }: TransactionAction,
  client: StepClient,
  perform: (step: TransactionAction['steps'][number]) => Promise<void>,
): Promise<string | undefined> {
  client.startTransaction(start);
  for (const step of steps) {
    try {
      await perform(step);
    } catch (error) {
      const failure = stepFailureOf(error);
      if (failure && !failure.inner) {
        const { index, line, text, action } = step;
        failure.inner = { index, line, text, isCheck: 'check' in action, where: 'in the transaction' };
      }
      throw error;
    }
  }
  return client.run(end);
}
