import { document, drift, duration, either, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { costsSchema, version } from '../language/scenarioSchema.ts';
import { jsonSchemaOf } from '../schema/jsonSchema.ts';
import { count, newMemberName, withDefault } from '../schema/parts.ts';
import { OUTAGES } from './forecast.ts';

const timeOfDay = z
  .string({ error: 'expected a time of day in quotes, such as "12:00"' })
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, { error: 'expected a time of day in quotes, such as "12:00"' })
  .meta({ id: 'timeOfDay', description: 'A time of day: "12:00", "06:30:15"' });
const perSecond = z.number({ error: 'expected documents a second' }).min(0, { error: 'expected 0 or more a second' });
const positive = count.min(1, { error: 'expected 1 or more' });

const outageSchema = strict('an outage', {
  at: either('a time of day such as "12:00", or a duration from the start', [timeOfDay, duration]).describe(
    'When it begins: a time of day, or a time since the start',
  ),
  for: duration.describe('How long it lasts'),
  what: either(`one of ${OUTAGES.join(', ')}`, [z.enum(OUTAGES), text]).describe('What goes wrong'),
});

const NO_LATENCY =
  'latency is not forecast: put the workload in a scenario, and measure it with "replsim run --ttl-report"';

/** What a forecast file may say; the JSON Schema for editors is generated from it. */
export const forecastSchema = strict('a forecast', {
  $schema: text.optional().describe('Where this schema lies, for editors'),
  name: z.string({ error: 'expected a title: what this forecasts' }).min(1, { error: 'expected a title: what this forecasts' }).describe('A title: what this forecasts'),
  seed: withDefault(count, 1, 'The seed of all randomness'),
  version: withDefault(version, '8.0', 'The release of mongod, in quotes'),
  start: withDefault(timeOfDay, '00:00', 'The time of day at which it begins'),
  duration: withDefault(duration, '24h', 'How long it lasts'),
  members: withDefault(positive.max(50, { error: 'a replica set has at most 50 members' }), 3, 'How many: n1, n2, n3'),
  insert: either('documents a second, or a curve of the day: [{ at: "06:00", rate: 100 }, …]', [
    perSecond,
    z
      .array(strict('a point of the curve', { at: timeOfDay.describe('When'), rate: perSecond.describe('Documents a second') }))
      .min(1, { error: 'expected at least one { at, rate }' }),
  ]).describe('Documents per second. A curve is interpolated between its points and repeats every day'),
  expireAfterSeconds: count.max(2_147_483_647, { error: 'expireAfterSeconds is at most 2147483647' }).describe('expireAfterSeconds of the TTL index'),
  documentBytes: withDefault(positive.max(16_777_216, { error: 'a document has at most 16777216 bytes' }), 256, 'Size of a document, in bytes'),
  documentsAtStart: withDefault(
    either('a number, or steady', [count, z.literal('steady')]),
    'steady',
    'Number of documents at the start; steady: as many as if inserts had always gone on like this',
  ),
  indexes: withDefault(count.max(62, { error: 'a collection has at most 64 indexes' }), 0, 'Number of indexes besides _id and the TTL index'),
  parameters: document.optional().describe('setParameter on every member at startup: ttlMonitorSleepSecs and others'),
  costs: costsSchema.optional().describe('Microseconds of virtual time, for one document'),
  oplogSizeMB: withDefault(z.number({ error: 'expected megabytes' }).positive({ error: 'expected more than 0' }), 10_240, 'Beyond this size the oldest entries are deleted'),
  clock: z
    .record(newMemberName, strict('clock', { offset: withDefault(duration, '0s', 'Ahead by this much'), drift: withDefault(drift, 0, 'Gains this many microseconds each second') }))
    .optional()
    .describe('Errors of wall clocks, by member: { n1: { offset: 30s, drift: 100 } }'),
  outages: z.array(outageSchema, { error: 'expected a list of outages' }).optional().describe('What goes wrong, and when'),
}, { workload: NO_LATENCY, workloads: NO_LATENCY }); // biome-ignore format: a field a line
export type ForecastInput = z.infer<typeof forecastSchema>;

/** The language of forecasts as JSON Schema (draft 2020-12). */
export function forecastJsonSchema(): Record<string, unknown> {
  return jsonSchemaOf(forecastSchema, 'A replsim forecast');
}
