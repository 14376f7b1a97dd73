import { DEFAULT_LINK_SETTINGS } from '@replsim/kernel';
import { type Costs, DEFAULT_COSTS, DEFAULT_SETTINGS, type MongodVersion, VERSIONS } from '@replsim/protocol';
import {
  DEFAULT_OPLOG_SIZE_MB,
  document,
  drift,
  duration,
  either,
  flag,
  key,
  keyFile,
  networkShape,
  strict,
  text,
} from '@replsim/replset';
import * as z from 'zod';
import { jsonSchemaOf } from '../schema/jsonSchema.ts';
import { memberConfigShape } from '../schema/memberConfig.ts';
import {
  count,
  countOrOff,
  databaseName,
  host,
  label,
  MAX_INT32,
  natural,
  newMemberName,
  withDefault,
} from '../schema/parts.ts';
import { stepSchema } from '../steps/table.ts';
import { challengeShape } from './challenge.ts';
import { exploreShape } from './explore.ts';
import { meanwhileShape } from './meanwhile.ts';
import { variantsShape } from './variants.ts';

const versions = Object.keys(VERSIONS) as [MongodVersion, ...MongodVersion[]];
export const version = z.enum(versions, {
  error: `expected one of ${versions.map((name) => `"${name}"`).join(', ')}, in quotes`,
});
const BEYOND_INT32 = { error: `expected at most ${MAX_INT32}, as a config holds it` };
const positive = natural.max(MAX_INT32, BEYOND_INT32);
const orOff = countOrOff.max(MAX_INT32, BEYOND_INT32);

const userSchema = strict('a user', {
  user: label.describe('Its name, also in steps'),
  pwd: text.optional().describe('Its password. Default: the name. Steps need none'),
  roles: z
    .array(
      either('a role, or { role, db }', [
        text,
        strict('a role', { role: text.describe("The role's name"), db: databaseName.describe('Where it is defined') }),
      ]),
      {
        error: 'expected a list of roles: [read]',
      },
    )
    .optional()
    .describe('What it may do. Default: nothing'),
  db: withDefault(databaseName, 'admin', 'The database that defines it'),
});

const accessShape = strict('access', {
  authorization: flag.optional().describe('Clients may only do what their privileges allow'),
  keyFile: text.optional().describe('The path of the key file, as getCmdLineOpts shows it'),
  keys: z
    .array(key, { error: 'expected a list of keys' })
    .min(1, { error: 'expected at least one key' })
    .max(2, { error: 'expected at most two keys' })
    .optional()
    .describe('What the key file holds; in a recording, what stands for it'),
  transitionToAuth: flag.optional().describe('Clients and members may log in, but need not'),
}).describe('Options of access control, as recordings list them. Otherwise write keyFile');

const memberSchema = strict('a member', {
  name: newMemberName.describe('Its name in steps and transcripts'),
  host: host.optional().describe('HOST:PORT in the config and in hello; default NAME:27017'),
  ...memberConfigShape,
  version: version.optional().describe("Its release, if it differs from the others'"),
  parameters: document.optional().describe("setParameter at startup; takes precedence over the set's"),
  clock: strict('clock', {
    offset: withDefault(duration, '0s', 'Forward by this much; -90s is back'),
    drift: withDefault(drift, 0, 'Gains this many microseconds each second'),
  })
    .optional()
    .describe('The error of its wall clock from the start'),
  oplogSizeMB: withDefault(
    z.number({ error: 'expected megabytes' }).positive({ error: 'expected more than 0' }),
    DEFAULT_OPLOG_SIZE_MB,
    'Beyond this the oldest entries go. Unit: MB',
  ),
  oplogMinRetentionHours: withDefault(
    z.number({ error: 'expected hours' }).min(0, { error: 'expected 0 or more' }),
    0,
    'Entries younger than this stay beyond the size, too. Unit: h',
  ),
  standalone: withDefault(flag, false, 'Start without --replSet; it is then not in the config'),
  keyFile: keyFile.optional().describe("What its key file holds, if it differs from the others'"),
  access: accessShape.optional(),
}).meta({ id: 'member', description: 'A process of the set' });
const member = either('a name, or a map with name', [newMemberName, memberSchema]);

const settingsSchema = strict('settings', {
  chainingAllowed: withDefault(
    flag,
    DEFAULT_SETTINGS.chainingAllowed,
    'Whether a secondary may fetch from another secondary',
  ),
  heartbeatIntervalMillis: withDefault(
    positive,
    DEFAULT_SETTINGS.heartbeatIntervalMillis,
    'From one heartbeat to the next',
  ),
  heartbeatTimeoutSecs: withDefault(
    positive,
    DEFAULT_SETTINGS.heartbeatTimeoutSecs,
    'How long the answer to a heartbeat is waited for',
  ),
  electionTimeoutMillis: withDefault(
    positive,
    DEFAULT_SETTINGS.electionTimeoutMillis,
    'How long a member hears of no primary before it stands',
  ),
  catchUpTimeoutMillis: withDefault(
    orOff,
    DEFAULT_SETTINGS.catchUpTimeoutMillis,
    'How long a new primary fetches what others have; -1: as long as it takes',
  ),
  catchUpTakeoverDelayMillis: withDefault(
    orOff,
    DEFAULT_SETTINGS.catchUpTakeoverDelayMillis,
    'How long a member with newer data waits before it takes over; -1: it does not',
  ),
  getLastErrorModes: z
    .record(z.string(), z.record(z.string(), positive))
    .optional()
    .describe('Write concerns by tags: { everywhere: { dc: 2 } }, then w: everywhere'),
});

/** As a `link` has it; but of what is not named there, something holds. */
const networkSchema = strict(
  'network',
  Object.fromEntries(
    Object.entries(networkShape).map(([name, shape]) => [
      name,
      shape.meta({ default: DEFAULT_LINK_SETTINGS[name as keyof typeof networkShape] }),
    ]),
  ) as typeof networkShape,
);

const MAX_COST_MICROS = 86_400_000_000;
const costNames = Object.keys(DEFAULT_COSTS) as (keyof typeof DEFAULT_COSTS)[];
const COSTS: Record<keyof Costs, string> = {
  commandMicros: 'To parse and answer a command',
  insertMicros: 'To insert a document',
  updateMicros: 'To update a document',
  deleteMicros: 'To delete a document',
  indexKeyMicros: 'For each key written to or removed from an index',
  scanKeyMicros: 'For each key or document looked at',
  fetchEntryMicros: 'For each oplog entry that is fetched',
  applyEntryMicros: 'For each oplog entry that is applied',
  journalFlushMicros: 'To flush the journal',
  checkpointMicros: 'To take a checkpoint',
  indexBuildMicrosPerDocument: 'For each document, to build an index',
  initialSyncMicrosPerDocument: 'For each document, to copy it at an initial sync',
  commitMicros: 'For each storage transaction',
};
/** What a single one takes may be less than a microsecond. */
const cost = z
  .number({ error: 'expected microseconds' })
  .min(0, { error: 'expected 0 or more' })
  .max(MAX_COST_MICROS, { error: `a cost is at most a day (${MAX_COST_MICROS})` });
export const costsSchema = strict(
  'costs',
  Object.fromEntries(costNames.map((name) => [name, withDefault(cost, DEFAULT_COSTS[name], COSTS[name])])) as Record<
    (typeof costNames)[number],
    z.ZodOptional<typeof cost>
  >,
);

/** The only beginning that can be asked for. */
const WITH_A_PRIMARY = 'with a primary';

/** What is said of the set stands in a map of its own. */
const OF_THE_SET = Object.fromEntries(
  ['members', 'spares', 'machineNames', 'settings', 'initiate', 'config'].map((key) => [
    key,
    `it belongs to the set: replicaSet: { ${key}: … }`,
  ]),
);

/** What a variant may say as well. */
const shape = {
  version: withDefault(version, '8.0', 'The release of mongod, in quotes'),
  epoch: withDefault(text, '2025-01-01T00:00:00Z', 'Time zero on every clock, to the millisecond'),
  replicaSet: strict('replicaSet', {
    name: withDefault(text.min(1, { error: 'a set has a name, such as rs0' }), 'rs0', 'Name of the set'),
    members: withDefault(
      either('the number of members, or a list of them', [
        natural,
        z.array(member).min(1, { error: 'expected at least one member' }),
      ]),
      3,
      'How many, called n1, n2, …; or a name or a map of each',
    ),
    config: document
      .optional()
      .describe('The output of rs.conf(), instead of name, members and settings. Members are named after their hosts'),
    spares: z.array(member).optional().describe('Processes started for the set but not in its first config'),
    machineNames: z
      .array(text.min(1, { error: 'expected the name of a machine' }))
      .optional()
      .describe(
        'Other names of the machine: members at localhost, 127.0.0.1 or [::1] are reachable under them, at their ports',
      ),
    auth: withDefault(flag, false, 'Clients may only do what their privileges allow; steps may do everything'),
    keyFile: keyFile
      .optional()
      .describe('What the key file of every member holds; members without a common key refuse each other'),
    access: accessShape.optional(),
    settings: settingsSchema.optional().describe("Settings of the set's config"),
    writeConcernMajorityJournalDefault: withDefault(
      flag,
      true,
      'Whether w: majority waits for the journal where a write does not say j',
    ),
    initiate: withDefault(flag, true, 'The first member initiates the set at time zero; false leaves that to a step'),
  })
    .optional()
    .describe('The set'),
  zones: z
    .object(
      { latencyMs: networkShape.latencyMs.describe('Between members of different zones') },
      { error: 'expected { ZONE: [members] }' },
    )
    .catchall(
      z
        .array(text, { error: 'expected a list of members: [n1, n2]' })
        .min(1, { error: 'expected at least one member' }),
    )
    .optional()
    .describe('Names for groups of members, for use in targets'),
  begin: z
    .enum([WITH_A_PRIMARY], { error: `expected "${WITH_A_PRIMARY}"` })
    .optional()
    .describe(
      'The steps begin once the set has a primary and all members have caught up. The transcript leaves out everything before',
    ),
  hide: z
    .enum(['start'], { error: 'expected "start"' })
    .optional()
    .describe('Pictures fold away everything before the first act. It still happens, and the transcript shows it'),
  parameters: document.optional().describe('setParameter on every member at startup'),
  network: networkSchema.optional().describe('All links between members, unless a link step changes one'),
  costs: costsSchema.optional().describe('Microseconds of virtual time'),
  users: z
    .array(userSchema, { error: 'expected a list: [{ user: alice, roles: [read] }]' })
    .optional()
    .describe('Created before the first step, as soon as there is a primary; steps act as them by "user"'),
  meanwhile: meanwhileShape.optional(),
};
const steps = z
  .array(stepSchema, { error: 'expected a list of steps, each of which begins with "- "' })
  .min(1, { error: 'expected at least one step' })
  .describe('What happens, in order');

/** The scenario language; the JSON Schema for editors is generated from it. */
export const scenarioSchema = strict(
  'a scenario',
  {
    $schema: text.optional().describe('Where this schema lies, for editors'),
    name: z
      .string({
        error: ({ input }) =>
          input === undefined || input === null || typeof input === 'object'
            ? 'a scenario says its claim in its name'
            : 'a name is text: put it in quotes',
      })
      .min(1, { error: 'a scenario says its claim in its name' })
      .describe('Its claim, in one sentence'),
    description: text.optional().describe('What a learner should know'),
    seed: withDefault(count, 1, 'The seed of all randomness; --seed overrides it'),
    ...shape,
    challenge: challengeShape.optional(),
    explore: exploreShape.optional(),
    variants: variantsShape({ ...shape, steps: steps.optional() }).optional(),
    steps,
  },
  OF_THE_SET,
);
export type ScenarioInput = z.infer<typeof scenarioSchema>;
export type MemberInput = z.infer<typeof memberSchema>;

/** The language as JSON Schema (draft 2020-12), so that editors complete and check. */
export function scenarioJsonSchema(): Record<string, unknown> {
  const schema = jsonSchemaOf(scenarioSchema, 'A replsim scenario');
  const head = schema.properties as Readonly<Record<string, { readonly description?: string }>>;
  const { properties } = (head.variants as Variants).additionalProperties;
  // What a variant overrides has the form that it has in the scenario.
  for (const key of Object.keys(properties))
    if (head[key]) properties[key] = { description: head[key].description, $ref: `#/properties/${key}` };
  return schema;
}

interface Variants {
  readonly additionalProperties: { readonly properties: Record<string, unknown> };
}
