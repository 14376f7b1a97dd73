import { DURATION_PATTERN } from '@replsim/kernel';
import { MEMBER_NAME, MEMBER_NAME_RULE } from '@replsim/replset';
import * as z from 'zod';
import { READ_PREFERENCE_MODES } from '../client/readPreference.ts';

/** What a strict object reports about a key it does not know, as JSON inside zod's message; `issues.ts` reads it. */
export interface UnknownKeyNote {
  readonly what: string;
  readonly known: readonly string[];
}

/** A map with these keys only. `what` names it in messages: `unknown key "x" in a step`. */
export function strict<Shape extends z.ZodRawShape>(what: string, shape: Shape) {
  const note: UnknownKeyNote = { what, known: Object.keys(shape) };
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? JSON.stringify(note) : `${what} is a map`),
  });
}

/** One of several forms; `forms` says them in words: "a duration, or { to: duration }". */
export function either<const Options extends readonly [z.ZodType, z.ZodType, ...z.ZodType[]]>(
  forms: string,
  options: Options,
) {
  return z.union(options, { error: () => `expected ${forms}` });
}

export const duration = z
  .string({ error: 'expected a duration such as 250ms, 61s, 60.001s or 1h30m' })
  .regex(DURATION_PATTERN, { error: 'expected a duration such as 250ms, 61s, 60.001s or 1h30m' })
  .meta({ id: 'duration', description: 'A duration: 250ms, 61s, 60.001s, 2m, 1h30m, -90s' });

/** Read from the YAML itself, so that types and the order of keys survive; here only its presence is checked. */
export const value = z
  .unknown()
  .meta({ id: 'value', description: 'MongoDB Extended JSON, $now, $i, $rand or a remembered $name' });
export const document = z.record(z.string(), z.unknown(), { error: 'expected a document: { field: value }' }).meta({
  id: 'document',
  description: 'A document in MongoDB Extended JSON; $now, $i, $rand and remembered $names may stand for values',
});
export const filter = z
  .record(z.string(), z.unknown(), { error: 'expected a filter: { field: value }' })
  .meta({ id: 'filter', description: 'An MQL filter' });

const memberName = z.string({ error: 'expected the name of a member' }).regex(MEMBER_NAME, {
  error: MEMBER_NAME_RULE,
});
/** A member that is being named for the first time; names in targets are checked against these later. */
export const newMemberName = memberName;
export const host = z
  .string({ error: 'expected HOST:PORT' })
  .regex(/^([\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}$/, { error: 'expected HOST:PORT' });
export const target = either("a member's name, primary, secondaries, all or any", [
  z.string(),
  z.array(z.string()).min(1, { error: 'expected at least one member' }),
]).meta({ id: 'target', description: "A member's name, primary, secondaries, all, any, or a list of these" });

export const namespace = z
  .string({ error: 'expected a namespace: db.collection' })
  .regex(/^[^.$\s/\\]+\.[^\s]+$/, { error: 'expected a namespace: db.collection' })
  .meta({ id: 'namespace', description: 'database.collection' });
export const databaseName = z.string().regex(/^([^.\s/\\"$]+|\$external)$/, { error: 'this is no name of a database' });
export const label = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'expected a name: letters, digits and "_"' });
export const count = z.int({ error: 'expected a whole number' }).min(0, { error: 'expected 0 or more' });
export const flag = z.boolean({ error: 'expected true or false' });
export const text = z.string({ error: 'expected text' });
/** Editors complete these; any other text is refused later, with a suggestion. */
const readPreferenceMode = either('a mode: secondary, nearest …', [z.enum(READ_PREFERENCE_MODES), z.string()]);
/** A mode, or a map with one; which of them there are is said by `readReadPreference.ts`. */
export const readPreference = either('a mode, or { mode, tags, maxStalenessSeconds }', [
  readPreferenceMode,
  strict('readPreference', {
    mode: readPreferenceMode,
    tags: z
      .array(z.record(z.string(), text), { error: 'expected a list of tag sets: [{ dc: east }, {}]' })
      .optional()
      .describe('Tried in order; {} fits every member'),
    maxStalenessSeconds: z.int({ error: 'expected seconds' }).optional(),
  }),
]).meta({ id: 'readPreference', description: 'Where a client reads: primary, secondary, nearest …' });
export type ReadPreferenceInput = z.infer<typeof readPreference>;
/** `n1`, or a map with more. */
export function targetOr<Options extends z.ZodType>(options: Options) {
  return either('a target or a map', [target, options]);
}
