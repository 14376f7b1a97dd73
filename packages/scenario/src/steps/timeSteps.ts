import { formatDuration, formatInstant } from '@replsim/kernel';
import { duration, either, strict, text } from '@replsim/replset';
import { StepFailure } from '../stage/stepFailure.ts';
import { letStep } from './let.ts';
import { step } from './row.ts';
import type { Stage } from './stage.ts';

/** The steps that let time pass, and say or remember something; those with steps in them stand beside. */
export const timeSteps = {
  advance: step({
    shape: either('a duration, or { to: duration }', [
      duration,
      strict('advance', { to: duration.describe('The instant after time zero until which time passes') }),
    ]).describe('Lets time pass'),
    claimsNothing: true,
    read: (reader, path, input) => {
      if (typeof input === 'string') {
        const byMicros = reader.span(path, input);
        reader.elapsed.lasts(path, byMicros);
        return { kind: 'advance', byMicros };
      }
      const toMicros = reader.span([...path, 'to'], input.to);
      reader.elapsed.to([...path, 'to'], toMicros);
      return { kind: 'advance', toMicros };
    },
    perform: async ({ byMicros, toMicros }, stage) => {
      if (toMicros === undefined) await stage.advanceTo(stage.set.nowMicros + (byMicros ?? 0));
      else await advanceTo(toMicros, stage, 'to');
      return undefined;
    },
  }),
  note: step({
    shape: text.describe('Adds a line to the transcript'),
    tellsItself: true,
    claimsNothing: true,
    read: (_reader, _path, text) => ({ kind: 'note', text: text.trim() }),
    perform: ({ text }, { set }) => {
      set.record({ type: 'note', text });
      return undefined;
    },
  }),
  let: letStep,
};

const WAY_ON = {
  to: (duration: string) => `"- advance: ${duration}" lets that much time pass from now on`,
  at: () => 'choose a later instant, or write the step before the one that lasted until now',
};

/** @param word of the step that names the instant */
export async function advanceTo(toMicros: number, { set, advanceTo }: Stage, word: 'at' | 'to'): Promise<void> {
  if (toMicros < set.nowMicros)
    throw new StepFailure(
      `${formatInstant(toMicros)} after time zero`,
      `it is ${formatInstant(set.nowMicros)} already`,
      { advice: `"${word}" counts from time zero; ${WAY_ON[word](formatDuration(toMicros))}` },
    );
  await advanceTo(toMicros);
}
