import { formatDuration } from '@replsim/kernel';
import type { RepeatAction, Step } from '../scenario.ts';
import { StepFailure, stepFailureOf } from '../stage/stepFailure.ts';

/** What a repetition needs of the stage. */
interface Turning {
  readonly now: () => number;
  /** Says which turn begins. */
  readonly tell: (text: string) => void;
  /** Does a step of it. */
  readonly perform: (step: Step) => Promise<void>;
  /** What has gone wrong besides: a broken invariant. */
  readonly broken: () => StepFailure | undefined;
}

/** Does the steps turn after turn. @returns how many there were @throws StepFailure that says which step failed, and in which turn */
export async function performRepeat({ until, steps }: RepeatAction, turning: Turning): Promise<string> {
  const start = turning.now();
  const isOver = (turns: number) =>
    'times' in until ? turns === until.times : turning.now() - start >= until.forMicros;
  const of = 'times' in until ? ` of ${until.times}` : '';
  for (let turn = 1; ; turn++) {
    turning.tell(`turn ${turn}${of}`);
    const began = turning.now();
    for (const step of steps) await attempt(step, turn, turning);
    if (isOver(turn)) return turn === 1 ? '1 turn' : `${turn} turns`;
    if ('forMicros' in until && turning.now() === began)
      throw new StepFailure(
        `${formatDuration(until.forMicros)} that pass`,
        `turn ${turn} took no time, and so would all after it: advance in it, or write "times"`,
      );
  }
}

async function attempt(step: Step, turn: number, { perform, broken }: Turning): Promise<void> {
  let failure: StepFailure | undefined;
  try {
    await perform(step);
  } catch (error) {
    failure = stepFailureOf(error);
    if (!failure) throw error;
  }
  failure = broken() ?? failure;
  if (!failure) return;
  const { inner } = failure;
  const { index, line, text, action } = step;
  failure.inner = {
    ...(inner ?? { index, line, text, isCheck: 'check' in action }),
    where: `in turn ${turn}${inner ? `, ${inner.where}` : ''}`,
  };
  throw failure;
}
