import { document, duration, either, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { count, newMemberName } from '../schema/parts.ts';
import { costsSchema, version } from '../schema.ts';
import { OUTAGES } from './forecast.ts';

const timeOfDay = z
  .string({ error: 'expected a time of day in quotes, such as "12:00"' })
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, { error: 'expected a time of day in quotes, such as "12:00"' })
  .meta({ id: 'timeOfDay', description: 'A time of day: "12:00", "06:30:15"' });
const perSecond = z.number({ error: 'expected documents a second' }).min(0, { error: 'expected 0 or more a second' });
const positive = count.min(1, { error: 'expected 1 or more' });
const span = duration.describe('A duration: 2m, 24h, 7d');

const outageSchema = strict('an outage', {
  at: either('a time of day such as "12:00", or a duration from the start', [timeOfDay, duration]),
  for: span,
  what: either(`one of ${OUTAGES.join(', ')}`, [z.enum(OUTAGES), text]),
});

/** What a forecast file may say; the JSON Schema for editors is generated from it. */
export const forecastSchema = strict('a forecast', {
  $schema: text.optional(),
  name: z.string({ error: 'expected what is forecast, in words' }).min(1, { error: 'expected what is forecast, in words' }),
  seed: count.optional(),
  version: version.optional(),
  start: timeOfDay.optional().describe('The time of day at which it begins; default "00:00"'),
  duration: span.optional().describe('Default 24h'),
  members: positive.max(50, { error: 'a replica set has at most 50 members' }).optional().describe('Default 3: n1, n2, n3'),
  insert: either('documents a second, or a curve of the day: [{ at: "06:00", rate: 100 }, …]', [
    perSecond,
    z
      .array(strict('a point of the curve', { at: timeOfDay, rate: perSecond }))
      .min(1, { error: 'expected at least one { at, rate }' }),
  ]).describe('Documents a second; of a curve, evenly from one point to the next, day after day'),
  expireAfterSeconds: count.max(2_147_483_647, { error: 'expireAfterSeconds is at most 2147483647' }),
  documentBytes: positive.max(16_777_216, { error: 'a document has at most 16777216 bytes' }).optional().describe('Default 256'),
  documentsAtStart: either('a number, or steady', [count, z.literal('steady')])
    .optional()
    .describe('steady, the default: as many as if it had always gone on like this'),
  indexes: count.max(62, { error: 'a collection has at most 64 indexes' }).optional().describe('Beside _id and the TTL index; default 0'),
  parameters: document.optional().describe('setParameter on every member at startup: ttlMonitorSleepSecs and others'),
  costs: costsSchema.optional().describe('Microseconds of virtual time, for one document'),
  oplogSizeMB: z.number({ error: 'expected megabytes' }).positive({ error: 'expected more than 0' }).optional().describe('Default 10240'),
  clock: z
    .record(newMemberName, strict('clock', { offset: duration.optional(), drift: z.int({ error: 'expected parts per million' }).optional() }))
    .optional()
    .describe('Wall clocks that go wrong, by member: { n1: { offset: 30s, drift: 100 } }'),
  outages: z.array(outageSchema, { error: 'expected a list of outages' }).optional(),
}); // biome-ignore format: a field a line
export type ForecastInput = z.infer<typeof forecastSchema>;

/** The language of forecasts as JSON Schema (draft 2020-12). */
export function forecastJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(forecastSchema, { io: 'input', unrepresentable: 'any' });
  return { $schema, title: 'A replsim forecast', ...schema };
}
