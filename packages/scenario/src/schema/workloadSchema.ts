import { document, duration, either, flag, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { count, filter, label, namespace, readPreference } from './parts.ts';

const milliseconds = count.describe('Milliseconds');

/** A client in the background; which keys go together is said by `readWorkload.ts`. */
export const workloadSchema = strict('workload', {
  name: label,
  every: duration.describe('From one turn to the next; a turn that comes while an operation is under way is left out'),
  insert: strict('insert', { into: namespace, document }).optional(),
  update: strict('update', {
    in: namespace,
    filter: filter.optional(),
    update: either('an update or a pipeline', [document, z.array(document, { error: 'expected a list of documents' })]),
    multi: flag.optional(),
    upsert: flag.optional(),
  }).optional(),
  find: strict('find', {
    in: namespace,
    filter: filter.optional(),
    sort: document.optional(),
    projection: document.optional(),
    limit: count.optional(),
    skip: count.optional(),
  }).optional(),
  writeConcern: document.optional(),
  readConcern: document.optional(),
  readPreference: readPreference.optional(),
  maxTimeMS: count.min(1).optional(),
  near: text.optional().describe('A member whose links the client shares; without it the client reaches every process'),
  options: strict('options', {
    serverSelectionTimeoutMS: milliseconds.optional(),
    connectTimeoutMS: milliseconds.optional(),
    socketTimeoutMS: milliseconds.optional(),
    heartbeatFrequencyMS: count.min(500, { error: 'heartbeatFrequencyMS is at least 500' }).optional(),
    localThresholdMS: milliseconds.optional(),
    retryWrites: flag.optional(),
    retryReads: flag.optional(),
  })
    .optional()
    .describe('Of the connection string, as drivers have them'),
});
