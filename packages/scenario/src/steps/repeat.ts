import { formatDuration } from '@replsim/kernel';
import { duration, strict } from '@replsim/replset';
import type * as z from 'zod';
import type { Action, Step } from '../scenario.ts';
import { natural } from '../schema/parts.ts';
import { StepFailure, stepFailureOf } from '../stage/stepFailure.ts';
import { type StepInput, step } from './row.ts';
import type { Stage } from './stage.ts';

/** Each leaves a line in the trace, even one that takes no time. */
const MAX_TIMES = 1_000_000;

/** Steps that are done again and again: so many times, or until the turn in which a time is over. */
interface RepeatAction extends Action {
  readonly until: { readonly times: number } | { readonly forMicros: number };
  readonly steps: readonly Step[];
}

/** @param innerSteps the shape of the steps in it */
export function repeatStep(innerSteps: z.ZodType<readonly StepInput[]>) {
  return step({
    shape: strict('repeat', {
      times: natural
        .max(MAX_TIMES, { error: `at most ${MAX_TIMES} turns` })
        .optional()
        .describe('The number of turns. Give this or "for"'),
      for: duration.optional().describe('No turn begins after this time'),
      steps: innerSteps.describe('The steps of each turn'),
    }).describe('Repeats steps'),
    inner: true,
    read: (reader, path, { times, for: duration, steps }, inner): RepeatAction => {
      const { source } = reader;
      if (times === undefined && duration === undefined)
        source.mistakeAtKey(
          path.slice(0, -1),
          'repeat',
          '"repeat" needs a number of turns or a time',
          'add "times: 3" or "for: 2m"',
        );
      if (times !== undefined && duration !== undefined)
        source.mistakeAtKey(path, 'for', '"times" and "for" do not go together', 'leave one of them out');
      const until =
        duration === undefined ? { times: times ?? 1 } : { forMicros: reader.span([...path, 'for'], duration) };
      const { elapsed } = reader;
      const { micros, lengths } = elapsed;
      const read = steps.flatMap((step, index) => inner([...path, 'steps', index], step, { isRepeated: true }));
      // The first turn has been counted with its steps; what they say of instants holds for all turns.
      const ofATurn = elapsed.lengths - lengths;
      elapsed.lengths = lengths;
      if ('times' in until) elapsed.lasts([...path, 'times'], ofATurn * until.times, micros);
      else elapsed.lasts([...path, 'for'], Math.max(ofATurn, until.forMicros), micros);
      return { kind: 'repeat', until, steps: read };
    },
    // Its line says how often; the steps have lines of their own.
    text: ({ times, for: duration }) => `repeat: {${duration === undefined ? `times: ${times}` : `for: ${duration}`}}`,
    perform: performRepeat,
  });
}

/** Does the steps turn after turn. @returns how many there were @throws StepFailure that says which step failed, and in which turn */
async function performRepeat({ until, steps }: RepeatAction, stage: Stage): Promise<string> {
  const { set } = stage;
  const start = set.nowMicros;
  const isOver = (turns: number) =>
    'times' in until ? turns === until.times : set.nowMicros - start >= until.forMicros;
  const of = 'times' in until ? ` of ${until.times}` : '';
  for (let turn = 1; ; turn++) {
    set.record({ type: 'note', text: `turn ${turn}${of}` });
    const began = set.nowMicros;
    for (const step of steps) await attempt(step, turn, stage);
    if (isOver(turn)) return turn === 1 ? '1 turn' : `${turn} turns`;
    if ('forMicros' in until && set.nowMicros === began)
      throw new StepFailure(
        `${formatDuration(until.forMicros)} that pass`,
        `turn ${turn} took no time, and so would all after it: advance in it, or write "times"`,
      );
  }
}

async function attempt(step: Step, turn: number, { perform, broken }: Stage): Promise<void> {
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
