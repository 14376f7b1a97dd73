import { duration, strict } from '@replsim/replset';
import * as z from 'zod';
import { checkSteps } from './checkSteps.ts';
import { clientSteps } from './clientSteps.ts';
import { failPointStep } from './failPoint.ts';
import { faultSteps } from './faultSteps.ts';
import { lessonSteps } from './lessonSteps.ts';
import { OTHER_WORDS } from './otherWords.ts';
import { outsideSteps } from './outsideSteps.ts';
import { repeatStep } from './repeat.ts';
import type { AnyStep, StepInput } from './row.ts';
import { setSteps } from './setSteps.ts';
import { timeSteps } from './timeSteps.ts';
import { transactionStep, transactionSteps } from './transactionSteps.ts';
import { watchStep } from './watch.ts';
import { workloadSteps } from './workload.ts';

/** The steps in a step. They are of all kinds, which are known only when the table is made. */
const innerSteps: z.ZodType<readonly StepInput[]> = z
  .array(
    z.lazy((): z.ZodType<StepInput> => stepSchema),
    { error: 'expected a list of steps, each of which begins with "- "' },
  )
  .min(1, { error: 'expected at least one step' });

/**
 * Every kind of step, by what it is about. The schema, how steps are read and performed, the JSON Schema and the reference of the
 * site are made of this table.
 */
const GROUPS: readonly (readonly [title: string, steps: Readonly<Record<string, AnyStep>>])[] = [
  ['Time, and words', { ...timeSteps, repeat: repeatStep(innerSteps) }],
  ['Lessons', lessonSteps],
  ['Checks', checkSteps],
  ['Clients', clientSteps],
  ['Transactions', { transaction: transactionStep(innerSteps), ...transactionSteps }],
  ['Clients alongside the steps', { ...workloadSteps, watch: watchStep }],
  ['The set', setSteps],
  ['Processes', { ...faultSteps.processes, failPoint: failPointStep }],
  ['The network', faultSteps.network],
  ['Clocks, disks and oplogs', faultSteps.machines],
  ['Clients outside, in recordings', outsideSteps],
];

const rows = new Map(GROUPS.flatMap(([, steps]) => Object.entries(steps)));

/** How a step is read and performed, by its key; undefined if there is no such step. */
export const rowOf = (key: string): AnyStep | undefined => rows.get(key);

/** The kinds of steps, by what they are about. */
export const STEP_GROUPS: readonly (readonly [title: string, keys: readonly string[]])[] = GROUPS.map(
  ([title, steps]) => [title, Object.keys(steps)],
);

const at = duration.describe('The instant after time zero at which this came from outside');
/** A step has one key of the table. */
export const stepSchema: z.ZodType<StepInput> = strict(
  'a step',
  {
    at: at.optional(),
    ...Object.fromEntries([...rows].map(([key, { shape }]) => [key, shape.optional()])),
  },
  OTHER_WORDS,
).meta({
  id: 'step',
  description: 'One action or check',
  minProperties: 1,
  maxProperties: 2,
  if: { required: ['at'] },
  else: { maxProperties: 1 },
});
