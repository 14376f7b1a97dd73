import * as z from 'zod';
import { type MeasuredArm, type MeasureOptions, measure } from '../measure/measure.ts';
import type { Range } from '../search/range.ts';
import type { MeasureQuestion } from './question.ts';

const wholeNumber = z.int().min(0);
const words = z.string().max(100_000);

const measured = z.strictObject({
  seed: wholeNumber,
  figures: z.record(z.string().max(1000), z.number()),
  failed: words.exactOptional(),
  obstacle: words.exactOptional(),
});

/** What came of a range of the seeds of a measurement, counted from 0. */
export const measuredAnswerShape = z
  .strictObject({
    from: wholeNumber,
    to: wholeNumber,
    /** How many seeds the question has in all. */
    of: z.int().min(1),
    /** The runs of each arm, in the order of the seeds. */
    arms: z.array(z.array(measured)),
  })
  .refine(({ from, to, of }) => from <= to && to <= of, { error: 'these seeds are no part of all of them' })
  .refine(({ from, to, arms }) => arms.every((runs) => runs.length === to - from), {
    error: 'there is not one run for each seed',
  });

export type MeasuredAnswer = z.infer<typeof measuredAnswerShape>;

/** How many seeds a question has. */
export function seedCount({ seeds: { from, to } }: MeasureQuestion): number {
  return to - from + 1;
}

/** Plays a range of the seeds; who breaks off has fewer. */
export async function measureRange(
  question: MeasureQuestion,
  { from, to }: Range,
  options: Omit<MeasureOptions, 'seeds'>,
): Promise<MeasuredAnswer> {
  const first = question.seeds.from;
  const arms =
    from === to ? [] : await measure(question.arms, { ...options, seeds: { from: first + from, to: first + to - 1 } });
  const runs = question.arms.map((_, i) => [...(arms[i]?.runs ?? [])]);
  return { from, to: from + (runs[0]?.length ?? 0), of: seedCount(question), arms: runs };
}

/** What several have measured, as if one had. @param answers that have no seed in common */
export function measuredBy(answers: readonly MeasuredAnswer[], { arms }: MeasureQuestion): readonly MeasuredArm[] {
  const sorted = [...answers].sort((a, b) => a.from - b.from);
  return arms.map((arm, i) => ({ arm, runs: sorted.flatMap((answer) => answer.arms[i] ?? []) }));
}

/** Whether an answer, whoever gives it, may be one to this question. */
export function isAnswerTo({ arms, seeds, ...rest }: MeasureQuestion, answer: MeasuredAnswer): boolean {
  const isInPlace = ({ seed }: { readonly seed: number }, i: number) => seed === seeds.from + answer.from + i;
  return (
    answer.of === seedCount({ arms, seeds, ...rest }) &&
    answer.arms.length === arms.length &&
    answer.arms.every((runs) => runs.every(isInPlace))
  );
}
