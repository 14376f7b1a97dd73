import * as z from 'zod';
import { type Explored, exploredOf } from '../search/explore.ts';
import type { Range } from '../search/range.ts';
import { type Question, text } from './question.ts';

const wholeNumber = z.int().min(0);
/** What a run reports may be long, and is no scenario. */
const words = z.string().max(100_000);
const counts = z.record(z.string().max(200), wholeNumber);

const failure = z.strictObject({
  of: z.enum(['invariant', 'check']),
  sameAs: words,
  title: words,
  detail: words,
  at: z.array(wholeNumber).max(100).readonly().exactOptional(),
});

const sometimes = z.strictObject({ line: wholeNumber, text: words, asked: wholeNumber, held: wholeNumber });
const found = z.strictObject({ failure, text, seed: wholeNumber, run: z.int().min(1) });

const stretch = z.strictObject({
  from: wholeNumber,
  to: wholeNumber,
  sums: z.strictObject({
    runs: wholeNumber,
    coverage: counts,
    obstacles: z.strictObject({ fault: wholeNumber, step: wholeNumber }),
    obstacle: words.exactOptional(),
    sometimes: z.array(wholeNumber).max(10_000).readonly(),
    times: z
      .array(z.tuple([words, z.int().min(1)]).readonly())
      .max(10_000)
      .readonly(),
  }),
  found: found.exactOptional(),
});

/** What came of a range of the runs of a question. */
export const answerShape = z
  .strictObject({
    from: wholeNumber,
    to: wholeNumber,
    /** How many runs the question has in all. */
    of: z.int().min(1),
    base: z.strictObject({
      failure: failure.exactOptional(),
      seed: wholeNumber,
      sometimes: z.array(sometimes).max(10_000).readonly().exactOptional(),
      kinds: z.array(z.string().max(100)).max(100).readonly().exactOptional(),
    }),
    stretches: z.array(stretch).max(10_000).readonly(),
  })
  .superRefine((answer, context) => {
    const wrong = wrongIn(answer);
    if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong });
  });

export type Answer = z.infer<typeof answerShape>;

export const shrunkShape = z.strictObject({
  run: z.int().min(1),
  text,
  failure,
  from: wholeNumber,
  to: wholeNumber,
  runs: wholeNumber,
});

/** What one process has explored, for others. */
export function answerOf({ base, of, stretches }: Explored, { from, to }: Range): Answer {
  return { from, to, of, base, stretches };
}

/** What several have explored, as if one had. @param answers that follow each other; behind a gap the numbers of runs stay right */
export function exploredBy(answers: readonly Answer[], { stopAt }: Question): Explored | undefined {
  const sorted = [...answers].sort((a, b) => a.from - b.from);
  const [first] = sorted;
  if (first === undefined) return undefined;
  return exploredOf(
    sorted.flatMap(({ stretches }) => stretches),
    { ...first, stopAt },
  );
}

/** What cannot be, whoever says it: runs that are not of the range, or that were counted otherwise than one by one. */
function wrongIn({ from, to, of, stretches }: Pick<Answer, 'from' | 'to' | 'of' | 'stretches'>): string | undefined {
  if (from > to || to > of) return `runs ${from + 1} to ${to} are no part of ${of}`;
  let at = from;
  for (const each of stretches) {
    if (each.from !== at || each.to <= at || each.to > to)
      return `runs ${each.from + 1} to ${each.to} are out of place`;
    if (each.sums.runs !== each.to - each.from)
      return `${each.sums.runs} runs are counted where ${each.to - each.from} are`;
    if (each.found && each.found.run !== each.to) return `run ${each.found.run} is found where ${each.to} is`;
    at = each.to;
  }
  return undefined;
}
