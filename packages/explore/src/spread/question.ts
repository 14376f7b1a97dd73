import * as z from 'zod';
import type { Arm } from '../measure/measure.ts';
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
    members: z.array(name).min(1).max(1000).exactOptional(),
    duringMicros: natural.exactOptional(),
    heal: z.boolean().exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('everywhere'),
    faults: z
      .array(z.strictObject({ fault: z.record(name, z.json()) }))
      .min(1)
      .max(MOST_FAULTS),
    duringMicros: natural.exactOptional(),
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

/** More arms than anybody compares. */
const MOST_ARMS = 1000;
const seed = z.int().min(0);

/** The same of a measurement, whose runs are counted by their seeds: all arms are played with each. */
export const measureQuestionShape = z
  .strictObject({
    kind: z.literal('measure'),
    replsim: name,
    /** What is measured: the claim of a scenario, or two files. */
    title: z.string().max(10_000),
    arms: z
      .array(z.strictObject({ name, text, file: name, variant: name.exactOptional() }))
      .min(1)
      .max(MOST_ARMS),
    seeds: z.strictObject({ from: seed, to: seed }),
  })
  .refine(({ seeds: { from, to } }) => from <= to, { error: 'the first seed is behind the last' });

export type MeasureQuestion = z.infer<typeof measureQuestionShape> & { readonly arms: readonly Arm[] };

export const anyQuestionShape = z.discriminatedUnion('kind', [questionShape, measureQuestionShape]);

export type AnyQuestion = Question | MeasureQuestion;

/** As messages call what is asked about. */
export function aboutOf(asked: AnyQuestion): string {
  return asked.kind === 'explore' ? asked.file : [...new Set(asked.arms.map(({ file }) => file))].join(' and ');
}

/** All that the answer depends on: not what files are called. */
export function essenceOf(asked: AnyQuestion): Readonly<Record<string, unknown>> {
  if (asked.kind === 'measure') {
    const { title: _, ...rest } = asked;
    return { ...rest, arms: asked.arms.map(({ file: _, ...arm }) => arm) };
  }
  const { file: _, ...rest } = asked;
  return rest;
}

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
export function difference(one: AnyQuestion, other: AnyQuestion): string | undefined {
  const words = {
    replsim: 'releases of replsim',
    kind: 'kinds of question',
    text: 'scenarios',
    mode: 'modes, or faults',
    seed: 'seeds',
    runs: 'numbers of runs',
    stopAt: 'numbers of findings to stop at',
    arms: 'scenarios, or variants',
    seeds: 'seeds',
  } as const;
  const [mine, others] = [essenceOf(one), essenceOf(other)];
  for (const [key, what] of Object.entries(words)) if (canonical(mine[key]) !== canonical(others[key])) return what;
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
