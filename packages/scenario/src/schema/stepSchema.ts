import { FAIL_POINTS } from '@replsim/protocol';
import {
  chance,
  document,
  duration,
  either,
  faultShapes,
  flag,
  startShape,
  strict,
  target,
  targetOr,
  text,
} from '@replsim/replset';
import * as z from 'zod';
import { alwaysSchema, checkSchema, errorName, eventuallySchema } from './checkSchema.ts';
import { outsideShape } from './outsideSchema.ts';
import { count, databaseName, filter, label, namespace, newMemberName, readPreference, value } from './parts.ts';
import { workloadSchema } from './workloadSchema.ts';

/** What every client step may say about itself. */
const client = {
  on: target.optional(),
  as: label.optional().describe('Send it and go on; { reply: NAME } looks at the answer'),
  matches: filter.optional().describe('The reply must match this filter'),
  error: errorName.optional(),
  took: filter.optional().describe('Conditions on the milliseconds it lasted: { $lt: 50 }'),
};
const session = label.optional().describe('The same logical session, causally consistent');
const write = { ...client, session, writeConcern: document.optional() };
const read = {
  ...client,
  session,
  readConcern: document.optional(),
  readPreference: readPreference.optional(),
};

/** Fields of a config's member entry, as far as a user may set them. */
export const memberConfigShape = {
  priority: z
    .number({ error: 'expected a number' })
    .min(0, { error: 'priority is at least 0' })
    .max(1000, { error: 'priority is at most 1000' })
    .optional(),
  votes: either('0 or 1', [z.literal(0), z.literal(1)]).optional(),
  hidden: flag.optional(),
  arbiterOnly: flag.optional(),
  buildIndexes: flag.optional(),
  secondaryDelaySecs: count.max(31_622_400, { error: 'a delay is at most 366 days (31622400)' }).optional(),
  tags: z.record(z.string(), z.string({ error: 'a tag is text' })).optional(),
};

const mustFail = flag.optional().describe('true: the process must refuse to start');

/** A step's shape holds itself here, which types cannot say; whoever reads the steps takes them one by one. */
const innerSteps: z.ZodType<readonly Readonly<Record<string, unknown>>[]> = z
  .array(
    z.lazy(() => stepSchema),
    { error: 'expected a list of steps' },
  )
  .min(1, { error: 'expected at least one step' });

/** Every kind of step; a step has exactly one of these keys. */
export const stepShape = {
  advance: either('a duration, or { to: duration }', [duration, strict('advance', { to: duration })]),
  run: strict('run', {
    ...client,
    session,
    readPreference: readPreference.optional(),
    db: databaseName.optional(),
    command: document,
  }),
  insert: strict('insert', {
    ...write,
    into: namespace,
    documents: z
      .array(document, { error: 'expected a list of documents' })
      .min(1, { error: 'expected at least one document' })
      .optional(),
    count: count.min(1).optional(),
    document: document.optional(),
    ordered: flag.optional(),
  }),
  update: strict('update', {
    ...write,
    in: namespace,
    filter: filter.optional(),
    update: either('an update or a pipeline', [document, z.array(document, { error: 'expected a list of documents' })]),
    multi: flag.optional(),
    upsert: flag.optional(),
    arrayFilters: z.array(filter, { error: 'expected a list of filters' }).optional(),
  }),
  delete: strict('delete', { ...write, from: namespace, filter: filter.optional(), multi: flag.optional() }),
  find: strict('find', {
    ...read,
    in: namespace,
    filter: filter.optional(),
    sort: document.optional(),
    projection: document.optional(),
    limit: count.optional(),
    skip: count.optional(),
    is: z
      .array(document, { error: 'expected a list of documents' })
      .optional()
      .describe('Exactly these documents come back (in this order if sort is given)'),
  }),
  createIndex: strict('createIndex', {
    ...write,
    in: namespace,
    keys: document,
    options: document.optional(),
    commitQuorum: value.optional(),
  }),
  collMod: strict('collMod', {
    ...write,
    in: namespace,
    index: document.optional(),
    validator: filter.optional(),
    validationLevel: text.optional(),
    validationAction: text.optional(),
    expireAfterSeconds: value.optional(),
    dryRun: flag.optional(),
  }),
  setParameter: strict('setParameter', { ...client, on: target, parameters: document }),
  stepDown: targetOr(
    strict('stepDown', {
      ...client,
      stepDownSecs: count.optional(),
      secondaryCatchUpPeriodSecs: count.optional(),
      force: flag.optional(),
    }),
  ),
  stepUp: targetOr(strict('stepUp', { ...client, on: target })),
  freeze: strict('freeze', { ...client, on: target, seconds: count }),
  initiate: targetOr(strict('initiate', { ...client, config: document.optional() })),
  reconfig: strict('reconfig', { ...client, update: document, force: flag.optional() }),
  addMember: strict('addMember', { ...client, name: newMemberName, force: flag.optional(), ...memberConfigShape }),
  removeMember: either("a member's name, or { name: …, … }", [
    text,
    strict('removeMember', { ...client, name: text, force: flag.optional() }),
  ]),
  let: z.record(label, strict('let', { on: target, db: databaseName.optional(), command: document, path: text }), {
    error: 'expected { name: { on, command, path } }',
  }),
  ...faultShapes({ duration }),
  start: targetOr(strict('start', { ...startShape, error: mustFail })),
  restart: targetOr(strict('restart', { ...startShape, error: mustFail })),
  failPoint: strict('failPoint', {
    ...client,
    on: target,
    name: either('the name of a fail point', [z.enum(FAIL_POINTS), text]),
    mode: either('off, alwaysOn, { times: N } or { skip: N }', [
      z.enum(['off', 'alwaysOn']),
      strict('mode', { times: count }),
      strict('mode', { skip: count }),
      strict('mode', { activationProbability: chance }),
    ]),
    data: document.optional(),
  }),
  workload: workloadSchema,
  stop: label.describe("A workload's name; the operation that it has under way is waited for"),
  repeat: strict('repeat', {
    times: count.min(1, { error: 'expected 1 or more' }).optional(),
    for: duration.optional().describe('The turn that is under way then is the last'),
    steps: innerSteps,
  }),
  note: text,
  expect: checkSchema,
  eventually: eventuallySchema,
  always: alwaysSchema,
  ...outsideShape,
} as const;

const optionalSteps = Object.fromEntries(
  Object.entries(stepShape).map(([key, schema]) => [key, schema.optional()]),
) as {
  [Key in keyof typeof stepShape]: z.ZodOptional<(typeof stepShape)[Key]>;
};
const at = duration.describe('The instant after time zero at which this came from outside');
export const stepSchema = strict('a step', { at: at.optional(), ...optionalSteps }).meta({
  id: 'step',
  minProperties: 1,
  maxProperties: 2,
  if: { required: ['at'] },
  else: { maxProperties: 1 },
});
export type StepInput = z.infer<typeof stepSchema>;
export type StepInputs = { [Key in keyof typeof stepShape]: z.infer<(typeof stepShape)[Key]> };
