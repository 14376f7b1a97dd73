import * as z from 'zod';
import type { ExploreOptions } from '../search/explore.ts';

/** No scenario that people write is longer, nor one that shrinking begins with. */
const LONGEST_TEXT = 1_000_000;
const MOST_FAULTS = 2;

const name = z.string().min(1).max(4096);
const natural = z.int().min(1);
const wholeNumber = z.int().min(0);
export const text = z.string().max(LONGEST_TEXT);

const mode = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('seeds') }),
  z.strictObject({
    kind: z.literal('faults'),
    atMost: natural.exactOptional(),
    kinds: z.array(name).max(100).exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('everywhere'),
    faults: z
      .array(z.strictObject({ fault: z.record(name, z.json()) }))
      .min(1)
      .max(MOST_FAULTS),
  }),
]);

/**
 * What is asked of many runs, whoever plays them: nothing of it can be executed, and whoever has it and a range knows all there is to know. Two
 * that are equal have the same answer.
 */
export const questionShape = z.strictObject({
  kind: z.literal('explore'),
  /** The release that plays: the same one makes the same of a seed. */
  replsim: name,
  /** As messages show it. */
  file: name,
  text,
  mode,
  seed: wholeNumber.exactOptional(),
  runs: natural,
  stopAt: natural,
});

export type Question = z.infer<typeof questionShape>;

/** What `explore` is told of it. */
export function exploring({
  mode,
  seed,
  runs,
  stopAt,
}: Question): Pick<ExploreOptions, 'mode' | 'seed' | 'runs' | 'stopAt'> {
  return { mode, runs, stopAt, ...(seed !== undefined && { seed }) };
}

/** In what two questions differ, in words; undefined if they have the same answer. What a file is called makes no difference. */
export function difference(one: Question, other: Question): string | undefined {
  const words = {
    replsim: 'releases of replsim',
    kind: 'kinds of question',
    text: 'scenarios',
    mode: 'modes, or faults',
    seed: 'seeds',
    runs: 'numbers of runs',
    stopAt: 'numbers of findings to stop at',
  } as const;
  for (const [key, what] of Object.entries(words))
    if (canonical(one[key as keyof Question]) !== canonical(other[key as keyof Question])) return what;
  return undefined;
}

/** A value as text, whatever the order of its keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
