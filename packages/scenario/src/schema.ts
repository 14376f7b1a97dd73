import { DEFAULT_COSTS, VERSIONS } from '@replsim/protocol';
import { document, duration, either, flag, networkShape, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { count, host, newMemberName } from './schema/parts.ts';
import { memberConfigShape, stepSchema } from './schema/stepSchema.ts';

const versions = Object.keys(VERSIONS) as [string, ...string[]];
export const version = z.enum(versions, {
  error: `expected one of ${versions.map((name) => `"${name}"`).join(', ')}, in quotes`,
});
const positive = count.min(1, { error: 'expected 1 or more' });
const orOff = z.int({ error: 'expected a whole number' }).min(-1, { error: 'expected -1 or more' });

const memberSchema = strict('a member', {
  name: newMemberName,
  host: host.optional().describe('HOST:PORT in the config and in hello; default NAME:27017'),
  ...memberConfigShape,
  version: version.optional(),
  parameters: document.optional(),
  clock: strict('clock', {
    offset: duration.optional(),
    drift: z.number({ error: 'expected parts per million' }).optional(),
  }).optional(),
  oplogSizeMB: z.number({ error: 'expected megabytes' }).positive({ error: 'expected more than 0' }).optional(),
  oplogMinRetentionHours: z.number({ error: 'expected hours' }).min(0, { error: 'expected 0 or more' }).optional(),
  standalone: flag.optional().describe('Started without --replSet; not in the config'),
}).meta({ id: 'member' });
const member = either('a name, or a map with name', [newMemberName, memberSchema]);

const settingsSchema = strict('settings', {
  chainingAllowed: flag.optional(),
  heartbeatIntervalMillis: positive.optional(),
  heartbeatTimeoutSecs: positive.optional(),
  electionTimeoutMillis: positive.optional(),
  catchUpTimeoutMillis: orOff.optional(),
  catchUpTakeoverDelayMillis: orOff.optional(),
  getLastErrorModes: z.record(z.string(), z.record(z.string(), positive)).optional(),
});

const costNames = Object.keys(DEFAULT_COSTS) as (keyof typeof DEFAULT_COSTS)[];
export const costsSchema = strict(
  'costs',
  Object.fromEntries(costNames.map((name) => [name, count.optional()])) as Record<
    (typeof costNames)[number],
    z.ZodOptional<typeof count>
  >,
);

/** The only beginning that can be asked for. */
const WITH_A_PRIMARY = 'with a primary';

/** The scenario language; the JSON Schema for editors is generated from it. */
export const scenarioSchema = strict('a scenario', {
  $schema: text.optional(),
  name: z
    .string({ error: 'a scenario says its claim in its name' })
    .min(1, { error: 'a scenario says its claim in its name' }),
  description: text.optional(),
  seed: count.optional(),
  version: version.optional(),
  epoch: text.optional().describe('Time zero on every clock, to the millisecond; default 2025-01-01T00:00:00Z'),
  replicaSet: strict('replicaSet', {
    name: text.min(1).optional(),
    members: either('the number of members, or a list of them', [
      positive,
      z.array(member).min(1, { error: 'expected at least one member' }),
    ]).optional(),
    spares: z.array(member).optional().describe('Processes started for the set but not in its first config'),
    settings: settingsSchema.optional(),
    initiate: flag.optional(),
  }).optional(),
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
    .describe('Names for groups of members, wherever a target stands'),
  begin: z
    .enum([WITH_A_PRIMARY], { error: `expected "${WITH_A_PRIMARY}"` })
    .optional()
    .describe(
      'The steps begin when the set has a primary, and all have what it wrote so far; the transcript leaves out how it came there',
    ),
  parameters: document.optional().describe('setParameter on every member at startup'),
  network: strict('network', networkShape).optional(),
  costs: costsSchema.optional().describe('Microseconds of virtual time'),
  steps: z.array(stepSchema, { error: 'expected a list of steps' }).min(1, { error: 'expected at least one step' }),
});
export type ScenarioInput = z.infer<typeof scenarioSchema>;
export type MemberInput = z.infer<typeof memberSchema>;

/** The language as JSON Schema (draft 2020-12), so that editors complete and check. */
export function scenarioJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(scenarioSchema, { io: 'input', unrepresentable: 'any' });
  return { $schema, title: 'A replsim scenario', ...schema };
}
