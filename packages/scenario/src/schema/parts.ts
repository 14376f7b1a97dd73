import { READ_PREFERENCE_MODES } from '@replsim/driver';
import { document, either, flag, MEMBER_NAME, MEMBER_NAME_RULE, strict, target, text } from '@replsim/replset';
import * as z from 'zod';

/** A key that may be left out. @param value what holds then; editors and the reference show it, and the readers know it */
export function withDefault<Type extends z.ZodType>(schema: Type, value: unknown, description: string) {
  return schema.optional().meta({ description, default: value });
}

/** Its keys that may be undefined may be missing instead. */
type Defined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** What was not written is not there. */
export function withoutUndefined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Read from the YAML itself, so that types and the order of keys survive; here only its presence is checked. */
export const value = z
  .unknown()
  .meta({ id: 'value', description: 'MongoDB Extended JSON, $now, $i, $rand or a remembered $name' });
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
export const namespace = z
  .string({ error: 'expected a namespace: db.collection' })
  .regex(/^[^.$\s/\\]+\.[^\s]+$/, { error: 'expected a namespace: db.collection' })
  .meta({ id: 'namespace', description: 'database.collection' });
export const databaseName = z
  .string()
  .regex(/^([^.\s/\\"$]+|\$external)$/, { error: 'this is not a valid database name' });
export const label = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'expected a name: letters, digits and "_"' });
/** @param expected how a message names it; a number beyond what JavaScript counts exactly is whole, but not possible */
const whole = (expected = 'a whole number') =>
  z.int({
    abort: true,
    error: ({ code }) =>
      code === 'too_big' || code === 'too_small'
        ? `expected ${expected} within ±${Number.MAX_SAFE_INTEGER}`
        : `expected ${expected}`,
  });
/** 1 or more. */
export const natural = whole().min(1, { error: 'expected 1 or more' });
export const count = whole().min(0, { error: 'expected 0 or more' });
/** As `count`, but -1 is something else. */
export const countOrOff = whole().min(-1, { error: 'expected -1 or more' });
/** The greatest number that most fields of MongoDB's commands and configs hold. */
export const MAX_INT32 = 2_147_483_647;
const BEYOND_INT32 = { error: `expected at most ${MAX_INT32}, like servers` };
/** As `count`, where a command has an int32. */
export const optionCount = count.max(MAX_INT32, BEYOND_INT32);
const AT_MOST_INT32 = { error: `expected milliseconds, at most ${MAX_INT32}, like drivers and servers` };
/** Milliseconds as the options of drivers and commands have them; 0 has a meaning of its own. */
export const optionMs = count.max(MAX_INT32, AT_MOST_INT32);
/** As that, but 1 or more. */
export const limitMs = natural.max(MAX_INT32, AT_MOST_INT32);
export const errorName = either('the name or number of an error, or any', [text, z.int()]).describe(
  'The name or number of an error, or any',
);

/** Editors complete these; any other text is refused later, with a suggestion. */
const readPreferenceMode = either('a mode: secondary, nearest …', [z.enum(READ_PREFERENCE_MODES), z.string()]).describe(
  'Which members may be read from',
);
/** A mode, or a map with one; which of them there are is said by `readReadPreference.ts`. */
export const readPreference = either('a mode, or { mode, tags, maxStalenessSeconds }', [
  readPreferenceMode,
  strict('readPreference', {
    mode: readPreferenceMode,
    tags: z
      .array(z.record(z.string(), text), { error: 'expected a list of tag sets: [{ dc: east }, {}]' })
      .optional()
      .describe('Tried in order; {} fits every member'),
    maxStalenessSeconds: whole('seconds, a whole number')
      .optional()
      .describe('Leaves out secondaries that lag by more than this'),
  }),
]).meta({ id: 'readPreference', description: 'Where a client reads: primary, secondary, nearest …' });
export type ReadPreferenceInput = z.infer<typeof readPreference>;

/** `majority` is short for `{ level: majority }`; which levels there are is said by `judgeConcerns.ts`. */
export const readConcern = either('a level, or { level: majority }', [text, document]).meta({
  id: 'readConcern',
  description: 'A read concern: majority, or { level: majority }',
});
/** `majority` and 2 are short for `{ w: majority }` and `{ w: 2 }`. */
export const writeConcern = either('a number of members, majority, or { w: majority }', [whole(), text, document]).meta(
  {
    id: 'writeConcern',
    description: 'A write concern: majority, a number of members, or { w: majority, j: true, wtimeout: 5000 }',
  },
);

/** What an update does to the documents that it finds; as a step, and as what a client in the background repeats. */
export const updateShape = {
  in: namespace.describe('The collection'),
  filter: withDefault(filter, {}, 'Which documents'),
  update: either('an update or a pipeline', [
    document,
    z.array(document, { error: 'expected a list of documents: [{ field: value }]' }),
  ]).describe('Update operators, a replacement, or a pipeline'),
  multi: withDefault(flag, false, 'Update all documents that match, not only the first'),
  upsert: withDefault(flag, false, 'Insert a document if none matches'),
};

/** What a find asks for; as `updateShape`. */
export const findShape = {
  in: namespace.describe('The collection'),
  filter: withDefault(filter, {}, 'Which documents'),
  sort: document.optional().describe('The order: { at: 1 }'),
  projection: document.optional().describe('Which fields: { _id: 1 }'),
  limit: withDefault(count, 0, 'At most this many documents; 0 returns all'),
  skip: withDefault(count, 0, 'Skip this many documents first'),
};

/** Whom a client asks. */
export const onPrimary = withDefault(target, 'primary', 'Which member to ask');
