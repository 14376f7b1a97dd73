import { DURATION_PATTERN, FASTEST_PPM, SLOWEST_PPM } from '@replsim/kernel';
import * as z from 'zod';

/** What a strict object reports of itself where it is given something else, as JSON inside zod's message; `plainIssues` reads it. */
export interface MapNote {
  readonly what: string;
  readonly known: readonly string[];
  /** Keys that people look for here, and what to write instead. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

/**
 * A map with these keys only. `what` names it in messages: `unknown key "x" in a step`.
 * @param elsewhere keys that people look for here, and what to write instead
 */
export function strict<Shape extends z.ZodRawShape>(
  what: string,
  shape: Shape,
  elsewhere: Readonly<Record<string, string>> = {},
) {
  const note: MapNote = { what, known: Object.keys(shape), elsewhere };
  return z.strictObject(shape, { error: () => JSON.stringify(note) });
}

/** One of several forms; `forms` says them in words: "a duration, or { to: duration }". */
export function either<const Options extends readonly [z.ZodType, z.ZodType, ...z.ZodType[]]>(
  forms: string,
  options: Options,
) {
  return z.union(options, { error: () => `expected ${forms}` });
}

/** A length of time as people write it. */
export const duration = z
  .string({ error: 'expected a duration such as 250ms, 61s, 60.001s or 1h30m' })
  .regex(DURATION_PATTERN, { error: 'expected a duration such as 250ms, 61s, 60.001s or 1h30m' })
  .meta({ id: 'duration', description: 'A duration: 250ms, 61s, 60.001s, 2m, 1h30m, -90s' });

/** Its values are read by whoever knows how they are written; here only its presence is checked. */
export const document = z.record(z.string(), z.unknown(), { error: 'expected a document: { field: value }' }).meta({
  id: 'document',
  description: 'A document in MongoDB Extended JSON; $now, $i, $rand and remembered $names can replace values',
});

/** Which members are meant. */
export const target = either("a member's name, primary, secondaries, all or any", [
  z.string(),
  z.array(z.string()).min(1, { error: 'expected at least one member' }),
]).meta({ id: 'target', description: "A member's name, primary, secondaries, all, any, or a list of these" });

/** `n1`, or a map with more. */
export function targetOr<Options extends z.ZodType>(options: Options) {
  return either('a target or a map', [target, options]);
}

/** Yes or no. */
export const flag = z.boolean({ error: 'expected true or false' });
/** Any text. */
export const text = z.string({ error: 'expected text' });
const MAX_MILLISECONDS = 366 * 86_400_000;
/** A length of time in milliseconds, fractions allowed. */
export const milliseconds = z
  .number({ error: 'expected milliseconds' })
  .min(0, { error: 'expected milliseconds, 0 or more' })
  // What is added to an instant must leave it a whole number of microseconds.
  .max(MAX_MILLISECONDS, { error: `expected milliseconds, at most a year (${MAX_MILLISECONDS})` });
/** What a wall clock gains in each second. Unit: µs. */
export const drift = z
  .int({ error: 'expected parts per million, a whole number' })
  .min(SLOWEST_PPM, { error: `${SLOWEST_PPM} stops the clock, and it does not run backwards` })
  .max(FASTEST_PPM, { error: `a clock runs at most twice as fast: ${FASTEST_PPM}` });
/** How many times longer something takes. */
export const slowdown = z
  .number({ error: 'expected how many times longer, such as 10' })
  .positive({ error: 'expected more than 0; 1 is the usual speed' })
  .max(1_000_000, { error: 'at most 1000000 times' });
/** How many operations a processor computes at a time. */
export const cores = z
  .int({ error: 'expected a whole number of cores, or 0 for no limit' })
  .min(0, { error: 'expected 0 or more; with 0 there is no limit' });
/** A probability. */
export const chance = z
  .number({ error: 'expected a probability from 0 to 1' })
  .min(0, { error: 'expected a probability from 0 to 1' })
  .max(1, { error: 'expected a probability from 0 to 1' });

/** How a network, or one link of it, carries messages. */
export const networkShape = {
  latencyMs: either('milliseconds, or [least, greatest] in milliseconds', [
    milliseconds,
    z.tuple([milliseconds, milliseconds], { error: 'expected [least, greatest] in milliseconds' }),
  ])
    .optional()
    .describe('How long a message takes: a fixed time, or a range to draw from. Unit: ms'),
  loss: chance.optional().describe('Probability that a message is lost'),
  duplicate: chance.optional().describe('Probability that a message arrives twice'),
  reorder: chance.optional().describe('Probability that a message is held up so that later ones overtake it'),
};

const KEY = { error: 'expected the key itself: 6 to 1024 characters of A-Z a-z 0-9 + / =' };
/** A key of a key file. */
export const key = z.string(KEY).regex(/^[A-Za-z0-9+/=]{6,1024}$/, KEY);
/** What a key file holds. */
export const keyFile = either('a key, or a list of two', [key, z.array(key).min(1).max(2)]).describe(
  'What its key file holds; members without a common key refuse each other',
);
