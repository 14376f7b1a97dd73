import { strict } from '@replsim/replset';
import * as z from 'zod';
import { clientChecks } from './clientChecks.ts';
import { dataChecks } from './dataChecks.ts';
import { logChecks } from './logChecks.ts';
import type { AnyCheck, CheckInput } from './row.ts';
import { notCheck, roleChecks, setChecks } from './setChecks.ts';

/** The check in a check, whose keys are known only when the table is made. */
const innerCheck: z.ZodType<CheckInput> = z.lazy(() => checkSchema);

/**
 * All that a check can ask, in the order in which it is looked at. The schema, how checks are read and judged, the JSON Schema and the
 * reference of the site are made of this table.
 */
const ROWS: Readonly<Record<string, AnyCheck>> = {
  ...roleChecks,
  ...dataChecks,
  ...logChecks,
  ...clientChecks,
  ...setChecks,
  not: notCheck(innerCheck),
};

/** How a part of a check is read and judged, by its key; undefined if there is no such part. */
export const checkOf = (key: string): AnyCheck | undefined => (Object.hasOwn(ROWS, key) ? ROWS[key] : undefined);
export const CHECKS: readonly (readonly [key: string, row: AnyCheck])[] = Object.entries(ROWS);

const isQuestion = ([, { beside }]: (typeof CHECKS)[number]) => beside !== undefined;
const asksMember = ([, { beside }]: (typeof CHECKS)[number]) => beside?.on !== undefined;
const keysOf = (rows: typeof CHECKS) => rows.map(([key]) => key);

/** The keys of checks: of those that ask somebody a check has one, and the rest stand beside any. */
export const CHECK_KEYS = {
  ofMember: keysOf(CHECKS.filter(asksMember)),
  ofOthers: keysOf(CHECKS.filter((row) => isQuestion(row) && !asksMember(row))),
  besideAny: keysOf(CHECKS.filter((row) => !isQuestion(row))),
};

/** Every key that a check may have. To types it has none: they are known only when the table is made. */
export const checkShape: Readonly<Record<never, z.ZodType>> = Object.fromEntries(
  CHECKS.flatMap(([key, { shape, beside = {} }]) => [[key, shape.optional()], ...Object.entries(beside)]),
);

/** Keys that people look for in a check that looks now. */
export const ELSEWHERE = {
  within: '"expect" looks now; to wait for it: eventually: { within: 30s, … }',
  for: 'it is "always" that lasts: always: { for: 30s, … }',
};

export const checkSchema: z.ZodType<CheckInput> = strict('a check', checkShape, ELSEWHERE).meta({
  id: 'check',
  description: 'A check that holds now; after "not", one that does not',
});
