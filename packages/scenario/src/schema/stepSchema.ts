import { DEFAULT_MEMBER_CONFIG, FAIL_POINTS } from '@replsim/protocol';
import {
  chance,
  document,
  duration,
  either,
  FAULTS,
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
import { lessonShape } from './lessonSchema.ts';
import { outsideShape } from './outsideSchema.ts';
import {
  count,
  databaseName,
  filter,
  findShape,
  label,
  namespace,
  natural,
  newMemberName,
  onPrimary,
  readPreference,
  updateShape,
  value,
  withDefault,
} from './parts.ts';
import { watchSchema } from './watchSchema.ts';
import { workloadSchema } from './workloadSchema.ts';

/** What every client step may say about itself. */
const client = {
  on: onPrimary,
  as: label.optional().describe('Send it and go on; { reply: NAME } looks at the answer'),
  matches: filter.optional().describe('The reply must match this filter'),
  error: errorName.optional().describe('It must fail so: the name or number of an error, or any'),
  took: filter.optional().describe('Conditions on the milliseconds it lasted: { $lt: 50 }'),
};
const session = label.optional().describe('The same logical session, causally consistent');
const transactionOptions = strict(
  'the options of a transaction',
  {
    readConcern: document.optional().describe('{ level: snapshot }, of its first statement'),
    writeConcern: document.optional().describe('{ w: majority }, of the commit or abort that follows'),
    readPreference: readPreference.optional().describe('primary: elsewhere no transaction may read'),
    maxCommitTimeMS: natural.optional().describe('The commit is given up by the server after so long. Unit: ms'),
  },
  { maxTimeMS: 'did you mean "maxCommitTimeMS"? A driver sends it with the commit, as maxTimeMS' },
)
  .optional()
  .describe('As drivers take them');
const COMMIT_LIMIT = 'it is an option of the transaction, where that begins: options: { maxCommitTimeMS: … }';
const OF_TRANSACTIONS = {
  ...inOptions(['readConcern', 'writeConcern', 'readPreference', 'maxCommitTimeMS']),
  maxTimeMS: COMMIT_LIMIT,
};
const ended = label.describe('In which it was begun');
const writeConcern = document
  .optional()
  .describe("{ w: majority }; the step fails if it is missed. Without it, the set's default");
const write = { ...client, session, writeConcern };
const read = {
  ...client,
  session,
  readConcern: document.optional().describe('{ level: majority }'),
  readPreference: readPreference.optional().describe('Without "on" a driver chooses the member by it'),
};

/** Fields of a config's member entry, as far as a user may set them. */
export const memberConfigShape = {
  priority: z
    .number({ error: 'expected a number' })
    .min(0, { error: 'priority is at least 0' })
    .max(1000, { error: 'priority is at most 1000' })
    .optional()
    .meta({
      description: 'Whom the set would rather have as primary; 0: never. An arbiter has 0',
      default: DEFAULT_MEMBER_CONFIG.priority,
    }),
  votes: withDefault(either('0 or 1', [z.literal(0), z.literal(1)]), DEFAULT_MEMBER_CONFIG.votes, 'Whether it votes'),
  hidden: withDefault(flag, DEFAULT_MEMBER_CONFIG.hidden, 'Clients do not find it'),
  arbiterOnly: withDefault(flag, DEFAULT_MEMBER_CONFIG.arbiterOnly, 'It votes and holds no data'),
  buildIndexes: withDefault(flag, DEFAULT_MEMBER_CONFIG.buildIndexes, 'Whether it has indexes besides _id'),
  secondaryDelaySecs: withDefault(
    count.max(31_622_400, { error: 'a delay is at most 366 days (31622400)' }),
    DEFAULT_MEMBER_CONFIG.secondaryDelaySecs,
    'It applies each entry so long after it was written. Unit: s',
  ),
  tags: z
    .record(z.string(), z.string({ error: 'a tag is text' }))
    .optional()
    .describe('{ dc: east }, for read preferences and write concern modes'),
};

const mustFail = withDefault(flag, false, 'true: the process must refuse to start');
const asked = target.describe('Which member is asked, or which of them');
const forced = withDefault(flag, false, 'Even on a member that is no primary, and without a majority');

/** A step's shape holds itself here, which types cannot say; whoever reads the steps takes them one by one. */
const innerSteps: z.ZodType<readonly Readonly<Record<string, unknown>>[]> = z
  .array(
    z.lazy(() => stepSchema),
    { error: 'expected a list of steps, each of which begins with "- "' },
  )
  .min(1, { error: 'expected at least one step' });

const OF_INDEXES = inOptions([
  'expireAfterSeconds',
  'unique',
  'sparse',
  'name',
  'hidden',
  'partialFilterExpression',
  'collation',
]);

/** What stands beside others in mongosh, too, but in a document of its own. */
function inOptions(keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, `it is an option: options: { ${key}: … }`]));
}

/** The documents of a step are all in memory, before the members have them. */
const MAX_INSERTED = 1_000_000;

/** Every kind of step; a step has exactly one of these keys. */
export const stepShape = {
  advance: either('a duration, or { to: duration }', [
    duration,
    strict('advance', { to: duration.describe('The instant after time zero until which time passes') }),
  ]).describe('Lets time pass'),
  run: strict('run', {
    ...client,
    session,
    readPreference: readPreference.optional().describe('Without "on" a driver chooses the member by it'),
    db: withDefault(databaseName, 'admin', 'The database'),
    command: document.describe('As it stands: { dbStats: 1 }'),
  }).describe('Sends any command'),
  insert: strict('insert', {
    ...write,
    into: namespace.describe('The collection'),
    documents: z
      .array(document, { error: 'expected a list of documents: [{ field: value }]' })
      .min(1, { error: 'expected at least one document' })
      .optional()
      .describe('What is inserted; or else "document", and "count" of it'),
    count: withDefault(
      natural.max(MAX_INSERTED, { error: `at most ${MAX_INSERTED} documents; repeat the step for more` }),
      1,
      'So many of "document", told apart by $i',
    ),
    document: document.optional().describe('One document, or "count" of them'),
    ordered: withDefault(flag, true, 'Stops at the first that fails'),
  }).describe('Inserts documents'),
  update: strict('update', {
    ...write,
    ...updateShape,
    arrayFilters: z
      .array(filter, { error: 'expected a list of filters: [{ field: value }]' })
      .optional()
      .describe('Which elements $[name] in the update means'),
  }).describe('Updates documents'),
  delete: strict('delete', {
    ...write,
    from: namespace.describe('The collection'),
    filter: withDefault(filter, {}, 'Which documents'),
    multi: withDefault(flag, false, 'All documents that match, and not only the first'),
  }).describe('Deletes documents'),
  find: strict('find', {
    ...read,
    ...findShape,
    is: z
      .array(document, { error: 'expected a list of documents: [{ field: value }]' })
      .optional()
      .describe('Exactly these documents come back (in this order if sort is given)'),
  }).describe('Reads documents'),
  createIndex: strict(
    'createIndex',
    {
      ...write,
      in: namespace.describe('The collection'),
      keys: document.describe('{ lastSeen: 1 }'),
      options: document.optional().describe('{ expireAfterSeconds: 60 }, name, unique and others'),
      commitQuorum: withDefault(
        value,
        'votingMembers',
        'Who must have built it before it is committed: a number, majority, a mode, votingMembers',
      ),
    },
    OF_INDEXES,
  ).describe('Builds an index'),
  transaction: strict(
    'transaction',
    {
      session: label.describe('In which its steps are sent that name none'),
      options: transactionOptions,
      steps: innerSteps.describe('What is done in it, beside the steps that are no commands'),
      commit: withDefault(flag, true, 'false: it is aborted'),
    },
    OF_TRANSACTIONS,
  ).describe('Begins a transaction, does steps in it, and ends it'),
  startTransaction: strict(
    'startTransaction',
    {
      session: label.describe('Its steps from here on are statements of the transaction'),
      options: transactionOptions,
    },
    OF_TRANSACTIONS,
  ).describe('Begins a transaction; nothing is sent before its first statement'),
  commitTransaction: strict(
    'commitTransaction',
    { ...client, session: ended },
    { maxCommitTimeMS: COMMIT_LIMIT, maxTimeMS: COMMIT_LIMIT },
  ).describe('Commits it; said again, the commit is sent again'),
  abortTransaction: strict('abortTransaction', { ...client, session: ended }).describe('Gives it up'),
  collMod: strict('collMod', {
    ...write,
    in: namespace.describe('The collection'),
    index: document.optional().describe('{ name: ttl, expireAfterSeconds: 60 }: which index, and what of it changes'),
    validator: filter.optional().describe('What documents must match from now on'),
    validationLevel: text.optional().describe('off, strict or moderate'),
    validationAction: text.optional().describe('error or warn'),
    expireAfterSeconds: value.optional().describe("The collection's own, if it is clustered or a time series"),
    dryRun: withDefault(flag, false, 'Only looks whether it could be done'),
  }).describe('Changes a collection or an index of it'),
  setParameter: strict('setParameter', {
    ...client,
    on: asked,
    parameters: document.describe('{ ttlMonitorSleepSecs: 5 }; refused if the release does not have them'),
  }).describe('Changes parameters of a running process'),
  stepDown: targetOr(
    strict(
      'stepDown',
      {
        ...client,
        stepDownSecs: withDefault(count, 60, 'For so long it does not stand again. Unit: s'),
        secondaryCatchUpPeriodSecs: withDefault(
          count,
          10,
          'So long it waits for a secondary that has everything; with force not at all. Unit: s',
        ),
        force: withDefault(flag, false, 'Steps down even if no secondary has everything'),
      },
      { seconds: 'did you mean "stepDownSecs"?' },
    ),
  ).describe('The primary becomes a secondary, and hands over to another; or the members that are named'),
  stepUp: targetOr(strict('stepUp', { ...client, on: asked })).describe('A member stands for election at once'),
  freeze: strict('freeze', {
    ...client,
    on: asked,
    seconds: count.describe('For so long; 0 ends it. Unit: s'),
  }).describe('A member does not stand for election'),
  initiate: targetOr(
    strict('initiate', {
      ...client,
      config: document.optional().describe('The first config; without it, the members as the file lists them'),
    }),
  ).describe('Makes a set of the members, where replicaSet.initiate is false'),
  reconfig: strict('reconfig', {
    ...client,
    update: document.describe('An update of the config: { $set: { members.2.priority: 0 } }; its version rises'),
    force: forced,
  }).describe('Changes the config'),
  addMember: strict('addMember', {
    ...client,
    name: newMemberName.describe('A spare, or any other process'),
    force: forced,
    ...memberConfigShape,
  }).describe('Adds a member to the config'),
  removeMember: either("a member's name, or { name: …, … }", [
    text,
    strict('removeMember', { ...client, name: text.describe("The member's"), force: forced }),
  ]).describe('Takes a member out of the config'),
  let: z
    .record(
      label,
      strict('let', {
        on: asked,
        db: withDefault(databaseName, 'admin', 'The database'),
        command: document.describe('What is asked'),
        path: text.describe('Where in the reply: optimes.lastCommittedOpTime.ts'),
      }),
      { error: 'expected { name: { on, command, path } }' },
    )
    .describe('Remembers values of replies, as $name in the steps after it'),
  ...faultShapes({ duration }),
  start: targetOr(strict('start', { ...startShape, error: mustFail })).describe(FAULTS.start.what),
  restart: targetOr(strict('restart', { ...startShape, error: mustFail })).describe(FAULTS.restart.what),
  failPoint: strict('failPoint', {
    ...client,
    on: asked,
    name: either('the name of a fail point', [z.enum(FAIL_POINTS), text]).describe("mongod's name for it"),
    mode: either('off, alwaysOn, { times: N } or { skip: N }', [
      z.enum(['off', 'alwaysOn']),
      strict('mode', { times: count.describe('So many times, and then no more') }),
      strict('mode', { skip: count.describe('Not the first so many times') }),
      strict('mode', { activationProbability: chance.describe('Each time by chance') }),
    ]).describe('When it acts'),
    data: document.optional().describe('What it needs to know: { errorCode: 189, failCommands: [insert] }'),
  }).describe("Sets one of mongod's fail points"),
  workload: workloadSchema.describe('Starts a client beside the steps, which repeats one operation'),
  watch: watchSchema.describe('Opens a change stream beside the steps, which goes on elsewhere as drivers do'),
  stop: label.describe(
    'Ends a workload or a stream, by its name; the operation that a workload has under way is waited for',
  ),
  repeat: strict('repeat', {
    times: natural.optional().describe('So many turns; this or "for"'),
    for: duration.optional().describe('The turn that is under way then is the last'),
    steps: innerSteps.describe('What is done each turn'),
  }).describe('Does steps again and again'),
  note: text.describe('Says something in the transcript'),
  ...lessonShape,
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
  description: 'One thing that happens, or is checked',
  minProperties: 1,
  maxProperties: 2,
  if: { required: ['at'] },
  else: { maxProperties: 1 },
});
export type StepInput = z.infer<typeof stepSchema>;
export type StepInputs = { [Key in keyof typeof stepShape]: z.infer<(typeof stepShape)[Key]> };
